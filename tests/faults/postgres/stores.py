"""Stores on a real PostgreSQL server: opened or refused, a turn that is asked on them, and what they hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, insert, select

from phases.core.ask import Answer
from phases.core.errors import RebuttalError
from phases.core.store import VARIABLE, Store, calls, configured_store, events, late
from schemas.debate import DebateRoundContribution
from schemas.settings import Rates
from tests.phases.core.scripted import Scripted, asked, door
from tests.postgres import PASSWORD, QUOTED

PATIENCE = 20
RATES = {"m": Rates(input="1", output="1", cache_write="1", cache_read="1")}
SECRETS = (PASSWORD, QUOTED, "s3cret")


@contextmanager
def opened(url: str, out: Path, patience: int = PATIENCE, *, create: bool = True) -> Iterator[Store]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, url)
        store = configured_store(out, lock_seconds=patience, create=create)
    with closing(store):
        yield store


def turn(store: Store, provider: Scripted | None, **changes: Any) -> Answer[DebateRoundContribution]:
    return door(store, provider, **changes)("debater", asked(), returns=DebateRoundContribution, seat="bull")


def rows(store: Store, table: Any) -> list[Any]:
    with store.read() as connection:
        return list(connection.execute(select(table)))


def told(store: Store) -> list[str]:
    return [json.loads(row.body)["kind"] for row in rows(store, events)]


def note(word: str) -> Callable[[Connection], Any]:
    return lambda connection: connection.execute(insert(events), {"run_id": "run", "body": word})


def bodies(store: Store) -> list[str]:
    return [row.body for row in rows(store, events)]


def check_one_turn(store: Store, provider: Scripted) -> None:
    """One call was made, its answer is there once, and one event tells of it."""
    assert len(provider.requests) == 1
    (row,) = rows(store, calls)
    assert row.state == "done" and "is up." in row.reply
    assert (told(store), rows(store, late)) == (["called"], [])


def refused(url: str, out: Path, **options: Any) -> RebuttalError:
    with pytest.raises(RebuttalError) as caught, opened(url, out, 1, **options):
        pass
    assert not any(secret in f"{caught.value}{caught.value.__cause__}" for secret in SECRETS)
    return caught.value
