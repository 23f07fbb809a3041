"""Macro items: values by hand and by the published figures, gaps, and nothing that came later."""

from __future__ import annotations

import json
import os
import random
from bisect import bisect_right
from collections.abc import Mapping
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from phases.evidence.macro import LISTED_ITEMS, MACRO_ITEMS, macro_items, released
from phases.macro_bias import bias_row
from phases.market_data import macro_snapshot
from phases.maths.lean import LEANS, NEUTRAL
from phases.sources import SOURCES
from phases.sources.base import Source
from phases.sources.fred.series import SERIES
from schemas.bias import BiasRow
from schemas.market import Evidence, MacroSeries, MacroSeriesSet, MacroSnapshot, Missing
from schemas.run import History
from schemas.settings import SourceSettings
from tests.shared import shared
from tests.support import QUESTION, ask_door, fetch_door, settings

FRED = "data/macro/fred"
NIGHTS = 1000 if os.environ.get("REBUTTAL_NIGHTLY") else 60


@cache
def whole() -> Source:
    return source_of(shared(FRED))


def source_of(folder: Path) -> Source:
    return SOURCES["fred"](SourceSettings.model_validate({"name": "fred", "fred": {"path": str(folder)}}))


def real(as_of: str) -> tuple[Mapping[str, Evidence], Mapping[str, str]]:
    found = json.dumps(whole().fetch("macro", {"as_of": as_of}))
    return split(MacroSeriesSet.model_validate_json(found), date.fromisoformat(as_of))


def split(known: MacroSeriesSet, as_of: date) -> tuple[Mapping[str, Evidence], Mapping[str, str]]:
    evidence, missing = macro_items(known, as_of, settings().market, "fred")
    return {one.id: one for one in evidence}, {one.id: one.reason for one in missing}


def test_every_item_has_a_direction_or_a_reason_for_none() -> None:
    ids = [one.id for one in (*MACRO_ITEMS, *LISTED_ITEMS)]
    assert len(set(ids)) == len(ids)
    assert set(ids) <= LEANS.keys() | NEUTRAL.keys()
    assert {one.series for one in LISTED_ITEMS} <= {spec.name for spec in SERIES}


# item, as of, value to a digit: as the offices and the newspapers said, where revisions leave that digit alone
PUBLISHED = [
    ("macro.vix", "2023-03-31", 18.70),
    ("macro.core_cpi_yoy", "2025-12-31", 0.0262),  # November, to November: October has no figure
    ("macro.unemployment", "2023-03-31", 0.036),
    ("macro.fed_funds", "2023-03-31", 0.0457),
    ("macro.y10", "2023-03-31", 0.0355),
    ("macro.curve", "2023-03-31", -0.0055),
    ("macro.hy_spread", "2023-03-31", 0.0474),
    ("macro.breakeven_10y", "2023-03-31", 0.0234),
    ("macro.fed_funds_change_1y", "2023-03-31", 0.0449),  # 4.57 less 0.08
]


@pytest.mark.parametrize(("id", "as_of", "value"), PUBLISHED)
def test_values_are_those_that_were_published(id: str, as_of: str, value: float) -> None:
    item = real(as_of)[0][id]
    assert item.value == pytest.approx(value, abs=1e-9)
    assert (item.source, item.tier) == ("fred", 1)
    assert item.as_of <= item.known_at <= date.fromisoformat(as_of)
    assert item.unit == ("index" if id == "macro.vix" else "ratio")


def test_the_crash_of_2008_reads_like_one() -> None:
    evidence, _ = real("2008-12-31")
    against = {id: one.lean for id, one in evidence.items() if id in LEANS}
    easing = {"macro.fed_funds_change_1y", "macro.y10_change_63d"}
    assert {id for id, lean in against.items() if lean > 0} <= easing
    assert against["macro.vix"] == against["macro.hy_spread"] == against["macro.unemployment_above_low"] == -0.5
    assert all(abs(one.lean) <= 0.5 for one in evidence.values())


def test_a_listed_series_without_values_is_missing_and_an_unlisted_one_not_looked_for() -> None:
    _, missing = real("2023-03-31")
    wanted = "DGS3MO.csv or TB3MS.csv in source.fred.path"
    assert missing["macro.tbill_3m"] == f"the source fred has no released tbill_3m ({wanted}); download it anew"
    evidence, missing = split(MacroSeriesSet(series=()), date(2023, 3, 31))
    assert (set(evidence), set(missing)) == (set(), {one.id for one in MACRO_ITEMS})


# By hand


def months(values: Mapping[str, float], name: str = "core_cpi") -> MacroSeries:
    days = tuple(date.fromisoformat(f"{month}-01") for month in values)
    known = tuple(day + timedelta(50) for day in days)
    held = tuple(values.values())
    return MacroSeries(name=name, label=name, unit="index", period="month", days=days, values=held, known=known)


def year(first: int, count: int, step: float = 1.0) -> dict[str, float]:
    """So many months from a January on, from 100 by a step."""
    return {f"{first + n // 12}-{n % 12 + 1:02d}": 100 + step * n for n in range(count)}


def of(series: MacroSeries, as_of: date) -> tuple[Mapping[str, Evidence], Mapping[str, str]]:
    return split(MacroSeriesSet(series=(series,)), as_of)


def test_a_month_that_was_never_published_is_compared_with_nothing() -> None:
    """October 2025 has no CPI. November is 13 months after October 2024, and its change of a year is over 12."""
    values = year(2024, 23)
    del values["2025-10"]
    evidence, _ = of(months(values), date(2026, 1, 5))
    assert evidence["macro.core_cpi_yoy"].value == round(122 / 110 - 1, 4)  # November to November
    assert evidence["macro.core_cpi_3m"].value == round((122 / 119) ** 4 - 1, 4)  # to August
    later = {**year(2024, 25), "2026-01": 124.0}
    del later["2025-10"]
    evidence, missing = of(months(later), date(2026, 3, 1))
    assert "macro.core_cpi_yoy" in evidence
    assert missing["macro.core_cpi_3m"] == "a period of core_cpi that it is compared with has no figure"


def test_unemployment_above_its_low_is_a_difference_of_means() -> None:
    rates = [0.05, 0.04, 0.04, 0.04, *[0.05] * 9, 0.05, 0.06, 0.07]
    values = dict(zip(year(2024, len(rates)), rates, strict=True))
    evidence, _ = of(months(values, "unemployment"), date(2025, 6, 1))
    assert evidence["macro.unemployment_above_low"].value == pytest.approx(0.02)  # .06 less .04
    assert evidence["macro.unemployment_change_1y"].value == pytest.approx(0.03)  # .07 less April's .04
    assert evidence["macro.unemployment_above_low"].lean == -0.5
    short = of(months(dict(list(values.items())[4:]), "unemployment"), date(2025, 6, 1))[1]
    assert short["macro.unemployment_above_low"] == "too few observations of unemployment"


def test_claims_are_compared_with_their_year() -> None:
    days = tuple(date(2022, 1, 1) + timedelta(7 * n) for n in range(60))
    values = (*[200_000.0] * 56, *[300_000.0] * 4)
    claims = MacroSeries(
        name="claims",
        label="claims",
        unit="count",
        period="week",
        days=days,
        values=tuple(value + n for n, value in enumerate(values)),
        known=tuple(day + timedelta(5) for day in days),
    )
    evidence, _ = of(claims, days[-1] + timedelta(6))
    # a mean of 300,000 to one of (48 * 200,000 + 4 * 300,000) / 52
    assert evidence["macro.claims_trend"].value == pytest.approx(300_000 / (10_800_000 / 52) - 1, abs=2e-4)


@pytest.mark.parametrize(
    ("as_of", "day"),
    [("2020-04-28", "2020-04-20"), ("2020-07-28", "2020-04-20")],  # 63 sessions lie between the two
)
def test_a_price_below_0_is_no_part_of_a_ratio(as_of: str, day: str) -> None:
    """Oil at -36.98 dollars."""
    evidence, missing = real(as_of)
    told = f"wti (DCOILWTICO.csv in source.fred.path): -36.98 of {day} is not above 0: no ratio to it says anything"
    assert missing["macro.wti_63d"] == told
    assert "macro.y10" in evidence
    for other in ("2020-04-27", "2020-04-29", "2020-07-27", "2020-07-29"):
        assert "macro.wti_63d" in real(other)[0]


@pytest.mark.parametrize("value", [0.0, -3.0])
@pytest.mark.parametrize("back", [0, 3, 12])
def test_no_change_is_one_of_what_is_not_above_0(value: float, back: int) -> None:
    values = year(2024, 13)
    values[list(values)[-1 - back]] = value
    known = months(values)
    item = next(one for one in MACRO_ITEMS if one.id == ("macro.core_cpi_3m" if back == 3 else "macro.core_cpi_yoy"))
    found = released(item, known, date(2025, 3, 1), settings().market, "fred")
    assert isinstance(found, Missing)
    assert f"{value:g} of {known.days[-1 - back]} is not above 0" in found.reason


# What came later


class Night:
    """Macro series of FRED beside prices that follow from the day alone."""

    name, vintage, live = "night", "v", False

    def __init__(self, fred: Source) -> None:
        self._fred = fred

    def fetch(self, dataset: str, params: Mapping[str, str]) -> Any:
        if dataset != "bars":
            return self._fred.fetch(dataset, params)
        last = date.fromisoformat(params["as_of"])
        days = sorted(day for n in range(400) if (day := last - timedelta(n)).weekday() < 5)
        closes = [100.0 + abs(day.toordinal() % 96 - 48) / 4 for day in days]
        prices = dict.fromkeys(("open", "high", "low", "close", "adj_close", "volume"), closes)
        about = {"symbol": params["symbol"], "currency": "USD", "exchange": "XNYS"}
        return {**about, "days": [day.isoformat() for day in days], **prices}


def night(fred: Source, as_of: date) -> tuple[MacroSnapshot, BiasRow]:
    chosen = settings("bias.wording=false")
    snapshot = macro_snapshot(as_of, QUESTION, chosen.market, fetch=fetch_door(Night(fred)))
    return snapshot, bias_row(snapshot, History(), chosen.bias, ask=ask_door())


Lines = dict[str, list[tuple[date, str]]]


def cut(lines: Lines, as_of: date, folder: Path) -> Path:
    """The files without any line that became known later, and without what is far in the past."""
    for spec in SERIES:
        if spec.id in lines:
            end = bisect_right(lines[spec.id], as_of, key=lambda one: one[0])
            kept = [line for day, line in lines[spec.id][max(0, end - 320) : end] if spec.known(day, {}) <= as_of]
            (folder / f"{spec.id}.csv").write_text("\n".join(["date,value", *kept]) + "\n", encoding="utf-8")
    return folder


def test_g6_deleting_what_became_known_later_changes_nothing(tmp_path: Path) -> None:
    folder, draw = shared(FRED), random.Random(20230412)
    lines: Lines = {}
    for spec in SERIES:
        if (folder / f"{spec.id}.csv").is_file():
            _, *rows = (folder / f"{spec.id}.csv").read_text(encoding="utf-8").splitlines()
            lines[spec.id] = [(date.fromisoformat(row[:10]), row) for row in rows]
    first, last = date(1991, 1, 2), date(2025, 12, 31)
    seen = 0
    for _ in range(NIGHTS):
        as_of = first + timedelta(draw.randrange((last - first).days + 1))
        full = night(whole(), as_of)
        assert night(source_of(cut(lines, as_of, tmp_path)), as_of) == full
        seen += len(full[0].evidence)
    assert seen > 25 * NIGHTS, "there was something to compare"
    earlier = source_of(cut(lines, last - timedelta(40), tmp_path))
    assert night(earlier, last) != night(whole(), last), "a cut can be seen"


def test_without_a_universe_or_macro_series_the_night_goes_on(tmp_path: Path) -> None:
    """Each item says which source has nothing; FRED has no universe."""
    (tmp_path / "VIXCLS.csv").write_text("date,value\n2023-03-31,18.7\n", encoding="utf-8")
    snapshot, row = night(source_of(tmp_path), date(2023, 3, 31))
    missing = {one.id: one.reason for one in snapshot.missing}
    assert missing["macro.breadth_200d"] == "fred has macro series alone, and no universe"
    assert isinstance(next(one for one in snapshot.missing if one.id == "macro.gdp_yoy"), Missing)
    assert row.vix_level == 18.7
