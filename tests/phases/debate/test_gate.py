"""The gate against the published table (golden vectors, `gating_seed002`), and the other read-outs by hand."""

from __future__ import annotations

import pytest

from phases.debate.readouts import READOUTS
from phases.debate.readouts.base import Seen
from schemas.analyst import AnalystPayload
from schemas.base import Stance
from schemas.ledger import LedgerEvent, Voided
from tests.support import payload

# conviction_score, stance, held, prior_stance, gated
GOLDEN: list[tuple[int | None, Stance | None, bool, Stance | None, bool]] = [
    (1, "hold", False, None, True),
    (2, "buy", False, None, True),
    (3, "buy", False, None, False),
    (-3, "hold", False, None, False),
    (1, "sell", False, None, False),
    (4, "buy", True, "buy", True),
    (4, "buy", True, "sell", False),
    (None, None, False, None, False),
]

OURS: list[tuple[int | None, Stance | None, bool, Stance | None, bool]] = [
    (-2, "sell", False, None, False),
    (-2, "hold", False, "buy", True),  # a name that is not held has no change to speak of
    (5, "buy", True, "buy", True),
    (-5, "sell", True, "sell", True),
    (0, "hold", True, "watch", False),
    (0, "hold", True, None, False),  # held, but never seen before
]


@pytest.mark.parametrize(("score", "stance", "held", "prior", "gated"), GOLDEN + OURS)
def test_gate(score: int | None, stance: Stance | None, held: bool, prior: Stance | None, gated: bool) -> None:
    seen = None if score is None or stance is None else payload(score, stance)
    assert READOUTS["gate"](Seen(seen, held, prior)) == (0 if gated else 1)


def _void(step: str, round_number: int) -> LedgerEvent:
    return Voided(kind="voided", seat="bear", step=step, round_number=round_number, reason="silence")


LOOPED = (_void("loop.0", 1), _void("loop.0", 3), _void("loop.1", 2))
OPENED = (_void("opening.0", 1), _void("loop.0", 2), _void("loop.0", 3), _void("closing.0", 4))


@pytest.mark.parametrize(
    ("seen", "ledger", "expected"),
    [
        (None, (), {"panel.margin": None, "panel.spread": None, "panel.conviction": None, "rounds": 0}),
        (
            payload(-4, "sell", panel_spread=0.25, panel_margin=0.7),
            LOOPED,
            {"panel.margin": 0.7, "panel.spread": 0.25, "panel.conviction": 4, "rounds": 3},
        ),
        (payload(1, "hold"), (), {"panel.margin": 0.5, "panel.spread": None, "panel.conviction": 1, "rounds": 0}),
        (payload(), OPENED, {"rounds": 2}),  # loop rounds only
        (payload(), OPENED[:1], {"rounds": 0}),
    ],
)
def test_read_outs(
    seen: AnalystPayload | None, ledger: tuple[LedgerEvent, ...], expected: dict[str, float | int | None]
) -> None:
    found = {name: READOUTS[name](Seen(seen, held=False, last_stance=None, ledger=ledger)) for name in expected}
    assert found == expected
