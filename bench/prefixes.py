"""How much of a night's prompts the turns share: `python -m bench.prefixes`, one JSON line out.

One ticker, two rounds, `configs/anthropic.yaml`, against the fake server; bytes are counted as it received them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.fake_model.server import FakeModel
from bench.fake_model.usage import blocks
from phases.core.runs import Runs
from phases.core.store import open_store
from phases.night import hold_night
from phases.plan import CONFIGS, Words, plan

TICKER = "AAPL"


def hold(url: str, *sets: str) -> dict[Any, int]:
    """A night of one ticker and two rounds on the server at `url`; rows by status. No key is sent."""
    said = (f"provider.base_url={url}", "provider.key=BENCH_HAS_NO_KEY", "debate.rounds=2", *sets)
    with TemporaryDirectory(prefix="bench-") as folder:
        store = open_store(Path(folder))
        try:
            night = plan(Words((TICKER,), CONFIGS / "anthropic.yaml", sets=said), Runs(store))
            return hold_night(night, store, Path(folder), lambda ticker, reason: None).record.statuses
        finally:
            store.close()


def repeated(prompts: Sequence[bytes]) -> int:
    """Bytes that repeat the beginning of an earlier prompt, over all of them."""
    common = os.path.commonprefix
    pairs = ((one, prompts[:at]) for at, one in enumerate(prompts))
    return sum(max((len(common([one, other])) for other in earlier), default=0) for one, earlier in pairs)


def measured() -> dict[str, Any]:
    """Bytes sent and repeated, in system and messages, and the tokens that the server counted."""
    with FakeModel({}) as server:
        statuses = hold(server.url)
        prompts = [b"".join(block.text for block in blocks(seen.body)) for seen in server.bodies]
        tokens = server.stats()["tokens"]
    return {
        "statuses": statuses,
        "turns": len(prompts),
        "bytes": sum(map(len, prompts)),
        "repeated": repeated(prompts),
        "tokens": {name: tokens.get(name, 0) for name in NAMES},
    }


NAMES = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
"""The server's names of what was read: afresh, into the cache, from the cache."""


def main() -> None:
    """Measure and print."""
    print(json.dumps(measured()))


if __name__ == "__main__":
    main()
