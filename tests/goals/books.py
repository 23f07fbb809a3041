"""A store's ledger against the server's own count, call by call."""

from __future__ import annotations

import json
from collections import Counter
from typing import NamedTuple

from bench.fake_model.server import FakeModel
from bench.fake_model.service import Made
from phases.maths.pricing import cost
from schemas.events import Usage
from schemas.run import RunHeader
from tests.conftest import Shelf

KINDS = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_tokens": "cache_read_input_tokens",
    "cache_write_tokens": "cache_creation_input_tokens",
}
"""Our names of the kinds of tokens, and the server's."""


class Books(NamedTuple):
    """What the two sides hold."""

    spent: int
    """Calls that are settled with what the server counted."""
    lost: int
    """Messages of the server that never came into the store."""
    open: int
    """Bookings that stand at the worst case."""
    micros: int
    """The whole ledger, in millionths of a US dollar."""


def usage_of(made: Made) -> Usage:
    """The server's count in our words."""
    return Usage(**{ours: made.usage[theirs] for ours, theirs in KINDS.items()})


def check_books(shelf: Shelf, server: FakeModel) -> Books:
    """Every message of the server is a settled call with the same tokens, or it is lost and its booking stands open."""
    header, *_ = (RunHeader.model_validate_json(one) for (one,) in shelf.ask("SELECT header FROM runs"))
    rows = shelf.ask("SELECT key, state, model, micros, usage FROM spend")
    spent = {key: (usage, micros, model) for key, state, model, micros, usage in rows if state == "spent"}
    assert len(spent) == sum(state == "spent" for _, state, *_ in rows), "a call is settled twice"
    open_ = [(key, model, micros) for key, state, model, micros, _ in rows if state != "spent"]
    stored = shelf.ask("SELECT key, reply FROM calls WHERE kind = 'ask' AND state = 'done'")
    keys = {json.loads(reply)["request_id"]: key for key, reply in stored}
    arrived = {keys[one.id]: one for one in server.made if one.id in keys}
    assert arrived.keys() == spent.keys(), "an answer in the journal is not settled, or the other way round"
    for key, made in arrived.items():
        usage, micros, model = spent[key]
        assert json.loads(usage) == usage_of(made).model_dump()
        assert micros == cost(usage_of(made), model, header.prices.models).micros
    bodies = {one.body: key for key, one in arrived.items()}
    lost = Counter(bodies[one.body] for one in server.made if one.id not in keys)
    standing = Counter(key for key, _, _ in open_)
    assert lost <= standing, "a call that the server made has no booking"
    most = {key: (model, micros) for key, model, micros in open_}
    for one in server.made:
        if one.id not in keys:
            model, micros = most[bodies[one.body]]
            assert cost(usage_of(one), model, header.prices.models).micros <= micros
    return Books(len(spent), lost.total(), len(open_), sum(micros for *_, micros, _ in rows))
