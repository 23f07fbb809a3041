"""Phase 6: the macro bias row. Every field is computed; a skill words the notes and nothing else.

A field whose source is quiet tonight is carried from an earlier night with its date; a field
that no source has is missing, with the reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from phases.core.ask import Ask
from phases.core.errors import SourceDown
from phases.core.phase import phase
from phases.core.reading import Check, Finding
from phases.evidence.macro import LISTED_ITEMS, MACRO_ITEMS, UNKNOWN
from phases.maths import regime
from phases.maths.lean import MACRO_WEIGHT
from schemas.base import Model
from schemas.bias import SOURCED_FIELDS, BiasInputs, BiasRow, BiasWording, Coverage, Provenance
from schemas.bias_settings import BiasSettings, BiasThresholds
from schemas.market import Evidence, MacroSnapshot
from schemas.run import History

Known = Mapping[str, Evidence]
Compute = Callable[[Known, BiasThresholds], Any]

ALWAYS, LISTED = (frozenset(one.id for one in items) for items in (MACRO_ITEMS, LISTED_ITEMS))
RELEASED = ALWAYS | LISTED
"""Items made from macro series; the others are made from prices."""

INDEX_TREND = (
    "macro.index_ret_63d",
    "macro.index_ret_252d",
    "macro.index_sma200_gap",
    "macro.breadth_200d",
)

TRENDS: Mapping[str, Mapping[str, float]] = {
    "index": {"macro.index_ret_63d": 0.14, "macro.index_ret_252d": 0.30},
    "bonds": {"macro.y10_change_63d": -0.01, "macro.y10_change_1y": -0.02},
    "dollar": {"macro.dollar_63d": 0.06, "macro.dollar_252d": 0.12},
    "oil": {"macro.wti_63d": 0.25},
}
"""Markets that trend followers trade: what each is read by, and the change that is a full trend. Bonds rise as
yields fall. Scales as in the lean table, and twice that over a year."""

MARKETS = 3
"""Trends of so many markets at the least stand in for a follower's book: one or two say what they say themselves."""


class Way(NamedTuple):
    """One way to compute a field."""

    needs: tuple[str, ...]
    """Evidence it may use, most important first; one of them is enough to try."""
    compute: Compute
    note: str | None = None
    """What it stands in for, where a better source is wanting."""


class Field(NamedTuple):
    """How one field of the row comes about: the first way that gives a value; or why no source has it."""

    ways: tuple[Way, ...]
    absent: str | None = None
    """Why there is no value where its evidence was not even looked for."""


def _value(known: Known, *names: str) -> float | None:
    """Value of the first of some items that is known."""
    item = next((known[name] for name in names if name in known), None)
    return float(item.value) if item is not None and isinstance(item.value, int | float) else None


def _index_tilt(known: Known) -> float | None:
    return regime.mean([known[name].lean / MACRO_WEIGHT for name in INDEX_TREND if name in known])


def _scaled(name: str, scale: str, sign: int = 1, centre: str | None = None, note: str | None = None) -> Way:
    """A direction from one item: its value by its scale, against a centre where there is one."""

    def compute(known: Known, at: BiasThresholds) -> Any:
        value = _value(known, name)
        middle = getattr(at, centre) if centre else 0.0
        return None if value is None else regime.bias_of(sign * (value - middle) / getattr(at, scale), at)

    return Way((name,), compute, note)


def _equity(known: Known, at: BiasThresholds) -> Any:
    tilt = _index_tilt(known)
    return None if tilt is None else regime.bias_of(tilt, at)


def _implied(known: Known, _: BiasThresholds) -> float | None:
    return _value(known, "macro.vix")


def _realised(known: Known, _: BiasThresholds) -> float | None:
    value = _value(known, "macro.index_vol_21d")
    return None if value is None else round(100 * value, 2)


def _premium(known: Known, at: BiasThresholds) -> Any:
    """Protection that costs more than what happened is fear; less, and nobody asks for it.

    In a storm what happened runs ahead of any price, so cheap protection says nothing then.
    """
    implied, realised = _value(known, "macro.vix"), _value(known, "macro.index_vol_21d")
    if implied is None or realised is None:
        return None
    tilt = (at.premium_usual - (implied / 100 - realised)) / at.premium_scale
    return regime.bias_of(tilt if realised < at.appetite_volatility else min(tilt, 0.0), at)


def _followers(known: Known, at: BiasThresholds) -> Any:
    """Mean trend of the markets: bullish where followers of trends would be long on the whole."""
    seen = [
        [
            max(-1.0, min(1.0, value / scale))
            for name, scale in one.items()
            if (value := _value(known, name)) is not None
        ]
        for one in TRENDS.values()
    ]
    tilts = [sum(one) / len(one) for one in seen if one]
    return regime.bias_of(sum(tilts) / len(tilts), at) if len(tilts) >= MARKETS else None


def _regime(known: Known, at: BiasThresholds) -> str | None:
    rates = _value(known, "macro.tbill_change_1y", "macro.fed_funds_change_1y")
    words = {
        "growth": regime.growth(_value(known, "macro.gdp_yoy"), _value(known, "macro.unemployed_yoy"), at),
        "inflation": regime.inflation(_value(known, "macro.core_cpi_yoy", "macro.core_pce_yoy"), at),
        "policy": regime.policy(rates, at),
        "appetite": regime.risk_appetite(_index_tilt(known), _value(known, "macro.index_vol_21d"), at),
    }
    if not any(words.values()):
        return None
    return ", ".join(f"{name} {word or 'unknown'}" for name, word in words.items())


REGIME = (
    "macro.gdp_yoy",
    "macro.unemployed_yoy",
    "macro.core_cpi_yoy",
    "macro.tbill_change_1y",
    "macro.index_vol_21d",
    *INDEX_TREND,
)
STAND_INS = {"macro.core_pce_yoy": "macro.core_cpi_yoy", "macro.fed_funds_change_1y": "macro.tbill_change_1y"}
"""Evidence of the regime that is used where the other is not known."""

FIELDS: Mapping[str, Field] = {
    "macro_regime": Field((Way((*REGIME, *STAND_INS), _regime),)),
    "equity_bias": Field((Way(INDEX_TREND, _equity),)),
    "crypto_bias": Field((_scaled("macro.crypto_90d", "crypto_scale"),), "no source of crypto prices: market.crypto"),
    "bond_bias": Field(
        (
            _scaled("macro.y10_change_63d", "yield_scale", -1),
            _scaled("macro.tbill_change_1y", "rate_scale", -1, note="no 10-year yield: the 3-month bill over a year"),
            _scaled("macro.fed_funds_change_1y", "rate_scale", -1, note="no 10-year yield: federal funds over a year"),
        )
    ),
    "commodity_bias": Field((_scaled("macro.wti_63d", "commodity_scale"),)),
    "forex_bias": Field((_scaled("macro.dollar_63d", "dollar_scale"),), "no source of exchange rates"),
    "vix_level": Field(
        (
            Way(("macro.vix",), _implied),
            Way(("macro.index_vol_21d",), _realised, "no implied volatility in the source: realised, times 100"),
        )
    ),
    "inst_flow": Field((), "no source of fund flows; the Fed's flow of funds is a quarter, known ten weeks after it"),
    "options_sentiment": Field(
        (Way(("macro.vix", "macro.index_vol_21d"), _premium, "implied less realised volatility of the index"),),
        "no source of option prices",
    ),
    "cta_direction": Field(
        (
            Way(
                tuple(name for one in TRENDS.values() for name in one),
                _followers,
                "a stand-in: the markets' own trends",
            ),
        ),
        "no source of trend followers' positions, and too few markets for a stand-in",
    ),
    "hf_consensus": Field((), "no source of hedge-fund positions; the series of FRED hold none"),
    "fed_odds": Field((), "no source of rate futures; a yield holds a year's policy, not the odds of one meeting"),
    "onchain_positioning": Field((), "no source of on-chain positions; prices say nothing of who holds"),
}
"""How each sourced field but `notes` comes about."""


@phase(scope="run")
def bias_row(macro_snapshot: MacroSnapshot, history: History, settings: BiasSettings, *, ask: Ask) -> BiasRow:
    """The macro view of the night, computed from macro evidence and worded by a skill.

    Raises SourceDown before any call if the row is stale and the settings say to stop.
    """
    known = {one.id: one for one in macro_snapshot.evidence}
    values: dict[str, Any] = {}
    provenance: dict[str, Provenance] = {}
    for name, field in FIELDS.items():
        values[name], provenance[name] = _sourced(name, field, known, macro_snapshot, history, settings)
    row = BiasRow(
        date=macro_snapshot.as_of,
        run_type="baseline" if history.bias_row is None else "delta",
        notes=None,
        provenance={**provenance, "notes": Provenance(status="missing", reason="not worded")},
        coverage=_coverage(provenance, macro_snapshot, settings),
        **values,
    )
    return _worded(row, ask) if settings.wording else row


def _sourced(
    name: str, field: Field, known: Known, snapshot: MacroSnapshot, history: History, settings: BiasSettings
) -> tuple[Any, Provenance]:
    """A field's value and where it comes from: tonight, an earlier night, or nowhere."""
    for way in field.ways:
        used = tuple(item for item in way.needs if item in known and STAND_INS.get(item) not in known)
        value = way.compute(known, settings.thresholds) if used else None
        if value is not None:
            oldest = min(known[item].as_of for item in used)
            return value, Provenance(status="fresh", as_of=oldest, evidence=used, reason=way.note)
    if not field.ways:
        return None, Provenance(status="missing", reason=field.absent)
    carried = _carried(name, history.bias_row, snapshot.as_of, settings.carry_days)
    if carried is not None:
        return carried
    last = history.bias_row.provenance[name] if history.bias_row is not None else None
    nights = 1 + (last.missing_nights or 0 if last is not None and last.status == "missing" else 0)
    return None, Provenance(status="missing", reason=_why(field, snapshot), missing_nights=nights)


def _why(field: Field, snapshot: MacroSnapshot) -> str:
    """The reasons of the evidence that was looked for, or that none was."""
    reasons = {one.id: one.reason for one in snapshot.missing}
    wanted = dict.fromkeys(item for way in field.ways for item in way.needs)
    why = "; ".join(dict.fromkeys(reasons[item] for item in wanted if item in reasons))
    return why or field.absent or "its evidence is absent tonight"


def _carried(name: str, last: BiasRow | None, as_of: date, carry_days: int) -> tuple[Any, Provenance] | None:
    """The last known value of a field, if it is not too old."""
    if last is None or getattr(last, name) is None:
        return None
    since = last.provenance[name].as_of or last.date
    age = (as_of - since).days
    if age > carry_days:
        return None
    old = last.provenance[name]
    reason = f"no value tonight; this one is of {since}, {age} days old"
    return getattr(last, name), Provenance(status="carried", as_of=since, evidence=old.evidence, reason=reason)


def _coverage(provenance: Mapping[str, Provenance], snapshot: MacroSnapshot, settings: BiasSettings) -> Coverage:
    """Shares of fresh, carried and missing fields, what has long been missing, and whether the row is stale."""
    counts = Counter(one.status for one in provenance.values())
    shares = {status: round(counts[status] / len(provenance), 4) for status in ("fresh", "carried", "missing")}
    long = [name for name, one in provenance.items() if (one.missing_nights or 0) >= settings.missing_flag_nights]
    stale = _stale(provenance, snapshot, settings.stale_after_days)
    if stale and settings.when_stale == "stop":
        allowed = f"bias.stale_after_days allows {settings.stale_after_days}"
        raise SourceDown(f"macro bias row: {stale}; {allowed}; look at the sources, or set bias.when_stale=mark")
    return Coverage(**shares, long_missing=tuple(long), stale=stale)


def _stale(provenance: Mapping[str, Provenance], snapshot: MacroSnapshot, days: int) -> str | None:
    """Why the row as a whole is stale: nothing in it is new, or no macro series behind it is."""
    as_of, known = snapshot.as_of, {one.id: one for one in snapshot.evidence}
    carried = [(one.as_of, one.evidence) for one in provenance.values() if one.status == "carried" and one.as_of]
    used = [known[id].as_of for one in provenance.values() if one.status == "fresh" for id in one.evidence]
    newest = max([*used, *(since for since, _ in carried)], default=None)
    if newest is None:
        return "no field has a value"
    if (as_of - newest).days > days:
        return f"its newest value is of {newest}, {(as_of - newest).days} days before {as_of}"
    released = [one for one in snapshot.evidence if one.id in RELEASED]
    dead = _looked_for(snapshot) and all(one.stale for one in released)
    if not dead or any((as_of - since).days <= days and RELEASED.intersection(of) for since, of in carried):
        return None
    if released:
        last = max(released, key=lambda one: one.as_of)
        return f"every macro figure is stale, the newest, {last.id}, is of {last.as_of}"
    why = next(one.reason for one in snapshot.missing if one.id in RELEASED)
    return f"no macro series has a figure that counts; the first of them: {why}"


def _looked_for(snapshot: MacroSnapshot) -> bool:
    """Whether a source has macro series, be they dead, or did not answer for them. Where nobody has any, the items that
    are always looked for are missing for one reason, and no other is looked for."""
    if any(one.id in RELEASED for one in snapshot.evidence) or any(one.id in LISTED for one in snapshot.missing):
        return True
    reasons = {one.reason for one in snapshot.missing if one.id in ALWAYS}
    return len(reasons) > 1 and any(UNKNOWN not in one for one in reasons)


def _worded(row: BiasRow, ask: Ask) -> BiasRow:
    """The row with notes from the macro-bias skill; without them, and saying so, if it gave none."""
    said = ask("macro-bias", BiasInputs(bias_row=row), returns=BiasWording, seat="macro", checks=(NO_NUMBERS,))
    if said.record is None:
        origin = Provenance(status="missing", reason=said.void)
        return row.model_copy(update={"provenance": {**row.provenance, "notes": origin}})
    origin = Provenance(status="fresh", as_of=row.date, reason="worded by macro-bias")
    notes = {"notes": said.record.notes, "provenance": {**row.provenance, "notes": origin}}
    return BiasRow.model_validate({**row.__dict__, **notes})


def _digits(said: BiasWording, _: Model) -> Sequence[Finding]:
    if re.search(r"\d", said.notes):
        return (Finding("/notes: holds a digit; word the row without any number", "void"),)
    return ()


NO_NUMBERS: Check[BiasWording] = Check("no_numbers", _digits)
"""The notes never state a number: numbers are the code's."""

assert set(FIELDS) == set(SOURCED_FIELDS) - {"notes"}
