"""Fault cases of macro data: what is known when, and how old a value is that is only said again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from phases.evidence.macro import macro_items
from phases.sources import SOURCES
from schemas.market import Evidence, MacroSeriesSet, Missing
from schemas.settings import SourceSettings
from tests.shared import shared
from tests.support import settings

FRED = "data/macro/fred"


def items(folder: Path, as_of: date) -> Mapping[str, Evidence | Missing]:
    """Every macro item of a folder of FRED files."""
    source = SOURCES["fred"](SourceSettings.model_validate({"name": "fred", "fred": {"path": str(folder)}}))
    found = json.dumps(source.fetch("macro", {"as_of": as_of.isoformat()}))
    evidence, missing = macro_items(MacroSeriesSet.model_validate_json(found), as_of, settings().market, "fred")
    return {one.id: one for one in (*evidence, *missing)}


def weekdays(last: date, count: int) -> list[date]:
    back = (last - timedelta(n) for n in range(2 * count))
    return sorted(day for day in back if day.weekday() < 5)[-count:]


def written(folder: Path, id: str, rows: list[tuple[date, Any]]) -> Path:
    text = "".join(f"{day},{value}\n" for day, value in rows)
    (folder / f"{id}.csv").write_text(f"date,value\n{text}", encoding="utf-8")
    return folder


def test_d10_a_figure_released_in_april_is_not_known_in_march() -> None:
    seen = items(shared(FRED), date(2023, 3, 31))
    for id in ("macro.cpi_yoy", "macro.core_cpi_yoy", "macro.unemployment"):
        item = seen[id]
        assert isinstance(item, Evidence)
        assert item.as_of == date(2023, 2, 1)
    assert seen["macro.core_cpi_yoy"].value == 0.055  # as BLS said


def test_d10_holds_for_the_day_before_the_release_itself(tmp_path: Path) -> None:
    """Files with vintages know the day: March 2023 came out on April 12th."""
    months = [date(2022 + (n // 12), n % 12 + 1, 1) for n in range(15)]
    rows = [f"{month},{'.' if month == date(2023, 3, 1) else 100 + n},{100 + n}" for n, month in enumerate(months)]
    text = "\n".join(["observation_date,CPIAUCSL_20230314,CPIAUCSL_20230412", *rows]) + "\n"
    (tmp_path / "CPIAUCSL.csv").write_text(text, encoding="utf-8")
    for day, newest in ((date(2023, 4, 11), date(2023, 2, 1)), (date(2023, 4, 12), date(2023, 3, 1))):
        item = items(tmp_path, day)["macro.cpi_yoy"]
        assert isinstance(item, Evidence)
        assert (item.as_of, item.source) == (newest, "fred")


def test_f131_evidence_uses_the_figure_as_it_was_said_then(tmp_path: Path) -> None:
    months = [date(2022 + (n // 12), n % 12 + 1, 1) for n in range(13)]
    rows = [f"{month},100,100" for month in months[:-1]]
    text = "\n".join(["observation_date,CPIAUCSL_20230214,CPIAUCSL_20230314", *rows, "2023-01-01,106,104"]) + "\n"
    (tmp_path / "CPIAUCSL.csv").write_text(text, encoding="utf-8")
    for day, value in ((date(2023, 3, 13), 0.06), (date(2023, 3, 14), 0.04)):
        item = items(tmp_path, day)["macro.cpi_yoy"]
        assert isinstance(item, Evidence)
        assert item.value == value


@pytest.mark.parametrize(
    ("copies", "since", "stale"),
    [
        (3, "2023-03-31", False),  # four equal closes in a row have happened
        (4, "2023-03-27", False),
        (8, "2023-03-21", False),
        (9, "2023-03-20", True),
        (14, "2023-03-13", True),
    ],
)
def test_f139_a_value_said_again_is_as_old_as_its_first_day(
    tmp_path: Path, copies: int, since: str, stale: bool
) -> None:
    """The last value is published anew under later dates: its age counts from the last real change."""
    days = weekdays(date(2023, 3, 31), 40)
    values = [20 + n / 7 for n in range(40)]
    values[-copies:] = [values[-copies - 1]] * copies
    item = items(written(tmp_path, "VIXCLS", list(zip(days, values, strict=True))), days[-1])["macro.vix"]
    assert isinstance(item, Evidence)
    assert item.as_of == item.known_at == date.fromisoformat(since)
    assert item.stale is stale


def test_f139_a_series_frozen_for_a_month_is_no_evidence(tmp_path: Path) -> None:
    as_of = date(2023, 3, 31)
    days = weekdays(as_of, 60)
    values = [20 + n / 7 for n in range(30)] + [25.5] * 30
    item = items(written(tmp_path, "VIXCLS", list(zip(days, values, strict=True))), as_of)["macro.vix"]
    place = "(VIXCLS.csv in source.fred.path)"
    assert item == Missing(
        id="macro.vix", reason=f"newest vix {place} is of {days[30]}, too old to count; download it anew"
    )


@pytest.mark.parametrize(("copies", "counts"), [(3, True), (6, False), (14, False)])
def test_f139_a_monthly_index_filled_forward_is_no_evidence(tmp_path: Path, copies: int, counts: bool) -> None:
    months = [date(2020 + n // 12, n % 12 + 1, 1) for n in range(38)]
    values = [260 * 1.004 ** min(n, 38 - copies) for n in range(38)]
    item = items(written(tmp_path, "CPIAUCSL", list(zip(months, values, strict=True))), date(2023, 3, 31))
    found = item["macro.cpi_yoy"]
    assert isinstance(found, Evidence) is counts
    assert counts or "too old to count" in getattr(found, "reason", "")


def test_f139_a_rate_of_a_month_may_stand_for_a_year(tmp_path: Path) -> None:
    months = [date(2020 + n // 12, n % 12 + 1, 1) for n in range(38)]
    rows = [(month, 3.0 if n < 20 else 4.0) for n, month in enumerate(months)]
    found = items(written(tmp_path, "FEDFUNDS", rows), date(2023, 3, 31))["macro.fed_funds"]
    assert isinstance(found, Evidence) and not found.stale


def test_f139_a_rate_may_stand_still_near_zero() -> None:
    """From December 28th, 2020 the 2-year yield said the same for eight days; that is no copy."""
    item = items(shared(FRED), date(2021, 1, 8))["macro.y2"]
    assert isinstance(item, Evidence)
    assert (item.as_of, item.stale) == (date(2021, 1, 7), False)
