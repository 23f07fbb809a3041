"""The pages: one HTML document each, that asks for nothing outside itself and in which no data can act.

Everything that is data is escaped by the templates and shown as text; control and bidi characters are shown by
their numbers. The page's own style and script are named in its policy by their digests, so that nothing else runs.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from phases.core.text import printable
from phases.outputs.report import front, words
from phases.outputs.report.charts import delta_chart
from phases.outputs.report.history import nights_told, past_tickers, past_waiting, run_lines
from phases.outputs.report.records import Night, Past
from phases.outputs.report.score import calibrated, score
from phases.outputs.report.ticker import block

PLACE = Path(__file__).parent / "templates"

ROOM = 9_500_000
"""Bytes of a page up to which transcripts are put in; what a page leaves out it says."""

POLICY = (
    "default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; base-uri 'none'; form-action 'none'"
)


@cache
def _environment() -> Environment:
    """The templates. Reads files when one is used."""
    made = Environment(
        loader=FileSystemLoader(PLACE),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style, script = (PLACE / "style.css").read_text("utf-8"), (PLACE / "page.js").read_text("utf-8")
    policy = POLICY.format(style=_digest(style), script=_digest(script))
    made.globals |= {"style": Markup(style), "script": Markup(script), "policy": policy}  # noqa: S704 - files of ours
    names = ("signed", "chance", "percent", "gain", "money", "count", "flag_text")
    made.filters |= {name: getattr(words, name) for name in names}
    of_front = ("stance_told", "why_told", "still_told", "conviction_told", "why")
    made.filters |= {name: getattr(front, name) for name in of_front}
    made.globals |= {"STATUS": words.STATUS}
    return made


def _shown(value: Any) -> Any:
    return printable(value) if type(value) is str else value


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def night_page(night: Night, room: int = ROOM) -> str:
    """The morning page of a night. `room` is the size in bytes up to which transcripts are put in."""
    made = _environment()
    one, whole = made.get_template("ticker.html"), made.get_template("transcript.html")
    last = {row.ticker: row for row in night.header.history.rows}
    lines, blocks, debates = [], [], []
    for at, row in enumerate(night.feed.rows):
        ticker = night.ticker(row)
        line = front.line_of(at, ticker, last.get(row.ticker))
        told = block(ticker)
        lines.append(line)
        blocks.append(one.render(line=line, **told))
        debates.append(whole.render(told) if told["rounds"] else "")
    left = _fitted(debates, room - sum(len(text.encode()) for text in blocks))
    parts = [(Markup(head), Markup(debate)) for head, debate in zip(blocks, debates, strict=True)]  # noqa: S704 - escaped
    return made.get_template("night.html").render(_night(night, lines, parts), left=left)


def _fitted(debates: list[str], room: int) -> int:
    """Take out the transcripts that find no room, those of the last rows first; gives how many."""
    left = 0
    for at, text in enumerate(debates):
        size = len(text.encode())
        room -= size
        if size and room < 0:
            debates[at], left = "", left + 1
    return left


def _night(night: Night, lines: Sequence[front.Line], blocks: Sequence[tuple[Markup, Markup]]) -> dict[str, Any]:
    header, health = night.header, night.health
    unended = front.unended_of(lines)
    dump = header.model_dump(mode="json", include={"settings", "prices"})
    return {
        "night": night,
        "header": header,
        "feed": night.feed,
        "asked": night.record.as_of if night.record else header.as_of,
        "lines": lines,
        "blocks": blocks,
        "moved": front.moved_first(lines),
        "contested": [one for one in lines if one.row.status == "contested"],
        "without": [one for one in lines if not one.rated],
        "still": [one for one in lines if one.rated and not one.moved and one.row.status != "contested"],
        "earned": front.earned(night, lines),
        "health": health,
        "groups": front.health_rows(health, unended) if health else [],
        "bill": front.bill_rows(night, unended),
        "deltas": delta_chart(front.deltas(night)),
        "debated": sum(number for _, number in front.deltas(night)),
        "calibration": calibrated(night.resolved) if night.resolved.known else None,
        "statuses": sorted({one.row.status for one in lines}),
        "settings": json.dumps(dump, indent=1, ensure_ascii=False).splitlines(),
        "protocol": header.protocol.splitlines(),
    }


def history_page(past: Sequence[Past]) -> str:
    """The history page of a store: one part for each engine, the one that spoke last first."""
    engines = [
        {
            "engine": one.engine,
            "nights": nights_told(one),
            "runs": run_lines(one),
            "tickers": past_tickers(one),
            "waiting": past_waiting(one),
            "score": score(one.resolved),
            "first": one.runs[0].record.session,
            "last": one.runs[-1].record.session,
        }
        for one in past
    ]
    return _environment().get_template("history.html").render(engines=engines)
