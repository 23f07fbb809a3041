"""A folder of price files, from the files to the evidence of every ticker: `python -m bench.folder`.

Four times the tickers should take four times the CPU. Each size is measured in a process of its own,
so that its peak memory is its own; the files are written before the clock starts.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from bench.start import ROOT

LAST = date(2025, 11, 28)


def write_folder(folder: Path, tickers: int, years: int) -> None:
    """Daily prices of so many tickers, every series different. Writes files."""
    days = [LAST - timedelta(n) for n in range(years * 365)]
    sessions = sorted(day.isoformat() for day in days if day.weekday() < 5)
    for at in range(tickers):
        rows, close = ["Date,Open,High,Low,Close,Volume"], 50.0 + at
        for number, day in enumerate(sessions):
            close *= 1 + ((number * (at + 7) * 2654435761) % 4001 - 1990) / 100_000
            numbers = (close, close * 1.01, close * 0.99, close)
            rows.append(f"{day},{','.join(f'{x:.6f}' for x in numbers)},{1_000_000 + number * at % 1000}")
        (folder / f"T{at:04}.csv").write_text("\n".join([*rows, ""]))


class NoJournal:
    """A journal that holds nothing: what is measured is the source and the evidence."""

    def take(self, *_: object) -> dict[str, str]:
        """Nothing is known."""
        return {}

    def keep(self, *_: object) -> frozenset[str]:
        """Nothing comes late."""
        return frozenset()


def measured(folder: Path) -> dict[str, float]:
    """CPU and peak memory from the files of a folder to the snapshots of all their tickers. Reads files."""
    from phases.core.fetch import Fetch
    from phases.core.recorder import Recorder
    from phases.market_data import macro_snapshot, market_snapshot
    from phases.plan import CONFIGS, Words, settings_of
    from phases.sources import chain_of
    from schemas.market import Question

    chosen = settings_of(Words(config=CONFIGS / "csv.yaml", sets=(f"source.path={folder}",)))
    journal: Any = NoJournal()
    question = Question(event="it gains", horizon_sessions=21, benchmark="UNIVERSE", resolves_on=date(2025, 12, 30))
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    begun = process_time()
    source = chain_of(chosen.source)
    fetch = Fetch(source.name, source.vintage, source, journal, Recorder(None, "run", 1))
    macro_snapshot(LAST, question, chosen.market, fetch=fetch)
    names = sorted(path.stem for path in folder.iterdir())
    items = sum(len(market_snapshot(name, LAST, question, chosen.market, fetch=fetch).evidence) for name in names)
    spent = process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"tickers": len(names), "items": items, "cpu": spent, "base_mib": base, "peak_mib": peak}


def compared(many: int, few: int, years: int) -> list[dict[str, float]]:
    """Both sizes measured, the larger first. Writes a temporary folder and starts processes."""
    found = []
    for count in (many, few):
        with TemporaryDirectory(prefix="bench-") as folder:
            write_folder(Path(folder), count, years)
            command = [sys.executable, "-m", "bench.folder", "--measure", folder]
            done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
        found.append(json.loads(done.stdout.splitlines()[-1]))
    return found


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", metavar="DIR", type=Path)
    parser.add_argument("--tickers", type=int, default=500)
    parser.add_argument("--years", type=int, default=10)
    words = parser.parse_args()
    if words.measure is not None:
        print(json.dumps(measured(words.measure)))
        return
    many, few = compared(words.tickers, words.tickers // 4, words.years)
    ratio = many["cpu"] / many["tickers"] / (few["cpu"] / few["tickers"])
    print(
        f"files to evidence, CPU per ticker, {many['tickers']:.0f} to {few['tickers']:.0f}: {ratio:.2f} x (1 is linear)"
    )
    print(f"CPU: {many['cpu']:.1f} s, {1000 * many['cpu'] / many['tickers']:.1f} ms a ticker of {words.years} years")
    peaks = f"{many['peak_mib']:.0f} MiB, with a quarter of the tickers {few['peak_mib']:.0f} MiB"
    print(f"peak memory: {peaks}, before the first file {many['base_mib']:.0f} MiB")


if __name__ == "__main__":
    main()
