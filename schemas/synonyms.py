"""Documented synonyms: for each closed set of words a model may say, one table of what else is taken for them.

A value itself is also known in other case and with spaces around it. A word that is in no table stays as it is and
is refused by the schema: `mixed` and `maybe` are nobody's stance. Words that rule stay exact, in case and spaces too.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final, Literal, NamedTuple, get_args, get_origin

from schemas.analyst import AxisView
from schemas.base import Model
from schemas.debate import Assessment, Condition, DebateRoundContribution, Move
from schemas.manager import ManagerReply, Ruling
from schemas.news import NewsType
from schemas.risk import RiskPoint, RiskView
from schemas.seats import ModeratorRuling, SupervisorView

Table = Mapping[str, str]
"""Synonym, in small letters, to the value it stands for."""

SIDE: Final[Table] = {"the bull": "bull", "bulls": "bull", "the bear": "bear", "bears": "bear"}

NET_STANCE: Final[Table] = {
    "positive": "bullish",
    "net positive": "bullish",
    "net bullish": "bullish",
    "negative": "bearish",
    "net negative": "bearish",
    "net bearish": "bearish",
    "net neutral": "neutral",
}

STANCE: Final[Table] = {
    "accumulate": "buy",
    "outperform": "buy",
    "overweight": "buy",
    "equal weight": "hold",
    "market perform": "hold",
    "reduce": "sell",
    "underperform": "sell",
    "underweight": "sell",
    "watchlist": "watch",
}

AXIS: Final[Table] = {"technicals": "technical", "fundamentals": "fundamental"}

MOVE: Final[Table] = {
    "concede": "conceded",
    "concedes": "conceded",
    "concession": "conceded",
    "rebut": "rebutted",
    "rebuts": "rebutted",
    "rebuttal": "rebutted",
    "carry": "carried",
    "carries": "carried",
    "carried over": "carried",
}

COMPARISON: Final[Table] = {
    ">": "above",
    "greater than": "above",
    "higher than": "above",
    "<": "below",
    "less than": "below",
    "lower than": "below",
}

VERDICT: Final[Table] = {"flaw": "flawed", "not supported": "unsupported", "unsound": "flawed"}

CONFIDENCE: Final[Table] = {"med": "medium", "moderate": "medium"}

TABLES: Final[Mapping[tuple[type[Model], str], Table]] = {
    (Assessment, "verdict"): VERDICT,
    (AxisView, "axis"): AXIS,
    (AxisView, "stance_axis"): STANCE,
    (Condition, "comparison"): COMPARISON,
    (DebateRoundContribution, "role"): SIDE,
    (ManagerReply, "net_stance"): NET_STANCE,
    (Move, "kind"): MOVE,
    (NewsType, "about"): {},
    (NewsType, "direction"): {},
    (NewsType, "event"): {},
    (NewsType, "materiality"): CONFIDENCE,
    (NewsType, "novelty"): {},
    (SupervisorView, "confidence"): CONFIDENCE,
}
"""Which table holds for which field, by the record that has it."""

EXACT: Final = frozenset({(ModeratorRuling, "status"), (Ruling, "ruling"), (RiskView, "seat"), (RiskPoint, "about")})
"""Fields whose words rule: no other spelling is taken for them."""


class _Place(NamedTuple):
    """What a field may hold: words of a closed set, records, or neither."""

    words: Table | None
    record: type[Model] | None


def without_synonyms(contract: type[Model], value: Any) -> Any:
    """A parsed reply with every documented synonym replaced by its value, at any depth the contract has.

    >>> without_synonyms(ManagerReply, {"net_stance": "Positive ", "rulings": []})
    {'net_stance': 'bullish', 'rulings': []}
    """
    return _replaced(value, _Place(None, contract))


def _replaced(value: Any, place: _Place) -> Any:
    if isinstance(value, str) and place.words is not None:
        return place.words.get(value.strip(" \t\r\n").lower(), value) if value.isascii() else value
    if isinstance(value, list) and place != _NOTHING:
        return [_replaced(item, place) for item in value]
    if isinstance(value, dict) and place.record is not None:
        places = _places(place.record)
        return {key: _replaced(item, places.get(key, _NOTHING)) for key, item in value.items()}
    return value


_NOTHING = _Place(None, None)


@cache
def _places(contract: type[Model]) -> Mapping[str, _Place]:
    """The fields of a record that hold words of a closed set, or records that may."""
    found = {}
    for name, field in contract.model_fields.items():
        words, records = _parts(field.annotation)
        known = {word.lower(): word for word in words} | dict(TABLES.get((contract, name), {}))
        taken = known if (contract, name) in TABLES else None
        found[name] = _Place(taken, records[0] if len(records) == 1 else None)
    return found


def _parts(annotation: Any) -> tuple[tuple[str, ...], tuple[type[Model], ...]]:
    """The literal words and the records inside an annotation."""
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return (), (annotation,)
    if get_origin(annotation) is Literal:
        return tuple(word for word in get_args(annotation) if isinstance(word, str)), ()
    inner = [_parts(part) for part in get_args(annotation)]
    return sum((words for words, _ in inner), ()), sum((records for _, records in inner), ())
