"""The exchange: each clause on tables worked by hand, and what it promises on 20,000 random ledgers."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction as F
from functools import cache
from typing import NamedTuple, get_args

import pytest

from phases.maths.exchange import (
    OTHER,
    Claim,
    Exchange,
    Move,
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
from schemas.debate import MoveKind
from schemas.manager import PointAnswer

HALF = F(1, 2)
KINDS: dict[str, MoveKind] = {"c": "conceded", "r": "rebutted", "k": "carried"}
SIDES: tuple[Role, ...] = ("bull", "bear")


def moves(text: str, side: Role) -> tuple[Move, ...]:
    """`o1r a2k`: the other side rebutted in round 1, the author carried in round 2."""
    by = {"o": OTHER[side], "a": side}
    return tuple(Move(int(word[1]), by[word[0]], KINDS[word[2]]) for word in text.split())


def claim(text: str = "", *, side: Role = "bull", name: str = "c", on: str | None = "px.a", weight: F = F(1)) -> Claim:
    return Claim(name, side, weight, on, moves(text, side))


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


# 20,000 random ledgers -------------------------------------------------------------------------------------------

WEIGHTS = {"px.a": F(1), "px.b": F(3, 4), "px.c": HALF, "px.d": F(1, 4), "px.e": F(1, 8), "px.f": F(1)}
LEVELS = (F(-1), F(0), HALF, F(1))


class Ledger(NamedTuple):
    claims: tuple[Claim, ...]
    paired: frozenset[int]
    score: int
    found: Exchange


def made(rng: random.Random, side: Role, name: str, rounds: int, valid: dict[Role, set[int]]) -> Claim:
    """A claim whose moves mostly keep to the duty; only a valid turn moves."""
    said: list[Move] = []
    for at in range(1, rounds + 1):
        by = state_of(side, said).awaits if rng.random() < 0.85 else rng.choice(SIDES)
        if by is not None and at in valid[by] and rng.random() < 0.75:
            said.append(Move(at, by, rng.choices(get_args(MoveKind), (2, 3, 2))[0]))
    on = rng.choice([None, *WEIGHTS])
    return Claim(name, side, F(0) if on is None else WEIGHTS[on], on, tuple(said))


def drawn(rng: random.Random) -> Ledger:
    rounds = rng.randint(1, 4)
    valid = {side: {at for at in range(1, rounds + 1) if rng.random() < 0.9} for side in SIDES}
    claims = tuple(
        made(rng, side, f"{side}.1.c{at}", rounds, valid) for side in SIDES for at in range(rng.randint(0, 3))
    )
    paired, score = frozenset(valid["bull"] & valid["bear"]), rng.randint(-5, 5)
    return Ledger(claims, paired, score, exchange(claims, paired, score))


@cache
def ledgers() -> Sequence[Ledger]:
    rng = random.Random(20260131)
    return [drawn(rng) for _ in range(20_000)]


@cache
def spread() -> str:
    """The distribution of deltas, shown where a property fails."""
    return f"deltas {sorted(Counter(one.found.delta for one in ledgers()).items())}"


def tilt_with(ledger: Ledger, *more: Claim) -> F:
    settles = ledger.found.settles | {extra.id: settle_of(extra, ledger.paired) for extra in more}
    return tilt_of([*more, *ledger.claims], settles)


def test_the_ledgers_are_worth_something() -> None:
    deltas = Counter(one.found.delta for one in ledgers())
    settles = Counter(settle for one in ledgers() for settle in one.found.settles.values())
    words = Counter(heard(claim, one.paired).answer for one in ledgers() for claim in one.claims)
    assert min(deltas[delta] for delta in range(-2, 3)) > 800, spread()
    assert set(settles) == set(LEVELS) and min(settles.values()) > 5000, settles
    assert set(words) == set(get_args(PointAnswer)) and min(words.values()) > 1000, words


def test_mirror() -> None:
    """Swapped sides and a negated score negate the result exactly."""
    for claims, paired, score, found in ledgers():
        turned = [
            Claim(c.id, OTHER[c.side], c.weight, c.heaviest, tuple(Move(m.round, OTHER[m.by], m.kind) for m in c.moves))
            for c in claims
        ]
        assert exchange(turned, paired, -score) == Exchange(found.settles, -found.tilt, -found.delta), (
            claims,
            spread(),
        )


def test_order() -> None:
    rng = random.Random(2)
    for claims, paired, score, found in ledgers():
        assert exchange(rng.sample(claims, len(claims)), paired, score) == found, (claims, spread())


def test_monotone_in_settle() -> None:
    """What helps a claim never hurts its side, nor the delta in its direction."""
    rng = random.Random(3)
    for claims, _, score, found in ledgers():
        for one in rng.sample(claims, min(1, len(claims))):
            sign = 1 if one.side == "bull" else -1
            for level in LEVELS:
                if level > found.settles[one.id]:
                    tilt = tilt_of(claims, found.settles | {one.id: level})
                    assert sign * tilt >= sign * found.tilt, (claims, one, level)
                    assert sign * delta_of(tilt, score) >= sign * found.delta, (claims, one, level, spread())


def test_sign_and_bounds() -> None:
    for claims, paired, score, (settles, tilt, delta) in ledgers():
        assert set(settles.values()) <= set(LEVELS)
        assert abs(tilt) <= 1 and abs(delta) <= 2 and -5 <= score + delta <= 5, (claims, spread())
        assert delta == 0 or delta * tilt > 0, (claims, spread())
        assert paired or not (delta or tilt or any(settles.values())), (claims, spread())


def test_no_exchange_and_a_side_void_in_every_round_change_nothing() -> None:
    for claims, _, score, found in ledgers():
        alone = [one._replace(moves=tuple(m for m in one.moves if m.by == "bull")) for one in claims]
        assert exchange(alone, (), score) == Exchange(dict.fromkeys(found.settles, F(0)), F(0), 0), spread()


def test_open_claims_never_raise_a_change_nor_help_their_side() -> None:
    rng = random.Random(5)
    for one in ledgers():
        if one.paired:
            last, side = max(one.paired), rng.choice(SIDES)
            text = rng.choice([f"o{last}k", f"o{last}r", *([f"o1r a{last}r"] if 1 in one.paired and last > 1 else [])])
            on = rng.choice([*WEIGHTS])
            extra = claim(text, side=side, name="extra", on=on, weight=WEIGHTS[on])
            assert tilt_with(one, extra) == one.found.tilt, (one, extra, spread())


def test_padding_splitting_and_repeating_add_nothing() -> None:
    rng = random.Random(6)
    for one in ledgers():
        if one.claims:
            again = rng.choice(one.claims)
            extra = [again._replace(id=f"{again.id}.{at}") for at in range(rng.randint(1, 3))]
            assert tilt_with(one, *extra) == one.found.tilt, (one, extra, spread())


def test_ungrounded_claims_change_nothing() -> None:
    rng = random.Random(7)
    for one in ledgers():
        valid = {side: set(one.paired) for side in SIDES}
        extra = made(rng, rng.choice(SIDES), "extra", 4, valid)._replace(weight=F(0), heaviest=None)
        assert tilt_with(one, extra) == one.found.tilt, (one, extra, spread())


def test_rulings_neither_flip_nor_create_a_change() -> None:
    rng = random.Random(8)
    words: tuple[RulingWord, ...] = get_args(RulingWord)
    seen = Counter[tuple[int, int]]()
    for claims, paired, score, found in ledgers():
        if found.delta or rng.random() < 0.2:
            rulings = [(c.id, rng.choice(words)) for c in claims if rng.random() < 0.7]
            after = ruled(claims, paired, score, rulings)
            seen[found.delta, after] += 1
            assert min(found.delta, 0) <= after <= max(found.delta, 0), (claims, rulings, spread())
    assert all(seen[pair] for pair in [(2, 2), (2, 1), (2, 0), (1, 0), (-2, -1), (-1, 0), (0, 0)]), seen


def test_nobody_profits_from_the_last_word() -> None:
    """A rebuttal in the last paired round leaves the claim open, whoever made it."""
    for claims, paired, _, _ in ledgers():
        last = max(paired, default=0)
        for one in claims if paired else ():
            before = one._replace(moves=tuple(move for move in one.moves if move.round < last))
            if by := heard(before, paired).awaits:
                spoken = before._replace(moves=(*before.moves, Move(last, by, "rebutted")))
                assert settle_of(spoken, paired) == 0, (spoken, paired)


def test_moves_of_unpaired_rounds_only_bring_a_settle_nearer_to_nothing() -> None:
    nearer = 0
    for claims, paired, _, found in ledgers():
        for one in claims:
            if any(move.round not in paired for move in one.moves):
                alone = settle_of(one._replace(moves=tuple(m for m in one.moves if m.round in paired)), paired)
                settle = found.settles[one.id]
                assert min(alone, F(0)) <= settle <= max(alone, F(0)), (one, paired)
                nearer += settle != alone
    assert nearer > 100
