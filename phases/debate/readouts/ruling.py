"""Read-outs of a moderator's ruling. Whatever is not exactly `settled` goes on; at the cap that is undecided."""

from __future__ import annotations

from phases.debate.ledger import awaited
from phases.debate.readouts.base import Seen
from schemas.ledger import Ruled
from schemas.seats import ModeratorRuling


def _latest(seen: Seen) -> ModeratorRuling | None:
    """The ruling of the latest round that has one."""
    return next((event.contribution for event in reversed(seen.ledger) if isinstance(event, Ruled)), None)


def settled(seen: Seen) -> int | None:
    """1 if the latest ruling is `settled`, else 0; absent before the first."""
    found = _latest(seen)
    return None if found is None else int(found.status == "settled")


def decision(seen: Seen) -> str | None:
    """What was decided, or `undecided` where the debate was closed without; absent without a moderator."""
    asked = [event for event in seen.ledger if isinstance(event, Ruled) or awaited(event, ModeratorRuling)]
    if not asked:
        return None
    last = asked[-1]
    settled = isinstance(last, Ruled) and last.contribution.status == "settled"
    return last.contribution.decision if settled and isinstance(last, Ruled) else "undecided"
