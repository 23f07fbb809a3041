"""What a macro figure can be: every series has bounds, what cannot be is refused by name, and no crisis is."""

from __future__ import annotations

import re
from datetime import date, timedelta
from pathlib import Path

import pytest

from phases.evidence.macro import LISTED_ITEMS, MACRO_ITEMS, macro_items
from phases.evidence.plausible import PLAUSIBLE, implausible
from phases.sources import SOURCES
from phases.sources.base import Source
from phases.sources.fred.series import SERIES
from phases.sources.packaged import MACRO, PackagedSource
from schemas.market import MacroSeries, MacroSeriesSet, Missing
from schemas.settings import SourceSettings
from tests.shared import shared
from tests.support import settings


def fred(folder: Path) -> Source:
    return SOURCES["fred"](SourceSettings.model_validate({"name": "fred", "fred": {"path": str(folder)}}))


def known(source: Source, as_of: date) -> MacroSeriesSet:
    return MacroSeriesSet.model_validate(source.fetch("macro", {"as_of": as_of.isoformat()}), strict=False)


def test_every_series_that_evidence_is_made_from_has_bounds_and_a_reason() -> None:
    used = {one.series for one in (*MACRO_ITEMS, *LISTED_ITEMS)}
    assert used == {spec.name for spec in SERIES} | {spec.name for spec in MACRO} == PLAUSIBLE.keys()
    assert all(one.low < one.high and one.why for one in PLAUSIBLE.values())


def test_the_documentation_has_every_bound() -> None:
    text = (Path(__file__).resolve().parents[3] / "docs" / "sources.md").read_text(encoding="utf-8")
    for name, one in PLAUSIBLE.items():
        step = "any" if one.step is None else f"{one.step:g}"
        assert f"| `{name}` | {one.low:g} to {one.high:g} | {step} | {one.why} |" in text


# The file of a series with one wrong figure; what the item says of it. Percent as FRED writes them.
WRONG = {
    "a rate of 400 percent": ("UNRATE", 400.0, "macro.unemployment", "4 of .* cannot be, 0.005 to 0.4 can"),
    "a rate of 900 percent": ("DGS10", 900.0, "macro.y10", "9 of .* cannot be, -0.02 to 0.3 can"),
    "a rate in ratios": ("UNRATE", 0.036, "macro.unemployment", "0.00036 of .* cannot be"),
    "prices below 0": ("CPIAUCSL", -301.6, "macro.cpi_yoy", "-301.6 of .* cannot be"),
    "prices of 0": ("CPILFESL", 0.0, "macro.core_cpi_yoy", "0 of .* cannot be"),
    "a slip of the point": ("CPIAUCSL", 30.1648, "macro.cpi_yoy", "30.1648 of .* cannot follow"),
    "a slip up": ("PAYEMS", 1551150.0, "macro.payrolls_3m", "cannot be, 20000 to 500000 can"),
    "thousands as persons": ("ICSA", 228.0, "macro.claims_trend", "228 of .* cannot be"),
    "a point of rates": ("FEDFUNDS", 29.0, "macro.fed_funds", "0.29 of .* cannot follow 0.0433"),
    "fear below 0": ("VIXCLS", -18.0, "macro.vix", "-18 of 2023-03-31 cannot be, 3 to 250 can"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_figure_that_cannot_be_is_never_used_and_says_where_it_is(case: str, tmp_path: Path) -> None:
    id, value, item, told = WRONG[case]
    as_of, lines = date(2023, 3, 31), (shared("data/macro/fred") / f"{id}.csv").read_text(encoding="utf-8").splitlines()
    spec = next(one for one in SERIES if one.id == id)
    last = max(at for at, line in enumerate(lines[1:], 1) if spec.known(date.fromisoformat(line[:10]), {}) <= as_of)
    right, wrong = tmp_path / "right", tmp_path / "wrong"
    for folder, line in ((right, lines[last]), (wrong, f"{lines[last][:10]},{value}")):
        folder.mkdir()
        (folder / f"{id}.csv").write_text("\n".join([*lines[:last], line, ""]), encoding="utf-8")
    evidence, _ = macro_items(known(fred(right), as_of), as_of, settings().market, "fred")
    assert item in {one.id for one in evidence}
    evidence, missing = macro_items(known(fred(wrong), as_of), as_of, settings().market, "fred")
    assert not evidence, "nothing of the series is used"
    why = next(one.reason for one in missing if one.id == item)
    assert re.search(told, why)
    assert f"({id}.csv in source.fred.path)" in why and why.endswith("; download it anew")


def test_what_is_out_of_bounds_in_the_past_of_the_window_is_found_too() -> None:
    days = tuple(date(2022, 1, 3) + timedelta(n) for n in range(100))
    values = (20.0,) * 50 + (1900.0,) + (20.0,) * 49
    told = {"name": "vix", "label": "VIX", "unit": "index", "period": "day"}
    series = MacroSeries(days=days, values=values, known=days, **told)  # type: ignore[arg-type]
    assert (
        implausible(series)
        == "1900 of 2022-02-22 cannot be, 3 to 250 can (since 1990 from 9 to 83; at most 2.2 times the day before)"
    )
    evidence, missing = macro_items(MacroSeriesSet(series=(series,)), days[-1], settings().market, "fred")
    assert not evidence
    assert Missing(id="macro.vix", reason=f"vix: {implausible(series)}") in missing


def test_no_crisis_is_refused() -> None:
    """Every figure of four decades: 1980 and 1987, 2008, April 2020 with oil below 0."""
    source, seen = fred(shared("data/macro/fred")), 0
    for year in range(1981, 2026):
        for one in known(source, date(year, 12, 31)).series:
            assert implausible(one) is None, (year, one.name)
            seen += len(one.values)
    assert seen > 80_000


def test_no_figure_that_ships_is_refused() -> None:
    for year in range(2001, 2014):
        for one in known(PackagedSource(), date(year, 2, 28)).series:
            assert implausible(one) is None, (year, one.name)
