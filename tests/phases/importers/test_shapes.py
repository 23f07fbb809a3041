"""Stored forecasts, panels and moderated debates with other contents than the recorded ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from phases.importers.page import report_json, report_text
from phases.importers.report import Report, Row, debates_report
from phases.importers.stored import Forecast, Votes


def _report(tmp_path: Path, *debates: Mapping[str, Any]) -> Report:
    file = tmp_path / "debates.jsonl"
    file.write_text("\n".join(map(json.dumps, debates)))
    return debates_report(file, "author")


def _row(tmp_path: Path, debate: Mapping[str, Any]) -> Row:
    report = _report(tmp_path, debate)
    assert report.bad_lines == ()
    return report.debates[0]


def _bad(tmp_path: Path, debate: Mapping[str, Any]) -> str:
    (bad,) = _report(tmp_path, debate).bad_lines
    return bad.reason


def _round(number: int, bull: float | None, bear: float | None, **texts: str) -> dict[str, Any]:
    return {"round_number": number, "bull_probability": bull, "bear_probability": bear, **texts}


def _trace(*rounds: dict[str, Any], panel: tuple[float | None, ...] = (0.4, 0.6, 0.5), **more: Any) -> dict[str, Any]:
    agents = [{"agent_id": f"agent_{at}", "p_yes": chance} for at, chance in enumerate(panel)]
    return {"question": {"question": "Hike?"}, "agents": agents, "debate": {"rounds": list(rounds)}, **more}


def _forecast(tmp_path: Path, trace: Mapping[str, Any]) -> Forecast:
    found = _row(tmp_path, trace).forecast
    assert found is not None
    return found


def test_early_consensus_under_its_own_threshold_and_cap(tmp_path: Path) -> None:
    rounds = (_round(2, 0.5, 0.42), _round(1, 0.7, 0.3))
    found = _forecast(tmp_path, _trace(*rounds, params={"consensus_threshold": 0.1, "debate_rounds": 3}))
    assert (found.gaps, found.midpoints, found.gap_change) == ((0.4, 0.08), (0.5, 0.46), -0.32)
    assert (found.verdict, found.consensus, found.early_termination) == ("narrowed", True, True)
    default = _forecast(tmp_path, _trace(*rounds))
    assert (default.consensus, default.early_termination) == (False, False)
    last = _forecast(tmp_path, _trace(*rounds, params={"consensus_threshold": 0.1, "debate_rounds": 2}))
    assert (last.consensus, last.early_termination) == (True, False)


def test_a_side_without_a_probability_and_forecasters_without_a_forecast(tmp_path: Path) -> None:
    trace = _trace(_round(1, 0.7, None), _round(2, 0.6, 0.5), panel=(0.4, None, 0.5))
    trace["agents"].append({"p_yes": 0.99, "forecast_produced": False})
    found = _forecast(tmp_path, trace)
    assert (found.gaps, found.gap_change, found.spread, found.mean) == ((0.1,), 0.0, 0.1, 0.45)


def test_nothing_to_aggregate_and_nothing_debated(tmp_path: Path) -> None:
    empty = _forecast(tmp_path, {**_trace(panel=()), "debate": None})
    assert (empty.spread, empty.mean, empty.aggregate, empty.verdict, empty.blend, empty.final) == (None,) * 6
    alone = _forecast(tmp_path, _trace(_round(1, 0.6, 0.5), panel=(0.3,)))
    assert (alone.spread, alone.aggregate, alone.verdict, alone.blend) == (None, 0.3, "held", 0.375)


def test_how_the_panel_was_brought_together(tmp_path: Path) -> None:
    rounds = (_round(1, 0.7, 0.5),)
    mean = _forecast(tmp_path, _trace(*rounds, panel=(0.3, 0.4), aggregation={"method": "mean"}))
    assert (mean.mean, mean.aggregate, mean.blend) == (0.35, None, 0.425)
    how = {"method": "neyman_weighted", "input_weights": [0.8, 0.3, 0.5]}
    weighted = _forecast(tmp_path, _trace(*rounds, panel=(0.72, 0.58, 0.65), aggregation=how))
    assert (weighted.mean, weighted.aggregate) == (0.6719, 0.7281)
    assert _bad(tmp_path, _trace(aggregation={**how, "input_weights": [1.0]})).startswith("weights [1.0]: allowed is")
    assert "aggregation.method: input should be 'mean'" in _bad(tmp_path, _trace(aggregation={"method": "median"}))


@pytest.mark.parametrize(
    ("supervisor", "earlier", "later"),
    [
        (None, 0.53, 0.6),
        ({"p_yes": None, "confidence": "high"}, 0.53, 0.6),
        ({"p_yes": 0.9, "confidence": "low"}, 0.53, 0.6),
        ({"p_yes": 0.9}, 0.53, 0.6),
        ({"p_yes": 0.9, "confidence": "medium"}, 0.678, 0.6),
        ({"p_yes": 0.9, "confidence": "high"}, 0.9, 0.9),
    ],
)
def test_supervisor_under_the_earlier_and_the_later_program(
    tmp_path: Path, supervisor: dict[str, Any] | None, earlier: float, later: float
) -> None:
    """The later one, whose records hold a correction, takes the midpoint of a consensus; of factor 1 here."""
    rounds, how = (_round(1, 0.67, 0.67), _round(2, 0.61, 0.59)), {"method": "mean"}
    plain = _trace(*rounds, panel=(0.48, 0.5, 0.52), aggregation=how, supervisor=supervisor)
    assert _forecast(tmp_path, plain).blend == 0.53
    assert _forecast(tmp_path, plain).final == earlier
    assert _forecast(tmp_path, {**plain, "params": {"statistical_correction_a": 1.0}}).final == later


def test_without_consensus_the_later_program_keeps_the_mean(tmp_path: Path) -> None:
    params = {"statistical_correction_a": 3**0.5}
    found = _forecast(tmp_path, _trace(_round(1, 0.9, 0.5), aggregation={"method": "mean"}, params=params))
    assert (found.consensus, found.blend, found.final) == (False, 0.5, 0.5)


def test_texts_are_turns_and_a_repeated_one_is_theater(tmp_path: Path) -> None:
    said = {"bull_argument": "It rises, as the margin grows."}
    row = _row(tmp_path, _trace(_round(1, 0.6, 0.5, **said), _round(2, 0.6, 0.5, **said), run_id="r7"))
    assert (row.id, row.theater, row.repeated) == ("r7", "no_substance", ("bull.2",))
    bare = _row(tmp_path, _trace(_round(1, 0.6, 0.5), _round(2, 0.6, 0.5)))
    assert (bare.theater, bare.convergence, bare.verdict) == (None, None, "empty")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"debate": {"rounds": [_round(1, 1.5, 0.5)]}}, "debate.rounds.0.bull_probability: input should be less than"),
        (
            {"debate": {"rounds": [_round(1, True, 0.5)]}},
            "debate.rounds.0.bull_probability: input should be a valid num",
        ),
        ({"debate": {"rounds": [_round(1, 0.5, 0.5)] * 2}}, "debate.rounds: a round is stored more than once"),
        ({"question": {"question": "q", "resolved_outcome": 0.5}}, "outcome 0.5: allowed is 0 or 1"),
        ({"supervisor": {"p_yes": 0.5, "confidence": "sure"}}, "supervisor.confidence: input should be 'high'"),
        (
            {"params": {"statistical_correction_a": 0}},
            "params.statistical_correction_a: input should be greater than 0",
        ),
    ],
)
def test_bad_forecasts(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    assert _bad(tmp_path, {**_trace(_round(1, 0.6, 0.5)), **change}).startswith(reason)


def test_unnamed_debates_on_one_question_are_two_unless_they_are_the_same(tmp_path: Path) -> None:
    one, other = _trace(_round(1, 0.6, 0.5)), _trace(_round(1, 0.6, 0.4))
    report = _report(tmp_path, one, other, one)
    assert (len(report.debates), [bad.reason for bad in report.bad_lines]) == (2, ["Hike? stands already on line 1"])


def _votes(tmp_path: Path, before: Mapping[str, str | None], after: Mapping[str, str | None]) -> Votes:
    found = _row(tmp_path, {"id": "p", "question": "q", "before": before, "after": after}).votes
    assert found is not None
    return found


def test_a_panel_of_other_words(tmp_path: Path) -> None:
    before = {"a": "Bullish", "b": "short", "c": "5 cents", "d": "hold"}
    found = _votes(tmp_path, before, {"d": "hold", "c": "$0.05", "b": "hold (for now)", "a": "BUY"})
    assert found.counts == {"0.05": 1, "buy": 1, "hold": 2}
    assert (found.winner, found.votes, found.total, found.tied, found.confidence) == ("hold", 2, 4, False, "low")
    assert (found.ratio, found.changed) == (0.5, ("a", "b"))


@pytest.mark.parametrize(
    "after", [{"a": "buy", "b": "buy"}, {"a": "buy", "b": "Buy", "c": None}, {"a": "buy", "b": "buy", "c": " "}]
)
def test_a_seat_that_fell_silent_is_void(tmp_path: Path, after: dict[str, str | None]) -> None:
    found = _votes(tmp_path, {"a": "buy", "b": "sell", "c": "sell"}, after)
    assert (found.ballots, found.total, found.ratio, found.confidence) == ({"a": "buy", "b": "buy"}, 2, 1.0, "medium")
    assert found.changed == ("b",)


def _moderated(*rounds: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"question": "Rates up?", "max_rounds": 3, "rounds": list(rounds), **more}


def _ruled(number: int, moderator: str | None, *texts: str | None) -> dict[str, Any]:
    turns = [{"seat": f"s{at}", "text": text} for at, text in enumerate(texts)]
    return {"round": number, "turns": turns, "moderator": moderator}


def test_a_moderated_debate(tmp_path: Path) -> None:
    debate = _moderated(
        _ruled(1, "SUMMARY: a.\nSTATUS: NOT SETTLED", "Yes, as wages grow.", "No."),
        _ruled(2, "SUMMARY: b.\nSTATUS: continue", "Yes: as wages grow!", None),
        _ruled(3, None),
        id="rates",
    )
    row = _row(tmp_path, debate)
    assert row.id == "rates"
    rulings = [(one.round_number, one.settled, one.malformed, one.forced) for one in row.rulings or ()]
    assert rulings == [(1, False, True, False), (2, False, False, False), (3, True, True, True)]
    assert (row.repeated, row.theater) == (("s0.2",), "no_substance")


def test_what_is_stored_twice_is_refused(tmp_path: Path) -> None:
    assert "round 1" in _bad(tmp_path, _moderated(_ruled(1, ""), _ruled(1, "")))
    twice = {"round": 1, "turns": [{"seat": "x", "text": "a"}, {"seat": "x", "text": "b"}]}
    assert _bad(tmp_path, _moderated(twice)) == "rounds: x.1 is stored more than once"


def test_the_page_and_the_json(tmp_path: Path) -> None:
    trace = _trace(_round(1, 0.6, 0.5), run_id="r\x1b[31m", question={"question": "q", "resolved_outcome": 1})
    panel = {"id": "p", "question": "q", "before": {}, "after": {"a": "buy", "b": "sell"}}
    report = _report(tmp_path, trace, panel, _moderated(_ruled(1, "STATUS: SETTLED\nDECISION: go\nnow"), _ruled(3, "")))
    text = report_text(report)
    assert "\x1b" not in text
    lines = text.splitlines()
    assert lines[0].startswith("r\\u001b[31m: panel 0.5, spread 0.2, aggregate 0.5; gaps 0.1 (change 0): held; ")
    assert lines[0].endswith("blend 0.515, final 0.515 (as recorded: -); outcome 1: Brier 0.25 before, 0.235225 after")
    assert lines[1] == "p: buy 1, sell 1; winner - (tied), 1 of 2, confidence low; changed: -"
    assert lines[2] == "Rates up?: round 1 settled: go now; round 3 closed by force"
    assert not any(line.startswith(("debate ", "mean convergence")) for line in lines)
    first, second, third = json.loads(report_json(report))["debates"]
    assert first["forecast"]["brier_after"] == 0.235225
    assert (second["votes"]["winner"], third["rulings"][0]["decision"]) == (None, "go\nnow")
    assert (first["votes"], second["forecast"], third["votes"]) == (None, None, None)
