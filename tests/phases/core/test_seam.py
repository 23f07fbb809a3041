"""Seams compare sets of keys and name what is lost, added or doubled."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from phases.core.errors import SeamBroken
from phases.core.seam import check_seam


@pytest.mark.parametrize(
    ("expected", "got"),
    [("", ""), ("A", "A"), ("ABC", "ABC"), ("ABC", "CAB")],
    ids=["none", "one", "same", "any order"],
)
def test_the_same_keys_pass(expected: Sequence[str], got: Sequence[str]) -> None:
    check_seam("a > b", expected, got)


@pytest.mark.parametrize(
    ("expected", "got", "trouble"),
    [
        pytest.param("ABC", "AC", "missing B", id="lost"),
        pytest.param("AC", "ABC", "extra B", id="added"),
        pytest.param("ABC", "ABBC", "doubled B", id="doubled"),
        pytest.param("ABB", "AB", "doubled B", id="doubled before"),
        pytest.param("ABB", "ABB", "doubled B", id="doubled on both sides"),
        pytest.param("ABC", "ABD", "missing C; extra D", id="same count"),
        pytest.param("ABC", "DAA", "missing B, C; extra D; doubled A", id="everything"),
        pytest.param("ABC", "", "missing A, B, C", id="nothing left"),
    ],
)
def test_F185_any_difference_stops_and_names_seam_and_keys(
    expected: Sequence[str], got: Sequence[str], trouble: str
) -> None:
    with pytest.raises(SeamBroken) as caught:
        check_seam("summary > feed", expected, iter(got))
    assert str(caught.value) == f"seam summary > feed: {trouble}"


def test_a_long_list_is_shortened() -> None:
    with pytest.raises(SeamBroken) as caught:
        check_seam("a > b", [f"T{at:03}" for at in range(500)], ())
    assert len(str(caught.value)) < 200
