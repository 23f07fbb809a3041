"""Words and numbers of the pages, as a reader writes them. Minus is the minus sign."""

from __future__ import annotations

import re
from datetime import date

from phases.maths.currency import usd_digits
from phases.maths.lean import LEANS
from schemas.manager import PointAnswer
from schemas.market import Evidence, Unit
from schemas.summary import Status

STATUS: dict[Status, str] = {
    "debated": "a debate was held and weighed",
    "gated": "no debate was bought",
    "degraded": "a view without all of its axes",
    "contested": "the manager's word opposes the moves; nothing changed",
    "failed": "no view: an answer or a phase failed",
    "refused": "no view: a model or a check refused",
    "stale": "no view: its newest price is too old",
    "no_data": "no view: no prices that can be relied on",
    "unpaid": "no view: the ceiling came first",
}
"""What each status means."""

FATE: dict[PointAnswer, str] = {
    "conceded": "stands",
    "met": "stands",
    "unaddressed": "stands",
    "rebutted": "fell",
    "withdrawn": "fell",
    "carried": "open",
}
"""Whether a point stands, fell or is open, by what became of it."""

FLAGS = {
    "acknowledged": "a turn granted nothing to the other side",
    "answered_claims": "rulings that called a point answered which nobody answered were taken out",
    "argument_limit": "an argument was longer than the protocol allows and was cut",
    "carried": "no debate was held: nothing moved since the last one, whose outcome stands",
    "changed_skills": "a skill of the run is not the text that was locked",
    "claim_ids": "two claims of a turn shared an id",
    "claims": "claims beyond the allowed number do not count",
    "conditions": "conditions on facts that were not given were taken out",
    "copied": "a turn repeats what the other side said",
    "cut": "a text was too long and was cut",
    "degenerate": "a reply repeated itself without end",
    "doubtful_benchmark": "bars of the benchmark are missing, jump or say the same",
    "evidence_ids": "ids that were not in the evidence do not count",
    "flaw": "a critic called an answer flawed and named no flaw",
    "foreign_evidence": "ids that were not in the evidence do not count",
    "frozen": "bars say the same again",
    "gap": "the price series has a hole; only what came after it was used",
    "gated": "no debate was bought",
    "halted": "no share was traded in five sessions",
    "idle_conditions": "conditions that hold already or can never hold were taken out",
    "invisible_removed": "invisible characters were taken out of a reply",
    "jump": "the price jumped; no split or dividend explains it",
    "late_bar": "the newest price is older than the session",
    "late_benchmark": "the benchmark has no bar of the newest session; what compares the two ends earlier",
    "late_claims": "claims made after the opening do not count",
    "layout": "a turn used headings or lists where prose was asked for",
    "macro_down": "a source of the market's figures did not answer; they are missing, not neutral",
    "no_claims": "an opening made no checkable claim",
    "no_quorum": "fewer than two seats voted",
    "one_sided": "only one side gave a valid turn, so nothing was weighed",
    "opponent": "a turn spoke for the other side",
    "pence_assumed": "prices are taken for pence, cents or agorot because of the suffix alone",
    "probable_closure": "neither the ticker nor the benchmark has a bar of the session; the one before speaks",
    "reopened": "something that was to settle the last debate happened, or evidence left its band",
    "repaired": "a reply was asked for again",
    "repeated": "a turn repeats an earlier one of its own side",
    "retry_exhausted": "a reply was still wrong after it was asked for again",
    "sentences": "a turn was shorter or longer than asked for",
    "split": "conviction and probability point different ways",
    "stance": "a turn did not close on its side's stance",
    "strawman": "a turn quoted words that nobody wrote",
    "synonym": "a reply used another word for one of the contract",
    "theses_differ": "both theses were the same",
    "thin": "the price series lacks many sessions",
    "unaddressed": "a point that awaited an answer got none",
    "ungrounded": "a number that no evidence carries; what rested on it does not count",
    "ungrounded_claim": "a claim without evidence does not count",
    "unpaid_move": "a concession, rebuttal or carry broke its rule and does not count",
    "unpriced": "a call could not be priced exactly and counts at its worst case",
    "void": "the turn does not count",
    "volume_unit": "volume changes its unit within the newest quarter, and is not used",
}
"""What each flag of a row means."""

_TURN = re.compile(r"(?P<seat>.+?)_(?P<round>[0-9]+)_(?P<flag>.+)")
_START = {"manager_": "manager: {}", "missing_": "the axis {} has no view", "absent_": "no value to stop on: {}"}


def flag_text(flag: str, opened: bool = False) -> str:
    """A flag in words; its own name where it has none. `opened`: turns of number 1 are those of an opening.

    >>> flag_text("missing_news"), flag_text("bull_2_void"), flag_text("new_kind")
    ('the axis news has no view', 'bull, round 2: the turn does not count', 'new kind')
    """
    if flag in FLAGS:
        return FLAGS[flag]
    turn = _TURN.fullmatch(flag)
    if turn is not None:
        number = int(turn["round"]) - opened
        return f"{turn['seat']}, {f'round {number}' if number else 'opening'}: {flag_text(turn['flag'])}"
    for start, told in _START.items():
        if flag.startswith(start):
            return told.format(flag_text(flag.removeprefix(start), opened))
    return flag.replace("_", " ")


def signed(value: int | None) -> str:
    """Conviction points with their sign.

    >>> signed(-2), signed(0), signed(3), signed(None)
    ('−2', '0', '+3', '–')
    """
    return "–" if value is None else f"{value:+d}".replace("-", "−") if value else "0"


def chance(value: float | None) -> str:
    """A probability or a share with three decimals.

    >>> chance(0.4868), chance(None)
    ('0.487', '–')
    """
    return "–" if value is None else f"{value:.3f}".replace("-", "−")


def percent(value: float | None) -> str:
    """A share in whole percent.

    >>> percent(0.25), percent(None)
    ('25%', '–')
    """
    return "–" if value is None else f"{100 * value:.0f}%"


def gain(value: float | None) -> str:
    """A return in percent with its sign and one decimal.

    >>> gain(-0.033558), gain(0.0121), gain(None)
    ('−3.4%', '+1.2%', '–')
    """
    return "–" if value is None else f"{value:+.1%}".replace("-", "−")


def money(value: float | None) -> str:
    """US dollars: cents from a dollar on, four decimals below.

    >>> money(12.345), money(0.0123), money(0.0), money(None)
    ('$12.35', '$0.0123', '$0', '–')
    """
    if value is None:
        return "–"
    return "$0" if not value else f"${value:,.2f}" if value >= 1 else f"${value:.4f}"


def count(number: int, word: str) -> str:
    """A number and its word, in the plural where it is not one.

    >>> count(1, "debate"), count(1200, "call")
    ('1 debate', '1,200 calls')
    """
    return f"{number:,} {word}{'s' * (number != 1)}"


def measured(value: bool | float | int | str, unit: Unit, *, sign: bool = False) -> str:
    """A value in its unit.

    >>> measured(-0.0512, "ratio"), measured(0.1, "ratio", sign=True), measured(12, "days"), measured(True, "text")
    ('−5.1%', '+10.0%', '12 days', 'yes')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    plus = "+" if sign else ""
    match unit:
        case "ratio":
            places = 1 if abs(value) >= 0.0005 or not value else 2
            text = f"{100 * value:{plus}.{places}f}%"
        case "usd":
            text = f"{'-' * (value < 0)}${abs(value):,.{usd_digits(value)}f}"
        case "days" | "count":
            text = f"{value:,g}" + " days" * (unit == "days")
        case _:
            text = f"{value:{plus},.2f}"
    return text.replace("-", "−")


def value_text(item: Evidence) -> str:
    """The value of an evidence item; with its sign where the item has a neutral zero."""
    lean = LEANS.get(item.id)
    return measured(item.value, item.unit, sign=lean is not None and lean.centre == 0)


def threshold_text(value: float, item: Evidence | None) -> str:
    """A threshold in the unit of its item; as it is where the item is not known."""
    return measured(value, "index" if item is None else item.unit)


def until(day: date | None) -> str:
    """The last day of a condition, in words; empty without one."""
    return "" if day is None else f" by {day}"
