"""When a figure of FRED is known: releases, lags and vintages, and nothing from days to come."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from phases.core.errors import SourceDown
from phases.core.recorder import today
from phases.sources.fred.series import DELAYED, SERIES
from tests.phases.sources.fred.asked import COLUMNS, answered, folder, points, source_of

# series, period, day of its release: from the statistical offices' own calendars
RELEASES = [
    ("CPIAUCSL", "2023-03-01", "2023-04-12"),
    ("CPIAUCSL", "2015-01-01", "2015-02-26"),
    ("CPILFESL", "2013-09-01", "2013-10-30"),
    ("CPIAUCSL", "2025-09-01", "2025-10-24"),
    ("CPIAUCSL", "2025-11-01", "2025-12-18"),
    ("UNRATE", "2023-03-01", "2023-04-07"),
    ("PAYEMS", "2013-09-01", "2013-10-22"),
    ("PAYEMS", "2025-09-01", "2025-11-20"),
    ("UNRATE", "2025-11-01", "2025-12-16"),
    ("GDPC1", "2023-01-01", "2023-04-27"),
    ("GDPC1", "2018-10-01", "2019-02-28"),
    ("PCEPILFE", "2023-03-01", "2023-04-28"),
    ("PCEPILFE", "2018-12-01", "2019-03-01"),
    ("INDPRO", "2023-03-01", "2023-04-14"),
    ("INDPRO", "2025-10-01", "2025-12-23"),
    ("RSXFS", "2023-03-01", "2023-04-14"),
    ("RSXFS", "2018-12-01", "2019-02-14"),
    ("ICSA", "2023-04-01", "2023-04-06"),
    ("ICSA", "2025-10-11", "2025-11-20"),
    ("FEDFUNDS", "2023-03-01", "2023-04-03"),
    ("DTWEXBGS", "2023-03-27", "2023-04-03"),
    ("STLFSI4", "2023-03-31", "2023-04-06"),
    ("ANFCI", "2023-03-31", "2023-04-05"),
    ("DGS10", "2023-03-30", "2023-03-31"),
    ("VIXCLS", "2023-03-31", "2023-03-31"),
]


@pytest.mark.parametrize(("series", "period", "released"), RELEASES, ids=lambda one: str(one))
def test_no_figure_is_known_before_its_release_and_none_long_after(series: str, period: str, released: str) -> None:
    spec = next(one for one in SERIES if one.id == series)
    known = spec.known(date.fromisoformat(period), {})
    assert date.fromisoformat(released) <= known <= date.fromisoformat(released) + timedelta(15)


def test_a_lag_of_the_configuration_replaces_the_built_in_one(tmp_path: Path) -> None:
    (tmp_path / "CPIAUCSL.csv").write_text("date,value\n2013-09-01,234\n", encoding="utf-8")
    source = source_of(path=str(tmp_path), lags={"CPIAUCSL": "50"})
    assert points(answered(source, "2013-12-31")["cpi"]) == [("2013-09-01", 234.0, "2013-10-21")]
    assert answered(source, "2013-10-20")["cpi"].days == ()


def test_F139_a_body_with_days_to_come_is_refused(tmp_path: Path) -> None:
    """All its dates were shifted: what it says of today was said of another day."""
    ahead = today() + timedelta(1)
    plain = folder(tmp_path, VIXCLS=f"date,value\n2023-03-31,18.7\n{ahead},19.1\n")
    with pytest.raises(SourceDown, match=f"fred: VIXCLS: the day {ahead} is still to come: its dates are wrong"):
        plain.fetch("macro", {"as_of": "2023-03-31"})
    (tmp_path / "VIXCLS.csv").unlink()
    revised = COLUMNS.replace("CPIAUCSL_20230412", f"CPIAUCSL_{ahead:%Y%m%d}").replace("2023-02-01,.", "2023-02-01,300")
    with pytest.raises(SourceDown, match=f"fred: CPIAUCSL: the vintage of {ahead} is still to come"):
        folder(tmp_path, CPIAUCSL=revised.replace("300.356\n", "300.4\n")).fetch("macro", {"as_of": "2023-03-31"})


def test_a_figure_of_today_that_will_be_known_later_is_none_of_the_future(tmp_path: Path) -> None:
    first = today().replace(day=1)
    assert not answered(folder(tmp_path, UNRATE=f"date,value\n2023-02-01,3.6\n{first},4\n"), "2023-02-28")[
        "unemployment"
    ].days


def test_every_delay_is_of_a_series_and_beyond_its_lag() -> None:
    specs = {one.id: one for one in SERIES}
    for id, delays in DELAYED.items():
        usual = {day: date.fromisoformat(day) + timedelta(specs[id].lag) for day in delays}
        assert all(date.fromisoformat(day) < date.fromisoformat(known) for day, known in delays.items())
        assert any(date.fromisoformat(delays[day]) > usual[day] for day in delays), id


def test_the_documentation_has_every_lag() -> None:
    text = (Path(__file__).resolve().parents[4] / "docs" / "sources.md").read_text(encoding="utf-8")
    for spec in SERIES:
        assert f"| `{spec.id}` | `{spec.name}` | {spec.period} | {spec.lag} |" in text


ROWS = """realtime_start,realtime_end,date,value
2023-02-14,2023-03-13,2023-01-01,300.536
2023-03-14,9999-12-31,2023-01-01,300.356
2023-03-14,9999-12-31,2023-02-01,301.648
2023-04-12,9999-12-31,2023-03-01,301.808
"""
ALFRED = """period_start_date,CPIAUCSL,realtime_start_date,realtime_end_date
2023-03-01,301.808,2023-04-12,9999-12-31
2023-01-01,300.536,2023-02-14,2023-03-13
2023-01-01,300.356,2023-03-14,9999-12-31
2023-02-01,301.648,2023-03-14,9999-12-31
"""


@pytest.mark.parametrize("text", [COLUMNS, ROWS, ALFRED], ids=["columns", "rows", "alfred"])
@pytest.mark.parametrize(
    ("as_of", "expected", "revised"),
    [
        ("2023-02-13", [], []),
        ("2023-02-14", [("2023-01-01", 300.536, "2023-02-14")], []),
        ("2023-03-13", [("2023-01-01", 300.536, "2023-02-14")], []),
        (
            "2023-03-31",
            [("2023-01-01", 300.356, "2023-03-14"), ("2023-02-01", 301.648, "2023-03-14")],
            [("2023-01-01", 300.536, "2023-02-14")],
        ),
    ],
)
def test_f131_the_figure_known_then_speaks_and_the_other_is_kept(
    tmp_path: Path, text: str, as_of: str, expected: Any, revised: Any
) -> None:
    series = answered(folder(tmp_path, CPIAUCSL=text), as_of)["cpi"]
    assert points(series) == expected
    assert [(str(one.day), one.value, str(one.known)) for one in series.revised] == revised


def test_a_figure_that_was_withdrawn_is_a_gap_from_then_on(tmp_path: Path) -> None:
    text = ROWS.replace("2023-03-14,9999-12-31,2023-02-01", "2023-03-14,2023-03-20,2023-02-01")
    source = folder(tmp_path, CPIAUCSL=text)
    assert [str(day) for day in answered(source, "2023-03-20")["cpi"].days] == ["2023-01-01", "2023-02-01"]
    assert [str(day) for day in answered(source, "2023-03-21")["cpi"].days] == ["2023-01-01"]
