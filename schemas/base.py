"""Common types. Every contract is frozen, closed and strict; a field's docstring is its description."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Annotated, ClassVar, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    WithJsonSchema,
)

from schemas.grammar import TICKER_LENGTH, TICKER_PATTERN, VISIBLE, parse_day, parse_utc


class Model(BaseModel):
    """A record: frozen, closed to unknown keys, strict about types, free of NaN and infinity."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        use_attribute_docstrings=True,
        ser_json_inf_nan="null",
    )


class Inputs(Model):
    """What a skill reads, in the order of its prompt: from what many turns share to what one alone has."""

    SHARED: ClassVar[tuple[str, ...]] = ()
    """Fields after which a beginning ends that other turns have too."""
    GROWING: ClassVar[tuple[str, ...]] = ()
    """Lists that a later turn has with more at their end."""


def _whole_utc(value: datetime) -> datetime:
    if value.tzinfo is None:
        raise ValueError("a moment needs its zone; give UTC")
    return value.astimezone(UTC)


def _utc_text(value: datetime) -> str:
    return value.isoformat().replace("+00:00", "Z")


Ticker = Annotated[str, Field(pattern=TICKER_PATTERN, min_length=1, max_length=TICKER_LENGTH)]
"""A symbol as the user writes it, for example `BRK-B`, `0700.HK`, `^GSPC`, `BTC-USD`."""

Probability = Annotated[float, Field(ge=0, le=1)]
"""Probability of the case's event, 0..1, whoever speaks."""

Conviction = Annotated[int, Field(ge=-5, le=5)]
"""Whole conviction points, -5 (strongest sell) to 5 (strongest buy)."""

Delta = Annotated[int, Field(ge=-2, le=2)]
"""Whole conviction points a debate may move, -2 to 2."""

Lean = Annotated[float, Field(ge=-1, le=1)]
"""Direction of a fact for the event: 1 fully for, -1 fully against, 0 neutral."""

Day = Annotated[date, BeforeValidator(parse_day), WithJsonSchema({"type": "string", "format": "date"})]
"""A calendar day, written `YYYY-MM-DD`."""

Utc = Annotated[
    datetime,
    BeforeValidator(parse_utc),
    AfterValidator(_whole_utc),
    PlainSerializer(_utc_text, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""A moment in UTC, written `YYYY-MM-DDThh:mm:ssZ`."""

EvidenceId = Annotated[str, Field(pattern=r"^[a-z]+\.[a-z0-9_]+$", min_length=3, max_length=60)]
"""Name of one evidence item, for example `px.ret_63d` or `macro.wti_63d`."""

Text = Annotated[str, Field(min_length=1, pattern=VISIBLE)]
"""Prose that says something: never empty, never only spaces or invisible marks."""

Role = Literal["bull", "bear"]
"""Side of a debater."""

Stance = Literal["buy", "hold", "sell", "watch"]
"""Analyst or feed view of one ticker."""

NetStance = Literal["bullish", "neutral", "bearish"]
"""Who gained in the exchange."""


def absent(value: object) -> object:
    """None for what the configuration leaves empty."""
    return None if value in ("", "null", "~") else value


class Section(Model):
    """A section of the configuration; its scalars are read from text."""

    model_config = ConfigDict(strict=False, validate_default=True)

    ASCENDING: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Pairs of numbers of which the first may not be above the second. No schema can say it."""

    def descending(self, name: str = "") -> Iterator[str]:
        """Pairs that contradict each other, here and in the sections of this one, each in words with its keys."""
        for low, high in self.ASCENDING:
            below, above = getattr(self, low), getattr(self, high)
            if below > above:
                yield f"{name}{low} ({below:g}) is above {name}{high} ({above:g}); lower the first or raise the second"
        for part in type(self).model_fields:
            if isinstance(section := getattr(self, part), Section):
                yield from section.descending(f"{name}{part}.")
