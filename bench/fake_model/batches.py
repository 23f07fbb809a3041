"""Message batches: made when they are created, seen in progress for some polls, then ended."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from bench.fake_model.checks import Refused
from bench.fake_model.reply import plain_bytes

CUSTOM_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")


@dataclass
class Batch:
    """One batch with the results it will have."""

    id: str
    results: list[dict[str, Any]]
    created: datetime
    polls: int
    """Polls until it has ended."""
    cancelled: datetime | None = None

    @property
    def ended(self) -> bool:
        """Whether its results may be read."""
        return self.polls < 0

    def told(self, origin: str) -> dict[str, Any]:
        """The batch as the protocol writes it."""
        kinds = [one["result"]["type"] for one in self.results]
        counts = {name: kinds.count(name) * self.ended for name in ("succeeded", "errored", "canceled", "expired")}
        waiting = "canceling" if self.cancelled else "in_progress"
        return {
            "id": self.id,
            "type": "message_batch",
            "processing_status": "ended" if self.ended else waiting,
            "request_counts": {**counts, "processing": 0 if self.ended else len(kinds)},
            "created_at": self.created.isoformat(),
            "expires_at": (self.created + timedelta(days=1)).isoformat(),
            "ended_at": self.created.isoformat() if self.ended else None,
            "cancel_initiated_at": self.cancelled.isoformat() if self.cancelled else None,
            "archived_at": None,
            "results_url": f"{origin}/v1/messages/batches/{self.id}/results" if self.ended else None,
        }


class Batches:
    """Every batch of a server."""

    def __init__(self, polls: int) -> None:
        self._polls = polls
        self._held: dict[str, Batch] = {}

    def create(self, body: Mapping[str, Any], result: Callable[[dict[str, Any]], dict[str, Any]]) -> Batch:
        """A new batch; `result` makes the result of one request's params."""
        wanted = body.get("requests")
        if not isinstance(wanted, list) or not wanted:
            raise Refused(400, "requests: at least one request is required")
        names = [str(one.get("custom_id", "")) if isinstance(one, dict) else "" for one in wanted]
        if wrong := [name for name in names if not CUSTOM_ID.fullmatch(name)]:
            raise Refused(400, f"requests: custom_id {wrong[0]!r} should match '{CUSTOM_ID.pattern}'")
        if len(set(names)) < len(names):
            raise Refused(400, "requests: custom_id must be unique")
        made = [
            {"custom_id": name, "result": result(one.get("params") or {})}
            for name, one in zip(names, wanted, strict=True)
        ]
        batch = Batch(f"msgbatch_{len(self._held) + 1:012d}", made, datetime.now(UTC), self._polls)
        self._held[batch.id] = batch
        return batch

    def poll(self, id: str) -> Batch:
        """A batch, one poll nearer to its end."""
        batch = self._get(id)
        batch.polls -= 1
        return batch

    def cancel(self, id: str) -> Batch:
        """A batch that will end without results, unless it has ended."""
        batch = self._get(id)
        if not batch.ended:
            batch.cancelled = datetime.now(UTC)
            batch.polls = 0
            batch.results = [{**one, "result": {"type": "canceled"}} for one in batch.results]
        return batch

    def lines(self, id: str) -> bytes:
        """Results of a batch that has ended, one JSON line each, last first: their order means nothing."""
        batch = self._get(id)
        if not batch.ended:
            raise Refused(404, f"{id} has not ended")
        return b"".join(plain_bytes(one) + b"\n" for one in reversed(batch.results))

    def all(self) -> list[Batch]:
        """Every batch, newest first."""
        return list(reversed(self._held.values()))

    def _get(self, id: str) -> Batch:
        if id not in self._held:
            raise Refused(404, f"no batch {id}")
        return self._held[id]
