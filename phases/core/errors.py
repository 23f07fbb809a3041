"""Every error the product raises on purpose.

    RebuttalError
    ├── UsageError            wrong words on the command line, wrong config: nothing was started   (exit 2)
    ├── InfrastructureError   data, model or store is down; the run can be resumed                 (exit 4)
    │   ├── StoreError        the store is damaged, locked or not writable
    │   ├── SourceDown        a data source does not answer
    │   │   └── SourceDamaged what it holds is damaged: it wants a repair, not another try
    │   ├── ModelDown         a model does not answer, or not as a model
    │   ├── KeyRefused        a model's server does not take the key
    │   ├── RateLimited       a model's server asks for a longer wait than is allowed
    │   └── SpendLimit        a model's server has no credit left for us
    ├── CeilingReached        the next call could pass the spend ceiling; resumable                (exit 3)
    ├── Stopped               the run is ending before its end; resumable                          (exit 130)
    ├── SeamBroken            rows were lost, added or doubled between two phases; stops the run   (exit 4)
    ├── NotJournaled          a replay needs a reply that no journal holds                         (exit 1)
    └── TickerFailure         one ticker has no outcome; it becomes a row with its reason
        ├── NoData            a source knows the answer, and the answer is that there is nothing
        └── Unanswered        a source gave nothing, and nobody knows why; asked again next time

Each message names the ticker, field and value seen, what was allowed, and the remedy.
"""

from __future__ import annotations

from typing import ClassVar


class RebuttalError(Exception):
    """Root of the tree. `exit_code` is what the command line returns for it."""

    exit_code: ClassVar[int] = 4
    billed: bool = True
    """For a call that failed: whether it may have been billed."""
    begun: bool = False
    """Whether it ended a run that is in the store and can be resumed."""


class UsageError(RebuttalError):
    """Bad usage or configuration. Nothing was started."""

    exit_code = 2


class InfrastructureError(RebuttalError):
    """Data, model or store is down. What is journaled stays; the run can be resumed."""


class StoreError(InfrastructureError):
    """The store is damaged, locked or not writable. The file is never deleted."""


class SourceDown(InfrastructureError):
    """A data source does not answer. Never looks like an empty market."""


class SourceDamaged(SourceDown):
    """What a source holds is damaged: it was reached, and asking again helps nothing."""


class ModelDown(InfrastructureError):
    """A model does not answer in time, or what answers is no model."""


class KeyRefused(InfrastructureError):
    """A model's server does not take the key."""


class RateLimited(InfrastructureError):
    """A model's server asks for a longer wait than the configuration allows."""


class SpendLimit(InfrastructureError):
    """A model's server refuses for want of credit, or at a spend limit set there."""


class CeilingReached(RebuttalError):
    """The next call could pass the spend ceiling."""

    exit_code = 3


class Stopped(RebuttalError):
    """The run is ending before its end, and this turn was not begun."""

    exit_code = 130


class SeamBroken(RebuttalError):
    """A phase lost, added or doubled a key."""


class NotJournaled(RebuttalError):
    """A replay asked for something the journal does not hold."""

    exit_code = 1


class TickerFailure(RebuttalError):
    """One ticker cannot go on. `status` is the row's status, the message its reason."""

    def __init__(self, reason: str, status: str = "failed") -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status


class NoData(TickerFailure):
    """A source says for certain that it has nothing. Journaled like any other answer."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, status="no_data")


class Unanswered(TickerFailure):
    """A source gave nothing for one ticker, which may be its own failure. Never kept as an answer."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, "no_data")
