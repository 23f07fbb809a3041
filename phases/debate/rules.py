"""Rules: `<read-out> <op> <number>`, nothing more. Parsed here, never evaluated as code."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import ROUND_HALF_EVEN, Decimal
from typing import NamedTuple

from phases.core.errors import UsageError
from phases.core.text import nearest

OPERATORS: Mapping[str, Callable[[Decimal, Decimal], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    ">=": operator.ge,
    ">": operator.gt,
}

_RULE = re.compile(r"\s*([a-z_.]+)\s*(<=|>=|<|>|=)\s*(-?[0-9]{1,15}(?:\.[0-9]{1,9})?)\s*\Z")
_PLACES = Decimal("0.0001")


class Rule(NamedTuple):
    """A comparison of one read-out with one number."""

    readout: str
    op: str
    number: Decimal

    def holds(self, values: Mapping[str, float | int | None]) -> bool:
        """Whether it holds, compared in decimals of 4 places. An absent read-out makes it false."""
        value = values.get(self.readout)
        if value is None:
            return False
        return OPERATORS[self.op](_quantised(Decimal(repr(value))), _quantised(self.number))

    def __str__(self) -> str:
        return f"{self.readout} {self.op} {self.number}"


def parse_rule(text: str, known: Iterable[str], where: str) -> Rule:
    """Read one rule. Raises UsageError naming the rule, what is wrong and the known read-outs.

    >>> str(parse_rule("panel.margin <= 0.6", ["panel.margin"], "start_when"))
    'panel.margin <= 0.6'
    """
    found, names = _RULE.match(text), sorted(known)
    if found is None:
        raise UsageError(
            f"{where}: {text[:60]!r} is no rule; write `<read-out> <op> <number>`, op one of {' '.join(OPERATORS)}"
        )
    readout, op, number = found.groups()
    if readout not in names:
        raise UsageError(f"{where}: unknown read-out {readout!r}{nearest(readout, names)} (known: {', '.join(names)})")
    return Rule(readout, op, Decimal(number))


def _quantised(value: Decimal) -> Decimal:
    return value.quantize(_PLACES, rounding=ROUND_HALF_EVEN)
