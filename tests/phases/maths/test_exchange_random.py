"""The exchange: what it promises on 20,000 random ledgers."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction as F
from functools import cache
from typing import NamedTuple, get_args

from phases.maths.exchange import (
    OTHER,
    Claim,
    Exchange,
    Move,
    RulingWord,
    delta_of,
    exchange,
    heard,
    ruled,
    settle_of,
    state_of,
    tilt_of,
)
from schemas.base import Role
from schemas.debate import MoveKind
from schemas.manager import PointAnswer
from tests.phases.maths.exchanged import HALF, SIDES, claim

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
