"""The hand-off of a run: its feed in every form, its views for a portfolio library, and the prices it was made on."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

from phases.core.errors import StoreError, UsageError
from phases.core.runs import ASIDE, Runs
from phases.core.store import Store
from phases.core.text import printable
from phases.night import stored_bars, stored_feed
from phases.outputs.diff import diff_json, diff_text
from phases.outputs.handoff import BENCHMARK_RETURN, HANDOFFS
from phases.outputs.parquet import feed_parquet
from phases.outputs.tables import FORMATS, make_folder, write_whole
from schemas.run import RunHeader

FORMS = (*FORMATS, "parquet", *HANDOFFS, "prices")
"""Every form of the hand-off."""
STDOUT = Path("-")
"""Name of the standard output, as a file to write."""


def hand_off(
    store: Store, name: str, form: str, benchmark_return: float | None, tell: Callable[[str], None]
) -> str | bytes:
    """A run in one form. Reads the store. Raises UsageError for an unknown form and for one that the run has not."""
    if form not in FORMS:
        raise UsageError(f"--format {printable(form)}: unknown (known: {', '.join(FORMS)})")
    if benchmark_return is not None and form not in HANDOFFS:
        raise UsageError(f"--benchmark-return goes with --format {' or '.join(HANDOFFS)}")
    if benchmark_return is not None and not -1 < benchmark_return < 1:
        raise UsageError(f"--benchmark-return {benchmark_return}: must be a ratio between -1 and 1; 0.08 is 8 % a year")
    known = Runs(store).find(name)
    if known.state == ASIDE:
        raise UsageError(
            f"run {known.run_id} is a what-if: it is handed to nobody; `feed --diff RUN {known.run_id}` compares it"
        )
    feed = stored_feed(store, known.run_id)
    if form in FORMATS:
        return FORMATS[form](feed)
    if form == "parquet":
        return feed_parquet(feed)
    if form == "prices":
        return prices_csv(store, RunHeader.model_validate_json(known.header))
    text = HANDOFFS[form](feed, benchmark_return)
    if benchmark_return is None:
        tell(f"note: the benchmark is assumed to return {BENCHMARK_RETURN} a year; --benchmark-return R says otherwise")
    return text


def what_changed(store: Store, old: str, new: str, form: str | None, tell: Callable[[str], None]) -> str:
    """What differs between two runs: text, or JSON; a what-if among them is told. Reads the store."""
    if form not in (None, "json"):
        raise UsageError(f"--diff: text, or --format json; not {printable(str(form))}")
    both = [Runs(store).find(name) for name in (old, new)]
    for known in both:
        if known.state == ASIDE:
            tell(f"note: run {known.run_id} is a what-if")
    before, now = (stored_feed(store, known.run_id) for known in both)
    return diff_text(before, now) if form is None else diff_json(before, now)


def deliver(content: str | bytes, to: Path | None, otherwise: Path) -> str:
    """What is left for stdout: text without `to` or with `-`; of bytes, which go into a file of their own, its path.

    Writes files. Raises UsageError where the file cannot be written, StoreError where one of the run's folder cannot.
    """
    if to == STDOUT and not isinstance(content, str):
        raise UsageError("--to -: parquet is no text; name a file")
    if to in (None, STDOUT) and isinstance(content, str):
        return content
    path = to or otherwise
    try:
        if to is None:
            make_folder(path.parent)
        write_whole(path, content)
    except OSError as error:
        told = f"cannot be written ({error.strerror})"
        raise (UsageError(f"--to {to}: {told}") if to else StoreError(f"{path}: {told}")) from None
    return "" if to else f"{path}\n"


def prices_csv(store: Store, header: RunHeader) -> str:
    """Adjusted closes that a run saw, checked as it checked them: a line a day, a column a ticker, the benchmark last.

    Each column is in the currency of its prices. A ticker without usable bars has no column. Reads the store.
    """
    columns: dict[str, dict[str, float]] = {}
    for ticker in (*header.tickers, header.question.benchmark):
        bars = stored_bars(header, store, ticker)
        if bars is not None:
            columns[ticker] = {day.isoformat(): close for day, close in zip(bars.days, bars.adj_close, strict=True)}
    if not columns:
        raise UsageError(f"run {header.run_id} had no usable prices")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["day", *columns])
    for day in sorted({day for closes in columns.values() for day in closes}):
        writer.writerow([day, *(repr(closes[day]) if day in closes else "" for closes in columns.values())])
    return out.getvalue()
