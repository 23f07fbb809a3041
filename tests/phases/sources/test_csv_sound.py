"""What counts towards the universe and the mean of a folder: only what a ticker that is asked for could be, and said."""

from __future__ import annotations

import gzip
import warnings
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest

from phases.core.errors import SourceDamaged, UsageError
from phases.core.recorder import today
from phases.evidence.quality import checked
from phases.market_data import macro_snapshot, market_snapshot
from phases.plan import CONFIGS, Words, plan
from phases.sources.csv_folder import CsvFolder, sound
from phases.watchlist import focus
from schemas.market import Bars
from tests.phases.evidence.test_quality import fetched
from tests.phases.sources.test_csv_damage import LAST, series, words
from tests.phases.sources.test_csv_folder import bars, written
from tests.phases.test_market_data import question
from tests.shared import PRICES, copied, needs_prices, source_of
from tests.support import fetch_door, settings

NIGHT = LAST.isoformat()


def changed(folder: Path, name: str, change: Callable[[int, list[str]], list[str]]) -> None:
    """Rewrite the rows of a file; `change` is given how many rows come after it, and its cells."""
    path = folder / f"{name}.csv"
    head, *rows = path.read_text().splitlines()
    kept = [",".join(change(len(rows) - 1 - at, row.split(","))) for at, row in enumerate(rows)]
    path.write_text("\n".join([head, *kept, ""]))


def split(folder: Path, name: str, ratio: float = 2, sessions: int = 20) -> None:
    """A file whose split of so many sessions ago nobody adjusted."""

    def change(later: int, cells: list[str]) -> list[str]:
        day, *prices, volume = cells
        return [day, *(str(float(x) / ratio) if later < sessions else x for x in prices), volume]

    changed(folder, name, change)


def universe(source: CsvFolder, night: str = NIGHT, sessions: int = 280) -> tuple[list[str], list[str]]:
    found = source.fetch("universe", {"as_of": night, "sessions": str(sessions)})
    return [one["symbol"] for one in found["series"]], found["notes"]


# the same judgement as for a ticker that is asked for


def test_a_series_in_doubt_is_in_no_mean_and_no_universe_and_is_named(tmp_path: Path) -> None:
    folder = series(tmp_path / "prices", "AAA", "BBB", "CCC")
    clean = bars(source_of(folder), "UNIVERSE", NIGHT, 280)
    series(folder, "SPL2")
    split(folder, "SPL2")
    source = source_of(folder)
    found = bars(source, "UNIVERSE", NIGHT, 280)
    assert (found["close"], found["days"]) == (clean["close"], clean["days"])
    assert found["notes"][0] == "UNIVERSE is the equal-weight mean of the folder's 3 price series"
    symbols, notes = universe(source)
    assert symbols == ["AAA", "BBB", "CCC"]
    for told in (found["notes"][1:], notes):
        assert len(told) == 1 and told[0].startswith("left out of universe and mean: SPL2: price changes by")
    assert "the bars of 2024-01-04 to 2024-01-31 are in doubt" in notes[0]
    planned = plan(words(folder, "AAA"), None)
    assert [note.count("SPL2") for note in planned.notes] == [0, 1]


def test_what_is_repaired_for_a_ticker_is_repaired_in_the_mean(tmp_path: Path) -> None:
    folder = series(tmp_path / "prices", "AAA", "BBB")
    clean = bars(source_of(folder), "UNIVERSE", NIGHT, 60)["close"]

    def slip(later: int, cells: list[str]) -> list[str]:
        return [cells[0], *(str(float(x) * 100) if later == 7 else x for x in cells[1:5]), cells[5]]

    changed(folder, "BBB", slip)
    found = bars(source_of(folder), "UNIVERSE", NIGHT, 60)
    assert found["close"] == pytest.approx(clean, rel=1e-9)
    assert "2 price series" in found["notes"][0]


def test_what_is_in_doubt_later_is_sound_on_a_night_before(tmp_path: Path) -> None:
    """A split on the 4th of January says nothing of the 3rd."""
    folder = series(tmp_path / "prices", "AAA", "BBB", "CCC")
    before = bars(source_of(folder), "UNIVERSE", "2024-01-03", 60)
    split(folder, "CCC")
    source = source_of(folder)
    assert universe(source)[0] == ["AAA", "BBB"]
    assert universe(source, "2024-01-03")[0] == ["AAA", "BBB", "CCC"]
    assert bars(source, "UNIVERSE", "2024-01-03", 60) == before


def test_how_many_sessions_are_asked_for_changes_no_judgement(tmp_path: Path) -> None:
    folder = series(tmp_path / "prices", "AAA", "BBB", "CCC")
    split(folder, "CCC", sessions=100)
    source = source_of(folder)
    for sessions in (1, 64, 280):
        assert universe(source, sessions=sessions)[0] == ["AAA", "BBB"]
        assert bars(source, "UNIVERSE", NIGHT, sessions)["notes"][0].endswith("2 price series")
        assert len(bars(source, "UNIVERSE", NIGHT, sessions)["days"]) == sessions


def test_a_series_is_judged_once_a_night_and_not_once_a_ticker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[str] = []

    def counted(found: Bars, symbol: str, as_of: date) -> object:
        judged.append(symbol)
        return checked(found, symbol, as_of)

    monkeypatch.setattr(sound, "checked", counted)
    source = source_of(series(tmp_path / "prices", "AAA", "BBB", "CCC"))
    door, asked = fetch_door(source), question("UNIVERSE")
    macro_snapshot(LAST, asked, settings().market, fetch=door)
    for ticker in ("AAA", "BBB", "CCC"):
        market_snapshot(ticker, LAST, asked, settings().market, fetch=door)
    assert judged == ["AAA", "BBB", "CCC"]


def test_a_series_that_ended_stays_in_the_mean_of_its_days(tmp_path: Path) -> None:
    """Stale is no doubt of the data: without it, the mean would be one of survivors."""
    folder = series(tmp_path / "prices", "AAA", "BBB", "GONE")
    lines = (folder / "GONE.csv").read_text().splitlines()
    (folder / "GONE.csv").write_text("\n".join([*lines[:-60], ""]))
    assert bars(source_of(folder), "UNIVERSE", NIGHT, 280)["notes"] == [
        "UNIVERSE is the equal-weight mean of the folder's 3 price series"
    ]


@needs_prices
def test_one_halved_file_of_real_ones_is_left_out(tmp_path: Path) -> None:
    files = {path.name: path for path in (PRICES / "us_and_global").glob("*.csv.gz") if path.name[:4] != "NVDA"}
    folder = copied(tmp_path / "prices", files)
    without = bars(source_of(folder), "UNIVERSE", "2025-11-28", 280)["close"]
    head, *rows = gzip.decompress((PRICES / "us_and_global" / "NVDA.csv.gz").read_bytes()).decode().splitlines()
    names = head.split(",")
    prices = [at for at, name in enumerate(names) if name in ("Open", "High", "Low", "Close")]
    cells = [row.split(",") for row in rows]
    for row in cells:
        if row[names.index("Date")] >= "2025-11-12":
            for at in prices:
                row[at] = str(float(row[at]) / 2)
    (folder / "NVDA.csv").write_text("\n".join([head, *map(",".join, cells), ""]))
    found = bars(source_of(folder), "UNIVERSE", "2025-11-28", 280)
    assert found["close"] == without
    assert "NVDA: price changes by" in found["notes"][1] and "31 price series" in found["notes"][0]


# a mean of one


def test_the_mean_of_one_series_is_refused(tmp_path: Path) -> None:
    folder = series(tmp_path / "prices", "AAA")
    with pytest.raises(
        UsageError, match=r"question\.benchmark: the folder's mean needs two sound .*it has AAA; name an"
    ):
        plan(words(folder, "AAA"), None)
    series(folder, "SPL2")
    split(folder, "SPL2")
    with pytest.raises(SourceDamaged, match=r"question\.benchmark UNIVERSE: .*it has AAA.*; left out .*SPL2: price"):
        plan(words(folder, "AAA"), None)
    series(folder, "^GSPC")
    planned = plan(words(folder, "AAA", sets=("question.benchmark=^GSPC",)), None)
    assert planned.header.question.benchmark == "^GSPC"


# the focus list


def test_the_focus_list_takes_no_series_in_doubt(tmp_path: Path) -> None:
    """Unadjusted splits move most of all."""
    folder = series(tmp_path / "prices", "AAA", "BBB", "CCC", "DDD", "SPL2", "X100", "^GSPC")
    split(folder, "SPL2")
    split(folder, "X100", 0.01)
    sets = (f"source.path={folder}", "universe.focus=2", "universe.file=", "question.benchmark=^GSPC")
    planned = plan(Words((), CONFIGS / "csv.yaml", sets, NIGHT), None)
    assert set(planned.header.tickers) <= {"AAA", "BBB", "CCC", "DDD"} and len(planned.header.tickers) == 2
    assert planned.notes[0].startswith("focus: 2 of 4 names")
    assert sum("SPL2: price changes" in note for note in planned.notes) == 1
    assert sum("X100: price changes" in note for note in planned.notes) == 1


def test_the_focus_list_of_any_source_takes_no_close_that_cannot_be(tmp_path: Path) -> None:
    class Raw(CsvFolder):
        """A source that hands over what it has."""

        def fetch(self, dataset: str, params: object) -> object:
            if dataset != "universe":
                return super().fetch(dataset, params)  # type: ignore[arg-type]
            days = [(LAST - timedelta(n)).isoformat() for n in range(63, -1, -1)]
            closes = {"AAA": [100.0] * 63 + [103.0], "BAD": [100.0] * 40 + [1.0] * 24, "NIL": [0.0] + [100.0] * 63}
            return {"series": [{"symbol": name, "days": days, "adj_close": them} for name, them in closes.items()]}

    folder = series(tmp_path / "prices", "AAA", "^GSPC")
    chosen = settings(f"source.path={folder}", "source.name=csv_folder", "universe.focus=2", "universe.file=")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = focus(chosen, Raw(chosen.source), LAST)
    assert found.tickers == ("AAA",)
    assert found.notes[1] == "left out of the focus list, their closes jump or have holes: BAD, NIL"


# a close of 0


def test_a_close_of_nothing_is_refused_without_a_warning_of_the_machine(tmp_path: Path) -> None:
    folder = series(tmp_path / "prices", "AAA", "BBB", "ZERO")

    def nothing(later: int, cells: list[str]) -> list[str]:
        return [*cells[:4], "0", cells[5]] if later == 9 else cells

    changed(folder, "ZERO", nothing)
    day = (folder / "ZERO.csv").read_text().splitlines()[-9].partition(",")[0]
    (folder / "ZERO_dividends.csv").write_text(f"Date,Dividends\n{day},0.5\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        source = source_of(folder, adjusted="no")
        symbols, notes = universe(source)
        macro_snapshot(LAST, question("UNIVERSE"), settings().market, fetch=fetch_door(source))
        fetched(source, "ZERO", NIGHT)
    assert symbols == ["AAA", "BBB"]
    assert "ZERO: close of 2024-01-18 is 0.0; prices must be above 0" in notes[0]


# days that have not come


def test_a_price_of_a_day_that_has_not_come_is_damage_and_widens_no_span(tmp_path: Path) -> None:
    folder = series(tmp_path / "prices", "AAA", "BBB", "CCC")
    with (folder / "CCC.csv").open("a") as file:
        file.write("2131-01-06,100,101,99,100,1000\n")
    source = source_of(folder)
    assert source.fetch("span", {})["last"] == NIGHT
    lines = len((folder / "CCC.csv").read_text().splitlines())
    told = rf"CCC\.csv line {lines}, column 'Date' \(date\): '2131-01-06' is no day that has come; correct it"
    with pytest.raises(SourceDamaged, match=told):
        bars(source, "CCC")
    assert any("2131-01-06" in fault for fault in source.faults())


def test_today_has_come_and_a_dividend_may_be_announced(tmp_path: Path) -> None:
    now = today()
    written(tmp_path, f"{now - timedelta(1)},1", f"{now},1", head="Date,Close")
    (tmp_path / "AAA_dividends.csv").write_text(f"Date,Dividends\n{now + timedelta(30)},0.5\n")
    assert bars(source_of(tmp_path), as_of=now.isoformat())["days"][-1] == now.isoformat()
