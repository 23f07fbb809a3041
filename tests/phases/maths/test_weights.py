"""Weight of a claim: the table of trust, halved where stale, the best of its ids."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from phases.maths.weights import claim_weight
from tests.support import item

BUNDLE = {f"px.t{tier}": item(f"px.t{tier}", tier=tier) for tier in (1, 2, 3, 4)} | {
    f"px.s{tier}": item(f"px.s{tier}", tier=tier, stale=True) for tier in (1, 2, 3, 4)
}


@pytest.mark.parametrize(
    ("cited", "weight"),
    [
        ((), F(0)),
        (("px.elsewhere",), F(0)),
        (("px.t1",), F(1)),
        (("px.t2",), F(3, 4)),
        (("px.t3",), F(1, 2)),
        (("px.t4",), F(1, 4)),
        (("px.s1",), F(1, 2)),
        (("px.s2",), F(3, 8)),
        (("px.s3",), F(1, 4)),
        (("px.s4",), F(1, 8)),
        (("px.t4", "px.s1", "px.elsewhere"), F(1, 2)),
        (("px.t2", "px.t2", "px.t2"), F(3, 4)),
        (tuple(BUNDLE), F(1)),
    ],
)
def test_claim_weight(cited: tuple[str, ...], weight: F) -> None:
    assert claim_weight(cited, BUNDLE) == weight
    assert claim_weight(reversed(cited), BUNDLE) == weight
