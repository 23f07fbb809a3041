"""Spans of a night on the real SDK of OpenTelemetry, around those of the model's library; and over real HTTP."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry import trace
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from bench.fake_model.server import FakeModel
from phases.core.errors import SourceDown
from phases.core.runs import Runs
from phases.core.store import open_store
from phases.core.trace import span, tracing
from phases.night import Finished, hold_night
from phases.plan import CONFIGS, Words, plan
from tests.conftest import Cli
from tests.support import cpu_seconds

KEY = "sk-canary-3141592653589793"
TICKERS = ("AAPL", "IBM")


@pytest.fixture(scope="module")
def exporter() -> InMemorySpanExporter:
    """Where the spans of this process come out; a provider can be set but once."""
    found, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(found))
    trace.set_tracer_provider(provider)
    return found


@pytest.fixture
def spans(exporter: InMemorySpanExporter) -> Iterator[InMemorySpanExporter]:
    """The same, empty."""
    exporter.clear()
    yield exporter
    exporter.clear()


def held(url: str, out: Path) -> Finished:
    words = Words(TICKERS, CONFIGS / "anthropic.yaml", (f"provider.base_url={url}",), "2012-06-29")
    store = open_store(out)
    try:
        return hold_night(plan(words, Runs(store)), store, out, lambda ticker, reason: None)
    finally:
        store.close()


def above(one: ReadableSpan, by_id: dict[int, ReadableSpan]) -> list[str]:
    """Names of the spans over one, the nearest first."""
    names = []
    while one.parent is not None:
        one = by_id[one.parent.span_id]
        names.append(one.name)
    return names


def test_calls_lie_in_rounds_rounds_in_tickers_and_tickers_in_the_run(
    tmp_path: Path, spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with FakeModel({}) as server, tracing(pytest.fail):
        finished = held(server.url, tmp_path)
        turns = server.stats()["turns"]
    made = spans.get_finished_spans()
    by_id = {one.context.span_id: one for one in made if one.context}
    ours = [one for one in made if one.name.startswith("rebuttal.")]
    calls = [one for one in made if not one.name.startswith("rebuttal.")]

    (run,) = [one for one in ours if one.name == "rebuttal.run"]
    assert run.attributes is not None and run.parent is None
    assert run.attributes["rebuttal.run_id"] == finished.record.run_id and run.attributes["rebuttal.exit"] == 0
    tickers = {
        one.attributes["rebuttal.ticker"]: one for one in ours if one.name == "rebuttal.ticker" and one.attributes
    }
    assert {
        name: one.attributes and one.attributes["rebuttal.status"] for name, one in tickers.items()
    } == dict.fromkeys(TICKERS, "debated")
    assert all(above(one, by_id) == ["rebuttal.run"] for one in tickers.values())

    rounds = [one for one in ours if one.name == "rebuttal.round"]
    assert all(above(one, by_id) == ["rebuttal.ticker", "rebuttal.run"] for one in rounds)
    for ticker in TICKERS:  # sealed openings, then two rounds in which both answer at once
        mine = [one.attributes for one in rounds if one.attributes and one.attributes["rebuttal.ticker"] == ticker]
        assert [(one["rebuttal.round"], one["rebuttal.seats"]) for one in mine] == [
            (number, "bull bear") for number in (1, 2, 3)
        ]

    assert len(calls) == turns, "one span a call of the library"
    in_rounds = [one for one in calls if above(one, by_id)[0] == "rebuttal.round"]
    assert len(in_rounds) == 2 * len(rounds), "bull and bear"
    assert all(above(one, by_id)[-1] == "rebuttal.run" for one in calls)
    told = " ".join(one.to_json() for one in ours)
    assert KEY not in told and finished.feed.rows[0].event not in told


def test_an_error_leaves_the_name_of_its_type_and_nothing_else(spans: InMemorySpanExporter) -> None:
    with pytest.raises(SourceDown), tracing(pytest.fail), span("run", run_id="r"):
        raise SourceDown("secret words")
    (only,) = spans.get_finished_spans()
    assert "secret" not in only.to_json() and (only.attributes or {})["error.type"] == "SourceDown"
    assert not only.status.is_ok


def test_without_tracing_there_is_no_span_and_next_to_no_cost(spans: InMemorySpanExporter) -> None:
    def marked() -> None:
        for _ in range(10_000):
            with span("ticker", ticker="AAPL") as mark:
                mark("status", "debated")

    assert cpu_seconds(marked) / 10_000 < 100e-6
    assert spans.get_finished_spans() == ()


# over HTTP


def test_spans_are_sent_where_the_environment_says(tmp_path: Path, cli: Cli, httpserver: HTTPServer) -> None:
    names: list[str] = []

    def received(request: Request) -> Response:
        body = request.data
        body = gzip.decompress(body) if request.headers.get("content-encoding") == "gzip" else body
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            (service,) = (one for one in resource.resource.attributes if one.key == "service.name")
            assert service.value.string_value == "rebuttal"
            names.extend(one.name for scope in resource.scope_spans for one in scope.spans)
        return Response()

    httpserver.expect_request("/v1/traces", method="POST").respond_with_handler(received)
    env = {"OTEL_EXPORTER_OTLP_ENDPOINT": httpserver.url_for("").rstrip("/")}
    told = cli("run", "AAPL", "--out", tmp_path / "out", env=env)
    assert told.code == 0, told.err
    assert sorted(set(names)) == ["rebuttal.round", "rebuttal.run", "rebuttal.ticker"]


def test_a_collector_that_is_down_changes_nothing(tmp_path: Path, cli: Cli) -> None:
    env = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_EXPORTER_OTLP_TIMEOUT": "1"}
    traced = cli("run", "AAPL", "--out", tmp_path / "one", "--json", env=env)
    plain = cli("run", "AAPL", "--out", tmp_path / "two", "--json")
    assert traced.code == plain.code == 0
    assert {**traced.json, "out": ""} == {**plain.json, "out": ""}
    assert "Traceback" not in traced.err
    assert [line for line in traced.err.splitlines() if "span" in line] == [
        "note: spans were not sent: nothing answers as OTEL_EXPORTER_OTLP_ENDPOINT says"
    ]
    quiet = cli("run", "IBM", "--out", tmp_path / "one", "--quiet", env=env)
    assert (quiet.code, quiet.err) == (0, traced.err.splitlines()[-1] + "\n")


def test_a_setting_that_is_not_understood_is_a_note(tmp_path: Path, cli: Cli) -> None:
    env = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_BSP_MAX_QUEUE_SIZE": "-1"}
    told = cli("run", "AAPL", "--out", tmp_path / "out", env=env)
    assert told.code == 0 and "note: no spans are sent: the OTEL_* variables" in told.err


def test_without_the_extra_there_is_a_note(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['opentelemetry.sdk'] = None\n")
    env = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "PYTHONPATH": str(tmp_path)}
    told = cli("run", "AAPL", "--out", tmp_path / "out", env=env)
    assert told.code == 0 and "pip install '.[otel]'" in told.err
