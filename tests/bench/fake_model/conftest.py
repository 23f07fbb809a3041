"""A fake model without faults, and the real SDK that asks it."""

from __future__ import annotations

from collections.abc import Iterator

import anthropic
import pytest

from bench.fake_model.server import FakeModel
from tests.bench.fake_model.turns import SCENARIOS, client


@pytest.fixture(scope="module")
def clean() -> Iterator[FakeModel]:
    with FakeModel(SCENARIOS / "clean.yaml") as server:
        yield server


@pytest.fixture
def sdk(clean: FakeModel) -> Iterator[anthropic.Anthropic]:
    clean.reset()
    with client(clean) as made:
        yield made
