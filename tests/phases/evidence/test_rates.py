"""Macro figures of another frequency or unit: what does not fit the series, or its neighbours, is no evidence."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from statistics import fmean

import pytest

from phases.evidence.macro import macro_items, refusals
from phases.sources.packaged import PackagedSource
from schemas.market import Evidence, MacroSeries, MacroSeriesSet
from tests.phases.evidence.test_macro import night, source_of
from tests.shared import shared
from tests.support import settings

AS_OF = date(2025, 11, 28)
Rows = list[tuple[str, float]]
Change = Callable[[Rows], Rows]


def rows_of(id: str) -> Rows:
    _, *lines = (shared("data/macro/fred") / f"{id}.csv").read_text(encoding="utf-8").splitlines()
    cells = [line.split(",") for line in lines if line >= "2018"]
    return [(day, float(value)) for day, value in cells if value not in ("", ".")]


def known(folder: Path, as_of: date, changes: Mapping[str, Change | None]) -> MacroSeriesSet:
    """The real series, some of them changed or left out, as they are known on a day."""
    for path in shared("data/macro/fred").glob("[A-Z]*.csv"):
        change = changes.get(path.stem, list)
        if change is not None:
            lines = [f"{day},{value}" for day, value in change(rows_of(path.stem))]
            (folder / path.name).write_text("\n".join(["date,value", *lines, ""]), encoding="utf-8")
    return MacroSeriesSet.model_validate_json(
        json.dumps(source_of(folder).fetch("macro", {"as_of": as_of.isoformat()}))
    )


def refused(folder: Path, as_of: date = AS_OF, **changes: Change | None) -> dict[str, str]:
    """Series that are no evidence, and why; no item of theirs is there, and every other one is."""
    told = known(folder, as_of, changes)
    found = refusals(told)
    evidence, missing = macro_items(told, as_of, settings().market, "fred")
    reasons = {one.reason for one in missing}
    assert {one.reason for one in missing if "released" not in one.reason} == set(found.values()) <= reasons
    assert len(evidence) + len(missing) == 34
    assert all(isinstance(one, Evidence) for one in evidence)
    return found


def months(length: int) -> Change:
    """Means of so many months, under the day the first of them begins."""

    def change(rows: Rows) -> Rows:
        found: dict[str, list[float]] = {}
        for day, value in rows:
            month = (int(day[5:7]) - 1) // length * length + 1
            found.setdefault(f"{day[:4]}-{month:02d}-01", []).append(value)
        return [(day, round(fmean(values), 3)) for day, values in found.items()]

    return change


def fridays(rows: Rows) -> Rows:
    return [row for row in rows if date.fromisoformat(row[0]).weekday() == 4]


def every_second(rows: Rows) -> Rows:
    return rows[::2]


def ratio(since: str = "", until: str = "9") -> Change:
    return lambda rows: [(day, value / 100 if since <= day < until else value) for day, value in rows]


def from_july(change: Change) -> Change:
    return lambda rows: (
        [row for row in rows if row[0] < "2025-07"] + [row for row in change(rows) if row[0] > "2025-07"]
    )


FREQUENCY: Mapping[str, tuple[str, Change, str, str]] = {
    "oil by months": ("DCOILWTICO", months(1), "wti", "are 31 days apart, one a day"),
    "oil by months from July": (
        "DCOILWTICO",
        from_july(months(1)),
        "wti",
        "no figure between 2025-10-01 and 2025-11-01",
    ),
    "yields of Fridays": ("DGS10", fridays, "y10", "are 7 days apart, one a day"),
    "every second yield": ("DGS2", every_second, "y2", "are 2 days apart, one a day"),
    "prices by quarters": ("CPILFESL", months(3), "core_cpi", "are 92 days apart, one a month"),
    "jobs by quarters": ("PAYEMS", months(3), "payrolls", "days apart, one a month"),
    "the dollar by months": ("DTWEXBGS", months(1), "dollar", "are 31 days apart, one a day"),
    "fear of Fridays from July": ("VIXCLS", from_july(fridays), "vix", "are 7 days apart, one a day"),
    "claims by months": ("ICSA", months(1), "claims", "are 31 days apart, one a week"),
}


@pytest.mark.parametrize("case", FREQUENCY)
def test_a_series_of_another_frequency_is_no_evidence(case: str, tmp_path: Path) -> None:
    id, change, name, told = FREQUENCY[case]
    found = refused(tmp_path, **{id: change})
    assert set(found) == {name}
    assert found[name].startswith(f"{name} ({id}.csv in source.fred.path): ") and told in found[name]
    assert found[name].endswith("is expected; download it anew")


UNIT: Mapping[str, tuple[str, Change, str, str]] = {
    "funds": ("FEDFUNDS", ratio(), "fed_funds", "fed_funds 0.000409, y10 0.04062: they were never half so far apart"),
    "funds from June": ("FEDFUNDS", ratio("2025-06"), "fed_funds", "0.000433 of 2025-06-01 cannot follow 0.0433"),
    "funds of the newest month": ("FEDFUNDS", ratio("2025-10"), "fed_funds", "0.000409 of 2025-10-01 cannot follow"),
    "funds until January": ("FEDFUNDS", ratio(until="2025-01"), "fed_funds", "cannot follow"),
    "10 years": ("DGS10", ratio(), "y10", "no figure since 2024-10-11 is beyond 0.000479"),
    "2 years": ("DGS2", ratio(), "y2", "y10 0.04, y2 0.000345, curve_10y2y 0.0055: the curve is y10 less y2"),
    "the curve from June": ("T10Y2Y", ratio("2025-06"), "curve_10y2y", "y2 0.0345, curve_10y2y 5.5e-05: the curve"),
    "breakeven": ("T10YIE", ratio(), "breakeven_10y", "beyond 0.000246, at least 0.003 is in a year: another unit"),
}


@pytest.mark.parametrize("case", UNIT)
def test_a_rate_in_another_unit_is_no_evidence_and_the_others_are(case: str, tmp_path: Path) -> None:
    id, change, name, told = UNIT[case]
    found = refused(tmp_path, **{id: change})
    assert set(found) == {name}
    assert told in found[name] and "cannot be told" not in found[name]


# series, the one whose figures stand there, what is done to them, the names
COPIES: Mapping[str, tuple[str, str, Change, set[str]]] = {
    "unemployment is the funds rate": ("UNRATE", "FEDFUNDS", list, {"unemployment", "fed_funds"}),
    "one of them shorter": ("UNRATE", "FEDFUNDS", lambda rows: rows[:-2], {"unemployment", "fed_funds"}),
    "fear is a yield": ("VIXCLS", "DGS10", list, {"vix", "y10"}),
    "breakeven is a yield": ("T10YIE", "DGS10", list, {"breakeven_10y", "y10"}),
    "core prices are all prices": ("CPILFESL", "CPIAUCSL", list, {"core_cpi", "cpi"}),
    "stress is tightness": ("STLFSI4", "ANFCI", list, {"financial_stress", "financial_conditions"}),
}


@pytest.mark.parametrize("case", COPIES)
def test_one_file_under_two_names_is_evidence_of_neither(case: str, tmp_path: Path) -> None:
    id, source, change, names = COPIES[case]
    found = refused(tmp_path, **{id: lambda _: change(rows_of(source))})
    assert set(found) == names
    assert all("its figures are those of " in one and one.endswith("told; download it anew") for one in found.values())
    assert any(f"{source}.csv in source.fred.path): which of them is a copy cannot" in one for one in found.values())


def test_rates_that_stand_at_one_figure_are_no_copies() -> None:
    days = tuple(date(2024 + n // 12, n % 12 + 1, 1) for n in range(20))
    about = {"unit": "ratio", "period": "month", "days": days, "known": days, "values": (0.0025,) * 20}
    series = [MacroSeries.model_validate({"name": one, "label": one, **about}) for one in ("fed_funds", "tbill_3m")]
    assert refusals(MacroSeriesSet(series=tuple(series))) == {}


def test_a_step_of_the_two_year_yield_is_its_own(tmp_path: Path) -> None:
    found = refused(tmp_path, DGS2=lambda rows: [(day, value + 2 * (day >= "2025-11-24")) for day, value in rows])
    assert set(found) == {"y2"}


def test_the_night_names_each_series_that_is_no_evidence(tmp_path: Path) -> None:
    known(tmp_path, AS_OF, {"FEDFUNDS": ratio(), "DCOILWTICO": fridays})
    snapshot, _ = night(source_of(tmp_path), AS_OF)
    told = [note for note in snapshot.notes if note.startswith("no evidence of ")]
    assert [note.split()[3:5] for note in told] == [
        ["fed_funds", "(FEDFUNDS.csv"],
        ["wti", "(DCOILWTICO.csv"],
    ]
    assert {note.removeprefix("no evidence of ") for note in told} < {one.reason for one in snapshot.missing}


def test_where_nothing_decides_none_of_them_is_evidence(tmp_path: Path) -> None:
    for other in ("DGS30", "DGS2"):
        found = refused(tmp_path, DGS10=lambda _, other=other: rows_of(other))
        assert set(found) == {"y10", "y2", "curve_10y2y"}
        assert all(one.endswith("which of them is wrong cannot be told; download it anew") for one in found.values())
    (tmp_path / "DGS10.csv").unlink()
    assert set(refused(tmp_path, DGS10=None, FEDFUNDS=ratio())) == {"fed_funds", "y2"}


def test_rates_that_are_all_in_another_unit_do_not_speak_for_each_other(tmp_path: Path) -> None:
    rates = ("FEDFUNDS", "DGS10", "DGS2", "T10Y2Y", "T10YIE", "BAMLH0A0HYM2", "UNRATE")
    found = refused(tmp_path, **dict.fromkeys(rates, ratio()))
    names = {"fed_funds", "y10", "y2", "curve_10y2y", "breakeven_10y", "hy_spread", "unemployment"}
    assert set(found) == names


@pytest.mark.parametrize(
    ("funds", "bill", "two", "odd"),
    [
        (0.0004, 0.039, 0.035, {"fed_funds"}),
        (0.04, 0.0004, 0.035, {"tbill_3m"}),
        (0.04, 0.0004, None, {"fed_funds", "tbill_3m"}),
        (0.04, 0.037, 0.035, set()),
        (0.1904, 0.1495, 0.16, set()),  # July 1981
        (0.0261, 0.0128, 0.016, set()),  # March 2008
        (0.0008, 0.0033, 0.0147, set()),  # February 2022
    ],
)
def test_funds_and_the_bill_are_held_against_each_other(
    funds: float, bill: float, two: float | None, odd: set[str]
) -> None:
    days = tuple(date(2024 + n // 12, n % 12 + 1, 1) for n in range(20))
    told = {"fed_funds": funds, "tbill_3m": bill, "y2": two}
    series = [
        MacroSeries(
            name=name, label=name, unit="ratio", period="month", days=days, values=(value,) * len(days), known=days
        )
        for name, value in told.items()
        if value is not None
    ]
    assert set(refusals(MacroSeriesSet(series=tuple(series)))) == odd


def test_no_real_series_is_refused() -> None:
    """Every month of four decades, and what ships."""
    source = source_of(shared("data/macro/fred"))
    for year in range(1980, 2026):
        for month, day in ((1, 6), (4, 9), (7, 8), (9, 25), (12, 31)):
            found = source.fetch("macro", {"as_of": date(year, month, day).isoformat()})
            assert refusals(MacroSeriesSet.model_validate(found, strict=False)) == {}, (year, month)
    for year in range(2001, 2014):
        for month in (1, 2):
            found = PackagedSource().fetch("macro", {"as_of": date(year, month, 14).isoformat()})
            assert refusals(MacroSeriesSet.model_validate(found, strict=False)) == {}, year
