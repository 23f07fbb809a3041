"""The hand-off contract, through the example that consumers copy: from a debate's delta to a weight, and refusals."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from phases.outputs.handoff import HANDOFFS
from phases.outputs.tables import feed_json
from schemas.feed import PortfolioFeed, feed_hash
from schemas.summary import RATED, Status
from tests.conftest import DAY, ROOT, Cli, Night
from tests.phases.outputs.feeds import feed, row
from tests.phases.test_feed_views import QUARTER
from tests.phases.test_portfolio_feed import UNRATED, feed_of, outcome, summary
from tests.support import payload

FILE = ROOT / "examples" / "portfolio.py"


@pytest.fixture(scope="module")
def example() -> Any:
    spec = importlib.util.spec_from_file_location("portfolio_example", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


NAMES = ("ACME", "OTHER", "THIRD")


def prices() -> pd.DataFrame:
    chance = np.random.default_rng(3)
    moves = chance.normal(0, 0.008, (260, 1)) + chance.normal(0, 0.014, (260, len(NAMES)))
    return pd.DataFrame(100 * np.exp(moves.cumsum(axis=0)), columns=list(NAMES))


def night(status: Status, delta: int, held: str = "held=[]") -> PortfolioFeed:
    """A night in which ACME's debate moved so many points; of a gated or contested one, the analysts' view moved."""
    after = 0.55 + 0.02 * delta
    moved: dict[str, Any] = {"market_snapshot": QUARTER}
    if status in ("debated", "degraded"):
        moved |= {"debate_summary": summary(delta=delta, after=after)}
    elif status in RATED:
        moved |= {
            "analyst_payload": payload(2, "buy", after),
            "debate_summary": summary(status, 0, after, decided_by=None),
        }
    others = {name: outcome(market_snapshot=QUARTER) for name in NAMES[1:]}
    return feed_of({"ACME": outcome(status, **(moved if status in RATED else {})), **others}, held)


def weights_of(example: Any, made: PortfolioFeed, library: str, **current: float) -> tuple[Any, dict[str, float]]:
    document = json.loads(HANDOFFS[library](made, 0.08))
    found: tuple[Any, dict[str, float]] = example.allocate(
        document, prices(), library, example.kept(document, current), 1.0, 0.05
    )
    return found


@pytest.mark.parametrize("library", HANDOFFS)
@pytest.mark.parametrize("status", ["debated", "degraded", "gated", "contested"])
def test_a_changed_delta_changes_view_mean_and_weight_in_its_direction(
    example: Any, status: Status, library: str
) -> None:
    nights = [night(status, delta) for delta in (-1, 0, 1)]
    views = [one.rows[0].view_excess_return for one in nights]
    found = [weights_of(example, one, library) for one in nights]
    means, weights = [mean["ACME"] for mean, _ in found], [weight["ACME"] for _, weight in found]
    assert {one.rows[0].status for one in nights} == {status}
    if status == "contested":  # it has no view, so that nothing moves
        assert views == [None] * 3
        assert max(means) - min(means) < 1e-9 and max(weights) - min(weights) < 1e-9
        return
    assert views == sorted(set(views))
    assert means == sorted(set(means)) and weights == sorted(set(weights))
    for _, weight in found:
        assert sum(weight.values()) == pytest.approx(1) and weight["cash"] == pytest.approx(0.05, abs=1e-4)


@pytest.mark.parametrize("library", HANDOFFS)
@pytest.mark.parametrize("status", UNRATED)
def test_F182_a_held_name_that_is_not_rated_keeps_its_weight(example: Any, status: Status, library: str) -> None:
    _, weights = weights_of(example, night(status, 0, "held=[ACME]"), library, ACME=0.2)
    assert weights["ACME"] == 0.2
    assert sum(weights.values()) == pytest.approx(1)
    with pytest.raises(SystemExit, match="ACME: held and not rated"):
        weights_of(example, night(status, 0, "held=[ACME]"), library)
    _, weights = weights_of(example, night(status, 0), library)
    assert "ACME" not in weights


def test_names_without_prices_or_unknown_ones_and_caps_that_cannot_hold_are_refused(example: Any) -> None:
    document = json.loads(HANDOFFS["pypfopt"](night("debated", 1), 0.08))
    with pytest.raises(SystemExit, match="no prices of ACME"):
        example.allocate(document, prices().drop(columns="ACME"), "pypfopt", {}, 1.0, 0.05)
    with pytest.raises(SystemExit, match="--current NOSUCH: not in the feed"):
        example.kept(document, {"NOSUCH": 0.1})
    with pytest.raises(SystemExit, match=r"3 names of at most 0\.3 cannot take 0\.95"):
        example.allocate(document, prices(), "pypfopt", {}, 0.3, 0.05)
    with pytest.raises(SystemExit, match=r"^refused: cash 0\.9 and kept weights 0\.2 leave nothing to invest$"):
        example.allocate(document, prices(), "pypfopt", {"GONE": 0.2}, 1.0, 0.9)
    young = prices()
    young.loc[:229, "THIRD"] = np.nan
    with pytest.raises(SystemExit, match="60 daily returns are needed: THIRD has 29; leave out with --without THIRD"):
        example.allocate(document, young, "pypfopt", {}, 1.0, 0.05)


@pytest.mark.parametrize("library", HANDOFFS)
def test_a_price_that_never_moved_is_refused(example: Any, library: str) -> None:
    document = json.loads(HANDOFFS[library](night("debated", 1), 0.08))
    with pytest.raises(SystemExit, match="the price of THIRD never moved; leave out with --without THIRD"):
        example.allocate(document, prices().assign(THIRD=50.0), library, {}, 1.0, 0.05)


@pytest.mark.parametrize("library", HANDOFFS)
def test_a_name_left_out_has_no_weight_and_takes_its_view_and_trust_along(example: Any, library: str) -> None:
    document, same = (json.loads(HANDOFFS[library](night("debated", 1), 0.08)) for _ in range(2))
    example.leave_out(document, ["ACME"])
    assert document["view_confidences"] == same["view_confidences"][1:]
    views = "absolute_views" if library == "pypfopt" else "views"
    assert list(document[views]) == list(same[views])[1:]
    young = prices()
    young.loc[:229, "ACME"] = np.nan
    _, weights = example.allocate(document, young, library, example.kept(document, {}), 1.0, 0.05)
    assert "ACME" not in weights and sum(weights.values()) == pytest.approx(1)
    with pytest.raises(SystemExit, match="--without NOSUCH: not in the feed"):
        example.leave_out(document, ["NOSUCH"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--cash -0.1", "--cash -0.1: must be a share"),
        ("--cap 2", "--cap 2: must be a share"),
        ("--cap 0", "--cap 0: must be a share"),
        ("--cap nan", "--cap nan: must be a share"),
        ("--current ZZZZ=-0.3", "--current ZZZZ -0.3: must be a share"),
        ("--current IBM=nan", "--current IBM nan: must be a share"),
        ("--current IBM=.1 --current IBM=.2", "--current IBM: named twice"),
        ("--tickers AAPL,AAPL", "--tickers AAPL: named twice"),
        ("--for yesterday", "--for yesterday: must be a date"),
        ("--for 20080930", "--for 20080930: must be a date"),
        ("--without IBM,IBM", "--without IBM: named twice"),
        ("--plot x.xyz", "--plot x.xyz: must end in .png"),
        ("--benchmark-return 0", "--benchmark-return 0: must be above 0"),
        ("--benchmark-return=-0.1", "--benchmark-return -0.1: must be above 0"),
        ("--benchmark-return nan", "--benchmark-return nan: must be above 0"),
        ("--benchmark-return much", "--benchmark-return much: must be above 0"),
        ("--plot /nonexistent/x.png", "--plot /nonexistent/x.png: its folder is not there"),
    ],
)
def test_words_that_cannot_be_are_refused_before_any_work(
    example: Any, monkeypatch: pytest.MonkeyPatch, words: str, said: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["portfolio.py", "--out", "/no/store", *words.split()])
    with pytest.raises(SystemExit) as caught:
        example.main()
    assert str(caught.value).startswith(f"refused: {said}")


@pytest.mark.parametrize("record", [None, '{"tick', "{}", "[]", '{"tickers": 5}'])
def test_a_record_that_tells_no_tickers_is_refused(example: Any, tmp_path: Path, record: str | None) -> None:
    file = tmp_path / "run.json"
    if record is not None:
        file.write_text(record)
    with pytest.raises(SystemExit, match=r"run\.json: .* name them with --tickers"):
        example.tickers_of(file)


def test_names_over_the_cap_are_told_of(example: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "run.json"
    file.write_text('{"tickers": {"MSFT": "debated"}, "left_out": ["AAPL", "IBM"]}')
    assert example.tickers_of(file) == ["MSFT"]
    assert capsys.readouterr().err == "note: left out by the cap of the run: AAPL, IBM\n"


@pytest.mark.parametrize("library", HANDOFFS)
def test_a_held_name_without_a_view_stays_among_the_names_at_its_prior(example: Any, library: str) -> None:
    flat = outcome(market_snapshot=QUARTER, debate_summary=summary(after=0.505))
    made = feed_of(
        {name: flat if name == "ACME" else outcome(market_snapshot=QUARTER) for name in NAMES}, "held=[ACME]"
    )
    document = json.loads(HANDOFFS[library](made, 0.08))
    assert document["names"]["ACME"]["state"] == "no_view"
    means, weights = weights_of(example, made, library)
    assert "ACME" in means and "ACME" in weights


def test_both_libraries_give_the_same_weights(example: Any) -> None:
    made = night("debated", 1)
    (mean, mine), (other, theirs) = (weights_of(example, made, library) for library in HANDOFFS)
    assert mine == pytest.approx(theirs, abs=2e-3)
    assert list(mean.sort_values().index) == list(other.sort_values().index)


@pytest.mark.parametrize("library", HANDOFFS)
def test_a_night_without_any_view_is_the_prior(example: Any, library: str) -> None:
    flat = outcome(market_snapshot=QUARTER, debate_summary=summary(after=0.5))
    _, weights = weights_of(example, feed_of(dict.fromkeys(NAMES, flat)), library)
    assert [weights[name] for name in NAMES] == pytest.approx([0.95 / 3] * 3, abs=2e-3)


GOOD = json.loads(feed_json(feed([row("AAPL"), row("IBM", "gated"), row("MSFT", "failed")])))
GOOD["content_hash"] = feed_hash(GOOD)


def changed(**more: Any) -> dict[str, Any]:
    document = {**GOOD, **more}
    return {**document, "content_hash": feed_hash(document), **more}


def with_row(at: int, **more: Any) -> dict[str, Any]:
    rows = [dict(one) for one in GOOD["rows"]]
    rows[at].update(more)
    return changed(rows=rows)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (changed(schema_version="2"), "schema_version 2 is unknown"),
        (with_row(1, status="abandoned"), "status abandoned is unknown"),
        (changed(content_hash=GOOD["content_hash"], protocol="another"), "content_hash does not fit"),
        (changed(valid=False), "invalid"),
        (changed(rows=[GOOD["rows"][2]]), "invalid"),
        (changed(as_of="2008-09-29"), "is of 2008-09-29"),
        (with_row(1, as_of="2008-09-29"), "rows of another night: IBM"),
        (with_row(1, run_id="2008-09-29-00000000"), "rows of another night: IBM"),
        (changed(rows=GOOD["rows"][:2]), "missing: MSFT"),
        (changed(rows=[*GOOD["rows"], row("FB").model_dump(mode="json")]), "not asked for: FB"),
        (changed(rows=[*GOOD["rows"][:2], GOOD["rows"][0]]), "missing: MSFT; twice: AAPL"),
    ],
)
def test_what_must_not_be_traded_on_is_refused(example: Any, document: dict[str, Any], said: str) -> None:
    wanted = ["AAPL", "IBM", "MSFT"]
    assert example.refused(GOOD, wanted, "2008-09-30") is None
    assert said in example.refused(document, wanted, "2008-09-30")


def run_example(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(FILE), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env={**os.environ, "COLUMNS": "80"})


def test_a_weight_of_a_name_that_is_rated_is_not_kept_and_that_is_said_once(three: Night, tmp_path: Path) -> None:
    words = ("--out", three.path, "--plot", tmp_path / "weights.png")
    plain, done = run_example(*words), run_example(*words, "--current", "AAPL=0.2")
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    assert done.stderr == "note: --current AAPL: rated this night, so the weight is found anew\n"


def test_the_example_prints_and_plots_the_weights_of_a_night(three: Night, tmp_path: Path) -> None:
    done = run_example("--out", three.path, "--plot", tmp_path / "weights.png")
    assert (done.returncode, done.stderr) == (0, "")
    table = {line.split()[0]: line.split() for line in done.stdout.splitlines() if line}
    assert {"AAPL", "IBM", "MSFT", "cash"} <= set(table)
    shares = [[float(table[name][at].rstrip("%")) for name in ("AAPL", "IBM", "MSFT", "cash")] for at in (-2, -1)]
    assert sum(shares[0]) == pytest.approx(100, abs=0.3) and shares[0] == pytest.approx(shares[1], abs=0.3)
    assert max(len(line) for line in done.stdout.splitlines()[:-1]) <= 80
    assert (tmp_path / "weights.png").read_bytes().startswith(b"\x89PNG")
    three.feed()  # nothing was written into the run's folder


def test_F184_a_night_without_a_rated_ticker_is_invalid_and_yesterdays_is_left_alone(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert cli("run", "IBM", "--as-of", DAY, "--debate", "none", "--out", out).code == 0
    [folder] = [one for one in out.iterdir() if one.is_dir()]
    before = {one.name: one.read_bytes() for one in folder.iterdir()}
    assert cli("run", "NOSUCH", "--as-of", "2012-07-02", "--out", out).code == 1
    assert {one.name: one.read_bytes() for one in folder.iterdir()} == before
    assert json.loads(cli("feed", "last", "--format", "json", "--out", out).out)["valid"] is False
    told = cli("feed", "last", "--format", "pypfopt", "--out", out)
    assert told.code == 2 and "no ticker is rated" in told.error
    done = run_example("--out", out)
    assert done.returncode == 1 and "invalid" in done.stderr and done.stdout == ""


def test_a_picture_replaces_a_link_and_leaves_what_it_names_alone(example: Any, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("precious")
    (tmp_path / "x.png").symlink_to(tmp_path / "mine")
    example.plot({"pypfopt": {"AAPL": 0.6, "cash": 0.4}}, "title", tmp_path / "x.png")
    assert (tmp_path / "mine").read_text() == "precious" and not (tmp_path / "x.png").is_symlink()
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
    assert {one.name for one in tmp_path.iterdir()} == {"mine", "x.png"}
