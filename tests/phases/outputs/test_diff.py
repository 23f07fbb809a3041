"""What changed between two nights: every column a manager looks at, and when rows cannot be compared."""

from __future__ import annotations

import json
from typing import Any

import pytest

from phases.outputs.diff import diff_json, diff_text
from tests.phases.outputs.feeds import LATER, feed, row

OLD = feed([row("AAPL"), row("GOOG"), row("IBM")])
NEW = {"run_id": "2008-10-01-11111111", "as_of": LATER}


def lines_of(*rows: Any, **more: Any) -> list[str]:
    return diff_text(OLD, feed(rows, **{**NEW, **more})).splitlines()


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"status": "gated"}, "  status       debated → gated"),
        ({"stance": "sell"}, "  stance       buy → sell"),
        ({"conviction_post": -4}, "  conviction   +3 → -4"),
        ({"conviction_pre": -1}, "  analysts     +2 → -1"),
        ({"conviction_delta": 0}, "  debate       +1 → 0"),
        ({"probability_post": 0.5}, "  probability  0.5600 → 0.5000"),
        ({"view_excess_return": -0.02}, "  view         +1.09 % → -2.00 %"),
        ({"view_excess_return": None}, "  view         +1.09 % → -"),
        ({"flags": ("late_bar", "thin")}, "  flags        - → late_bar, thin"),
    ],
)
def test_a_changed_column_is_a_line_with_before_and_now_and_why(changed: Any, line: str) -> None:
    lines = lines_of(row("AAPL"), row("GOOG", reason="bear gained", **changed), row("IBM"))
    assert lines[0] == "2008-09-30-00000000 → 2008-10-01-11111111"
    assert lines[1] == "night of 2008-09-30 → 2008-10-01 | 1 of 3 rows changed, 0 new, 0 left"
    assert lines[3:] == ["GOOG  changed", line, "  why          bear gained"]


def test_columns_that_are_not_compared_make_no_change() -> None:
    lines = lines_of(row("AAPL", reason="other"), row("GOOG", evidence_hash="x"), row("IBM", debate_cost_usd=1.0))
    assert len(lines) == 2 and "0 of 3 rows changed" in lines[1]


def test_tickers_that_came_and_left_are_named() -> None:
    lines = lines_of(row("AAPL"), row("MSFT", "no_data"), row("IBM"))
    assert lines[1].endswith("| 0 of 2 rows changed, 1 new, 1 left")
    assert "MSFT  new" in lines and "GOOG  left" in lines
    assert lines[lines.index("MSFT  new") + 1] == "  status       - → no_data"
    assert lines[lines.index("GOOG  left") + 1] == "  status       debated → -"


@pytest.mark.parametrize(
    ("header", "columns", "line"),
    [
        ({"engine": "claude"}, {}, "  engine       offline-desk v2, llm: none → claude"),
        ({"protocol": "panel"}, {}, "  protocol     desk → panel"),
        ({}, {"event": "it rises"}, "→ it rises"),
    ],
)
def test_it_says_when_rows_are_not_comparable(header: Any, columns: Any, line: str) -> None:
    text = "\n".join(lines_of(row("AAPL", **columns), row("GOOG", **columns), row("IBM", **columns), **header))
    assert "rows are not comparable:" in text and " ".join(line.split()) in " ".join(text.split())
    assert "not comparable" not in "\n".join(lines_of(row("AAPL"), row("GOOG"), row("IBM")))


def test_an_invalid_night_is_said() -> None:
    assert "2008-10-01-11111111 is invalid: no ticker is rated" in lines_of(row("AAPL", "failed"))


def test_every_line_fits_80_columns_and_is_plain_text() -> None:
    wild = row("GOOG", reason="\x1b[31m" + "word " * 60 + "\u202e", flags=tuple(f"flag_{at}" for at in range(30)))
    text = diff_text(OLD, feed([row("AAPL"), wild], **NEW, engine="e" * 70))
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text and "\u202e" not in text


def test_json_has_the_values_themselves() -> None:
    told = json.loads(diff_json(OLD, feed([row("AAPL"), row("GOOG", view_excess_return=-0.02), row("IBM")], **NEW)))
    assert told["changes"] == [
        {"ticker": "GOOG", "kind": "changed", "cells": {"view_excess_return": [0.010895, -0.02]}, "why": "bull gained"}
    ]
    assert told["incomparable"] == {} and told["after"]["run_id"] == NEW["run_id"]
