"""Seams between phases compare sets of keys, never counts: a lost, added or doubled ticker stops the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from phases.core.errors import SeamBroken


def check_seam(seam: str, expected: Iterable[str], got: Iterable[str]) -> None:
    """Raise SeamBroken naming the keys that are missing, extra or doubled.

    >>> check_seam("summary > feed", ["A", "B"], ["B", "A"])
    >>> check_seam("summary > feed", ["A", "B"], ["A", "A"])
    Traceback (most recent call last):
        ...
    phases.core.errors.SeamBroken: seam summary > feed: missing B; doubled A
    """
    wanted, found = Counter(expected), Counter(got)
    troubles = {
        "missing": sorted(set(wanted) - set(found)),
        "extra": sorted(set(found) - set(wanted)),
        "doubled": sorted(key for key, times in (found + wanted).items() if max(found[key], wanted[key]) > 1),
    }
    words = [f"{trouble} {', '.join(keys[:20])}" for trouble, keys in troubles.items() if keys]
    if words:
        raise SeamBroken(f"seam {seam}: {'; '.join(words)}")
