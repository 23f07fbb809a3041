"""Ballots and their count: what is one stance, who wins, ties, void seats and changed minds."""

from __future__ import annotations

from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phases.maths.tally import SYNONYMS, agreement, canonical_stance, market_stance, minds_changed, tally

ALPHABET = " $.,%+-0159e()'\"!aby_é¢½"
STANCE = st.sampled_from(["buy", "hold", "sell", "wait"])
BALLOTS = st.dictionaries(st.sampled_from("abcdefg"), STANCE)
MIRROR = {"buy": "sell", "sell": "buy"}


@pytest.mark.parametrize(
    ("stance", "texts"),
    [
        (
            "0.05",
            [
                "5 cents",
                "0.05 dollars",
                "$0.05",
                "five cents",
                ".05 dollars",
                "5¢",
                "$.05",
                "0.050)",
                "5e-2",
                "USD .05",
            ],
        ),
        (
            "5",
            [
                "five",
                "Five.",
                "$5",
                "$ 5",
                "5 dollars",
                "five dollars",
                "+5",
                "5.0",
                "5%",
                "5 percent",
                "(5)",
                "500 cents",
            ],
        ),
        ("1000", ["$1,000", "1e3", "1,000.00", "one thousand", "US$1000", "+1 000".replace(" ", "")]),
        ("-3", ["-3", "−3", "-3.", "-$3", "$-3", "-three", '"-3"']),
        ("25", ["twenty-five", "Twenty five", "25", "twenty–five percent"]),
        ("200", ["two hundred", "200", "2e2"]),
        ("205", ["two hundred and five", "two hundred five"]),
        ("2006", ["two thousand and six", "2,006"]),
        ("0", ["0", "-0", "0.00", "zero", "$0"]),
        ("12000000", ["1.2e7"]),
        (
            "hold",
            [
                "hold",
                "HOLD",
                "hold (for now)",
                "hold (for now",
                "(hold)",
                "hold [pending (news)]",
                "'Hold'!",
                "**hold**",
            ],
        ),
        ("buy and hold", ["buy-and-hold", "Buy_and  hold.", "buy and hold"]),
        ("venture capital", ["  Venture   Capital!! ", "“venture capital”"]),
        ("", ["", "  ", "?!", "$", "%", "()", "---"]),
    ],
)
def test_texts_that_are_one_stance(stance: str, texts: list[str]) -> None:
    assert {text: canonical_stance(text) for text in texts} == dict.fromkeys(texts, stance)


@pytest.mark.parametrize(
    "text",
    ["1,23", "1.2.3", "$5 cents", "$5%", "€5", "five six", "5 euros", "1e999", "9" * 30, "twenty twenty", "nan"],
)
def test_what_is_no_plain_number_stays_text(text: str) -> None:
    assert canonical_stance(text) not in ("5", "0.05", "11", "40", "123")
    assert canonical_stance(text) == canonical_stance(f" {text} ")


@given(st.text(ALPHABET, max_size=12) | st.text(max_size=12))
def test_applying_it_twice_changes_nothing(text: str) -> None:
    once = canonical_stance(text)
    assert canonical_stance(once) == once
    assert canonical_stance(f" {text}\n") == once


def test_a_long_text_takes_no_long_time() -> None:
    for text in ("(" * 200_000, "-" * 200_000, "9" * 200_000, "five " * 50_000, "." * 200_000 + "x"):
        assert len(canonical_stance(text)) <= len(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *[(word.upper(), stance) for stance, words in SYNONYMS.items() for word in words],
        ("Over-weight", None),
        ("Equal-Weight", "hold"),
        ("buy (small)", "buy"),
        ("not buy", None),
        ("buy or sell", None),
        ("", None),
        ("5", None),
    ],
)
def test_market_stance(text: str, expected: str | None) -> None:
    assert market_stance(text) == expected


def test_the_table_names_each_word_once_and_as_it_is_normalised() -> None:
    words = [word for one in SYNONYMS.values() for word in one]
    assert len(words) == len(set(words))
    assert [canonical_stance(word) for word in words] == words


def test_unanimous_majority_and_plurality() -> None:
    high = tally({"a": "Buy", "b": "buy.", "c": "BUY"})
    assert (high.winner, high.votes, high.tied, high.confidence) == ("buy", 3, False, "high")
    medium = tally({"a": "buy", "b": "buy", "c": "hold"})
    assert (medium.winner, medium.votes, medium.confidence, agreement(medium)) == ("buy", 2, "medium", F(2, 3))
    half = tally({"a": "buy", "b": "buy", "c": "hold", "d": "wait"})
    assert (half.winner, half.tied, half.confidence) == ("buy", False, "low")


def test_ties_are_flagged_and_the_first_of_the_alphabet_wins() -> None:
    found = tally({"a": "venture capital", "b": "hybrid", "c": "bootstrap"})
    assert (found.winner, found.votes, found.tied, found.confidence) == ("bootstrap", 1, True, "low")
    assert agreement(found) == F(1, 3)


@pytest.mark.parametrize("pair", [("buy", "sell"), ("bull", "bear"), ("long", "underweight"), ("bullish", "sell")])
def test_a_tie_between_opposite_views_has_no_winner(pair: tuple[str, str]) -> None:
    for ballots in (dict(zip("ab", pair, strict=True)), dict(zip("abc", (*pair, "hold"), strict=True))):
        found = tally(ballots)
        assert (found.winner, found.tied, found.confidence) == (None, True, "low")
    assert tally({"a": pair[0], "b": pair[1], "c": pair[1]}).winner == pair[1]
    assert tally({"a": pair[0], "b": "hold"}).winner == min(pair[0], "hold")


def test_a_void_seat_abstains_and_keeps_confidence_from_being_high() -> None:
    found = tally({"a": "buy", "b": "buy"}, voids=1)
    assert (found.winner, found.votes, found.confidence, agreement(found)) == ("buy", 2, "medium", 1)
    blank = tally({"a": "buy", "b": "buy", "c": "?"})
    assert (blank.ballots, blank.confidence) == ({"a": "buy", "b": "buy"}, "medium")
    one = tally({"a": "buy"}, voids=2)
    assert (one.winner, one.votes, one.confidence) == ("buy", 1, None)
    none = tally({}, voids=3)
    assert (none.winner, none.votes, none.tied, none.confidence, agreement(none)) == (None, 0, False, None, None)
    with pytest.raises(ValueError, match="voids -1"):
        tally({}, voids=-1)


def test_minds_changed_is_measured_by_the_canonical_stance() -> None:
    before = {"a": "$0.05", "b": "penny", "c": "buy", "d": "", "e": "sell"}
    after = {"a": "5 cents", "b": "0.05", "c": "?", "d": "buy", "f": "sell"}
    assert minds_changed(before, after) == ("b",)
    assert tally(after, before=before).changed == ("b",)
    assert minds_changed({"z": "buy", "a": "buy"}, {"z": "sell", "a": "hold"}) == ("a", "z")


@given(BALLOTS, st.integers(0, 2))
def test_order_mirror_and_counts(ballots: dict[str, str], voids: int) -> None:
    found = tally(ballots, voids)
    assert found == tally(dict(reversed(ballots.items())), voids)
    assert list(found.ballots) == sorted(found.ballots)
    mirrored = tally({seat: MIRROR.get(stance, stance) for seat, stance in ballots.items()}, voids)
    assert (found.votes, found.tied, found.confidence) == (mirrored.votes, mirrored.tied, mirrored.confidence)
    if found.winner is not None:
        assert list(ballots.values()).count(found.winner) == found.votes
    if not found.tied and found.winner is not None:
        assert mirrored.winner == MIRROR.get(found.winner, found.winner)
    if found.confidence in ("high", "medium"):
        assert 2 * found.votes > len(ballots) and not found.tied
