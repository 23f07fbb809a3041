"""FRED from files: headings, gaps, damage, and the real ones in order."""

from __future__ import annotations

import json
from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest

from phases.core.errors import NoData, SourceDown, UsageError
from phases.sources.fred.series import SERIES
from schemas.market import MacroSeries, Span
from tests.phases.sources.fred.asked import answered, folder, points, source_of
from tests.shared import shared

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
