"""The turns of a run as the journal holds them: what was asked, as it was sent, and the raw reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import select

from phases.core.store import Store, calls
from schemas.events import Turns


class StoredTurn(NamedTuple):
    """One turn."""

    key: str
    request: str
    """JSON of skill, seat, model, require, inputs, and the errors that a repair turn quoted."""
    reply: str
    """JSON of the raw reply."""


def asked_keys(kept: Mapping[str, str]) -> tuple[str, ...]:
    """Journal keys of the turns behind these artefacts, in the order they were asked, repairs included."""
    return Turns.model_validate_json(kept["turns"]).keys if "turns" in kept else ()


def stored_turns(store: Store, keys: Sequence[str]) -> list[StoredTurn]:
    """The answered turns of these keys, in their order. Reads the store."""
    wanted = select(calls.c.key, calls.c.request, calls.c.reply).where(calls.c.key.in_(keys), calls.c.state == "done")
    with store.read() as connection:
        found = {key: StoredTurn(key, request, reply) for key, request, reply in connection.execute(wanted)}
    return [found[key] for key in keys if key in found]
