"""The benchmark: `python -m bench` from the root, `--json` for machines. No network, no key.

Ratios come first, because they hold from machine to machine; CPU is that of the process, all
threads; wall time is quoted last and depends on the disk. A night in which one ticker failed
has no figures. Each night runs in a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from time import perf_counter
from typing import Any

from bench.start import CONTROL, ROOT, starts
from bench.table import Figure, table

DEBATE = ("debate_transcript", "debate_summary")
TURNS_BEFORE = 2
"""Turns of a ticker before its debate: one an axis."""
EVIDENCE = "market_snapshot"


def child(*words: object) -> Any:
    """The JSON line that a measuring process prints."""
    command = [sys.executable, "-m", *map(str, words)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[0])


def measured(tickers: int) -> dict[str, Any]:
    """Everything the benchmark measures, raw."""
    few, some = tickers // 4, tickers // 2
    begun = perf_counter()
    nights = [child("bench.night", count, 4) for count in (tickers, some, few)]
    return {
        "machine": {"cores": os.cpu_count(), "python": platform.python_version(), "system": platform.system()},
        "nights": nights,
        "one_thread": child("bench.night", max(few // 2, 1), 1, "--again"),
        "starts": {name: one._asdict() for name, one in starts().items()},
        "parts": child("bench.parts", max(few // 4, 1)),
        "prefixes": child("bench.prefixes"),
        "seconds": perf_counter() - begun,
    }


def figures(raw: Mapping[str, Any]) -> list[Figure]:
    """The raw measurements as lines of a table, ratios first."""
    large, some, small = raw["nights"]
    alone, start = raw["one_thread"], raw["starts"]
    turn, floor = _per_turn(large), alone["floor_cpu"]
    turns = large["turns"] - 1 - TURNS_BEFORE * large["tickers"]
    debate = sum(large["phases"][name] for name in DEBATE) / turns
    evidence = large["phases"][EVIDENCE] / large["tickers"]
    control = start[CONTROL]["cpu"]
    return [
        Figure(
            f"CPU per ticker, {_sizes(large, small)}",
            _per_ticker(large) / _per_ticker(small),
            "x",
            "P8, P9: 1 is linear",
        ),
        Figure(f"CPU per ticker, {_sizes(large, some)}", _per_ticker(large) / _per_ticker(some), "x", ""),
        Figure(f"peak memory, {_sizes(large, small)}", large["peak_mib"] / small["peak_mib"], "x", "P9: at most 1.1"),
        Figure("debate turn to the floor's turn", debate / floor, "x", "CPU; floor: dump, hash, parse, commit"),
        Figure("evidence of a ticker to a debate turn", evidence / debate, "x", "CPU"),
        Figure("turn of a finished night again, to first", _again(alone) / _per_turn(alone), "x", "P7"),
        Figure("turn of a replay, to first", _replay(alone) / _per_turn(alone), "x", ""),
        Figure("input that repeats an earlier beginning", *_repeated(raw["prefixes"])),
        Figure("turns a second, 4 threads to 1", _rate(small) / _rate(alone), "x", "wall: disk included"),
        Figure("CPU of --help to the control", start["--help"]["cpu"] / control, "x", "P10: at most 3"),
        Figure("CPU of validate to the control", start["validate"]["cpu"] / control, "x", "P10: at most 3"),
        Figure("failed tickers, all nights", sum(one["failures"] for one in (*raw["nights"], alone)), "", "must be 0"),
        Figure("calls of a finished night, again", alone["again"]["asked"], "", "must be 0"),
        Figure("calls", large["turns"], "", f"{turns / large['tickers']:.1f} a debate"),
        Figure("CPU per turn, whole night, 4 threads", 1e6 * turn, "us", "evidence and feed included"),
        Figure("CPU per turn, whole night, 1 thread", 1e6 * _per_turn(alone), "us", f"{alone['tickers']} tickers"),
        Figure("CPU per debate turn", 1e6 * debate, "us", "P3: at most 197"),
        Figure("CPU of a floor turn", 1e6 * floor, "us", ""),
        Figure("CPU per turn, finished night again", 1e6 * _again(alone), "us", "P7: at most 100"),
        Figure("CPU per turn, replay", 1e6 * _replay(alone), "us", ""),
        Figure("CPU of a ticker's evidence", 1e3 * evidence, "ms", ""),
        *(Figure(f"CPU to start: {name}", 1e3 * one["cpu"], "ms", "") for name, one in start.items()),
        Figure("peak memory, 4 threads", large["peak_mib"], "MiB", f"{large['tickers']} tickers"),
        Figure("store on disk", large["store_kb_per_ticker"], "kB", "a ticker"),
        Figure("turns a second, 4 threads", _rate(large), "/s", "wall: disk included"),
        Figure("turns a second, 1 thread", _rate(alone), "/s", ""),
    ]


def _repeated(one: Mapping[str, Any]) -> tuple[float, str, str]:
    """Share of the bytes of a ticker's prompts, its unit, and what the server read from its cache."""
    share = one["tokens"]["cache_read_input_tokens"] / sum(one["tokens"].values())
    return (
        100 * one["repeated"] / one["bytes"],
        "%",
        f"one ticker, {one['turns']} turns; {share:.0%} read from the cache",
    )


def _sizes(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    return f"{one['tickers']:,} tickers to {other['tickers']:,}"


def _per_turn(one: Mapping[str, Any]) -> float:
    return float(one["cpu"] / one["turns"])


def _per_ticker(one: Mapping[str, Any]) -> float:
    return float(one["cpu"] / one["tickers"])


def _rate(one: Mapping[str, Any]) -> float:
    return float(one["turns"] / one["wall"])


def _again(one: Mapping[str, Any]) -> float:
    return float(one["again"]["cpu"] / one["turns"])


def _replay(one: Mapping[str, Any]) -> float:
    return float(one["replay"]["cpu"] / one["turns"])


def troubles(raw: Mapping[str, Any]) -> list[str]:
    """What makes the figures void: failures, calls that should not be, nights that differ."""
    alone = raw["one_thread"]
    found = [
        f"{one['failures']} of {one['tickers']} tickers failed: {one['statuses']}"
        for one in (*raw["nights"], alone)
        if one["failures"]
    ]
    if set(raw["prefixes"]["statuses"]) != {"debated"}:
        found.append(f"the night on the fake server ended {raw['prefixes']['statuses']}")
    if alone["again"]["asked"]:
        found.append(f"a finished night asked {alone['again']['asked']} times again")
    found += [f"the feed of {name} differs" for name in ("again", "replay") if not alone[name]["same"]]
    return found


def main() -> None:
    """Measure and print; leaves with 1 if the figures are void."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--json", action="store_true", help="raw measurements and figures as one JSON document")
    parser.add_argument("--tickers", type=int, default=1000, help="of the largest night (default 1000)")
    said = parser.parse_args()
    raw = measured(said.tickers)
    wrong = troubles(raw)
    if said.json:
        print(json.dumps({"void": wrong, "figures": [one._asdict() for one in figures(raw)], "raw": raw}, indent=1))
    else:
        print("\n".join(f"VOID: {line}" for line in wrong) or table(figures(raw), raw))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
