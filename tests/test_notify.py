"""Who is told when a run ends: a real server and real commands, whatever the end; none of them changes the run."""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from phases.core.errors import UsageError
from phases.notify import address
from schemas.notice import RunNotice
from schemas.operation import NotifySettings
from tests.conftest import Cli, Desk, Told

NIGHT = ("run", "AAPL", "IBM")
ALWAYS = ("--set", "notify.on=always")


def script(path: Path, text: str) -> str:
    """A program."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def notice_of(path: Path) -> dict[str, Any]:
    """The one notice a program wrote, valid under its contract."""
    text = path.read_text()
    RunNotice.model_validate_json(text)
    return dict(json.loads(text))


def gauges(path: Path) -> dict[tuple[str, str], float]:
    """Values of a metrics file by name and value of the only label, as the library's own parser reads it."""
    families = text_string_to_metric_families(path.read_text())
    samples = [one for family in families for one in family.samples]
    return {(one.name, "".join(one.labels.values()) if len(one.labels) < 2 else ""): one.value for one in samples}


def same(one: Told, other: Told) -> bool:
    """Whether two runs ended alike."""
    return one.code == other.code and {**one.json, "out": ""} == {**other.json, "out": ""}


def test_a_command_gets_the_notice_of_a_finished_run(tmp_path: Path, cli: Cli) -> None:
    command = script(tmp_path / "hook", f'cat > "{tmp_path}/$1.json"; env > {tmp_path}/env')
    secrets = {"ANTHROPIC_API_KEY": "sk-canary", "OTHER": "kept"}
    out = tmp_path / "out"
    told = cli(*NIGHT, "--out", out, "--json", *ALWAYS, "--set", f"notify.command=[{command}, note]", env=secrets)
    notice = notice_of(tmp_path / "note.json")
    assert told.code == notice["exit"] == 0 and notice["outcome"] == "finished" and notice["reason"] is None
    assert notice["record"] == told.json and notice["feed"] == str(Path(told.json["out"]) / "feed.csv")
    env = (tmp_path / "env").read_text()
    assert "OTHER=kept" in env and "sk-canary" not in env


def test_only_problems_are_told_of_unless_said_otherwise(tmp_path: Path, cli: Cli) -> None:
    command = script(tmp_path / "hook", f"cat > {tmp_path}/note.json")
    hook = ("--set", f"notify.command=[{command}]")
    assert cli(*NIGHT, "--out", tmp_path / "out", *hook).code == 0
    assert not (tmp_path / "note.json").exists()
    assert cli("run", "AAPL", "ZZZZ", "--out", tmp_path / "out", *hook).code == 1
    notice = notice_of(tmp_path / "note.json")
    assert (notice["exit"], notice["outcome"]) == (1, "finished")
    assert notice["record"]["statuses"] == {"debated": 1, "no_data": 1}


def test_a_run_that_was_interrupted_is_told_of(tmp_path: Path, desk: Callable[[float], Desk]) -> None:
    watched, command = desk(0.2), script(tmp_path / "hook", f"cat > {tmp_path}/note.json")
    process = watched.cli.start(
        *NIGHT, "--out", tmp_path / "out", "--set", f"notify.command=[{command}]",
        "--set", f"operation.metrics_dir={tmp_path}",
    )  # fmt: skip
    watched.await_lines(4, process)
    process.terminate()
    process.communicate(timeout=60)
    notice = notice_of(tmp_path / "note.json")
    assert process.returncode == notice["exit"] == 130
    assert (notice["outcome"], notice["reason"], notice["record"]) == ("interrupted", "interrupted", None)
    found = gauges(tmp_path / "rebuttal.prom")
    assert found["rebuttal_run_exit_code", ""] == 130 and ("rebuttal_debates", "") not in found


def test_a_run_that_failed_is_told_of(tmp_path: Path, cli: Cli) -> None:
    command = script(tmp_path / "hook", f"cat > {tmp_path}/note.json")
    down = ("provider.name=anthropic", "models.default=claude-haiku-5-5", "provider.base_url=http://127.0.0.1:9")
    sets = [word for one in (*down, "operation.max_cost=1", f"notify.command=[{command}]") for word in ("--set", one)]
    told = cli(*NIGHT, "--out", tmp_path / "out", *sets, env={"ANTHROPIC_API_KEY": "sk-canary"})
    notice = notice_of(tmp_path / "note.json")
    assert told.code == notice["exit"] == 4 and notice["outcome"] == "failed"
    assert notice["reason"] in told.err and "sk-canary" not in json.dumps(notice)


# what goes wrong with a hook


def test_a_hook_that_hangs_is_ended_with_all_its_children(tmp_path: Path, cli: Cli) -> None:
    command = script(tmp_path / "hook", f"sleep 300 & echo $! > {tmp_path}/pid; wait")
    plain = cli(*NIGHT, "--out", tmp_path / "plain", "--json")
    hook = (*ALWAYS, "--set", f"notify.command=[{command}]", "--set", "notify.timeout_seconds=1")
    told = cli(*NIGHT, "--out", tmp_path / "out", "--json", *hook)
    assert same(told, plain)
    assert told.err.splitlines()[-1].startswith(
        f"note: notify.command: {command}: ended after notify.timeout_seconds = 1"
    )
    pid = int((tmp_path / "pid").read_text())
    until = time.monotonic() + 30
    while time.monotonic() < until and _alive(pid):
        time.sleep(0.05)
    assert not _alive(pid)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


@pytest.mark.parametrize(
    ("command", "words"),
    [("[/no/such/program]", "No such file"), ("[sh, -c, 'echo first >&2; echo why >&2; exit 3']", "exit code 3: why")],
)
def test_a_command_that_fails_is_one_line(tmp_path: Path, cli: Cli, command: str, words: str) -> None:
    told = cli("run", "AAPL", "--out", tmp_path / "out", "--quiet", *ALWAYS, "--set", f"notify.command={command}")
    assert told.code == 0 and len(told.err.splitlines()) == 1
    assert told.err.startswith("note: notify.command:") and words in told.err


@pytest.mark.parametrize(
    ("status", "said"),
    [(204, None), (500, "note: notify.webhook: HTTP 500;"), (302, "note: notify.webhook: HTTP 302, a redirect;")],
)
def test_a_webhook_is_posted_to_once_and_never_followed(
    tmp_path: Path, cli: Cli, httpserver: HTTPServer, status: int, said: str | None
) -> None:
    bodies: list[Any] = []

    def received(request: Request) -> Response:
        bodies.append((request.method, request.path, request.content_type, request.get_json()))
        return Response(status=status, headers={"Location": httpserver.url_for("/elsewhere")})

    httpserver.expect_request("/").respond_with_handler(received)
    httpserver.expect_request("/hook").respond_with_handler(received)
    httpserver.expect_request("/elsewhere").respond_with_handler(received)
    hook = ("--set", "notify.webhook=$HOOK")
    env = {"HOOK": httpserver.url_for("/hook"), "http_proxy": "http://127.0.0.1:9"}
    told = cli("run", "AAPL", "--out", tmp_path / "out", "--json", *ALWAYS, *hook, env=env)
    ((method, path, kind, notice),) = bodies
    assert (method, path, kind, told.code) == ("POST", "/hook", "application/json", 0)
    assert notice["record"] == told.json
    last = told.err.splitlines()[-1]
    assert last.startswith(said) if said else not last.startswith("note:")
    stored = (tmp_path / "out" / "rebuttal.db").read_bytes()
    assert b"$HOOK" in stored and env["HOOK"].encode() not in stored


def test_a_webhook_that_does_not_answer_is_given_up(tmp_path: Path, cli: Cli, httpserver: HTTPServer) -> None:
    def slow(_: Request) -> Response:
        time.sleep(3)
        return Response()

    httpserver.expect_request("/hook").respond_with_handler(slow)
    words = (f"notify.webhook={httpserver.url_for('/hook')}", "notify.timeout_seconds=0.5")
    told = cli("run", "AAPL", "--out", tmp_path / "out", *ALWAYS, *(w for one in words for w in ("--set", one)))
    assert told.code == 0
    assert "note: notify.webhook: no answer within notify.timeout_seconds = 0.5; the run is as it was" in told.err


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://hooks.example.com/T0/secret", "hooks.example.com must be reached by https"),
        ("ftp://127.0.0.1/secret", "must be reached by https"),
        ("https:///secret", "must be an address"),
        ("https://h:port/secret", "must be an address"),
        ("$NO_SUCH_VARIABLE", "NO_SUCH_VARIABLE is not set"),
    ],
)
def test_an_address_that_may_not_be_used_is_refused_and_not_repeated(url: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as refused:
        address(NotifySettings(webhook=url))
    assert "secret" not in str(refused.value)


def test_a_wrong_address_starts_nothing(tmp_path: Path, cli: Cli) -> None:
    told = cli("run", "AAPL", "--out", tmp_path / "out", "--json", "--set", "notify.webhook=http://example.com")
    assert told.code == 2 and "notify.webhook" in told.err
    assert not any((tmp_path / "out").glob("*/"))


def test_who_is_told_is_no_part_of_a_runs_identity(tmp_path: Path, cli: Cli) -> None:
    plain = cli(*NIGHT, "--out", tmp_path / "out", "--json")
    hook = cli(
        *NIGHT, "--out", tmp_path / "out", "--json", "--set", "notify.command=[true]", "--set", "operation.log=json"
    )
    assert plain.json["run_id"] == hook.json["run_id"] and hook.json["calls"]["made"] == 0


# metrics


def test_metrics_are_those_of_the_record(tmp_path: Path, cli: Cli) -> None:
    told = cli("run", "AAPL", "ZZZZ", "--out", tmp_path / "out", "--json")
    found = gauges(Path(told.json["out"]) / "metrics.prom")
    health = told.json["health"]
    assert found["rebuttal_run_exit_code", ""] == told.code == 1
    assert found["rebuttal_tickers", "debated"] == 1 and found["rebuttal_tickers", "no_data"] == 1
    assert found["rebuttal_tickers", "gated"] == 0, "what is not there is 0, so that a rule can name it"
    assert found["rebuttal_calls", "made"] == told.json["calls"]["made"]
    assert (
        found["rebuttal_debates", ""] == health["debates"]
        and found["rebuttal_debates_changed", ""] == health["changed"]
    )
    assert found["rebuttal_evidence_items", "known"] == health["coverage"]["items"]
    assert abs(found["rebuttal_run_ended_timestamp_seconds", ""] - time.time()) < 600


def test_a_folder_for_metrics_that_cannot_be_written_is_one_line(tmp_path: Path, cli: Cli) -> None:
    told = cli("run", "AAPL", "--out", tmp_path / "out", "--quiet", "--set", "operation.metrics_dir=/proc/none")
    assert told.code == 0 and told.err.startswith("note: /proc/none/rebuttal.prom was not written")
