"""How long commands take to start, against a bare interpreter that imports pydantic; medians of interleaved runs."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
RUNS = 5

CONTROL = "interpreter and pydantic"

COMMANDS: dict[str, tuple[str, ...]] = {
    CONTROL: ("-c", "from pydantic import BaseModel"),
    "--help": ("run_pipeline.py", "--help"),
    "validate": ("run_pipeline.py", "validate", "BiasWording", "-"),
}

DOCUMENT = b'{"notes": "Growth is slowing and appetite is risk off."}'


class Start(NamedTuple):
    """One process from start to end."""

    cpu: float
    wall: float
    peak_mib: float


def started(words: tuple[str, ...]) -> Start:
    """Run one command. Raises RuntimeError if it fails."""
    begun = perf_counter()
    process = subprocess.Popen(
        [sys.executable, *words], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    assert process.stdin is not None
    process.stdin.write(DOCUMENT)
    process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(words)} ended with {process.returncode}")
    return Start(usage.ru_utime + usage.ru_stime, perf_counter() - begun, usage.ru_maxrss / 1024)


def starts() -> dict[str, Start]:
    """Median start of each command, after one run of each that does not count."""
    for words in COMMANDS.values():
        started(words)
    rounds = [{name: started(words) for name, words in COMMANDS.items()} for _ in range(RUNS)]
    return {name: Start(*map(statistics.median, zip(*(one[name] for one in rounds), strict=True))) for name in COMMANDS}
