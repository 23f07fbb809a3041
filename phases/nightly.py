"""A night with everyone who looks on, or hears of its end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from phases.core.errors import InfrastructureError
from phases.core.runs import Runs
from phases.core.store import Store
from phases.core.trace import tracing
from phases.doctor import preflight
from phases.night import Finished, hold_night
from phases.notify import ending
from phases.outputs.progress import progress
from phases.plan import Plan
from phases.report import write_report
from phases.sources import stood_in


def attended(
    planned: Plan, store: Store, out: Path, tell: Callable[[str], None], *, quiet: bool
) -> tuple[Finished, Path]:
    """Hold a night with its progress shown, its page written, its spans sent and its end told; gives the page too.

    `tell` prints a line on stderr. Writes the store and files. Raises whatever ends the night.
    """
    header = planned.header
    shown = progress(len(header.tickers), tell, quiet=quiet, live=header.settings.operation.log == "text")
    with tracing(tell), ending(header, store, out, tell) as ended:
        if not Runs(store).is_finished(header.run_id):
            preflight(header.settings, planned.places)
        with shown.shown():
            finished = hold_night(planned, store, out, shown, shown)
        for told in () if quiet or planned.source is None else stood_in(planned.source):
            tell(f"warning: {told}")
        try:
            page = write_report(store, out, header.run_id)
        except InfrastructureError as error:
            error.begun = True
            raise
        ended(finished.record)
    return finished, page
