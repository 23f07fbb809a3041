"""Finished nights that the tests of the command line look at."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import DAY, Cli, Night, Shared, Shelf, Told

ENGINE = "offline-desk v2, llm: none"


@pytest.fixture
def default(shared: Shared) -> Night:
    """The default night, held twice."""

    def build(place: Path) -> list[Told]:
        out, cli = place / "out", Cli(place)
        first = cli("--out", out)
        for name, text in Shelf(out).feed().items():
            (place / name).write_bytes(text)
        return [first, cli("run", "--out", out, "--json")]

    return shared("default", build)


@pytest.fixture
def mixed(shared: Shared) -> Night:
    """The night of `three` with a name nobody knows and one that was listed six weeks before."""

    def build(place: Path) -> list[Told]:
        return [Cli(place)("run", "AAPL", "NOSUCH", "FB", "--as-of", DAY, "--out", place / "out", "--json")]

    return shared("mixed", build)
