"""Whoever looks on while a run goes on."""

from __future__ import annotations

from phases.core.budget import Spent
from phases.core.recorder import Recorder


class Watch:
    """Is told where a run stands, from any thread. This one does nothing with it."""

    def started(self, recorder: Recorder, before: Spent, ceiling: int | None) -> None:
        """The run starts: who counts for it, what earlier starts spent, and the most it may spend (millionths)."""

    def began(self, ticker: str, phase: str) -> None:
        """A phase begins, of a ticker, or of the whole run where that is empty."""
