"""FRED from files: headings, gaps, damage, and the real ones in order."""

from __future__ import annotations

import json
from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest

from phases.core.errors import NoData, SourceDown, UsageError
from phases.evidence.macro import macro_items, refusal_notes
from phases.sources.base import Inspected
from phases.sources.fred.series import SERIES
from schemas.market import MacroSeries, MacroSeriesSet, Span
from tests.phases.sources.fred.asked import answered, folder, points, source_of
from tests.shared import shared
from tests.support import settings

# Files


@pytest.mark.parametrize(
    "heading", ["date,value", "DATE,CPIAUCSL", "observation_date,CPIAUCSL", "\ufeffDate,Value", "value,date"]
)
def test_a_plain_file_is_read_whatever_its_heading(tmp_path: Path, heading: str) -> None:
    rows = [("2023-01-01", "300.536"), ("2023-02-01", "301.648")]
    swap = heading.startswith("value")
    lines = [",".join(row[::-1] if swap else row) for row in rows]
    series = answered(folder(tmp_path, CPIAUCSL="\n".join([heading, *lines]) + "\n"), "2023-03-31")["cpi"]
    # January 1st and 56 days, February 1st and 56
    assert points(series) == [("2023-01-01", 300.536, "2023-02-26"), ("2023-02-01", 301.648, "2023-03-29")]


@pytest.mark.parametrize("nothing", ["", ".", "  "])
def test_no_value_is_a_gap_and_never_zero(tmp_path: Path, nothing: str) -> None:
    text = f"date,value\n2025-09-01,4.4\n2025-10-01,{nothing}\n2025-11-01,4.6\n"
    series = answered(folder(tmp_path, UNRATE=text), "2025-12-31")["unemployment"]
    assert [(day, value) for day, value, _ in points(series)] == [("2025-09-01", 0.044), ("2025-11-01", 0.046)]


def test_a_series_without_a_file_is_listed_without_values(tmp_path: Path) -> None:
    found = answered(folder(tmp_path, VIXCLS="date,value\n2023-03-31,18.7\n"), "2023-03-31")
    assert set(found) == {spec.name for spec in SERIES}
    assert {name for name, one in found.items() if one.values} == {"vix"}


def test_the_monthly_bill_rate_stands_in_for_the_daily(tmp_path: Path) -> None:
    month = "date,value\n2023-01-01,4.54\n"
    assert answered(folder(tmp_path, TB3MS=month), "2023-03-31")["tbill_3m"].period == "month"
    both = answered(folder(tmp_path, DGS3MO="date,value\n2023-03-30,4.97\n"), "2023-03-31")["tbill_3m"]
    assert (both.period, both.values) == ("day", (0.0497,))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "an empty body"),
        ("  \n", "an empty body"),
        ("<!DOCTYPE html><html>", "a page of HTML"),
        ("date,value\n2023-02-30,1\n", "line 2: '2023-02-30' is no day"),
        ("date,value\n01/02/2023,1\n", "line 2: '01/02/2023' is no day"),
        ("date,value\n2023-02-01,1\n2023-03-01,nan\n", "line 3: 'nan' is no number"),
        ("date,value\n2023-02-01,inf\n", "'inf' is no number"),
        ("date,value\n2023-02-01,1_0\n", "'1_0' is no number"),
        ("date,value\n2023-02-01,1e999\n", "'1e999' is no number"),
        ("date,value\n2023-02-01\n", "line 2: 1 cells where the heading has 2"),
        ("date,value\n2023-02-01,1,2\n", "line 2: 3 cells"),
        ("date,close\n2023-02-01,1\n", "the heading is 'date, close'"),
        ("date,value\n2023-02-01,1\n2023-02-01,2\n", "2023-02-01 stands twice"),
        ("date,CPIAUCSL_20230214,CPILFESL_20230214\n", "the heading is"),
        ("date,CPIAUCSL_20231399\n", "is no day"),
        ("Not found", "the heading is 'not found'"),
    ],
)
def test_a_damaged_file_names_the_series_and_the_line(tmp_path: Path, text: str, why: str) -> None:
    source = folder(tmp_path, CPIAUCSL=text)
    with pytest.raises(SourceDown) as down:
        source.fetch("macro", {"as_of": "2023-03-31"})
    assert str(down.value).startswith("fred: CPIAUCSL: ")
    assert why in str(down.value)


TWICE = "date,value\n2023-01-01,304\n2023-02-01,305\n2023-02-01,999\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (TWICE, "2023-02-01 stands twice; two values of one period need the days they became known"),
        ("", "an empty body"),
        ("date,value\n2023-02-01,x\n", "line 2: 'x' is no number"),
        ("date,value\n2923-02-01,1\n", "the day 2923-02-01 is still to come: its dates are wrong"),
        (
            "realtime_start,date,value\n2023-02-05,2023-02-01,305\n",
            "line 2: 305 of 2023-02-01 is said to be known on 2023-02-05, before its month is over",
        ),
    ],
)
def test_where_sources_may_fail_a_damaged_file_costs_its_series_alone(tmp_path: Path, text: str, why: str) -> None:
    sound = {"VIXCLS": "date,value\n2023-03-31,18.7\n", "FEDFUNDS": "date,value\n2023-02-01,4.57\n"}
    source = folder(tmp_path, "degrade", CPILFESL=text, **sound)
    found = answered(source, "2023-03-31")
    assert (found["core_cpi"].fault, found["core_cpi"].values) == (why, ())
    assert {name for name, one in found.items() if one.values} == {"vix", "fed_funds"}
    assert {name for name, one in found.items() if one.fault} == {"core_cpi"}
    known = MacroSeriesSet(series=tuple(found.values()))
    told = f"core_cpi (CPILFESL.csv in source.fred.path): {why}; download it anew"
    assert refusal_notes(known) == [f"no evidence of {told}"]
    evidence, missing = macro_items(known, date(2023, 3, 31), settings().market, "fred")
    assert {one.id for one in evidence} == {"macro.vix", "macro.fed_funds"}
    assert {one.id for one in missing if one.reason == told} == {"macro.core_cpi_yoy", "macro.core_cpi_3m"}
    assert source.fetch("span", {})["last"] >= "2023-03-31"


def test_doctor_hears_of_a_damaged_file_that_costs_its_series_alone(tmp_path: Path) -> None:
    source = folder(tmp_path, "degrade", CPILFESL=TWICE, VIXCLS="date,value\n2023-03-31,18.7\n")
    assert isinstance(source, Inspected)
    assert [one[:40] for one in source.faults()] == ["CPILFESL.csv: 2023-02-01 stands twice; t"]


def test_where_every_file_is_damaged_the_source_is_down(tmp_path: Path) -> None:
    with pytest.raises(SourceDown, match=r"none of 1 series has an observation; .*; CPILFESL: 2023-02-01 stands twice"):
        folder(tmp_path, "degrade", CPILFESL=TWICE).fetch("macro", {"as_of": "2023-03-31"})


def test_no_other_series_stands_in_for_a_damaged_file(tmp_path: Path) -> None:
    source = folder(tmp_path, "degrade", DGS3MO="x", TB3MS="date,value\n2023-01-01,4.54\n")
    bill = answered(source, "2023-03-31")["tbill_3m"]
    assert (bill.period, bill.values, bill.place) == ("day", (), "DGS3MO.csv in source.fred.path")


def test_a_folder_without_series_is_no_empty_market(tmp_path: Path) -> None:
    (tmp_path / "a file").write_text("")
    for name, why in ((".", "holds no file such as"), ("none", "is no folder; name one"), ("a file", "is no folder")):
        with pytest.raises(UsageError, match=rf"^source\.fred\.path: .* {why}"):
            source_of(path=str(tmp_path / name))
    with pytest.raises(SourceDown, match="none of 1 series has an observation"):
        folder(tmp_path, VIXCLS="date,value\n").fetch("macro", {"as_of": "2023-03-31"})


def test_the_vintage_is_the_content_of_the_files(tmp_path: Path) -> None:
    one = folder(tmp_path, VIXCLS="date,value\n2023-03-31,18.7\n")
    assert (one.live, one.vintage) == (False, source_of(path=str(tmp_path)).vintage)
    (tmp_path / "other.csv").write_text("no series of ours", encoding="utf-8")
    assert source_of(path=str(tmp_path)).vintage == one.vintage
    assert folder(tmp_path, VIXCLS="date,value\n2023-03-31,18.8\n").vintage != one.vintage


@pytest.mark.parametrize("dataset", ["bars", "universe", "fundamentals", "news"])
def test_it_has_nothing_but_macro_series(dataset: str) -> None:
    with pytest.raises(NoData, match=f"no {dataset} of AAPL"):
        source_of().fetch(dataset, {"symbol": "AAPL", "as_of": "2023-03-31"})


def test_the_span_needs_no_network(tmp_path: Path) -> None:
    live = Span.model_validate_json(json.dumps(source_of(base_url="https://fred.invalid/").fetch("span", {})))
    assert live.first == date(1980, 1, 1) < live.last
    kept = folder(tmp_path, VIXCLS="date,value\n2023-03-30,19\n2023-03-31,18.7\n").fetch("span", {})
    assert kept == {"first": "2023-03-30", "last": "2023-03-31"}


def test_a_series_says_where_a_reader_finds_it(tmp_path: Path) -> None:
    found = answered(folder(tmp_path, VIXCLS="date,value\n2023-03-31,18.7\n"), "2023-03-31")
    assert found["vix"].place == "VIXCLS.csv in source.fred.path"
    assert found["tbill_3m"].place == "DGS3MO.csv or TB3MS.csv in source.fred.path"
    assert str(tmp_path) not in str(found), "a path of this machine is no part of a prompt"


# Real files

SHARED_FOLDER = "data/macro/fred"


def test_the_real_files_answer_in_order() -> None:
    source = source_of(path=str(shared(SHARED_FOLDER)))
    absent = {"real_gdp", "tbill_3m", "unemployed"}
    young = {"breakeven_10y", "dollar", "financial_stress", "hy_spread", "retail_sales"}
    for as_of in ("1990-06-29", "2008-09-30", "2023-03-31", "2025-12-31"):
        found = answered(source, as_of)
        assert {one for one in found if not found[one].values} == (absent | young if as_of < "1991" else absent)
        for series in found.values():
            assert all(a < b for a, b in pairwise(series.days))
            assert all(day <= known <= date.fromisoformat(as_of) for day, _, known in _typed(series))


def _typed(series: MacroSeries) -> list[tuple[date, float, date]]:
    return list(zip(series.days, series.values, series.known, strict=True))
