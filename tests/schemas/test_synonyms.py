"""The tables of synonyms: complete, apart from each other, and applied at any depth without touching prose."""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin

import pytest

from phases.maths.tally import market_stance
from schemas.analyst import AxisView
from schemas.base import Model
from schemas.debate import DebateRoundContribution
from schemas.manager import ManagerReply
from schemas.news import NewsType
from schemas.seats import CriticReport, ModeratorRuling, PanelAnswer, SupervisorView
from schemas.synonyms import EXACT, TABLES, without_synonyms
from tests.schemas.test_wire import ANSWERS


def closed_sets(contract: type[Model]) -> dict[tuple[type[Model], str], tuple[str, ...]]:
    """Every field of a contract with a closed set of words, records inside it included."""
    found: dict[tuple[type[Model], str], tuple[str, ...]] = {}

    def walk(annotation: Any, place: tuple[type[Model], str]) -> None:
        if get_origin(annotation) is Literal:
            found[place] = get_args(annotation)
        elif isinstance(annotation, type) and issubclass(annotation, Model):
            found.update(closed_sets(annotation))
        for part in get_args(annotation) if get_origin(annotation) is not Literal else ():
            walk(part, place)

    for name, field in contract.model_fields.items():
        walk(field.annotation, (contract, name))
    return found


SETS = {place: words for contract in ANSWERS for place, words in closed_sets(contract).items()}


def test_every_closed_set_of_a_reply_has_a_table_or_is_exact() -> None:
    assert set(SETS) == set(TABLES) | EXACT
    assert not set(TABLES) & EXACT


@pytest.mark.parametrize("place", TABLES, ids=lambda place: f"{place[0].__name__}.{place[1]}")
def test_a_synonym_stands_for_a_value_of_its_field(place: tuple[type[Model], str]) -> None:
    assert set(TABLES[place].values()) <= set(SETS[place])
    assert all(word == word.lower().strip() and word.isascii() for word in TABLES[place])


def test_no_synonym_is_itself_a_value_of_any_set_and_no_two_tables_disagree() -> None:
    assert all(not set(table) & set(SETS[place]) for place, table in TABLES.items())
    # how a story sounds has words that stand for a side elsewhere; the two are never one field
    values = {word for place, words in SETS.items() for word in words if place != (NewsType, "direction")}
    meanings: dict[str, set[str]] = {}
    for table in TABLES.values():
        for word, value in table.items():
            meanings.setdefault(word, set()).add(value)
    assert not values & set(meanings)
    assert {word: found for word, found in meanings.items() if len(found) > 1} == {}


def test_words_of_a_stance_mean_what_the_same_words_mean_on_a_ballot() -> None:
    for word, value in TABLES[AxisView, "stance_axis"].items():
        assert market_stance(word) in (value, None)


@pytest.mark.parametrize("word", ["mixed", "maybe", "unclear", "", " ", "n/a", "both"])
def test_a_word_of_no_side_is_in_no_table(word: str) -> None:
    assert not any(word in table for table in TABLES.values())
    assert without_synonyms(ManagerReply, {"net_stance": word}) == {"net_stance": word}


@pytest.mark.parametrize(
    ("contract", "given", "taken"),
    [
        (ManagerReply, {"net_stance": " Bullish\n"}, {"net_stance": "bullish"}),
        (ManagerReply, {"net_stance": "NEGATIVE"}, {"net_stance": "bearish"}),
        (ManagerReply, {"would_resolve_if": [{"comparison": ">"}]}, {"would_resolve_if": [{"comparison": "above"}]}),
        (AxisView, {"stance_axis": "Accumulate"}, {"stance_axis": "buy"}),
        (DebateRoundContribution, {"role": "Bull"}, {"role": "bull"}),
        (
            DebateRoundContribution,
            {"moves": [{"kind": "concession"}, {"kind": "carry", "would_change_if": {"comparison": "Below"}}]},
            {"moves": [{"kind": "conceded"}, {"kind": "carried", "would_change_if": {"comparison": "below"}}]},
        ),
        (CriticReport, {"assessments": [{"verdict": "Sound "}]}, {"assessments": [{"verdict": "sound"}]}),
        (SupervisorView, {"confidence": "moderate"}, {"confidence": "medium"}),
    ],
)
def test_a_synonym_is_replaced_at_any_depth(contract: type[Model], given: Any, taken: Any) -> None:
    assert without_synonyms(contract, given) == taken


@pytest.mark.parametrize(
    ("contract", "given"),
    [
        (ModeratorRuling, {"status": "Settled"}),
        (ModeratorRuling, {"status": "continued"}),
        (ManagerReply, {"rulings": [{"ruling": "Stands"}, {"ruling": "answered "}]}),
        (ManagerReply, {"bull_thesis": "positive", "net_stance": [{"net_stance": 1}, None, 2.0]}),
        (DebateRoundContribution, {"argument": "Bull", "ticker": "bull", "extra": {"kind": "carry"}}),
        (DebateRoundContribution, {"moves": {"kind": {"kind": []}}, "role": "\u212aull", "claims": "carry"}),
        (DebateRoundContribution, {"role": "\uff42\uff55\uff4c\uff4c"}),
        (PanelAnswer, [1, "x", {"answer": "positive"}]),
    ],
)
def test_what_is_no_synonym_stays_as_it_is(contract: type[Model], given: Any) -> None:
    before = repr(given)
    assert without_synonyms(contract, given) == given
    assert repr(given) == before
