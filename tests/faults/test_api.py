"""The catalogue's faults of the model's server, each in a whole night: what an operator sees, and what it cost."""

from __future__ import annotations

import signal
import subprocess
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from bench.fake_model.server import FakeModel
from phases.core.errors import ModelDown, RateLimited, RebuttalError, SpendLimit, UsageError
from phases.plan import CONFIGS, Words, plan
from phases.providers.anthropic import retries
from tests.conftest import DAY, ROOT, Cli
from tests.faults.nights import ASKED, Held, night
from tests.phases.core.scripted import NIGHTLY

KEY = "sk-ant-canary-0123456789-never-to-be-seen"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key, and own waits of a few hundredths of a second."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setattr(retries, "FIRST_WAIT", 0.02)
    monkeypatch.setattr(retries, "LONGEST_WAIT", 0.04)


def rule(do: Any, **when: Any) -> dict[str, Any]:
    """A scenario in which one ticker's technical analyst meets a fault."""
    return {"script": [{"when": {"skill": "technical-analyst", "ticker": "AAPL", **when}, "do": do}]}


# Faults that a night gets over


@dataclass(frozen=True)
class Passing:
    """A fault of the first tries of one turn, and what is told of them."""

    do: Any
    told: str
    """Status of each failed try."""
    times: int = 1
    lost: int = 0
    """How many of the tries may have been billed."""
    sets: tuple[str, ...] = ()


STREAM = ("provider.stream=true",)

NO_ID = ("html", "reset_before")
"""What comes without a request id."""

PASSING = {
    "F050": Passing({"status": 429, "retry_after": "2"}, "429"),
    "F053-negative": Passing({"status": 429, "retry_after": "-5"}, "429"),
    "F053-nan": Passing({"status": 429, "retry_after": "nan"}, "429"),
    "F053-word": Passing({"status": 429, "retry_after": "soon"}, "429"),
    "F056": Passing({"status": 529}, "529", times=3),
    "F058": Passing({"status": 500}, "500"),
    "F058-behind": Passing({"status": 504}, "504", lost=1),
    "F062": Passing("reset_mid_body", "connection lost in the middle of the answer", lost=1),
    "F062-before": Passing("reset_before", "connection closed before an answer", times=2, lost=2),
    "F065": Passing("html", "a body of the form text/html", lost=1),
    "F066": Passing("cut_json", "a body of the form application/json", lost=1),
    "F067": Passing("stream_no_stop", "the stream ended before its message_stop", lost=1, sets=STREAM),
    "F068": Passing("stream_overloaded", "529 in the stream", lost=1, sets=STREAM),
    "F069": Passing("reset_mid_body", "connection lost in the middle of the answer", lost=1, sets=STREAM),
}


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
def test_a_passing_fault(fault: Passing, tmp_path: Path) -> None:
    begun = time.monotonic()
    with FakeModel(rule(fault.do, first=fault.times)) as server:
        held = night(server.url, tmp_path, *fault.sets)
        stats = server.stats()
    assert held.finished is not None
    assert (held.exit, {row.status for row in held.rows.values()}) == (0, {"gated"})
    assert (held.finished.record.calls.made, held.stored) == (ASKED, ASKED), "one turn is stored"
    assert stats["turns"] == ASKED + fault.times
    (note,) = held.notes
    assert note.count(fault.told) == fault.times and note.startswith(f"{fault.times + 1} tries: "), note
    assert note.count("req_") == (1 if fault.do in NO_ID else fault.times + 1), "every id a server gave is logged"
    if fault.do == PASSING["F050"].do:
        assert time.monotonic() - begun >= 2
    _check_ledger(held, stats, fault.lost)


def _check_ledger(held: Held, stats: dict[str, Any], lost: int) -> None:
    """The ledger is the server's count; a try that was lost stands at its worst case, and its row says so."""
    assert [len(held.states(state)) for state in ("spent", "estimated", "booked")] == [ASKED, lost, 0]
    flags = {ticker: "unpriced" in row.flags for ticker, row in held.rows.items()}
    assert flags == {"AAPL": lost > 0, "IBM": False}
    assert held.finished is not None and round(held.finished.record.cost_usd * 1_000_000) == held.micros
    if lost:
        assert all(row.micros > 0 and row.ticker == "AAPL" for row in held.states("estimated"))
        assert held.micros >= held.bill(stats)
    else:
        assert held.counts("spent") == {name: stats["tokens"][name] for name in held.counts("spent")}


# Faults that stop a night


@dataclass(frozen=True)
class Stopping:
    """A fault that does not pass, and how the night ends."""

    do: Any
    kind: type[RebuttalError]
    words: tuple[str, ...]
    most: int
    """Most requests of the analysts."""
    owed: bool = False
    """Whether tries may have been billed."""
    sets: tuple[str, ...] = ()


DEADLINE = ("provider.deadline_seconds=0.6",)
FAR = format_datetime(datetime(2099, 1, 1, tzinfo=UTC), usegmt=True)

STOPPING = {
    "F051": Stopping({"status": 429, "retry_after": "86400"}, RateLimited, ("86,400 s", "cap_seconds = 120"), 4),
    "F052": Stopping({"status": 429, "retry_after": FAR}, RateLimited, ("rate limited", "cap_seconds = 120"), 4),
    "F054": Stopping(
        {"status": 429, "error_code": "enforced_spend_limit_reached"}, SpendLimit, ("spend limit", "raise it"), 4
    ),
    "F055": Stopping({"status": 400, "message": "You reached your workspace spend limit"}, SpendLimit, ("limit",), 4),
    "F055-credit": Stopping({"status": 400, "message": "Your credit balance is too low"}, SpendLimit, ("credit",), 4),
    "F057": Stopping(
        {"status": 529},
        ModelDown,
        ("failed 3 times in a row", "529"),
        7,
        sets=("provider.breaker=3", "provider.max_in_flight=2"),
    ),
    "F059": Stopping({"status": 401, "message": f"bad {KEY}"}, RebuttalError, ("ANTHROPIC_API_KEY", "[key]"), 4),
    "F062": Stopping("reset_mid_body", ModelDown, ("connection lost", "tries: 2"), 8, owed=True),
    "F063": Stopping("hang", ModelDown, ("deadline_seconds = 0.6", "may have been billed"), 4, True, DEADLINE),
    "F064": Stopping({"drip": 20}, ModelDown, ("deadline_seconds = 0.6",), 4, True, DEADLINE),
    "F065": Stopping("html", ModelDown, ("not a Message", "base_url"), 8, owed=True),
    "F066": Stopping("cut_json", ModelDown, ("not a Message",), 8, owed=True),
    "F067": Stopping("stream_no_stop", ModelDown, ("message_stop",), 8, True, STREAM),
    "F068": Stopping(  # as F057: at most twice the places, and the row, by what the configuration says of `breaker`
        "stream_overloaded",
        ModelDown,
        ("529 in the stream",),
        7,
        True,
        (*STREAM, "provider.breaker=3", "provider.max_in_flight=2"),
    ),
    "F069": Stopping("reset_mid_body", ModelDown, ("connection lost",), 8, True, STREAM),
}


@pytest.mark.parametrize("fault", STOPPING.values(), ids=STOPPING)
def test_a_fault_that_stays_stops_the_night_and_it_can_go_on(fault: Stopping, tmp_path: Path) -> None:
    begun = time.monotonic()
    script = [{"when": {"skill": f"{axis}-analyst"}, "do": fault.do} for axis in ("technical", "sentiment")]
    with FakeModel({"script": script}) as server:
        held = night(server.url, tmp_path, *fault.sets)
        stats = server.stats()
    assert time.monotonic() - begun < 60
    assert isinstance(held.error, fault.kind) and held.exit == 4
    assert all(word in held.said for word in fault.words), held.said
    assert KEY not in held.said
    assert (held.state, held.stored) == ("stopped", 1), "what was bought is kept, and no ticker has a row"
    assert 1 <= stats["turns"] - 1 <= fault.most
    (first, *rest) = held.spend
    assert (first.state, first.skill) == ("spent", "macro-bias")
    assert bool(rest) == fault.owed, "only what may have been billed stays booked"
    assert all(row.micros > first.micros for row in rest)
    if fault.owed:
        assert held.micros >= held.bill(stats)
    with FakeModel({}) as server:
        said = [word for word in fault.sets if word in STREAM]
        again = night(server.url, tmp_path, *said, resume=True)
    assert again.finished is not None and again.exit == 0
    assert (again.finished.record.calls.replayed, again.stored) == (1, ASKED)
    assert again.spend[: len(held.spend)] == held.spend, "a resumed run takes nothing back"


def test_F055_no_other_ticker_is_tried(tmp_path: Path) -> None:
    with FakeModel(rule({"status": 400, "message": "workspace spend limit"})) as server:
        held = night(server.url, tmp_path, "operation.threads=1")
        bodies = [str(seen.body) for seen in server.bodies]
    assert isinstance(held.error, SpendLimit)
    assert any("AAPL" in body for body in bodies) and not any("IBM" in body for body in bodies)


# A model that is not there


def test_F060_an_unknown_model_stops_with_its_file_and_line(tmp_path: Path) -> None:
    config = tmp_path / "mine.yaml"
    config.write_text("provider: {name: anthropic}\n# who speaks\nmodels:\n  # everyone\n  default: claude-typo\n")
    with FakeModel({}) as server:
        held = night(server.url, tmp_path / "out", config=config)
        assert server.stats()["turns"] == 1
    assert isinstance(held.error, UsageError) and held.exit == 2
    assert "'claude-typo'" in held.said and f"{config}, line 5 (default)" in held.said
    assert not held.spend


@pytest.mark.parametrize("word", ["models.default=claude-typo", "models={default: claude-typo}"])
def test_F060_a_model_set_on_the_command_line_is_said_to_be(word: str, tmp_path: Path) -> None:
    with FakeModel({}) as server:
        held = night(server.url, tmp_path, word)
    assert f"--set {word.partition('=')[0]}" in held.said and "yaml" not in held.said


# Faults of one ticker


def test_F061_a_prompt_that_is_too_long_fails_its_ticker_alone(tmp_path: Path) -> None:
    with FakeModel(rule({"status": 413, "message": "prompt is too long"})) as server:
        held = night(server.url, tmp_path)
        assert server.stats()["turns"] == ASKED
    row = held.rows["AAPL"]
    assert (row.status, held.rows["IBM"].status, held.exit) == ("failed", "gated", 1)
    assert row.conviction_post is None
    assert "technical-analyst" in (row.reason or "") and "bytes" in (row.reason or "")
    assert len(held.spend) == ASKED - 1


@pytest.mark.parametrize(
    ("skill", "flagged"),
    [("technical-analyst", {"AAPL"}), ("macro-bias", {"AAPL", "IBM"}), ("research-manager", {"AAPL"})],
)
def test_F070_a_reply_without_usage_is_booked_at_the_worst_case_and_flagged(
    skill: str, flagged: set[str], tmp_path: Path
) -> None:
    when = {"skill": skill, **({} if skill == "macro-bias" else {"ticker": "AAPL"})}
    with FakeModel({"script": [{"when": when, "do": "no_usage"}]}) as server:
        held = night(server.url, tmp_path, debate="all" if skill == "research-manager" else "none")
    assert held.exit == 0
    (row,) = held.states("estimated")
    assert row.skill == skill and row.micros > max(one.micros for one in held.states("spent"))
    assert {ticker for ticker, one in held.rows.items() if "unpriced" in one.flags} == flagged


def test_F071_an_unknown_stop_reason_is_no_turn(tmp_path: Path) -> None:
    with FakeModel(rule({"stop_reason": "brand_new"})) as server:
        held = night(server.url, tmp_path)
        assert server.stats()["turns"] == ASKED
    row = held.rows["AAPL"]
    assert (row.status, held.rows["IBM"].status) == ("degraded", "gated")
    assert "unknown_stop" in (row.reason or "") and "missing_technical" in row.flags


def test_F032_a_stub_after_the_repair_is_flagged_and_no_turn(tmp_path: Path) -> None:
    stub = {"skill": "research-debate", "seat": "bull", "ticker": "AAPL"}
    with FakeModel({"script": [{"when": stub, "do": {"mutate": {"argument": "test"}}}]}) as server:
        held = night(server.url, tmp_path, debate="all")
    row, other = held.rows["AAPL"], held.rows["IBM"]
    assert {"degenerate", "retry_exhausted", "bull_1_void"} <= set(row.flags)
    assert not {"degenerate", "retry_exhausted"} & set(other.flags)
    assert row.conviction_delta in (0, None)
    assert held.finished is not None and held.finished.record.calls.void > 0


# Other hosts


def test_F072_the_key_goes_to_no_other_host(tmp_path: Path) -> None:
    with FakeModel({}) as other, FakeModel(rule({"redirect": f"{other.url}/v1/messages"})) as server:
        held = night(server.url, tmp_path)
        assert (other.stats()["requests"], other.stats()["connections"]) == (0, 0)
        assert all(seen.headers["authorization"] == f"Bearer {KEY}" for seen in server.bodies)
    assert "redirects to 127.0.0.1" in held.said and "not followed" in held.said and held.exit == 4


def test_F073_a_host_without_a_name_stops_the_night_without_cost(tmp_path: Path) -> None:
    held = night("https://model.invalid", tmp_path, "provider.hosts=[model.invalid]")
    assert isinstance(held.error, ModelDown) and "name is not found" in held.said and "tries: 4" in held.said
    assert (held.exit, held.state, held.spend) == (4, "stopped", [])


# Before anything is asked


@pytest.mark.parametrize(
    ("sets", "ceiling", "said"),
    [
        pytest.param(("operation.max_cost=",), None, ("no spend ceiling", "--max-cost", "--estimate"), id="F150"),
        pytest.param(("provider.base_url=http://api.anthropic.com",), 5, ("https",), id="F162-plain"),
        pytest.param(("provider.base_url=https://example.com",), 5, ("example.com", "provider.hosts"), id="F162-host"),
        pytest.param(("provider.key=AN_EMPTY_KEY",), 5, ("AN_EMPTY_KEY", "is not set"), id="F163"),
        pytest.param(("provider.key=A_BLANK_KEY",), 5, ("A_BLANK_KEY", "is not set"), id="F163-blank"),
    ],
)
def test_refused_before_anything_is_asked(
    sets: tuple[str, ...], ceiling: float | None, said: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AN_EMPTY_KEY", "")
    monkeypatch.setenv("A_BLANK_KEY", " \n")
    with pytest.raises(UsageError) as caught:
        plan(Words(("IBM",), CONFIGS / "anthropic.yaml", sets, max_cost=ceiling), None)
    assert all(word in str(caught.value) for word in said) and caught.value.exit_code == 2


def test_F150_an_estimate_needs_no_ceiling(cli: Cli) -> None:
    words = ("--config", CONFIGS / "anthropic.yaml", "--set", "operation.max_cost=", "IBM")
    refused = cli("run", *words, env={"ANTHROPIC_API_KEY": KEY})
    assert refused.code == 2 and "--max-cost" in refused.error
    assert list(cli.cwd.iterdir()) == [], "nothing was started"
    assert cli("run", *words, "--debate", "none", "--estimate", env={"ANTHROPIC_API_KEY": KEY}).code == 0


# Interrupted while calls are under way

GIVE_UP = "import phases.core.runner\nphases.core.runner.GIVE_UP_SECONDS = 0.5\n"


@pytest.mark.parametrize("number", [signal.SIGINT, *([signal.SIGTERM] if NIGHTLY else [])])
def test_F079_an_interrupt_ends_calls_under_way_and_the_night_goes_on_later(
    number: signal.Signals, cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(GIVE_UP)
    env = {"ANTHROPIC_API_KEY": KEY, "PYTHONPATH": f"{tmp_path}:{ROOT}"}
    with FakeModel({"script": [{"when": {"skill": "technical-analyst", "attempt": 1}, "do": "hang"}]}) as server:
        config = ("--config", CONFIGS / "anthropic.yaml", "--set", f"provider.base_url={server.url}")
        words = ("--as-of", DAY, "--debate", "none", "--max-cost", "5", "--out", tmp_path / "out", *config)
        with cli.start("run", "AAPL", "IBM", *words, env=env) as process:
            _await_turns(server, ASKED, process)
            begun = time.monotonic()
            process.send_signal(number)
            _, complaint = process.communicate(timeout=60)
        assert process.returncode == 130 and time.monotonic() - begun < 40
        assert b"Traceback" not in complaint
        assert complaint.splitlines()[-1].startswith(b"interrupted; go on with `run --resume last --out ")
        assert server.stats()["in_flight"] == 0
        again = cli("run", "--resume", "last", *words, "--json", env=env)
        stats = server.stats()
    assert again.code == 0, again.err
    assert again.json["calls"]["replayed"] == 1
    under_way = ASKED - 1
    assert stats["duplicates"] <= under_way and stats["turns"] <= ASKED + under_way


def _await_turns(server: FakeModel, turns: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 60
    while server.stats()["turns"] < turns:
        assert process.poll() is None and time.monotonic() < until, "the turns did not come"
        time.sleep(0.02)
