"""The offline desk: a deterministic provider that answers every skill from the evidence alone.

No language model, no key, no network. It holds its side, cites ids, and concedes honestly. It is
the null that a model has to beat, and says so: its measured skill is none (see the README).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from phases.core.errors import UsageError
from phases.core.provider import Reply, Request
from phases.core.text import nearest
from phases.providers.offline.analysts import axis_view, bias_wording
from phases.providers.offline.debater import contribution
from phases.providers.offline.judge import judge
from phases.providers.offline.manager import manager_reply
from phases.providers.offline.personas import persona_cautious, persona_creative, persona_literal
from phases.providers.offline.reader import reading
from phases.providers.offline.risk import risk_aggressive, risk_conservative
from phases.providers.offline.table import critic, moderator, supervisor

SKILLS: Mapping[str, Callable[[Any], dict[str, Any]]] = {
    "macro-bias": bias_wording,
    "news-reader": reading,
    "technical-analyst": axis_view,
    "fundamental-analyst": axis_view,
    "sentiment-analyst": axis_view,
    "news-analyst": axis_view,
    "research-debate": contribution,
    "persona-cautious": persona_cautious,
    "persona-creative": persona_creative,
    "persona-literal": persona_literal,
    "debate-critic": critic,
    "debate-moderator": moderator,
    "debate-judge": judge,
    "forecast-supervisor": supervisor,
    "research-manager": manager_reply,
    "risk-aggressive": risk_aggressive,
    "risk-conservative": risk_conservative,
}
"""One pure function per skill: typed inputs to the answer as a JSON object."""


class OfflineDesk:
    """Answers turns from their typed inputs; the same inputs always give the same bytes."""

    engine = "offline-desk v2, llm: none"
    longest = 0

    def replies(self, requests: Sequence[Request]) -> Sequence[Reply]:
        """One reply for each request, in order. Raises UsageError for a skill the desk does not know."""
        return [self.reply(request) for request in requests]

    def close(self) -> None:
        """Holds nothing."""

    def reply(self, request: Request) -> Reply:
        """The reply to one request."""
        answer = SKILLS.get(request.skill)
        if answer is None:
            hint = nearest(request.skill, SKILLS)
            raise UsageError(f"the offline desk has no answer to the skill {request.skill!r}{hint}")
        text = json.dumps(answer(request.inputs), ensure_ascii=False, sort_keys=True)
        return Reply(text=text, stop_reason="end_turn")
