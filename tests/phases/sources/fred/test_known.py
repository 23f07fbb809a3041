"""When a figure of FRED is known: releases, lags and vintages, and nothing from days to come."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from phases.core.errors import SourceDown, UsageError
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


# Known before its period was over

EARLY_COLUMNS = """observation_date,CPILFESL_20250715,CPILFESL_20250911
2025-06-01,327.6,327.6
2025-07-01,328.656,328.656
2025-08-01,329.793,329.793
"""
SPANS = "realtime_start,realtime_end,date,value\n"

# file, its text, a night before which nothing is wrong yet, the line and the words
EARLY = {
    "a vintage that knows the month to come": (
        "CPILFESL",
        EARLY_COLUMNS,
        "2025-07-14",
        "line 4: 329.793 of 2025-08-01 is said to be known on 2025-07-15, before its month is over",
    ),
    "the first day of the month": (
        "CPILFESL",
        f"{SPANS}2025-08-12,9999-12-31,2025-07-01,328.656\n2025-09-01,9999-12-31,2025-09-01,330.542\n",
        "2025-08-31",
        "line 3: 330.542 of 2025-09-01 is said to be known on 2025-09-01, before its month is over",
    ),
    "ten days into the month": (
        "PAYEMS",
        f"{SPANS}2025-08-11,9999-12-31,2025-08-01,159540\n",
        "2025-08-10",
        "line 2: 159540 of 2025-08-01 is said to be known on 2025-08-11, before its month is over",
    ),
    "before a week ends": (
        "ICSA",
        f"{SPANS}2025-09-08,9999-12-31,2025-09-13,232000\n",
        "2025-09-12",
        "line 2: 232000 of 2025-09-13 is said to be known on 2025-09-08, before its week is over",
    ),
    "within the quarter": (
        "GDPC1",
        f"{SPANS}2025-09-29,9999-12-31,2025-07-01,23770\n",
        "2025-09-28",
        "line 2: 23770 of 2025-07-01 is said to be known on 2025-09-29, before its quarter is over",
    ),
    "before the day": (
        "DGS10",
        f"{SPANS}2025-09-17,9999-12-31,2025-09-18,4.11\n",
        "2025-09-17",
        "line 2: 4.11 of 2025-09-18 is said to be known on 2025-09-17, before its day is over",
    ),
    "what was said better later": (
        "CPILFESL",
        f"{SPANS}2025-07-20,2025-08-11,2025-07-01,328\n2025-08-12,9999-12-31,2025-07-01,328.656\n",
        "2025-07-19",
        "line 2: 328 of 2025-07-01 is said to be known on 2025-07-20, before its month is over",
    ),
    "an end before its beginning": (
        "INDPRO",
        f"{SPANS}2025-08-15,2000-01-01,2025-07-01,103.9\n",
        "2025-08-14",
        "line 2: what is known of 2025-07-01 from 2025-08-15 ends on 2000-01-01",
    ),
}


@pytest.mark.parametrize("case", EARLY)
def test_what_is_known_before_its_period_is_over_is_refused_with_its_line(tmp_path: Path, case: str) -> None:
    id, text, before, told = EARLY[case]
    source = folder(tmp_path, **{id: text})
    answered(source, before)
    with pytest.raises(SourceDown) as down:
        source.fetch("macro", {"as_of": "2025-12-31"})
    assert str(down.value) == f"fred: {id}: {told}; download it anew"


@pytest.mark.parametrize(
    ("id", "day", "since"),
    [
        ("CPILFESL", "2025-09-01", "2025-09-30"),
        ("CPILFESL", "2024-02-29", "2024-02-29"),
        ("UNRATE", "2011-03-01", "2011-04-01"),
        ("FEDFUNDS", "2023-12-01", "2023-12-31"),
        ("GDPC1", "2025-10-01", "2025-12-31"),
        ("ICSA", "2025-09-13", "2025-09-13"),
        ("VIXCLS", "2025-09-18", "2025-09-18"),
    ],
)
def test_a_figure_may_be_known_on_the_last_day_of_its_period(tmp_path: Path, id: str, day: str, since: str) -> None:
    source = folder(tmp_path, **{id: f"{SPANS}{since},9999-12-31,{day},5\n"})
    assert sum(len(one.days) for one in answered(source, "2025-12-31").values()) == 1


def test_no_lag_of_a_plain_file_ends_before_the_period(tmp_path: Path) -> None:
    for spec in SERIES:
        days = [date(2023, 1, 1) + timedelta(n) for n in range(0, 800, 7 if spec.period == "week" else 1)]
        assert all(spec.known(day, {}) >= spec.over(day) for day in days if spec.period in ("day", "week"))
        assert all(spec.known(day, {}) >= spec.over(day) for day in days if day.day == 1)


@pytest.mark.parametrize(("id", "days", "least"), [("CPIAUCSL", "10", 30), ("GDPC1", "90", 91)])
def test_a_lag_within_the_period_is_wrong_usage(tmp_path: Path, id: str, days: str, least: int) -> None:
    (tmp_path / f"{id}.csv").write_text("date,value\n2013-07-01,234\n", encoding="utf-8")
    with pytest.raises(UsageError, match=rf"^source\.fred\.lags\.{id}: {days} days .* is not over; give {least} or"):
        source_of(path=str(tmp_path), lags={id: days})
    source_of(path=str(tmp_path), lags={id: str(least)})
