"""Area feed, and the cells of exports: what a spreadsheet could run, and nights that died on the way."""

from __future__ import annotations

import csv
import io
import json

import duckdb
import pandas as pd
import pytest

from phases.night import _exit
from phases.outputs.parquet import feed_parquet
from phases.outputs.tables import feed_csv, feed_json
from tests.phases.outputs.feeds import feed, row
from tests.phases.test_portfolio_feed import feed_of, outcome

CELLS = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1", "''", "=cmd|' /C calc'!A0", "-1.5", "plain")


@pytest.mark.parametrize("text", CELLS)
def test_F166_no_text_cell_can_run_and_every_one_reads_back(text: str) -> None:
    night = feed([row("ACME", reason=text, debate_cost_usd=0.5, conviction_post=-4, view_excess_return=-0.0125)])
    [cells] = csv.DictReader(io.StringIO(feed_csv(night), newline=""))
    assert not cells["reason"].startswith(("=", "+", "-", "@", "\t", "\r"))
    assert cells["reason"].removeprefix("'") == text
    assert (cells["conviction_post"], cells["view_excess_return"]) == ("-4", "-0.0125")
    assert json.loads(feed_json(night))["rows"][0]["reason"] == text
    assert pd.read_parquet(io.BytesIO(feed_parquet(night))).loc[0, "reason"] == text


def test_F166_numbers_read_as_numbers_in_other_programs(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("csv") / "feed.csv"
    path.write_text(feed_csv(feed([row("ACME", view_excess_return=-0.0125, reason="=1+1")])))
    assert pd.read_csv(path).loc[0, "view_excess_return"] == -0.0125
    [(view, reason)] = duckdb.execute(f"SELECT view_excess_return, reason FROM '{path}'").fetchall()
    assert (float(view), reason) == (-0.0125, "'=1+1")


def test_F183_a_night_in_which_most_debates_died_is_no_success_and_says_of_none_that_it_converged() -> None:
    names = [f"T{at}" for at in range(39)]
    night = feed_of({name: outcome("failed" if at < 31 else "debated") for at, name in enumerate(names)})
    dead = [one for one in night.rows if one.status == "failed"]
    assert len(night.rows) == 39 and len(dead) == 31
    assert _exit([one.status for one in night.rows]) == 1
    assert {(one.convergence, one.gap_verdict, one.stance, one.view_excess_return) for one in dead} == {(None,) * 4}
    assert all(one.reason for one in dead)
