"""A macro view whose series are all dead is no view, whatever the prices say; one that is monthly is alive."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from phases.core.errors import SourceDown
from phases.evidence.macro import LISTED_ITEMS, MACRO_ITEMS, no_macro
from phases.macro_bias import bias_row
from phases.sources.fred.series import SERIES
from schemas.bias import BiasRow, Coverage, Provenance
from schemas.market import Evidence, Missing
from schemas.run import History
from tests.phases.evidence.test_macro import night, source_of
from tests.shared import shared
from tests.support import DAY, Desk, ask_door, item, macro, row_of_bias, settings

PRICES = (item("macro.index_ret_63d", -0.32), item("macro.index_vol_21d", -0.5, value=0.4678))
"""What a night knows of the benchmark."""

ALWAYS = tuple(Missing(id=one.id, reason="csv_folder has no macro series") for one in MACRO_ITEMS)
UNLISTED = tuple(Missing(id=one.id, reason=f"the source x has no released {one.series}") for one in MACRO_ITEMS)
DOWN = tuple(no_macro("fred: CPIAUCSL: HTTP 503"))


def coverage(*evidence: Evidence, missing: tuple[Missing, ...], last: BiasRow | None = None) -> Coverage:
    known = {one.id for one in evidence}
    found = macro(*PRICES, *evidence, missing=[one for one in missing if one.id not in known])
    for when in ("mark", "stop"):
        desk, chosen = Desk(), settings(f"bias.when_stale={when}").bias
        if when == "mark":
            row: BiasRow = bias_row(found, History(bias_row=last), chosen, ask=ask_door(desk))
            assert row.coverage is not None
        elif row.coverage.stale:
            with pytest.raises(SourceDown, match=r"macro bias row: .*set bias\.when_stale=mark") as down:
                bias_row(found, History(bias_row=last), chosen, ask=ask_door(desk))
            assert (down.value.exit_code, desk.requests) == (4, [])
        else:
            assert bias_row(found, History(bias_row=last), chosen, ask=ask_door(desk)).coverage == row.coverage
    return row.coverage


def aged(id: str, days: int, stale: bool) -> Evidence:
    since = DAY - timedelta(days)
    return item(id, as_of=since, known_at=since, stale=stale)


def carried(days: int, *evidence: str) -> BiasRow:
    """An earlier row whose bonds are of so many days ago."""
    since = DAY - timedelta(days)
    row = row_of_bias(bond_bias="bearish", date=since)
    origin = Provenance(status="fresh", as_of=since, evidence=evidence)
    return row.model_copy(update={"provenance": {**row.provenance, "bond_bias": origin}})


def test_an_outage_is_stale_and_a_folder_without_macro_series_is_not() -> None:
    why = "no macro series has a figure that counts; the first of them: fred: CPIAUCSL: HTTP 503"
    assert coverage(missing=DOWN).stale == why
    assert coverage(missing=ALWAYS).stale is None
    assert coverage(missing=UNLISTED).stale is None
    assert coverage(missing=()).stale is None


def test_series_that_are_listed_and_dead_are_stale() -> None:
    listed = (*UNLISTED, Missing(id="macro.y10", reason="newest y10 is of 2007-12-31, too old to count"))
    assert "the first of them: " in (coverage(missing=listed).stale or "")
    old = tuple(one.model_copy(update={"reason": "too old to count"}) for one in UNLISTED[:1])
    assert coverage(missing=(*old, *UNLISTED[1:])).stale is not None


def test_one_figure_that_is_not_stale_by_its_own_period_is_a_view() -> None:
    assert coverage(aged("macro.gdp_yoy", 182, False), missing=DOWN).stale is None
    assert coverage(aged("macro.gdp_yoy", 182, True), aged("macro.y10", 20, True), missing=DOWN).stale == (
        f"every macro figure is stale, the newest, macro.y10, is of {DAY - timedelta(20)}"
    )


@pytest.mark.parametrize(("days", "stale"), [(1, False), (7, False), (8, True)])
def test_a_carried_field_is_a_view_while_it_is_young(days: int, stale: bool) -> None:
    assert (coverage(missing=DOWN, last=carried(days, "macro.y10_change_63d")).stale is not None) is stale
    assert coverage(missing=DOWN, last=carried(days, "macro.crypto_90d")).stale is not None


def test_real_files_that_ended_long_ago_are_no_view_though_the_index_is_there(tmp_path: Path) -> None:
    for path in shared("data/macro/fred").glob("[A-Z]*.csv"):
        if path.stem in {spec.id for spec in SERIES}:
            head, *lines = path.read_text(encoding="utf-8").splitlines()
            kept = [line for line in lines if "2020" < line < "2025"]
            (tmp_path / path.name).write_text("\n".join([head, *kept, ""]), encoding="utf-8")
    snapshot, row = night(source_of(tmp_path), date(2025, 11, 28))
    assert row.equity_bias is not None and row.vix_level is not None
    assert row.coverage is not None and row.coverage.stale is not None
    assert "2024-" in row.coverage.stale
    with pytest.raises(SourceDown, match="macro bias row: "):
        bias_row(snapshot, History(), settings("bias.when_stale=stop", "bias.wording=false").bias, ask=ask_door())
    whole, alive = night(source_of(shared("data/macro/fred")), date(2025, 11, 28))
    assert alive.coverage is not None and alive.coverage.stale is None
    assert {one.id for one in whole.evidence} >= {one.id for one in LISTED_ITEMS} - {"macro.tbill_3m"}
