"""What became of a run, as metrics in the text format of Prometheus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, get_args

from schemas.health import AlarmName, NightHealth
from schemas.notice import RunNotice
from schemas.run import RunRecord
from schemas.summary import Status

FILE = "metrics.prom"


class Metric(NamedTuple):
    """One metric, with its values by the value of its only label, or under "" where it has none."""

    name: str
    help: str
    values: Mapping[str, float]
    label: str = ""


def metrics_text(notice: RunNotice) -> str:
    """Gauges of one end of a run. What is not known is absent."""
    from prometheus_client import CollectorRegistry, Gauge, generate_latest

    registry = CollectorRegistry()
    about = {"run_id": notice.run_id, "night": notice.night.isoformat(), "engine": notice.engine}
    told = Gauge("rebuttal_run_info", "Which run these metrics are of.", (*about, "protocol"), registry=registry)
    told.labels(**about, protocol=notice.protocol).set(1)
    for name, help, values, label in _metrics(notice):
        gauge = Gauge(f"rebuttal_{name}", help, (label,) if label else (), registry=registry)
        for key, value in values.items():
            (gauge.labels(key) if label else gauge).set(value)
    return generate_latest(registry).decode()


def _metrics(notice: RunNotice) -> Iterator[Metric]:
    ended = notice.ended.timestamp()
    yield Metric("run_ended_timestamp_seconds", "When the run ended, in seconds since 1970.", {"": ended})
    yield Metric("run_exit_code", "Exit code: 0 is good, 1 to 4 and 130 are not.", {"": notice.exit})
    if notice.cost_usd is not None:
        yield Metric("run_cost_dollars", "Money of the run over all its starts, in US dollars.", {"": notice.cost_usd})
    if notice.record is not None:
        yield from _of_record(notice.record)
        if notice.record.health is not None:
            yield from _of_health(notice.record.health)


def _of_record(record: RunRecord) -> Iterator[Metric]:
    statuses = {status: record.statuses.get(status, 0) for status in get_args(Status)}
    yield Metric("tickers", "Tickers by status.", statuses, "status")
    yield Metric("calls", "Calls of the last start of the run.", record.calls.model_dump(), "kind")
    yield Metric("tokens", "Tokens read and written, over all starts.", {"": record.tokens})


def _of_health(health: NightHealth) -> Iterator[Metric]:
    alarms, cover, bill = {one.name for one in health.alarms}, health.coverage, health.bill
    yield Metric("debates", "Debates held, carried ones included.", {"": health.debates})
    yield Metric("debates_changed", "Debates that changed a decision.", {"": health.changed})
    yield Metric("debates_contested", "Debates whose manager opposes the moves.", {"": health.contested})
    yield Metric("debates_cost_dollars", "What the debates cost when they were bought.", {"": bill.debates_usd})
    turns = {"counted": health.turns.counted, "repaired": health.turns.repaired, "void": health.turns.void}
    yield Metric("debate_turns", "Turns of the debates; a repaired one is counted or void, too.", turns, "kind")
    alarmed = {name: float(name in alarms) for name in get_args(AlarmName)}
    yield Metric("alarm", "1 if the health of the night raises this alarm.", alarmed, "name")
    items = {"known": cover.items, "missing": cover.missing, "stale": cover.stale}
    yield Metric("evidence_items", "Evidence of the tickers; a stale item is known, too.", items, "state")
    axes = {"no_evidence": cover.axes_missing - cover.axes_void, "no_answer": cover.axes_void}
    yield Metric("axes_missing", "Configured axes without a view, over all tickers.", axes, "cause")
    bias = {"fresh": cover.bias_fields, "carried": cover.bias_carried, "missing": cover.bias_missing}
    yield Metric("bias_fields", "Fields of the macro view.", bias, "state")
