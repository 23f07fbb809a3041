"""End to end: the command line as a real process, and finished nights that several tests look at."""

from __future__ import annotations

import fcntl
import gc
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.postgres import Server, end_server, start_server

ROOT = Path(__file__).resolve().parents[1]
DAY = "2012-06-29"

DESK = '''"""Notes what the offline desk is asked, and makes it slow enough to be killed between two turns."""

import hashlib
import os
import sys
import time

sys.path.insert(0, os.environ["DESK_ROOT"])
from phases.providers.offline import OfflineDesk

sys.path.pop(0)
answer = OfflineDesk.replies


def replies(self, requests):
    prompts = [hashlib.sha256(one.prompt.text.encode()).hexdigest()[:16] for one in requests]
    with open(os.environ["DESK_LOG"], "a") as log:
        log.write("".join(f"{os.getpid()} {one} {len(prompts)}\\n" for one in prompts))
    time.sleep(float(os.environ["DESK_SECONDS"]))
    return answer(self, requests)


OfflineDesk.replies = replies
'''


def pytest_configure() -> None:
    """A suite that is started in the background ignores Ctrl-C; the runs that it starts must not."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Thousands of collected tests stay to the end: the collector need not walk over them again and again."""
    gc.collect()
    gc.freeze()


@dataclass(frozen=True)
class Told:
    """What a finished process said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Stdout, which must be one JSON object and nothing else."""
        return json.loads(self.out)

    @property
    def error(self) -> str:
        """The one line an error consists of."""
        assert self.out == "", self.out
        lines = self.err.splitlines()
        assert len(lines) == 1 and lines[0].startswith("error: "), self.err
        return lines[0]


@dataclass(frozen=True)
class Cli:
    """Starts `run_pipeline.py` as a user does."""

    cwd: Path
    env: Mapping[str, str] = field(default_factory=dict)
    root: Path = ROOT

    def start(self, *words: object, env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        """A process that runs; its stdin is closed."""
        return subprocess.Popen(
            [sys.executable, str(self.root / "run_pipeline.py"), *map(str, words)],
            cwd=self.cwd,
            env={**os.environ, "COLUMNS": "120", **self.env, **(env or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def __call__(self, *words: object, env: Mapping[str, str] | None = None, stdin: str = "") -> Told:
        """A process from its start to its end."""
        with self.start(*words, env=env) as process:
            try:
                out, err = process.communicate(stdin.encode(), timeout=120)
            finally:
                process.kill()
        return Told(process.returncode, out.decode(), err.decode())


def await_engine(process: subprocess.Popen[bytes]) -> None:
    """Wait until a run says which engine speaks: its work begins now."""
    assert process.stderr is not None
    while not (line := process.stderr.readline()).startswith(b"engine: "):
        assert line.startswith(b"note: "), line


@dataclass(frozen=True)
class Desk:
    """A command line whose offline desk is watched."""

    cli: Cli
    log: Path

    @property
    def asked(self) -> Counter[str]:
        """How often each prompt reached the desk."""
        return Counter(line.split()[1] for line in self.lines)

    @property
    def lines(self) -> list[str]:
        """One line a prompt that reached the desk: process, prompt, prompts spoken together with it."""
        return self.log.read_text().splitlines() if self.log.exists() else []

    def await_lines(self, number: int, process: subprocess.Popen[bytes]) -> None:
        """Wait until so many prompts have reached the desk."""
        until = time.monotonic() + 60
        while len(self.lines) < number:
            assert process.poll() is None and time.monotonic() < until, f"only {len(self.lines)} prompts came"
            time.sleep(0.01)


@dataclass(frozen=True)
class Shelf:
    """Folder of one store, looked at from outside."""

    path: Path

    @property
    def folder(self) -> Path:
        """Its one run folder."""
        (found,) = (one for one in self.path.iterdir() if one.is_dir())
        return found

    def feed(self) -> dict[str, bytes]:
        """Bytes of the exported feed; nothing but the exports, their schema, the page and the record may lie there."""
        files = {one.name: one.read_bytes() for one in self.folder.iterdir()}
        exports = {"feed.csv", "feed.json", "feed.schema.json"}
        assert set(files) - {"report.html"} == exports | {"metrics.prom", "run.json"}
        return {name: files[name] for name in ("feed.csv", "feed.json")}

    def rows(self) -> dict[str, dict[str, Any]]:
        """Rows of feed.json by ticker, without what names the run."""
        found = json.loads((self.folder / "feed.json").read_text())["rows"]
        return {row["ticker"]: {key: value for key, value in row.items() if key != "run_id"} for row in found}

    def ask(self, query: str, *, spare: Path | None = None) -> list[Any]:
        """Rows of the store; with `spare`, of a copy made there, so that the store stays as a kill left it."""
        file = self.path / "rebuttal.db"
        if spare is not None:
            shutil.rmtree(spare, ignore_errors=True)
            shutil.copytree(self.path, spare)
            file = spare / "rebuttal.db"
        with closing(sqlite3.connect(file)) as connection, connection:
            return connection.execute(query).fetchall()

    def replies(self) -> set[str]:
        """Journal keys of all replies."""
        return {key for (key,) in self.ask("SELECT key FROM calls WHERE kind = 'ask' AND state = 'done'")}

    def called(self) -> Counter[str]:
        """How often an answered call of each key was recorded."""
        events = [json.loads(body) for (body,) in self.ask("SELECT body FROM events")]
        return Counter(event["key"] for event in events if event["kind"] == "called")

    def copy(self, to: Path) -> Shelf:
        """The same store at another place."""
        shutil.copytree(self.path, to)
        return Shelf(to)


@dataclass(frozen=True)
class Night(Shelf):
    """The store of a night that several tests look at, and what its processes said. Read only."""

    told: tuple[Told, ...] = ()


Shared = Callable[[str, Callable[[Path], list[Told]]], Night]


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Shared:
    """Builds the folder `name`, with its store in `out`, once for all workers."""
    base = tmp_path_factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def built(name: str, build: Callable[[Path], list[Told]]) -> Night:
        place, notes = base / f"shared-{name}", base / f"shared-{name}.json"
        with (base / f"shared-{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not notes.exists():
                shutil.rmtree(place, ignore_errors=True)
                place.mkdir()
                notes.write_text(json.dumps([vars(one) for one in build(place)]))
        return Night(place / "out", tuple(Told(**one) for one in json.loads(notes.read_text())))

    return built


GOALS = "goals"
"""Name of the property that a test of a goal carries to the summary."""

Goal = Callable[..., None]


@pytest.fixture
def goal(record_property: Callable[[str, object], None]) -> Goal:
    """Notes figures of a goal for the summary, by name and unit; those of several tests are added up."""
    return lambda name, **figures: record_property(GOALS, (name, figures))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the figures of the goals: one line for each."""
    told: dict[str, Counter[str]] = {}
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        for name, value in getattr(report, "user_properties", ()) if report.when == "call" else ():
            if name == GOALS:
                told.setdefault(value[0], Counter()).update(value[1])
    if told:
        terminalreporter.section("goals")
    for name, figures in sorted(told.items(), key=lambda one: (len(one[0].split()[0]), one[0])):
        words = ", ".join(f"{round(number, 2):,} {unit.replace('_', ' ')}" for unit, number in figures.items())
        terminalreporter.write_line(f"{name}: {words}")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server; a test that ends it starts it again."""
    server = start_server()
    yield server
    end_server(server)


@pytest.fixture
def database(postgres: Server) -> str:
    """URL of a new, empty database, or what is as good as one; with its password."""
    return postgres.schema()


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """The command line, started in an empty folder."""
    cwd = tmp_path / "here"
    cwd.mkdir()
    return Cli(cwd)


@pytest.fixture
def three(shared: Shared) -> Night:
    """A night of three names that all have prices."""

    def build(place: Path) -> list[Told]:
        return [Cli(place)("run", "AAPL", "IBM", "MSFT", "--as-of", DAY, "--out", place / "out", "--json")]

    return shared("three", build)


@pytest.fixture
def desk(tmp_path: Path) -> Callable[[float], Desk]:
    """The command line with a watched desk that takes so many seconds a turn."""

    def watched(seconds: float) -> Desk:
        return watched_desk(tmp_path, seconds)

    return watched


def watched_desk(place: Path, seconds: float, root: Path = ROOT) -> Desk:
    """A watched desk whose log and stub lie in a folder."""
    stub, log = place / "desk", place / "desk.log"
    stub.mkdir(exist_ok=True)
    (stub / "sitecustomize.py").write_text(DESK)
    env = {"PYTHONPATH": str(stub), "DESK_ROOT": str(root), "DESK_LOG": str(log), "DESK_SECONDS": str(seconds)}
    return Desk(Cli(place, env, root), log)
