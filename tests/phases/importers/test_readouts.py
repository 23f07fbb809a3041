"""Moves, theater and cascade as pure functions; expected values are worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phases.debate.readouts.cascade import cascade
from phases.debate.readouts.moves import ANSWERS, SETTLED, Point, convergence, moves, verdict
from phases.debate.readouts.theater import Said, likeness, near, no_reply, no_substance, repeated

POINTS = st.lists(st.sampled_from(ANSWERS).map(lambda answer: Point("c", "bull", answer, answered=1)))


@given(POINTS)
def test_counts_add_up_and_convergence_is_the_settled_share(points: list[Point]) -> None:
    counts = moves(points)
    assert sum(counts.values()) == len(points)
    settled = sum(counts[answer] for answer in SETTLED)
    assert convergence(points) == (Fraction(settled, len(points)) if points else None)
    assert verdict(points) == ("empty" if not points else "resolved" if settled == len(points) else "disputed")


@pytest.mark.parametrize(
    ("conceded", "others", "is_one"),
    [(4, ["carried"], True), (79, ["carried"] * 21, False), (80, ["carried"] * 20, True), (4, ["rebutted"], False)],
)
def test_cascade_at_its_threshold(conceded: int, others: list[str], is_one: bool) -> None:
    points = [Point("c", "bull", "conceded", answered=1)] * conceded
    points += [Point("c", "bear", other, answered=1) for other in others]  # type: ignore[arg-type]
    assert cascade(points) is is_one


def test_cascade_counts_what_was_raised_and_conceded_in_round_one() -> None:
    late = [Point("c", "bull", "conceded", answered=2)] * 9
    assert not cascade(late)
    assert cascade([Point("a", "bull", "withdrawn", answered=1), Point("b", "bear", "carried", raised=2, answered=2)])
    assert not cascade([Point("a", "bull", "conceded", answered=1), Point("b", "bear", "rebutted", raised=2)])


def _turns(*chances: float, stances: tuple[str, ...] = ()) -> list[Said]:
    words = ("the first thing said", "another matter entirely", "nothing like those two")
    named = stances or ("hold",) * len(chances)
    return [Said("bull", at, words[at], chance, named[at]) for at, chance in enumerate(chances)]


@pytest.mark.parametrize(
    ("chances", "empty"),
    [((0.5, 0.51), True), ((0.5, 0.511), False), ((0.07, 0.06), True), ((0.5, 0.505, 0.515), False), ((0.5,), True)],
)
def test_a_probability_has_moved_by_more_than_a_hundredth(chances: tuple[float, ...], empty: bool) -> None:
    assert no_substance([], _turns(*chances)) is empty


def test_what_counts_as_substance() -> None:
    assert not no_substance([], _turns(0.5, 0.5, stances=("buy", "hold")))
    assert no_substance([], _turns(0.5, 0.5, stances=("buy", " BUY")))
    assert no_substance([Point("c", "bull", "conceded")], [])
    assert not no_substance([Point("c", "bull", "withdrawn", reasoned=True)], [])
    assert no_substance([Point("c", "bull", "rebutted", reasoned=True)], [])
    assert not no_substance([Point("c", "bull", "rebutted", evidenced=True)], [])
    assert no_substance([Point("c", "bull", "carried", reasoned=True, evidenced=True)], [])
    two_speakers = [Said("bull", 1, "one", 0.9, "buy"), Said("bear", 1, "two", 0.1, "sell")]
    assert no_substance([], two_speakers), "a difference between speakers is no change"


def test_where_moves_are_unknown_only_repetition_counts() -> None:
    assert not no_substance(None, [Said("bull", 1, "one thing"), Said("bull", 2, "and another")])
    assert no_substance(None, [Said("bull", 1, "one thing"), Said("bull", 2, "One thing!")])


def test_a_repeated_turn_is_theater_whatever_else_moved() -> None:
    paid = [Point("c", "bull", "rebutted", evidenced=True)]
    same = [Said("bear", 1, "Sell.", 0.4), Said("bear", 2, "sell", 0.1)]
    assert no_substance(paid, same)
    assert not repeated([same[0], Said("bull", 2, "Sell.")]), "another speaker"
    between = [same[0], Said("bear", 2, "Quite another thing."), Said("bear", 3, "Sell.")]
    assert not repeated(between), "only the previous turn counts"


def test_no_reply_is_false_for_any_text() -> None:
    assert no_reply([Point("c", "bull", "rebutted")], [])
    assert not no_reply([Point("c", "bull", "upheld")], [])
    assert not no_reply([], [Said("A", 1, "lorem ipsum")])


TEXTS = st.text(max_size=80)


@given(TEXTS, TEXTS)
def test_likeness_is_a_symmetric_share_and_a_text_is_like_itself(text: str, other: str) -> None:
    assert 0 <= likeness(text, other) == likeness(other, text) <= 1
    assert likeness(text, text) == 1


@pytest.mark.parametrize("length", [10, 16, 33, 100, 900])
def test_edited_copies_are_near_and_other_texts_are_not(length: int) -> None:
    words = [f"w{at}" for at in range(length)]
    replaced = [f"x{at}" if at % 8 == 4 else word for at, word in enumerate(words)]
    appended = [*words, *(f"y{at}" for at in range(length // 3))]
    assert near(" ".join(words), " ".join(replaced))
    assert near(" ".join(words), " ".join(appended))
    half = [f"x{at}" if at % 2 else word for at, word in enumerate(words)]
    assert not near(" ".join(words), " ".join(half))
    assert not near(" ".join(words), " ".join(reversed(words)))
