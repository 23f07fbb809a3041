"""Health of the offline desk's debates: `python -m bench.health [PROTOCOL]`, month by month over the packaged prices.

Prints how its changes of conviction are spread, how often they only echo the score, and whether a side is
favoured. The same figures tell whether a model's debates are worth their price.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from phases.core.runner import Artefacts
from phases.core.store import Store, open_store
from phases.maths import health
from phases.night import hold_night
from phases.plan import Words, plan
from schemas.feed import FeedRow
from schemas.summary import RATED, DebateSummary

FIRST, LAST = (2004, 1), (2013, 2)


def months() -> list[str]:
    """The 28th of every month of the packaged prices from 2004 on."""
    every = [(year, month) for year in range(FIRST[0], LAST[0] + 1) for month in range(1, 13)]
    return [f"{year}-{month:02d}-28" for year, month in every if FIRST <= (year, month) <= LAST]


def debates(store: Store, out: Path, protocol: str) -> list[tuple[FeedRow, DebateSummary]]:
    """Every rated row with its summary."""
    found = []
    for day in months():
        planned = plan(Words(as_of=day, sets=(f"debate.protocol={protocol}",)), None)
        feed = hold_night(planned, store, out, lambda *_: None).feed
        kept = Artefacts(store, feed.run_id)
        for row in feed.rows:
            if row.status in RATED:
                made = kept.load(row.ticker)
                found.append((row, DebateSummary.model_validate_json(made["debate_summary"])))
    return found


def report(found: list[tuple[FeedRow, DebateSummary]]) -> dict[str, object]:
    """The figures, ready for JSON."""
    deltas = [row.conviction_delta or 0 for row, _ in found]
    tilts = [float(one) for _, summary in found if (one := summary.readouts.get("exchange.tilt")) is not None]
    stops = Counter(str(summary.readouts["stop"]) for _, summary in found)
    return {
        "debates": len(found),
        "deltas": health.spread(deltas)._asdict(),
        "echo": health.echo([row.conviction_pre or 0 for row, _ in found], deltas)._asdict(),
        "mean score": round(sum(row.conviction_pre or 0 for row, _ in found) / max(len(found), 1), 4),
        "signed tilt": health.mean_tilt(tilts)._asdict(),
        "theater": sum("theater" in summary.readouts for _, summary in found),
        "ended by": dict(stops.most_common()),
    }


def main() -> None:
    """Hold the debates and print the figures."""
    protocol = sys.argv[1] if len(sys.argv) > 1 else "desk"
    with TemporaryDirectory(prefix="bench-") as folder:
        store = open_store(Path(folder))
        try:
            found = report(debates(store, Path(folder), protocol))
        finally:
            store.close()
    print(f"offline desk, {protocol}, monthly {FIRST[0]} to {LAST[0]}")
    for name, value in found.items():
        print(f"  {name}: {json.dumps(value)}")


if __name__ == "__main__":
    main()
