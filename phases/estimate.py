"""What a night will cost: its turns are spoken by the offline desk in a scratch store, and counted.

The prompts are those of the night, byte for byte up to what the other side will say, so calls and tokens are close;
what a model writes is not known before. Low: prefixes that repeat are read from the prompt cache, replies are as
short as the desk's. High: nothing is cached and every reply is as long as it may be.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

from phases.core.budget import dollars
from phases.core.errors import UsageError
from phases.core.provider import Reply, Request
from phases.core.runs import Runs
from phases.core.skills import Rendered
from phases.core.store import configured_store, open_store
from phases.core.text import canonical
from phases.maths.pricing import cost, tokens_of
from phases.night import hold_night
from phases.plan import Plan, Words, plan, resume_plan
from phases.providers import beside
from phases.providers.offline import OfflineDesk
from schemas.events import Usage


@dataclass
class CountingDesk:
    """The offline desk with the size of every turn noted."""

    engine: str
    longest: int
    desk: OfflineDesk = field(default_factory=OfflineDesk)
    turns: list[tuple[Request, Reply]] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    def replies(self, requests: Sequence[Request]) -> Sequence[Reply]:
        """One reply for each request, in order."""
        found = [self.desk.reply(request) for request in requests]
        with self._lock:
            self.turns += zip(requests, found, strict=True)
        return found

    def close(self) -> None:
        """Nothing is open."""


@dataclass(frozen=True)
class Estimate:
    """Calls, tokens and money of a night, before it is held."""

    calls: int
    tickers: int
    input_tokens: int
    counter: str
    """Who counted them."""
    output_low: int
    output_high: int
    cached_share: float
    """Share of the read tokens that repeat a prefix of an earlier turn of the same ticker, 0..1."""
    low: int
    """Millionths of a US dollar."""
    high: int
    unpriced: tuple[str, ...]
    """Models that are not in the price table, priced at its dearest rates."""

    def __str__(self) -> str:
        cached = f"{self.cached_share:.0%} assumed cached in the low figure"
        told = [
            f"{self.calls} calls for {self.tickers} ticker{'s' * (self.tickers != 1)}, if no turn needs a repair",
            f"{self.input_tokens:,} tokens read, counted {self.counter}; {cached}",
            f"{self.output_low:,} to {self.output_high:,} tokens written",
            f"{dollars(self.low)} to {dollars(self.high)}",
        ]
        if self.unpriced:
            told.append(f"not in the price table, priced at its dearest rates: {', '.join(self.unpriced)}")
        return "\n".join(told)


def estimate_text(
    words: Words, count: bool = False, *, out: Path = Path(), resume: str | None = None, as_json: bool = False
) -> str:
    """What the night of these words will cost, readable or as JSON. Asks no model; with `count`, its server counts.

    With `resume`, the whole of that run of the store in `out`: what it has paid for already is not taken off.
    """
    if resume is None:
        planned = plan(words, None, spends=False)
    else:
        with closing(configured_store(out, create=False)) as store:
            planned = resume_plan(words, Runs(store), resume, spends=False)
    engine, found = planned.header.engine, estimate(planned, count)
    if as_json:
        return canonical({"engine": engine, "run_id": planned.header.run_id, **asdict(found)})
    paid = "" if resume is None else "\nturns that the run has in its journal are counted here and cost nothing again"
    return f"engine: {engine} | nothing is asked\n{found}{paid}"


def estimate(night: Plan, count: bool = False) -> Estimate:
    """What the night of a plan will cost. Asks no model; writes to a temporary folder only.

    With `count` the model's server counts the tokens. Raises UsageError for an engine that has none.
    """
    desk = CountingDesk(night.header.engine, night.provider.longest)
    with TemporaryDirectory(prefix="rebuttal-") as folder:
        store = open_store(Path(folder))
        try:
            hold_night(replace(night, provider=desk), store, Path(folder), lambda ticker, reason: None)
        finally:
            store.close()
            night.provider.close()
    turns = sorted(desk.turns, key=lambda turn: turn[0].prompt.text)
    sizes = _counted(night, [one for one, _ in turns]) if count else [tokens_of(one.prompt.text) for one, _ in turns]
    return _estimated(night, desk, turns, sizes, "by the server" if count else "locally")


def _counted(night: Plan, requests: Sequence[Request]) -> list[int]:
    server = beside(night.header.settings.provider, night.places)
    if server is None:
        raise UsageError(f"--count: {night.header.engine} has no server that counts tokens; leave it out")
    with server:
        return server.tokens(requests)


def _estimated(
    night: Plan, desk: CountingDesk, turns: Sequence[tuple[Request, Reply]], sizes: Sequence[int], counter: str
) -> Estimate:
    rates = night.header.prices.models
    read = cached = low = high = short = 0
    seen: set[str] = set()
    for (request, reply), whole in zip(turns, sizes, strict=True):
        shared = min(whole, _shared(request.prompt, seen))
        said = tokens_of(reply.text)
        cheap = Usage(input_tokens=whole - shared, cache_read_tokens=shared, output_tokens=said)
        dear = Usage(input_tokens=whole, output_tokens=desk.longest)
        low += cost(cheap, request.model, rates).micros
        high += cost(dear, request.model, rates).micros
        read, cached, short = read + whole, cached + shared, short + said
    models = {request.model for request, _ in desk.turns}
    return Estimate(
        calls=len(desk.turns),
        tickers=len(night.header.tickers),
        input_tokens=read,
        counter=counter,
        output_low=short,
        output_high=max(short, desk.longest * len(desk.turns)),
        cached_share=cached / read if read else 0.0,
        low=low,
        high=max(low, high),
        unpriced=tuple(sorted(models - set(rates))),
    )


def _shared(prompt: Rendered, seen: set[str]) -> int:
    """Tokens of the longest beginning that an earlier turn had too, of those that are marked for the cache."""
    texts, longest = (prompt.system, *prompt.parts), 0
    for at in (0, *prompt.shared):
        beginning = "\n\n".join(texts[: at + 1])
        if beginning in seen:
            longest = tokens_of(beginning)
        seen.add(beginning)
    return longest
