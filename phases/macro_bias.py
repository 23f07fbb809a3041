"""Phase 6: the macro bias row. Every field is computed; a skill words the notes and nothing else.

A field whose source is quiet tonight is carried from an earlier night with its date; a field
that no source has is missing, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from phases.core.ask import Ask
from phases.core.phase import phase
from phases.core.reading import Check, Finding
from phases.maths import regime
from phases.maths.lean import MACRO_WEIGHT
from schemas.base import Model
from schemas.bias import SOURCED_FIELDS, BiasInputs, BiasRow, BiasWording, Provenance
from schemas.market import Evidence, MacroSnapshot
from schemas.run import History
from schemas.settings import BiasSettings

Known = Mapping[str, Evidence]

INDEX_TREND = (
    "macro.index_ret_63d",
    "macro.index_ret_252d",
    "macro.index_sma200_gap",
    "macro.breadth_200d",
)
COMMODITY_SCALE = 0.25
"""Change of crude oil over 63 sessions that is a full tilt; a convention."""

RATE_SCALE = 0.02
"""Change of the short rate over a year that is a full tilt; a convention."""


class Field(NamedTuple):
    """How one field of the row is computed, or why no source has it."""

    needs: tuple[str, ...]
    """Evidence it may use, most important first; one of them is enough."""
    compute: Callable[[Known], Any] | None = None
    note: str | None = None
    """Why there is no source, or what stands in for a better one."""


def _value(known: Known, name: str) -> float | None:
    item = known.get(name)
    return float(item.value) if item is not None and isinstance(item.value, int | float) else None


def _index_tilt(known: Known) -> float | None:
    return regime.mean([known[name].lean / MACRO_WEIGHT for name in INDEX_TREND if name in known])


def _scaled(name: str, scale: float) -> Callable[[Known], Any]:
    def compute(known: Known) -> Any:
        value = _value(known, name)
        return None if value is None else regime.bias_of(value / scale)

    return compute


def _equity(known: Known) -> Any:
    tilt = _index_tilt(known)
    return None if tilt is None else regime.bias_of(tilt)


def _volatility(known: Known) -> float | None:
    value = _value(known, "macro.index_vol_21d")
    return None if value is None else round(100 * value, 2)


def _regime(known: Known) -> str | None:
    words = {
        "growth": regime.growth(_value(known, "macro.gdp_yoy"), _value(known, "macro.unemployed_yoy")),
        "inflation": regime.inflation(_value(known, "macro.core_cpi_yoy")),
        "policy": regime.policy(_value(known, "macro.tbill_change_1y")),
        "appetite": regime.risk_appetite(_index_tilt(known), _value(known, "macro.index_vol_21d")),
    }
    if not any(words.values()):
        return None
    return ", ".join(f"{name} {word or 'unknown'}" for name, word in words.items())


FIELDS: Mapping[str, Field] = {
    "macro_regime": Field(
        (
            "macro.gdp_yoy",
            "macro.unemployed_yoy",
            "macro.core_cpi_yoy",
            "macro.tbill_change_1y",
            "macro.index_vol_21d",
            *INDEX_TREND,
        ),
        _regime,
    ),
    "equity_bias": Field(INDEX_TREND, _equity),
    "crypto_bias": Field((), note="no source of crypto prices"),
    "bond_bias": Field(("macro.tbill_change_1y",), _scaled("macro.tbill_change_1y", -RATE_SCALE)),
    "commodity_bias": Field(("macro.wti_63d",), _scaled("macro.wti_63d", COMMODITY_SCALE)),
    "forex_bias": Field((), note="no source of exchange rates"),
    "vix_level": Field(
        ("macro.index_vol_21d",), _volatility, "no implied volatility in the source: realised, times 100"
    ),
    "inst_flow": Field((), note="no source of fund flows"),
    "options_sentiment": Field((), note="no source of option prices"),
    "cta_direction": Field((), note="no source of trend followers' positions"),
    "hf_consensus": Field((), note="no source of hedge-fund positions"),
    "fed_odds": Field((), note="no source of rate futures"),
    "onchain_positioning": Field((), note="no source of on-chain positions"),
}
"""How each sourced field but `notes` comes about."""


@phase(scope="run")
def bias_row(macro_snapshot: MacroSnapshot, history: History, settings: BiasSettings, *, ask: Ask) -> BiasRow:
    """The macro view of the night, computed from macro evidence and worded by a skill."""
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
        **values,
    )
    return _worded(row, ask) if settings.wording else row


def _sourced(
    name: str, field: Field, known: Known, snapshot: MacroSnapshot, history: History, settings: BiasSettings
) -> tuple[Any, Provenance]:
    """A field's value and where it comes from: tonight, an earlier night, or nowhere."""
    used = tuple(item for item in field.needs if item in known)
    value = field.compute(known) if field.compute is not None and used else None
    if value is not None:
        newest = max(known[item].as_of for item in used)
        return value, Provenance(status="fresh", as_of=newest, evidence=used, reason=field.note)
    if field.compute is None:
        return None, Provenance(status="missing", reason=field.note)
    carried = _carried(name, history.bias_row, snapshot.as_of, settings.carry_days)
    if carried is not None:
        return carried
    reasons = {one.id: one.reason for one in snapshot.missing}
    why = "; ".join(reasons[item] for item in field.needs if item in reasons)
    return None, Provenance(status="missing", reason=why or "its evidence is absent tonight")


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
