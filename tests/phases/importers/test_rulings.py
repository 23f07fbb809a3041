"""A moderator's prose: labels at the start of a line, a status that is exactly one of two words."""

from __future__ import annotations

import pytest

from phases.importers.rulings import only_word, parse_ruling


@pytest.mark.parametrize(
    ("status", "settled"),
    [
        ("SETTLED", True),
        ("settled", True),
        (" Settled. ", True),
        ("**SETTLED**", True),
        ("`settled`", True),
        ("NOT SETTLED", False),
        ("UNSETTLED", False),
        ("SETTLED or CONTINUE", False),
        ("SETTLED/CONTINUE", False),
        ("[SETTLED|CONTINUE]", False),
        ("SETTLED?", False),
        ("<status>", False),
        ("", False),
        ("CONTINUE", False),
    ],
)
def test_status(status: str, settled: bool) -> None:
    found = parse_ruling(f"SUMMARY: a.\nSTATUS: {status}", 1, 3)
    assert (found.settled, found.malformed, found.forced) == (settled, not settled and status != "CONTINUE", False)


@pytest.mark.parametrize(
    "reply",
    [
        "SUMMARY: a.\r\nSTATUS: SETTLED\r\nDECISION: go",
        "# Summary: a.\n- **Status:** settled\n> __Decision:__ go",
        "*SUMMARY:* a.\n**STATUS**: SETTLED\nDECISION :go",
        "Here is my ruling.\nDECISION: go\nSTATUS:\nSUMMARY: a.\nSTATUS: SETTLED".replace("STATUS:\n", ""),
    ],
)
def test_forms_of_one_ruling(reply: str) -> None:
    found = parse_ruling(reply, 2, 3)
    assert (found.round_number, found.settled, found.decision) == (2, True, "go")
    assert found.summary.strip("* ") == "a."


def test_a_text_reaches_to_the_next_label_and_a_label_within_a_line_is_none() -> None:
    found = parse_ruling(
        "SUMMARY: The STATUS: of it\nis weak.\n\nSTATUS: SETTLED\nbecause so\nDECISION: wait\nand see", 1, 3
    )
    assert (found.summary, found.decision) == ("The STATUS: of it\nis weak.", "wait\nand see")


def test_two_statuses_that_differ_are_none() -> None:
    assert parse_ruling("STATUS: SETTLED\nSTATUS: CONTINUE", 1, 3).malformed
    assert parse_ruling("STATUS: SETTLED\nSTATUS: settled", 1, 3).settled


@pytest.mark.parametrize(("number", "cap", "forced"), [(2, 3, False), (3, 3, True), (4, 3, True)])
def test_only_the_cap_forces_a_close(number: int, cap: int, forced: bool) -> None:
    found = parse_ruling("SUMMARY: a.\nSTATUS: NOT SETTLED\nDECISION: b", number, cap)
    assert (found.settled, found.forced, found.decision) == (forced, forced, "b" if forced else None)
    ruled = parse_ruling("SUMMARY: a.\nSTATUS: CONTINUE", number, cap)
    assert (ruled.settled, ruled.forced, ruled.malformed) == (False, False, False)


def test_only_word() -> None:
    words = ("MATCH", "PARTIAL", "NO_MATCH")
    assert [only_word(text, words) for text in ("NO_MATCH", "match", "**Partial**.")] == [
        "NO_MATCH",
        "MATCH",
        "PARTIAL",
    ]
    assert [only_word(text, words) for text in ("", "MATCH PARTIAL", "NO MATCH", "MISMATCH")] == [None] * 4
