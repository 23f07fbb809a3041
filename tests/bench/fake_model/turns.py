"""Turns that a fake model is asked: those of whole nights, as requests of the real SDK."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import anthropic

from bench.fake_model.server import FakeModel
from phases.core.provider import Reply, Request
from phases.news import news_snapshot
from phases.providers.offline import OfflineDesk
from phases.risk import risk_case
from schemas.market import News, NewsItem
from schemas.risk import RiskSettings
from tests.phases.test_portfolio_feed import feed_of, outcome
from tests.support import BUNDLE, TICKER, Desk, ask_door, header_of, macro, market, shipped, whole_night

ROOT = Path(__file__).resolve().parents[3]
SCENARIOS = ROOT / "bench" / "scenarios"
PROTOCOLS = sorted(path.stem for path in (ROOT / "configs" / "protocols").glob("*.yaml"))
MODEL = "claude-sonnet-5-5"
HELLO = {"model": MODEL, "max_tokens": 100, "messages": [{"role": "user", "content": "Hello"}]}


def client(server: FakeModel, **more: Any) -> anthropic.Anthropic:
    told: dict[str, Any] = {"api_key": "key", "max_retries": 0, "timeout": 5.0, **more}
    return anthropic.Anthropic(base_url=server.url, **told)


@cache
def turns() -> tuple[Request, ...]:
    """Turns of whole nights under every shipped protocol; every skill is among them."""
    desk = Desk()
    own = [one for one in BUNDLE if one.id.startswith("px.")]
    common = [one for one in BUNDLE if one.id.startswith("macro.")]
    for name in PROTOCOLS:
        header = header_of(f"debate.protocol={name}", protocol=shipped(name))
        made = whole_night(market(*own), macro(*common), header, ask=ask_door(desk))
    feed, bias = feed_of({TICKER: outcome()}).model_copy(update={"rows": (made.row,)}), made.case.bias_row
    risk_case(feed, bias, header.question, RiskSettings(enabled=True), ask=ask_door(desk))
    header, told = (
        header_of("market.families=[news]"),
        {"id": "n00000001", "title": "Beats estimates", "publisher": "AP"},
    )
    item = NewsItem.model_validate({**told, "published": "2008-09-30T12:00:00Z", "symbols": (TICKER,), "summary": None})
    found = News(symbol=TICKER, items=(item,))
    news_snapshot(market(*own), found, header, header.settings.market, ask=ask_door(desk))
    return tuple(desk.requests)


def turn(skill: str = "research-debate", seat: str = "") -> Request:
    return next(one for one in turns() if one.skill == skill and one.seat.startswith(seat))


def body(request: Request, **more: Any) -> dict[str, Any]:
    """A turn as one text for system and one for the user."""
    user = "\n\n".join(request.prompt.parts)
    format = {"format": {"type": "json_schema", "schema": dict(request.schema)}}
    told = {"model": MODEL, "max_tokens": 8000, "system": request.prompt.system, "output_config": format}
    return {**told, "messages": [{"role": "user", "content": user}], **more}


def blocks(request: Request, marked: int = 0) -> dict[str, Any]:
    """The same turn as blocks, the system and the first `marked` parts marked for the cache."""
    mark = {"cache_control": {"type": "ephemeral"}}
    parts = [
        {"type": "text", "text": text, **(mark if at < marked else {})} for at, text in enumerate(request.prompt.parts)
    ]
    system = [{"type": "text", "text": request.prompt.system, **mark}]
    return body(request, system=system, messages=[{"role": "user", "content": parts}])


def desk(request: Request) -> Reply:
    return OfflineDesk().replies([request])[0]


def text_of(message: Any) -> str:
    return "".join(block.text for block in message.content)
