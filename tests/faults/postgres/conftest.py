"""A store on a new database of a real server, and second processes that end with the test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from phases.core.store import Store
from tests.faults.postgres.stores import opened
from tests.phases.core.conftest import _process  # noqa: F401  the fixture `process`


@pytest.fixture(name="store")
def _store(database: str, tmp_path: Path) -> Iterator[Store]:
    with opened(database, tmp_path / "out") as store:
        yield store
