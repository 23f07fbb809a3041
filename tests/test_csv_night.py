"""A night on a folder of prices: the real series by the command line, symbols of every form, evidence as it is shown."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

import pytest

from phases.core.errors import UsageError
from phases.core.runner import Artefacts
from phases.core.store import open_store
from phases.night import Finished, hold_night
from phases.plan import CONFIGS, Words, plan
from phases.show import show_evidence
from tests.conftest import Cli
from tests.shared import PRICES, copied, needs_prices

FORMS = ("BRK.B", "BF-B", "0700.HK", "SHEL.L", "RELIANCE.NS", "^GSPC", "BTC-USD", "EURUSD=X", "CON", "TRUE", "NULL")


def finished(words: Words, out: Path) -> Finished:
    """A night held in this process."""
    with closing(open_store(out)) as store:
        return hold_night(plan(words, None), store, out, lambda ticker, reason: None)


def evidence(out: Path, ticker: str | None) -> str:
    with closing(open_store(out, create=False)) as store:
        return show_evidence(store, "last", ticker)


@needs_prices
def test_real_prices_make_a_night_and_its_evidence_is_shown(cli: Cli, tmp_path: Path) -> None:
    config = ("--config", CONFIGS / "csv.yaml", "--set", f"source.path={PRICES / 'us_and_global'}")
    out = tmp_path / "out"
    told = cli("run", *config, "--as-of", "2025-11-28", "AAPL", "BRK-B", "0700.HK", "--out", out, "--json")
    assert told.code == 0, told.err
    assert set(told.json["tickers"]) == {"AAPL", "BRK-B", "0700.HK"}
    assert "benchmark: equal-weight mean of its series" in told.err.splitlines()[0]
    assert "note: UNIVERSE is the equal-weight mean of the folder's 32 price series" in told.err
    shown = cli("show", "last", "brk-b", "--evidence", "--out", out).out
    assert shown.startswith("evidence of BRK-B | night of 2025-11-28, newest bar of 2025-11-28\n")
    close = next(line for line in shown.splitlines() if line.startswith("px.close"))
    assert " ".join(close.split()[1:]) == "513.81 usd +0.00 last close"
    assert "\nall: as of 2025-11-28 | known at 2025-11-28 | source csv_folder | tier 1\n" in shown
    assert "\nnotes\n  the file's prices are taken as adjusted" in shown
    assert "last close in HKD" in evidence(out, "0700.HK")
    market = evidence(out, None)
    assert "macro.breadth_200d" in market
    assert "\nmissing\nmacro.core_cpi_3m" in market


def test_f156_every_form_of_symbol_keeps_its_identity(tmp_path: Path) -> None:
    folder, out = tmp_path / "prices", tmp_path / "out"
    folder.mkdir()
    days = [date(2024, 12, 31) - timedelta(n) for n in range(420)][::-1]
    for at, form in enumerate(FORMS):
        moves = ((day, 100 + at + (n * (at + 3)) % 17) for n, day in enumerate(days) if day.weekday() < 5)
        rows = (f"{day},{x},{x + 1},{x - 1},{x},1000" for day, x in moves)
        name = form.replace(".", "_" if at % 2 else ".")
        (folder / f"{name}.csv").write_text("\n".join(["Date,Open,High,Low,Close,Volume", *rows, ""]))
    feed = finished(Words(FORMS, CONFIGS / "csv.yaml", (f"source.path={folder}",), "2024-12-31"), out).feed
    assert tuple(row.ticker for row in feed.rows) == FORMS
    assert {row.status for row in feed.rows} == {"debated"}, [row.reason for row in feed.rows]
    for form in FORMS:
        assert evidence(out, form).startswith(f"evidence of {form} | ")


@needs_prices
def test_a_series_that_ended_is_stale_and_says_when(tmp_path: Path) -> None:
    """The file ends at the turn of the year; ten weeks later the bank failed, and nothing may be said of it."""
    ended, going = PRICES / "ended" / "SIVB.csv.gz", PRICES / "us_and_global" / "JPM.csv.gz"
    folder = copied(tmp_path / "prices", {ended.name: ended, going.name: going})
    words = Words(("SIVB", "JPM"), CONFIGS / "csv.yaml", (f"source.path={folder}",), "2023-03-10")
    rows = {row.ticker: row for row in finished(words, tmp_path / "out").feed.rows}
    assert (rows["SIVB"].status, rows["SIVB"].stance, rows["JPM"].status) == ("stale", None, "debated")
    assert "newest bar of SIVB is 2022-12-30, 47 sessions before 2023-03-10" in str(rows["SIVB"].reason)
    (folder / going.name).unlink()
    with pytest.raises(UsageError, match=r"2023-03-10 is outside the source csv_folder, which covers .* to 2022-12-30"):
        plan(words, None)


def test_evidence_of_a_ticker_without_any_says_why(cli: Cli, tmp_path: Path) -> None:
    finished(Words(("IBM", "NOSUCH"), as_of="2012-06-29"), tmp_path)
    assert evidence(tmp_path, "NOSUCH").startswith("no evidence of NOSUCH: packaged prices have no series")
    with pytest.raises(UsageError, match="has no ticker 'IBN'; did you mean IBM"):
        evidence(tmp_path, "IBN")
    assert "--json has the evidence too" in cli("show", "last", "IBM", "--evidence", "--json", "--out", tmp_path).error


def test_all_that_a_debate_may_cite_is_shown_as_evidence_of_the_ticker_or_of_the_market(tmp_path: Path) -> None:
    with closing(open_store(tmp_path)) as store:
        planned = plan(Words(("AAPL",), as_of="2012-06-29"), None)
        run_id = hold_night(planned, store, tmp_path, lambda ticker, reason: None).record.run_id
        kept = Artefacts(store, run_id).load("AAPL")
    cited = {one["id"] for one in json.loads(kept["case"])["bundle"] if not one["id"].startswith("axis.")}
    own, market = ({line.split(" ")[0] for line in evidence(tmp_path, who).splitlines()} for who in ("AAPL", None))
    assert {one for one in cited if one.startswith("bias.")} and cited <= own | market
    assert {one for one in cited if one.startswith(("macro.", "bias."))} <= market - own
    last = evidence(tmp_path, "AAPL").splitlines()[-1]
    assert last == f"macro.* and bias.* are of the market: `show {run_id} --evidence`"
    assert "show" not in evidence(tmp_path, None)
