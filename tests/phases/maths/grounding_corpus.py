"""Texts with known answers for the grounding of numbers, and the two error rates measured on them.

`planted()` are generated sentences in which one number was made wrong; `tricky()` are clean texts full of
digits that claim nothing, or of right numbers in unusual dress. Run as a program, it prints both rates.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from phases.maths.grounding import Given, ungrounded
from schemas.market import Unit

NAMES = ("0700.HK", "3M", "ACME")

RANGES: dict[str, tuple[str, Unit, float, float, int]] = {
    "px.close": ("last close", "usd", 8, 900, 2),
    "px.ret_5d": ("5-session return", "ratio", -0.12, 0.12, 4),
    "px.ret_21d": ("21-session return", "ratio", -0.25, 0.25, 4),
    "px.ret_63d": ("63-session return", "ratio", -0.4, 0.4, 4),
    "px.ret_252d": ("252-session return", "ratio", -0.6, 0.9, 4),
    "px.excess_63d": ("63-session excess return", "ratio", -0.3, 0.3, 4),
    "px.sma50_gap": ("gap to the 50-session average", "ratio", -0.2, 0.2, 4),
    "px.sma200_gap": ("gap to the 200-session average", "ratio", -0.35, 0.35, 4),
    "px.rsi14": ("14-session RSI", "index", 18, 86, 2),
    "px.atr_pct": ("14-session average true range", "ratio", 0.008, 0.06, 4),
    "px.vol_21d": ("21-session volatility, annualised", "ratio", 0.1, 0.8, 4),
    "px.vol_ratio": ("21/63-session volatility ratio", "index", 0.5, 1.9, 2),
    "px.drawdown_252d": ("drawdown from the 252-session high", "ratio", -0.5, -0.01, 4),
    "px.range_ratio": ("10/63-session range ratio", "index", 0.5, 1.9, 2),
    "px.corr_63d": ("63-session correlation with the benchmark", "index", 0.1, 0.9, 2),
    "macro.breadth_200d": ("share of series above their 200-session average", "ratio", 0.1, 0.95, 4),
    "macro.gdp_yoy": ("real GDP, 1-year change", "ratio", -0.03, 0.06, 4),
    "macro.tbill_change_1y": ("3-month bill rate, 1-year change", "ratio", -0.02, 0.02, 4),
    "macro.vix": ("implied index volatility", "index", 11, 45, 1),
    "f.revenue": ("revenue of the last quarter", "usd", 2e8, 9e9, -7),
    "f.shares_sold": ("shares sold by insiders", "count", 2e4, 9e5, -3),
    "f.days_to_report": ("days to the next report", "days", 3, 60, 0),
}
"""Id: label, unit, lowest and highest value, decimals."""

SAYS = {
    "px.ret_5d": "over five sessions",
    "px.ret_21d": "over 21 sessions",
    "px.ret_63d": "over 63 sessions",
    "px.ret_252d": "in a year of 252 sessions",
    "px.excess_63d": "against the S&P 500",
    "macro.gdp_yoy": "from the same quarter of 2011",
}


class Slot(NamedTuple):
    """A number in a text: how it looks, and what it says."""

    text: str
    given: Given


class Case(NamedTuple):
    """One text, the values given, and what was done to it."""

    text: str
    given: tuple[Given, ...]
    about: str


def bundle(rng: random.Random) -> tuple[Given, ...]:
    """A plausible night: one value an id."""
    found = []
    for name, (_, unit, low, high, places) in RANGES.items():
        value = round(rng.uniform(low, high), places) or 10.0**-places
        found.append(Given(name, int(value) if places <= 0 else value, unit))
    return tuple(found)


# How a value may be written. Each style gives the number only; words around it come from the template.


def percent(value: float, places: int = 1) -> str:
    return f"{100 * value:.{places}f}%"


Style = Callable[[Given], str]

RATIO: tuple[Style, ...] = (
    lambda one: percent(one.value),
    lambda one: percent(one.value, 2),
    lambda one: f"{100 * one.value:+.1f}%",
    lambda one: percent(one.value).replace("-", "\u2212"),
    lambda one: percent(one.value).replace("%", " percent"),
    lambda one: percent(one.value).replace("%", " per cent"),
    lambda one: percent(one.value).replace("%", "\uff05"),
    lambda one: percent(one.value, 2).replace("%", " percentage points"),
    lambda one: f"{one.value:.4f}",
    lambda one: f"{one.value:.3f}",
    lambda one: f"{10_000 * one.value:.0f} bp",
    lambda one: f"{10_000 * one.value:.0f} basis points",
)
USD: tuple[Style, ...] = (
    lambda one: f"${one.value:,.2f}",
    lambda one: f"{one.value:.2f}",
    lambda one: f"USD {one.value:.2f}",
    lambda one: f"{one.value:,.2f} dollars",
    lambda one: f"${one.value:.0f}",
)
LARGE: tuple[Style, ...] = (
    lambda one: f"${one.value / 1e9:.2f}B",
    lambda one: f"${one.value / 1e9:.2f} billion",
    lambda one: f"{one.value / 1e9:.2f}bn",
    lambda one: f"${one.value / 1e6:,.0f}M",
    lambda one: f"{one.value / 1e6:,.0f} million",
    lambda one: f"US${one.value / 1e6:,.0f}mn",
)
COUNT: tuple[Style, ...] = (
    lambda one: f"{one.value:,}",
    lambda one: f"{one.value / 1e3:.0f}k",
    lambda one: f"{one.value / 1e3:.0f} thousand",
)
INDEX: tuple[Style, ...] = (lambda one: f"{one.value:.1f}", lambda one: f"{one.value:.2f}")
MULTIPLE: tuple[Style, ...] = (*INDEX, lambda one: f"{one.value:.2f}x", lambda one: f"{one.value:.2f} times")


def styles(one: Given) -> tuple[Style, ...]:
    """The styles that suit a value."""
    if one.unit == "usd":
        return LARGE if one.value > 1e6 else USD
    if one.unit == "ratio":
        return RATIO
    if one.unit == "index":
        return MULTIPLE if one.value < 3 else INDEX
    return COUNT if one.unit == "count" else (lambda item: f"{item.value} days",)


# Templates: a list of words and slots.


def _quote(rng: random.Random, one: Given) -> list[str | Slot]:
    """As the offline desk quotes."""
    if one.unit == "ratio":
        shown = rng.choice([percent(one.value), f"{100 * one.value:+.1f}%"])
    elif one.unit == "usd" and one.value < 1e6:
        shown = f"${one.value:.2f}"
    else:
        shown = f"{one.value:.2f}" if isinstance(one.value, float) else rng.choice(styles(one))(one)
    stale = rng.choice(["", "", ", stale"])
    return [f"{RANGES[one.id][0]} ", Slot(shown, one), f" ({one.id}{stale})"]


def _desk(rng: random.Random, given: Sequence[Given]) -> list[str | Slot]:
    a, b = rng.sample([one for one in given if one.unit != "days"], 2)
    return rng.choice(
        [
            ["The case for ACME opens with ", *_quote(rng, a), "."],
            [
                "The bear leads with ",
                *_quote(rng, a),
                "; that is accurate, but ",
                *_quote(rng, b),
                " points the other way.",
            ],
            ["Granted: ", *_quote(rng, a), "; it weighs no more than this side's lead."],
            ["It is supported by ", *_quote(rng, a), " and ", *_quote(rng, b), "."],
        ]
    )


def _plainly(rng: random.Random, given: Sequence[Given]) -> list[str | Slot]:
    a = rng.choice(given)
    label = RANGES[a.id][0]
    slot = Slot(rng.choice(styles(a))(a), a)
    return rng.choice(
        [
            [f"In Q3 2026 the {label} was ", slot, "."],
            [f"The {label} stands at ", slot, ", and that settles round 2."],
            [f"(1) The {label} of ", slot, " is the strongest of 3 reasons."],
            [f"Note the {label}: ", slot, f" ({a.id})."],
            [f"{a.id} is ", slot, " as said, and no move of the bear meets it."],
            [f"We read the {label} (", slot, f", {a.id}) as the main risk."],
        ]
    )


def _directed(rng: random.Random, given: Sequence[Given]) -> list[str | Slot]:
    a = rng.choice([one for one in given if one.id in SAYS])
    size = Given(a.id, abs(a.value), a.unit)
    shown = rng.choice((RATIO[0], RATIO[1], RATIO[4], RATIO[5]))(size)
    verb = rng.choice(FALLS if a.value < 0 else RISES)
    cite = rng.choice(["", f" ({a.id})"])
    return [f"ACME {verb} ", Slot(shown, a), f" {SAYS[a.id]}{cite}."]


def _gap(rng: random.Random, given: Sequence[Given]) -> list[str | Slot]:
    a = rng.choice([one for one in given if one.id.endswith("_gap")])
    side = rng.choice(["below", "under"]) if a.value < 0 else rng.choice(["above", "ahead of"])
    window = "50" if "50" in a.id else "200"
    size = Given(a.id, abs(a.value), a.unit)
    return ["The stock trades ", Slot(rng.choice((RATIO[0], RATIO[4]))(size), a), f" {side} its {window}-day average."]


FALLS = ("fell", "is down", "lost", "declined by", "shed", "dropped a further", "took a loss of", "slid by about")
RISES = ("rose", "is up", "gained", "climbed by", "added", "advanced a further", "made a gain of", "rallied by about")
TEMPLATES = (_desk, _desk, _plainly, _plainly, _directed, _gap)

OPPOSITE = dict(zip((*FALLS, *RISES), (*RISES, *FALLS), strict=True)) | {
    "below": "above",
    "under": "above",
    "above": "below",
    "ahead of": "behind",
}


def clean(seed: int) -> tuple[list[str | Slot], tuple[Given, ...]]:
    """One clean sentence as words and slots, with all values of its night."""
    rng = random.Random(seed)
    given = bundle(rng)
    return rng.choice(TEMPLATES)(rng, given), given


def joined(parts: Sequence[str | Slot]) -> str:
    return "".join(part if isinstance(part, str) else part.text for part in parts)


# Mistakes.


def _swapped(rng: random.Random, text: str) -> str | None:
    at = [m.start() for m in re.finditer(r"(?=[0-9][0-9])", text) if text[m.start()] != text[m.start() + 1]]
    if not at:
        return None
    i = rng.choice(at)
    return text[:i] + text[i + 1] + text[i] + text[i + 2 :]


def _mistyped(rng: random.Random, text: str) -> str | None:
    i = rng.choice([m.start() for m in re.finditer(r"[0-9]", text)])
    return text[:i] + rng.choice([d for d in "123456789" if d != text[i]]) + text[i + 1 :]


def _scaled(rng: random.Random, text: str) -> str | None:
    factor = rng.choice([10, 100, 1000, 0.1])
    found = re.search(r"[0-9][0-9,]*(?:\.[0-9]+)?", text)
    assert found
    shown = found.group().replace(",", "")
    places = len(shown.partition(".")[2])
    wrong = f"{float(shown) * factor:.{places if factor > 1 else places + 1}f}"
    return text[: found.start()] + wrong + text[found.end() :] if float(wrong) != float(shown) else None


def _slipped(rng: random.Random, slot: Slot) -> str | None:
    """The same digits in a unit that the value does not have."""
    digits = re.search(r"[-+\u2212]?[0-9][0-9,]*(?:\.[0-9]+)?", slot.text)
    assert digits
    bare, unit = digits.group(), slot.given.unit
    size = bare.lstrip("-+\u2212")
    if unit == "ratio" and re.search("%|percent|per cent|\uff05", slot.text):
        return rng.choice([bare, f"${size}", f"{bare} bp", f"{bare}x"])
    if unit == "ratio":
        return f"{bare}%" if "b" not in slot.text else rng.choice([f"{bare}%", bare])
    if unit == "usd":
        return rng.choice([f"{bare}%", f"{bare}x", f"{bare} bp"])
    return f"${bare}" if unit == "index" else f"{bare}%" if unit == "count" else None


def _other(rng: random.Random, slot: Slot) -> str | None:
    """A plausible value of the same fact on another night."""
    _, _, low, high, places = RANGES[slot.given.id]
    value = round(rng.uniform(low, high), places)
    if slot.text[0] not in "+-\u2212" and slot.given.value < 0:
        value = abs(value)
    twin = slot.given._replace(value=int(value) if places <= 0 else value)
    return rng.choice(styles(twin))(twin)


def _flipped(parts: list[str | Slot], at: int) -> list[str | Slot] | None:
    slot = parts[at]
    assert isinstance(slot, Slot)
    if slot.text[0] in "+-\u2212":
        mark = "+" if slot.text[0] != "+" else "-"
        return [*parts[:at], Slot(mark + slot.text[1:], slot.given), *parts[at + 1 :]]
    for i in (at - 1, at + 1):
        for word, other in OPPOSITE.items():
            near = parts[i]
            assert isinstance(near, str)
            if re.search(rf"\b{word} $" if i < at else rf"^ {word}\b", near):
                return [*parts[:i], near.replace(word, other), *parts[i + 1 :]]
    return [*parts[:at], Slot(f"-{slot.text}", slot.given), *parts[at + 1 :]] if slot.given.value > 0 else None


def _coincides(text: str, given: Sequence[Given]) -> bool:
    """Whether a wrong number happens to say a value of the night all the same, told by plain float arithmetic."""
    found = re.search(r"[0-9][0-9,]*(?:\.[0-9]+)?", text)
    assert found
    shown = found.group().replace(",", "")
    half = 0.5001 * 10 ** -len(shown.partition(".")[2])
    tail = text[found.end() :].strip().lower()
    scale = next((s for w, s in (("b", 1e9), ("m", 1e6), ("k", 1e3), ("t", 1e3)) if tail.startswith(w)), 1.0)
    if tail.startswith(("bp", "basis")):
        ways, scale = {"ratio": [1e4], "index": [1e2]}, 1.0
    elif tail.startswith(("%", "per", "\uff05")):
        ways = {"ratio": [1e2], "index": [1.0, 1e2]}
    elif text.startswith(("$", "US")) or tail.startswith("dollar"):
        ways = {"usd": [1.0]}
    elif tail.startswith("day"):
        ways, scale = {"days": [1.0]}, 1.0
    else:
        ways, scale = (
            {u: [1.0] for u in ("ratio", "usd", "index", "count", "days")},
            1.0 if tail[:5] == "times" else scale,
        )
    return any(
        abs(abs(one.value) * factor / scale - float(shown)) <= half
        for one in given
        for factor in ways.get(one.unit, [])
    )


def _mistaken(rng: random.Random, mistake: str, slot: Slot) -> str | None:
    if mistake in ("swap", "digit", "scale"):
        return {"swap": _swapped, "digit": _mistyped, "scale": _scaled}[mistake](rng, slot.text)
    return _other(rng, slot) if mistake == "other" else _slipped(rng, slot)


MISTAKES = ("swap", "digit", "scale", "sign", "other", "unit")


def planted(count: int = 1200, seed: int = 7) -> tuple[list[Case], int]:
    """Sentences with one wrong number; and how many were left out because the wrong number is right by chance.

    By chance right is a number that is not tied to an id and says another value of the night to the digit.
    """
    cases: list[Case] = []
    chance = 0
    for at in range(count):
        rng = random.Random(f"{seed}.{at}")
        parts, given = clean(rng.randrange(10**9))
        spot = rng.choice([i for i, part in enumerate(parts) if isinstance(part, Slot)])
        slot = parts[spot]
        assert isinstance(slot, Slot)
        mistake = MISTAKES[at % len(MISTAKES)]
        if mistake == "sign":
            wrong = _flipped(parts, spot)
        else:
            text = _mistaken(rng, mistake, slot)
            wrong = None
            if text is not None and text != slot.text:
                held = [one for one in given if one.id == slot.given.id] if slot.given.id in joined(parts) else given
                if _coincides(text, held):
                    chance += 1
                else:
                    wrong = [*parts[:spot], text, *parts[spot + 1 :]]
        if wrong is not None:
            cases.append(Case(joined(wrong), given, f"{mistake}: was {joined(parts)}"))
    return cases, chance


FIXED: tuple[Given, ...] = (
    Given("px.close", 178.2, "usd"),
    Given("px.ret_21d", 0.0312, "ratio"),
    Given("px.ret_63d", -0.0512, "ratio"),
    Given("px.excess_63d", 0.062, "ratio"),
    Given("px.sma50_gap", 0.0184, "ratio"),
    Given("px.sma200_gap", -0.0475, "ratio"),
    Given("px.rsi14", 58.4, "index"),
    Given("px.drawdown_252d", -0.22, "ratio"),
    Given("px.range_ratio", 1.25, "index"),
    Given("px.vol_ratio", 1.31, "index"),
    Given("px.vol_21d", 0.284, "ratio"),
    Given("px.up_volume", 0.56, "ratio"),
    Given("px.corr_63d", 0.45, "index"),
    Given("macro.breadth_200d", 0.63, "ratio"),
    Given("macro.tbill_change_1y", 0.0025, "ratio"),
    Given("macro.tbill_3m", 0.0412, "ratio"),
    Given("macro.vix", 24.5, "index"),
    Given("macro.gdp_yoy", -0.023, "ratio"),
    Given("f.revenue", 1_850_000_000, "usd"),
    Given("f.revenue_growth", 0.12, "ratio"),
    Given("f.eps", -0.12, "usd"),
    Given("f.shares_sold", 450_000, "count"),
    Given("f.days_to_report", 12, "days"),
    Given("axis.technical", 0.7, "ratio"),
    Given("axis.news", 0.4, "ratio"),
)
"""The night the handwritten texts are about."""

HANDWRITTEN: tuple[str, ...] = tuple(
    Path(__file__).with_name("grounding_clean.txt").read_text(encoding="utf-8").splitlines()
)
"""Clean texts about that night, as an analyst would write them: one a line."""

WRONG: tuple[str, ...] = tuple(Path(__file__).with_name("grounding_wrong.txt").read_text(encoding="utf-8").splitlines())
"""Texts about that night that hold a wrong number: one a line."""


def tricky(generated: int = 600, seed: int = 11) -> list[Case]:
    """Clean texts that look like claims or are written unusually: the handwritten ones and generated ones."""
    cases = [Case(text, FIXED, "handwritten") for text in HANDWRITTEN]
    for at in range(generated):
        parts, given = clean(seed * 1_000_003 + at)
        cases.append(Case(joined(parts), given, "generated"))
    return cases


class Rates(NamedTuple):
    """How the two corpora fared."""

    caught: int
    planted: int
    by_chance: int
    rejected: int
    clean: int
    handwritten_rejected: int
    handwritten: int
    missed: tuple[Case, ...]
    refused: tuple[Case, ...]

    def __str__(self) -> str:
        return (
            f"planted wrong numbers caught: {self.caught} of {self.planted} ({self.caught / self.planted:.2%};"
            f" {self.by_chance} more were left out as right by chance)\n"
            f"clean tricky texts rejected: {self.rejected} of {self.clean} ({self.rejected / self.clean:.2%};"
            f" handwritten {self.handwritten_rejected} of {self.handwritten})"
        )


def rates() -> Rates:
    """Both error rates, with the cases that went wrong."""
    wrong, chance = planted()
    right = tricky()
    missed = tuple(case for case in wrong if not ungrounded(case.text, case.given, NAMES))
    refused = tuple(case for case in right if ungrounded(case.text, case.given, NAMES))
    by_hand = Counter(case.about for case in refused)["handwritten"]
    return Rates(
        caught=len(wrong) - len(missed),
        planted=len(wrong),
        by_chance=chance,
        rejected=len(refused),
        clean=len(right),
        handwritten_rejected=by_hand,
        handwritten=len(HANDWRITTEN),
        missed=missed,
        refused=refused,
    )


if __name__ == "__main__":
    print(rates())
