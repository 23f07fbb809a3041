"""The exchange: each clause on tables worked by hand."""

from __future__ import annotations

from fractions import Fraction as F
from typing import get_args

import pytest

from phases.maths.exchange import (
    OTHER,
    Claim,
    Exchange,
    RulingWord,
    contested,
    delta_of,
    exchange,
    heard,
    net_standing,
    ruled,
    settle_of,
    state_of,
    tilt_of,
)
from schemas.base import NetStance, Role
from schemas.manager import PointAnswer
from tests.phases.maths.exchanged import HALF, SIDES, claim, moves

# moves, loop rounds (all paired), settle, answer, awaits (other, author, nobody), moves that counted
TABLE: tuple[tuple[str, int, F | int, PointAnswer, str, str], ...] = (
    # the other side never moved
    ("", 0, 0, "unaddressed", "o", ""),
    ("", 1, HALF, "unaddressed", "o", ""),
    ("", 2, HALF, "unaddressed", "o", ""),
    # conceded by the other side, at any time
    ("o1c", 1, 1, "conceded", "-", "o1c"),
    ("o2c", 2, 1, "conceded", "-", "o2c"),
    ("o1k o2c", 2, 1, "conceded", "-", "o1k o2c"),
    ("o1r a2r o3c", 3, 1, "conceded", "-", "o1r a2r o3c"),
    ("o1r a2r o3k o4c", 4, 1, "conceded", "-", "o1r a2r o3k o4c"),
    # carried: open
    ("o1k", 1, 0, "carried", "o", "o1k"),
    ("o1k", 2, 0, "carried", "o", "o1k"),
    ("o1k o2k", 2, 0, "carried", "o", "o1k o2k"),
    # a rebuttal in the last round is open: nobody profits from the last word
    ("o1r", 1, 0, "rebutted", "a", "o1r"),
    ("o2r", 2, 0, "rebutted", "a", "o2r"),
    ("o1k o2r", 2, 0, "rebutted", "a", "o1k o2r"),
    # a rebuttal that its author carried or ignored is unmet
    ("o1r", 2, -1, "rebutted", "a", "o1r"),
    ("o1r a2k", 2, -1, "rebutted", "a", "o1r a2k"),
    ("o1r a2k a3k", 3, -1, "rebutted", "a", "o1r a2k a3k"),
    ("o1k o2r", 3, -1, "rebutted", "a", "o1k o2r"),
    ("o1k o2k o3r a4k", 4, -1, "rebutted", "a", "o1k o2k o3r a4k"),
    # met, the last round included
    ("o1r a2r", 2, 0, "met", "o", "o1r a2r"),
    ("o1r a2r", 3, 0, "met", "o", "o1r a2r"),
    ("o1r a2k a3r", 3, 0, "met", "o", "o1r a2k a3r"),
    # answers to answers are recorded, never settled
    ("o1r a2r o3k", 4, 0, "met", "o", "o1r a2r o3k"),
    ("o1r a2r o3r", 3, 0, "met", "a", "o1r a2r o3r"),
    ("o1r a2r o3r", 4, 0, "met", "a", "o1r a2r o3r"),
    ("o1r a2r o3r a4k", 4, 0, "met", "a", "o1r a2r o3r a4k"),
    ("o1r a2r o3r a4r", 4, 0, "met", "o", "o1r a2r o3r a4r"),
    # withdrawn by its author
    ("o1r a2c", 2, -1, "withdrawn", "-", "o1r a2c"),
    ("o1r a2k a3c", 3, -1, "withdrawn", "-", "o1r a2k a3c"),
    ("o1r a2r o3r a4c", 4, -1, "withdrawn", "-", "o1r a2r o3r a4c"),
    # a move that the claim does not await is not counted
    ("a1c", 2, HALF, "unaddressed", "o", ""),
    ("a1r o2r", 2, 0, "rebutted", "a", "o2r"),
    ("a1k o2k", 2, 0, "carried", "o", "o2k"),
    ("o1r o2r", 2, -1, "rebutted", "a", "o1r"),
    ("o1r o2c", 2, -1, "rebutted", "a", "o1r"),
    ("o1r a2r a3c", 3, 0, "met", "o", "o1r a2r"),
    # one counting move in a round
    ("o1r a1r", 2, -1, "rebutted", "a", "o1r"),
    ("a1r o1r", 2, -1, "rebutted", "a", "o1r"),
    ("o1r a1c", 1, 0, "rebutted", "a", "o1r"),
    ("o1k o2r a2c", 2, 0, "rebutted", "a", "o1k o2r"),
    ("o1k o1c", 1, 0, "carried", "o", "o1k"),
    # closed is closed
    ("o1c a2c", 2, 1, "conceded", "-", "o1c"),
    ("o1c o2r", 2, 1, "conceded", "-", "o1c"),
    ("o1r a2c o3c", 3, -1, "withdrawn", "-", "o1r a2c"),
)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(("text", "rounds", "settle", "answer", "awaits", "counted"), TABLE)
def test_what_becomes_of_a_claim(
    side: Role, text: str, rounds: int, settle: F | int, answer: PointAnswer, awaits: str, counted: str
) -> None:
    one, paired = claim(text, side=side), range(1, rounds + 1)
    asked = {"o": OTHER[side], "a": side, "-": None}[awaits]
    assert state_of(side, one.moves) == heard(one, paired) == (answer, asked, moves(counted, side))
    assert settle_of(one, paired) == settle


# moves in all rounds, paired rounds, settle, answer in the paired rounds
UNPAIRED: tuple[tuple[str, set[int], F | int, PointAnswer], ...] = (
    # a move of an unpaired round earns nothing
    ("o1c", set(), 0, "unaddressed"),
    ("o1c", {2}, HALF, "unaddressed"),
    ("o2c", {1}, HALF, "unaddressed"),
    ("o1k o2c", {1}, 0, "carried"),
    ("o1r a2c", {1}, 0, "rebutted"),
    ("o1r", {2, 3}, 0, "unaddressed"),
    # nor is it a round in which the author could have met a rebuttal
    ("o1r", {1}, 0, "rebutted"),
    ("o2r", {1, 2}, 0, "rebutted"),
    ("o1r", {1, 3}, -1, "rebutted"),
    ("o1r a2k", {1, 3}, -1, "rebutted"),
    ("o1r a2c", {1, 3}, -1, "rebutted"),
    ("o1r a2c", {1, 2}, -1, "withdrawn"),
    # but it is an answer: the author's own void earns it no silence
    ("o1k", {2}, 0, "unaddressed"),
    ("o2r", {1}, 0, "unaddressed"),
    ("o1r a2r", {2}, 0, "unaddressed"),
    ("o1r a2c", {2}, 0, "unaddressed"),
    # and the other side's void does not undo a rebuttal that was met
    ("o1r a2r", {1, 3}, 0, "rebutted"),
    ("o1r a2r o3r", {1, 3}, 0, "rebutted"),
)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(("text", "paired", "settle", "answer"), UNPAIRED)
def test_unpaired_rounds(side: Role, text: str, paired: set[int], settle: F | int, answer: PointAnswer) -> None:
    one = claim(text, side=side)
    assert settle_of(one, paired) == settle
    assert heard(one, paired).answer == answer


# bull points, bear points (weight, heaviest id, settle), tilt
TILTS: tuple[tuple[str, str, F | int], ...] = (
    ("", "", 0),
    ("1 a 1", "", F(1, 3)),
    ("", "1 a 1", F(-1, 3)),
    ("3/4 a 1/2", "", F(1, 8)),
    ("1 a -1", "", F(-1, 3)),
    ("1 a 0", "1 b 0", 0),
    ("1 a 1, 1 b 1, 1 c 1", "", 1),
    ("1 a 1, 1 b 1, 1 c 1", "1 d -1", 1),
    ("1 a -1, 1 b -1, 1 c -1", "1 d 1", -1),
    ("1 a 1", "1 a 1", 0),
    ("3/4 a 1, 1/4 b -1", "1/2 c 1/2", F(1, 12)),
    # one point: weight once, max(0, best) + min(0, worst)
    ("1 a 1, 1 a 1", "", F(1, 3)),
    ("1 a 1, 1 a 1/2", "", F(1, 3)),
    ("1 a 1, 1 a 0", "", F(1, 3)),
    ("1 a 1, 1 a -1", "", 0),
    ("1 a 1/2, 1 a -1", "", F(-1, 6)),
    ("1 a 0, 1 a -1", "", F(-1, 3)),
    ("1 a -1, 1 a -1, 1 a -1", "", F(-1, 3)),
    ("1/2 a 1/2, 1/2 a 1/2, 1/2 a 1/2", "", F(1, 12)),
    ("1 a 1, 1 a 1/2, 1 b 1", "1 a 1/2", F(1, 2)),
    # without weight
    ("0 - 1, 0 - 1/2", "0 - 1", 0),
    ("1 a 1, 0 - -1", "", F(1, 3)),
    ("0 a 1", "", 0),
    ("1 - 1", "", 0),
)


def read(bull: str, bear: str) -> tuple[list[Claim], dict[str, F]]:
    claims: list[Claim] = []
    settles: dict[str, F] = {}
    for side, text in zip(SIDES, (bull, bear), strict=True):
        for at, words in enumerate(filter(None, text.split(","))):
            weight, on, settle = words.split()
            settles[f"{side}.{at}"] = F(settle)
            claims.append(Claim(f"{side}.{at}", side, F(weight), None if on == "-" else on))
    return claims, settles


@pytest.mark.parametrize(("bull", "bear", "tilt"), TILTS)
def test_tilt(bull: str, bear: str, tilt: F | int) -> None:
    assert tilt_of(*read(bull, bear)) == tilt
    assert tilt_of(*read(bear, bull)) == -tilt


DELTAS = (
    # tilt, score, delta: 4 * tilt * (1 - sign * score / 5), rounded
    ("0", 0, 0),
    ("0", -5, 0),
    ("1", 0, 2),  # 4
    ("1", 3, 2),  # 1.6
    ("1", 4, 1),  # .8
    ("1", 5, 0),  # 0
    ("1/2", 0, 2),  # 2
    ("1/2", 1, 2),  # 1.6
    ("1/2", 2, 1),  # 1.2
    ("1/2", -5, 2),  # 4
    ("3/8", 0, 2),  # 1.5, a half goes away from zero
    ("1/3", 0, 1),  # 1.333
    ("1/3", -1, 2),  # 1.6
    ("1/3", 3, 1),  # .533
    ("1/3", 4, 0),  # .267
    ("1/8", 0, 1),  # .5
    ("1/8", 1, 0),  # .4
    ("1/16", -5, 1),  # .5
    ("1/9", 0, 0),  # .444
    ("1/24", -5, 0),  # .333
)


@pytest.mark.parametrize(("tilt", "score", "delta"), DELTAS)
def test_delta(tilt: str, score: int, delta: int) -> None:
    assert delta_of(F(tilt), score) == delta
    assert delta_of(-F(tilt), -score) == -delta


DEBATE = (
    claim("o1c", name="b1", on="px.a", weight=F(1)),
    claim("", name="b2", on="px.b", weight=F(3, 4)),
    claim("o1r a2r", name="b3", on="px.c", weight=F(1)),
    claim("o1r a2k", side="bear", name="r1", on="px.a", weight=F(1, 2)),
    claim("o1k", side="bear", name="r2", on="px.b", weight=F(3, 4)),
)


@pytest.mark.parametrize(("score", "delta"), [(0, 2), (2, 2), (3, 1), (4, 1), (5, 0), (-5, 2)])
def test_a_whole_debate_by_hand(score: int, delta: int) -> None:
    """Bull 1 + .375 + 0, bear -.5 and 0: 1.875 / 3 = 5/8; 2.5 times 1 - score / 5."""
    settles = {"b1": F(1), "b2": HALF, "b3": F(0), "r1": F(-1), "r2": F(0)}
    assert exchange(DEBATE, {1, 2}, score) == Exchange(settles, F(5, 8), delta)
    assert exchange(DEBATE, (), score) == Exchange(dict.fromkeys(settles, F(0)), F(0), 0)
    assert exchange((), {1, 2}, score) == Exchange({}, F(0), 0)


RULINGS: tuple[tuple[int, str, int], ...] = (
    # score, rulings, delta
    (0, "", 2),
    (0, "b1 stands, b2 stands, r1 stands", 2),
    (0, "b1 answered", 1),  # 7/8 / 3 = 7/24, times 4: 1.17
    (0, "b1 unsupported", 1),
    (0, "b2 answered", 2),  # nobody moved on b2: it counts for nothing
    (0, "b2 unsupported", 2),  # 1/2: 2
    (2, "b2 unsupported", 1),  # 1.2
    (2, "b2 answered", 2),  # 1.5
    (0, "b1 answered, b2 unsupported", 1),  # 1/6: .67
    (3, "b1 answered, b2 unsupported", 0),  # .27
    (0, "b1 stands, b1 unsupported", 1),
    (0, "r1 unsupported, r2 answered, b3 answered, nobody unsupported", 2),  # nothing to take away
)


@pytest.mark.parametrize(("score", "words", "delta"), RULINGS)
def test_rulings(score: int, words: str, delta: int) -> None:
    table: dict[str, RulingWord] = {word: word for word in get_args(RulingWord)}
    rulings = [(name, table[word]) for name, word in (pair.split() for pair in words.split(",") if pair)]
    assert ruled(DEBATE, {1, 2}, score, rulings) == delta
    assert ruled(DEBATE, (), score, rulings) == 0


def test_rulings_neither_flip_nor_create_nor_enlarge() -> None:
    won = [claim("o1c", name="b", weight=F(3, 4)), claim("o1c", side="bear", name="r", weight=HALF)]
    assert ruled(won, {1, 2}, -5, ()) == 1  # 1/12: .67
    assert ruled(won, {1, 2}, -5, [("b", "unsupported")]) == 0  # would be -1/6
    assert ruled(won, {1, 2}, -5, [("r", "unsupported")]) == 1  # would be 1/4: 2
    even = [claim("o1c", name="b"), claim("o1c", side="bear", name="r")]
    assert ruled(even, {1, 2}, 0, [("r", "unsupported")]) == 0


def test_a_ruling_on_one_claim_of_a_point_leaves_the_others() -> None:
    twice = [claim("o1c", name="b"), claim("", name="again")]
    assert ruled(twice, {1}, 0, ()) == 1
    assert ruled(twice, {1}, -1, [("b", "unsupported")]) == 1  # 1/6 remains: .8
    assert ruled(twice, {1}, -1, [("b", "unsupported"), ("again", "unsupported")]) == 0


def test_a_move_of_an_unpaired_round_answers_no_ruling() -> None:
    assert ruled([claim("o1c")], {2}, 0, [("c", "answered")]) == 1
    assert ruled([claim("o1c")], {2}, 0, [("c", "unsupported")]) == 0


CONTESTED: tuple[tuple[NetStance, str], ...] = (
    # word, deltas -2..2 that it contests
    ("bullish", "xx..."),
    ("neutral", "x...x"),
    ("bearish", "...xx"),
)


@pytest.mark.parametrize(("word", "row"), CONTESTED)
def test_contested(word: NetStance, row: str) -> None:
    assert "".join("x" if contested(word, delta) else "." for delta in range(-2, 3)) == row


NETS: tuple[tuple[list[Claim], F | None], ...] = (
    ([], None),
    ([claim("o1c"), claim("o1r", side="bear", name="r")], F(1)),
    ([claim("o2r", name="b"), claim("o1r", side="bear", name="r")], F(1)),
    ([claim("o1r a2c", name="b")], None),
    ([claim(weight=F(0), on=None)], None),
    ([claim(weight=F(0))], None),
    ([claim()], F(1)),
    ([claim("o1k", side="bear")], F(-1)),
    ([claim("o1r a2r"), claim(side="bear", weight=F(3, 4))], F(1, 7)),
    ([claim("o1c", name="b"), claim("o1k", name="again"), claim(side="bear", weight=HALF)], F(1, 3)),
    ([claim(name="b"), claim(name="again"), claim(side="bear")], F(0)),
)


@pytest.mark.parametrize(("claims", "net"), NETS)
def test_net_of_standing_weights(claims: list[Claim], net: F | None) -> None:
    assert net_standing(claims, {1, 2}) == net


def test_net_reads_the_paired_rounds() -> None:
    assert net_standing([claim("o1r")], {1}) == 1
