"""Imported by the process that the nights are forked from: everything that a night imports, and what it reads once."""

from bench.night import warm_up
from phases.providers.anthropic import clients, loop, sender, turns
from phases.sources.packaged import PackagedSource

warm_up(1)
PackagedSource().fetch("bars", {"symbol": "AAPL", "as_of": "2012-06-29", "sessions": "1"})

__all__ = ["clients", "loop", "sender", "turns"]
