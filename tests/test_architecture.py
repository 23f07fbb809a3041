"""The shape of the program: which way imports go, how long things get, and where each power may be used."""

from __future__ import annotations

import ast
import json
import re
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from phases.core.skills import load_skills
from phases.core.store import open_store
from phases.lint import UNASKED
from phases.pipeline import PIPELINE
from schemas import CONTRACTS

ROOT = Path(__file__).resolve().parents[1]
TOP = (ROOT / "run_pipeline.py", ROOT / "__main__.py")
FILES = [*TOP, *sorted((ROOT / "phases").rglob("*.py")), *sorted((ROOT / "schemas").rglob("*.py"))]
"""The program. Tests and benchmarks are no part of it."""

BENCH = sorted((ROOT / "bench").rglob("*.py"))

MODULE_LINES, MODULE_MEDIAN = 350, 120
FUNCTION_LINES, FUNCTION_MEDIAN = 50, 10
NESTING = 3

Function = ast.FunctionDef | ast.AsyncFunctionDef


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def _functions(path: Path) -> Iterator[Function]:
    yield from (node for node in ast.walk(_tree(path)) if isinstance(node, Function))


def _calls(path: Path) -> Iterator[str]:
    """Everything that is called, as it is written."""
    yield from (ast.unparse(node.func) for node in ast.walk(_tree(path)) if isinstance(node, ast.Call))


def _imports(path: Path) -> Iterator[str]:
    """Modules and names that are imported, in dotted form."""
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _where(test: Callable[[Path], Any]) -> set[str]:
    return {_name(path) for path in FILES if test(path)}


# Imports


def test_imports_go_one_way() -> None:
    """The contracts of import-linter in pyproject.toml."""
    script = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([str(script), "--no-logo", "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 broken" in done.stdout


def test_every_module_of_the_phases_has_its_layer() -> None:
    """A new module that no layer names would be free of every rule."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    layered = set(re.findall(r"phases\.[a-z_.]+|\bschemas\b", re.search(r"layers = \[(.*?)\n\]", text, re.DOTALL)[1]))
    own = {f"phases.{path.stem}" for path in (ROOT / "phases").iterdir() if path.suffix == ".py" or path.is_dir()}
    assert own - {"phases.__init__", "phases.__pycache__"} <= layered


def test_nobody_imports_the_command_line_or_a_test() -> None:
    assert _where(lambda path: any(re.match(r"(run_pipeline|tests|bench)\b", one) for one in _imports(path))) == {
        "__main__.py"
    }


def test_no_import_is_relative() -> None:
    relative = [node for path in FILES for node in ast.walk(_tree(path)) if getattr(node, "level", 0)]
    assert relative == []


# Budgets


@pytest.mark.parametrize("path", [*FILES, *BENCH], ids=_name)
def test_module_is_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MODULE_LINES


@pytest.mark.parametrize("path", [*FILES, *BENCH], ids=_name)
def test_functions_are_short_and_say_what_they_return(path: Path) -> None:
    for function in _functions(path):
        where = f"{_name(path)}:{function.lineno} {function.name}"
        assert (function.end_lineno or 0) - function.lineno < FUNCTION_LINES, where
        assert function.returns is not None, where


BLOCKS = (ast.For, ast.While, ast.If, ast.With, ast.Try, ast.Match)


def _depth(node: ast.AST) -> int:
    """Greatest number of blocks inside one another; an `elif` is beside its `if`, not inside it."""
    depths = [0]
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, Function | ast.ClassDef):
            beside = isinstance(node, ast.If) and isinstance(child, ast.If) and node.orelse == [child]
            depths.append(_depth(child) - beside)
    return max(depths) + isinstance(node, BLOCKS)


def test_blocks_are_not_nested_deep() -> None:
    deep = {f"{_name(path)}: {one.name}" for path in FILES for one in _functions(path) if _depth(one) > NESTING}
    assert deep <= {"phases/debate/protocol.py: _check_stages"}


def test_medians() -> None:
    lines = [len(path.read_text(encoding="utf-8").splitlines()) for path in FILES]
    sizes = [(one.end_lineno or 0) - one.lineno + 1 for path in FILES for one in _functions(path)]
    assert statistics.median(lines) <= MODULE_MEDIAN
    assert statistics.median(sizes) <= FUNCTION_MEDIAN


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_everything_public_has_a_docstring(path: Path) -> None:
    tree = _tree(path)
    assert ast.get_docstring(tree) or "migrations/" in _name(path)
    parts = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    public = [*tree.body, *(member for part in parts if not part.name.startswith("_") for member in part.body)]
    for node in public:
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node) or "migrations/" in _name(path), f"{_name(path)}: {node.name}"


# Powers


def test_only_the_recorder_reads_the_clock() -> None:
    clock = re.compile(
        r"(^|\.)(now|utcnow|today|time|monotonic|perf_counter|sleep|time_ns|gmtime|localtime|fromtimestamp)$"
    )
    from_recorder = {"today", "utc_now", "later", "pause", "ticks"}
    readers = _where(lambda path: any(clock.search(one) and one not in from_recorder for one in _calls(path)))
    assert readers <= {"phases/core/recorder.py"}
    assert _where(lambda path: {one.partition(".")[0] for one in _imports(path)} & {"time"}) == {
        "phases/core/recorder.py"
    }
    for name in from_recorder:
        takers = _where(lambda path, name=name: any(one.endswith(f".{name}") for one in _imports(path)))
        sources = {one for path in FILES for one in _imports(path) if one.endswith(f".{name}")}
        assert not takers or sources == {f"phases.core.recorder.{name}"}


def test_nothing_is_random() -> None:
    modules = {"random", "secrets", "uuid"}
    assert _where(lambda path: {one.partition(".")[0] for one in _imports(path)} & modules) == set()
    assert _where(lambda path: re.search(r"np\.random|urandom|default_rng", path.read_text(encoding="utf-8"))) == set()


def test_nothing_depends_on_the_order_of_a_set_or_on_hash() -> None:
    assert _where(lambda path: "hash" in set(_calls(path))) == set()


def test_only_the_configuration_may_read_the_environment() -> None:
    found = _where(
        lambda path: re.search(r"\bos\.(environ|getenv|putenv)|\benviron\b", path.read_text(encoding="utf-8"))
    )
    assert found <= {"phases/core/config.py"}


def test_nothing_is_pickled_or_evaluated() -> None:
    modules = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}
    assert _where(lambda path: {one.partition(".")[0] for one in _imports(path)} & modules) == set()
    assert _where(lambda path: {"eval", "exec", "compile", "__import__"} & set(_calls(path))) == set()
    assert (
        _where(lambda path: any(one.endswith((".eval", ".read_pickle", ".to_pickle")) for one in _calls(path))) == set()
    )


def test_only_the_command_line_prints() -> None:
    told = {"print", "sys.stdout.write", "sys.stderr.write", "typer.echo"}
    assert _where(lambda path: told & set(_calls(path))) == {"phases/entry.py", "run_pipeline.py"}


MODELS = "phases/providers/anthropic/"
"""The one folder that knows the SDK, and runs the one event loop."""

DOWNLOAD = "phases/sources/fred/web.py"
"""Fetches files over HTTP itself, in a loop of its own that ends with the question."""

HOOKS = "phases/notify.py"
"""Posts the notice of a run's end over HTTP, in a loop of its own, and starts the operator's command."""


def test_only_the_runner_and_the_event_loop_start_threads() -> None:
    starts = re.compile(
        r"(^|\.)(Thread|Timer|ThreadPoolExecutor|ProcessPoolExecutor|Pool|Process|start_new_thread|fork)$"
    )
    assert _where(lambda path: any(starts.search(one) for one in _calls(path))) == {
        "phases/core/runner.py",
        f"{MODELS}loop.py",
    }
    modules = {"multiprocessing", "subprocess"}
    assert _where(lambda path: {one.partition(".")[0] for one in _imports(path)} & modules) == {HOOKS}
    loops = _where(lambda path: {one.partition(".")[0] for one in _imports(path)} & {"asyncio"})
    assert loops == {f"{MODELS}{name}.py" for name in ("beside", "loop", "turns", "window")} | {DOWNLOAD, HOOKS}


def test_only_one_package_knows_the_sdk_and_http() -> None:
    modules = {"anthropic", "httpx2", "httpx", "aiohttp", "requests", "urllib3"}
    found = _where(lambda path: {one.partition(".")[0] for one in _imports(path)} & modules)
    assert found == {f"{MODELS}{name}.py" for name in ("beside", "clients", "faults", "sender")} | {DOWNLOAD, HOOKS}


def test_only_the_source_yahoo_knows_its_library() -> None:
    knows = _where(lambda path: {one.partition(".")[0] for one in _imports(path)} & {"yfinance", "curl_cffi"})
    assert knows and all(name.startswith("phases/sources/yahoo/") for name in knows)


# Errors


def _handlers(path: Path) -> Iterator[tuple[str, ast.ExceptHandler]]:
    """Handlers with the name of the function they stand in."""
    for function in _functions(path):
        for node in ast.walk(function):
            if isinstance(node, ast.ExceptHandler):
                yield function.name, node


def _catches(handler: ast.ExceptHandler) -> set[str]:
    return {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)} if handler.type else {"bare"}


def test_only_main_catches_every_exception() -> None:
    assert _where(lambda path: any(_catches(one) & {"Exception", "bare"} for _, one in _handlers(path))) == {
        "phases/entry.py"
    }


HANDED_ON = {("phases/core/store.py", "_commit"), ("phases/entry.py", "exit_code")}
"""The first hands what a job raised to the thread that waits for the job; see the test below. The second ends the
program with the exit code of an interrupt."""


def test_whoever_catches_even_an_interrupt_raises_it_again() -> None:
    found = set()
    for path in FILES:
        for function, handler in _handlers(path):
            if _catches(handler) & {"BaseException", "KeyboardInterrupt", "SystemExit", "GeneratorExit"}:
                last = handler.body[-1]
                raises = isinstance(last, ast.Raise) and last.exc is None
                if not raises:
                    found.add((_name(path), function))
    assert found == HANDED_ON


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3), ValueError("a job's own")])
def test_store_raises_in_the_thread_that_waits(tmp_path: Path, error: BaseException) -> None:
    store = open_store(tmp_path)

    def work(_: object) -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        store.write(work)
    assert caught.value is error
    store.close()


def test_no_failure_is_passed_over() -> None:
    """No `pass` and no `continue` alone in a handler; suppressing is written `suppress`, with the error named."""
    silent = _where(
        lambda path: any(
            len(one.body) == 1 and isinstance(one.body[0], ast.Pass | ast.Continue) for _, one in _handlers(path)
        )
    )
    assert silent == set()


# Doors


def test_the_phases_that_ask_are_those_that_name_a_skill() -> None:
    asking = {one.function.__module__ for one in PIPELINE if one.asks}
    named = {skill.metadata["phase"] for skill in load_skills(ROOT / "skills").values()} - {UNASKED}
    assert asking == {f"phases.{name}" for name in named}


def test_only_market_data_fetches() -> None:
    fetching = {one.function.__module__ for one in PIPELINE if "fetch" in one.params}
    assert fetching == {"phases.market_data"}
    assert _where(lambda path: any(one.startswith("phases.core.fetch.Fetch") for one in _imports(path))) == {
        "phases/core/outage.py",
        "phases/core/runner.py",
        "phases/market_data.py",
        "phases/night.py",
    }


def test_powers_are_keyword_only_and_no_phase_has_both() -> None:
    for one in PIPELINE:
        function = next(
            node
            for node in _functions(Path(sys.modules[one.function.__module__].__file__ or ""))
            if node.name == one.name
        )
        doors = {"ask", "fetch"} & set(one.params)
        assert doors == {"ask", "fetch"} & {arg.arg for arg in function.args.kwonlyargs}
        assert len(doors) <= 1


def test_a_phase_is_named_for_the_artefact_it_makes() -> None:
    assert [one.name for one in PIPELINE] == [one.function.__name__ for one in PIPELINE]
    for one in PIPELINE:
        assert one.makes.__name__ in CONTRACTS
        assert re.sub(r"(?<!^)([A-Z])", r"_\1", one.makes.__name__).lower() == one.name


# Start


def _loaded(*words: str, given: str = "") -> set[str]:
    """Modules that one command has imported when it ends."""
    command = [sys.executable, "-X", "importtime", "run_pipeline.py", *words]
    done = subprocess.run(command, cwd=ROOT, input=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}


HEAVY = {"pandas", "numpy", "stockstats", "exchange_calendars", "sqlalchemy", "alembic", "jsonschema", "yaml", "rich"}


def test_help_imports_nothing_heavy() -> None:
    assert _loaded("--help") & {*HEAVY, "pydantic"} == set()


def test_validate_imports_only_the_validator() -> None:
    document = json.dumps({"notes": "Growth is slowing."})
    loaded = _loaded("validate", "BiasWording", "-", given=document)
    assert loaded & HEAVY <= {"jsonschema"}
    assert not {one for one in loaded if re.match(r"phases\.(?!core|entry)", one)}


# What is tracked


@cache
def _tracked() -> tuple[Path, ...]:
    try:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("git is not installed")
    if listed.returncode:
        pytest.skip("not a clone")
    return tuple(path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file())


HOSTS = "|".join(
    ("pypi[.]org", "python" + "hosted[.]org", "npmjs[.](?:org|com)", "deb[.]debian", "anaconda[.]org", "proxy[.]golang")
)
PLACES = r"(?<![\w.$})-])/(?:work|root|home|Users|mnt|srv)/[\w.]"
ADDRESSES = r"\b(?:localhost|127[.]0[.]0[.]1|10[.]\d+[.]\d+[.]\d+|192[.]168[.]\d+[.]\d+):\d{2,5}\b"


def test_no_tracked_file_names_a_path_of_this_machine_or_a_registry() -> None:
    own = [re.escape(str(one)) + r"(?:/|\b)" for one in (ROOT, Path.home()) if len(one.parts) > 2]
    banned = re.compile("|".join([HOSTS, PLACES, ADDRESSES, *own]))
    local = re.compile("|".join([HOSTS, PLACES, *own]))
    found = []
    for path in _tracked():
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        rule = local if _name(path) == "configs/local.yaml" else banned  # a server on the user's own machine
        found += [f"{_name(path)}:{at}: {line[:120]}" for at, line in enumerate(lines, 1) if rule.search(line)]
    assert found == []


def test_nothing_that_is_made_is_tracked() -> None:
    made = re.compile(r"(^|/)(__pycache__|\.venv|runs|build|dist|\.hypothesis)/|\.(pyc|db|db-wal|log)$")
    assert [_name(path) for path in _tracked() if made.search(_name(path))] == []


def test_every_text_file_ends_with_one_line_end() -> None:
    for path in _tracked():
        raw = path.read_bytes()
        if b"\0" not in raw and raw:
            assert raw.endswith(b"\n") and not raw.endswith(b"\n\n"), _name(path)
            assert b"\r" not in raw, _name(path)
