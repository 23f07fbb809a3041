"""Health of the offline desk's debates: `python -m bench.health [PROTOCOL]`, month by month over the packaged prices.

Prints how its changes of conviction are spread, how often they only echo the score, and whether a side is
favoured. The same figures tell whether a model's debates are worth their price.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from phases.core.store import Store, open_store
from phases.health import Tally, tally_of
from phases.night import hold_night
from phases.plan import Words, plan

FIRST, LAST = (2004, 1), (2013, 2)


def months() -> list[str]:
    """The 28th of every month of the packaged prices from 2004 on."""
    every = [(year, month) for year in range(FIRST[0], LAST[0] + 1) for month in range(1, 13)]
    return [f"{year}-{month:02d}-28" for year, month in every if FIRST <= (year, month) <= LAST]


def debates(store: Store, out: Path, protocol: str) -> Tally:
    """Figures of every month's debates."""
    found = Tally()
    for day in months():
        planned = plan(Words(as_of=day, sets=(f"debate.protocol={protocol}",)), None)
        feed = hold_night(planned, store, out, lambda *_: None).feed
        tally_of(store, feed, found)
    return found


def report(found: Tally) -> dict[str, object]:
    """The figures, ready for JSON."""
    return {
        "debates": found.debates,
        "deltas": found.spread._asdict(),
        "echo": found.echo._asdict(),
        "mean score": round(sum(found.scores) / max(found.debates, 1), 4),
        "signed tilt": found.tilt._asdict(),
        "theater": found.counts["theater"],
        "ended by": dict(found.stops.most_common()),
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
