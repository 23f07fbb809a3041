"""What calls cost, in exact arithmetic: tokens times the rates of a dated table, in millionths of a US dollar."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from phases.maths.exact import exact
from schemas.events import Usage
from schemas.settings import Rates

BYTES_A_TOKEN = 4
"""Bytes of English and JSON that one token holds, about; a local estimate, never a bill."""

FEWEST_BYTES_A_TOKEN = 2
"""The same, at worst: what is booked before a call counts twice as many tokens."""


class Priced(NamedTuple):
    """A cost, and whether its model is in the table."""

    micros: int
    """Millionths of a US dollar, rounded up."""
    known: bool


def cost(usage: Usage, model: str, table: Mapping[str, Rates]) -> Priced:
    """What a call cost: its tokens by kind at the model's rates; a model that is not listed costs the dearest.

    Where tokens are estimated, those that were read are priced as if all were written to a cache, if that is dearer.

    >>> rates = {"m": Rates(input="3", output="15", cache_write="3.75", cache_read="0.30")}
    >>> cost(Usage(input_tokens=1000, output_tokens=200, cache_read_tokens=500), "m", rates)
    Priced(micros=6150, known=True)
    """
    if not usage.tokens:
        return Priced(0, True)
    rates = _rates(model, table)
    read = max(rates.input, rates.cache_write, key=exact) if usage.estimated else rates.input
    parts = (
        (usage.input_tokens, read),
        (usage.output_tokens, rates.output),
        (usage.cache_write_tokens, rates.cache_write),
        (usage.cache_read_tokens, rates.cache_read),
    )
    return Priced(math.ceil(sum((tokens * exact(rate) for tokens, rate in parts), Fraction(0))), model in table)


def worst(sent_bytes: int, longest: int) -> Usage:
    """The most tokens a call can have: a dense prompt and a full reply.

    >>> rates = {"m": Rates(input="3", output="15", cache_write="3.75", cache_read="0.30")}
    >>> cost(worst(2000, 100), "m", rates)
    Priced(micros=5250, known=True)
    """
    return Usage(input_tokens=math.ceil(sent_bytes / FEWEST_BYTES_A_TOKEN), output_tokens=longest, estimated=True)


def _rates(model: str, table: Mapping[str, Rates]) -> Rates:
    if model in table:
        return table[model]
    names = ("input", "output", "cache_write", "cache_read")
    most = {name: max((getattr(one, name) for one in table.values()), key=exact, default="0") for name in names}
    return Rates(**most)


def tokens_of(text: str) -> int:
    """Tokens of a text, estimated from its bytes.

    >>> tokens_of("12345678")
    2
    """
    return math.ceil(len(text.encode()) / BYTES_A_TOKEN)
