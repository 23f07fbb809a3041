"""Rules: what the parser refuses and in which words, and how numbers are compared."""

from __future__ import annotations

import pytest

from phases.core.errors import UsageError
from phases.debate.rules import OPERATORS, parse_rule

KNOWN = ("panel.margin", "gap.last", "rounds")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("panel.margn <= 0.6", "unknown read-out 'panel.margn'; did you mean panel.margin?"),
        ("nonsense > 1", "unknown read-out 'nonsense'"),
        ("Rounds > 1", "is no rule"),
        ("rounds == 1", "is no rule"),
        ("rounds => 1", "is no rule"),
        ("rounds != 1", "is no rule"),
        ("rounds >= one", "is no rule"),
        ("rounds >= 1e3", "is no rule"),
        ("rounds >= .5", "is no rule"),
        ("rounds >= \uff11", "is no rule"),  # a full-width digit
        ("rounds >= 1; rounds", "is no rule"),
        ("rounds >= 1\nrounds >= 2", "is no rule"),
        ("rounds", "is no rule"),
        ("1 <= rounds", "is no rule"),
        ("", "is no rule"),
    ],
)
def test_a_bad_rule_is_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_rule(text, KNOWN, "p.yaml: stop_when")
    message = str(refused.value)
    assert message.startswith("p.yaml: stop_when: ")
    assert said in message
    if "read-out '" in message:
        assert message.endswith("(known: gap.last, panel.margin, rounds)")
    else:
        assert repr(text) in message
        assert all(op in message for op in OPERATORS)


@pytest.mark.parametrize(
    "text", ["panel.margin<=0.6", "  panel.margin  <=  0.6  ", "panel.margin <= 0.60", "panel.margin <= 0.6\n"]
)
def test_space_does_not_matter(text: str) -> None:
    assert parse_rule(text, KNOWN, "x").holds({"panel.margin": 0.6})


@pytest.mark.parametrize(
    ("op", "below", "equal", "above"),
    [
        ("<", True, False, False),
        ("<=", True, True, False),
        ("=", False, True, False),
        (">=", False, True, True),
        (">", False, False, True),
    ],
)
def test_operators_are_as_strict_as_written(op: str, below: bool, equal: bool, above: bool) -> None:
    rule = parse_rule(f"gap.last {op} -0.05", KNOWN, "x")
    assert [rule.holds({"gap.last": value}) for value in (-0.06, -0.05, -0.04)] == [below, equal, above]


@pytest.mark.parametrize(
    ("value", "equals"),
    [
        (0.45 - 0.5, True),  # -0.04999999999999999 in binary
        (0.65 - 0.7, True),
        (-0.05004, True),
        (-0.05006, False),
        (-0.0501, False),
    ],
)
def test_numbers_are_compared_in_4_places(value: float, equals: bool) -> None:
    assert parse_rule("gap.last = -0.05", KNOWN, "x").holds({"gap.last": value}) is equals
    assert parse_rule("gap.last < -0.05", KNOWN, "x").holds({"gap.last": value}) is not equals


def test_a_limit_is_quantised_too() -> None:
    assert parse_rule("gap.last >= 0.60004", KNOWN, "x").holds({"gap.last": 0.6})


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("values", [{}, {"rounds": None}])
def test_an_absent_read_out_makes_a_rule_false(op: str, values: dict[str, None]) -> None:
    assert parse_rule(f"rounds {op} 0", KNOWN, "x").holds(values) is False


def test_a_huge_limit_is_refused_or_compared() -> None:
    try:
        rule = parse_rule(f"rounds >= 1{'0' * 30}", KNOWN, "x")
    except UsageError:
        return
    assert rule.holds({"rounds": 3}) is False


def test_a_rule_reads_as_it_was_written() -> None:
    assert str(parse_rule("panel.margin<=0.60", KNOWN, "x")) == "panel.margin <= 0.60"
