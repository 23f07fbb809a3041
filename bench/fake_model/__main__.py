"""`python -m bench.fake_model --port 8901 --scenario bench/scenarios/clean.yaml`: a fake model server on loopback.

Prints `{"port": n}` once it listens. Stops after `--seconds`, or at once on SIGTERM or SIGINT.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
from pathlib import Path

from bench.fake_model.scenario import Scenario, scenario
from bench.fake_model.server import listening, serve
from bench.fake_model.service import Service
from phases.core.errors import UsageError


async def run(told: Scenario, port: int, seconds: float) -> None:
    """Serve until the time is over or a signal comes."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    service, line = Service(told, keep=False), listening(port)
    timer = loop.call_later(seconds, stop.set)
    print(json.dumps({"port": line.getsockname()[1]}), flush=True)
    await serve(service, line, stop)
    timer.cancel()


def main() -> None:
    """Read the words and serve."""
    parser = argparse.ArgumentParser(prog="python -m bench.fake_model", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 is any that is free (default)")
    parser.add_argument("--scenario", type=Path, help="YAML file (default: every answer is the desk's)")
    parser.add_argument("--seconds", type=float, default=3600, help="until it stops by itself (default 3600)")
    said = parser.parse_args()
    try:
        asyncio.run(run(scenario(said.scenario or {}), said.port, said.seconds))
    except (UsageError, OSError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
