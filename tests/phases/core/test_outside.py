"""Text from outside: what nobody can see is gone, HTML is text, and cleaning what is clean changes nothing."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phases.core.outside import clean


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("a\u202eb\u2066c\u200bd\ufeffe", "abcde"),
        ("tag \U000e0041\U000e0042 end", "tag end"),
        ("\x1b[31mred\x07\x00", "[31mred"),
        ("\uff34\uff45\uff53\uff54 \u2460 \ufb01n", "Test 1 fin"),
        ("one\n\ttwo\u00a0three\u2028four", "one two three four"),
        ("<p>Up <b>5&#37;</b></p><script>alert(1)</script>", "Up 5%"),
        ("&lt;script&gt;x&lt;/script&gt; y", "y"),
        ("&amp;lt;b&amp;gt;bold", "bold"),
        ("<scr\u200bipt>x</scr\u200bipt> y", "y"),
        ("\uff1cb\uff1ex\uff1c/b\uff1e", "x"),
        ("P/E < 5 & AT&T > 3", "P/E < 5 & AT&T > 3"),
        ("I <3 NVDA", "I <3 NVDA"),
        ("\u2800\u3164\u115f", ""),
        ("<title>x", ""),
        ("half <b", "half <b"),
        ("lone \ud800 surrogate", "lone surrogate"),
    ],
)
def test_what_a_reader_sees_is_left(raw: str, plain: str) -> None:
    assert clean(raw, 100)[0] == plain


def test_what_was_done_is_said_once() -> None:
    assert clean("plain", 5) == ("plain", ())
    found, notes = clean("a\u200b<b>\u200bb</b>" + "c" * 50, 10)
    assert (len(found), found[-1]) == (10, "…")
    assert notes == ("invisible characters removed", "HTML read as text", "cut to 10 characters")


@given(st.text(st.characters(), max_size=60) | st.text("<>&;ab/lgt \u200b\uff1c", max_size=40))
def test_clean_text_is_short_visible_and_stays_as_it_is(raw: str) -> None:
    found, _ = clean(raw, 40)
    assert len(found) <= 40 and "  " not in found and found == found.strip()
    assert all(unicodedata.category(one)[0] != "C" and (one == " " or not one.isspace()) for one in found)
    assert unicodedata.is_normalized("NFKC", found.removesuffix("…"))
