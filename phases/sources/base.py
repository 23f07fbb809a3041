"""What a data source is: one object with a name, a vintage and one method, `fetch`.

A source answers the datasets it has, and raises NoData for the others. Every answer is a plain
JSON value and holds nothing that was not known after the close of `as_of`.

=============  ========================  =====================================================
dataset        params                    answer
=============  ========================  =====================================================
`span`         none                      schemas.market.Span: first and last session it covers
`bars`         symbol, as_of, sessions   schemas.market.Bars: the last `sessions` daily bars
`universe`     as_of, sessions           schemas.market.Universe: adjusted closes of every series
                                         the source has, whatever was asked for
`macro`        as_of                     schemas.market.MacroSeriesSet: released observations
`fundamentals` symbol, as_of             schemas.market.Fundamentals: figures known by then
`news`         symbol, as_of             schemas.market.News: published by then
=============  ========================  =====================================================
"""

from typing import Protocol, runtime_checkable

from phases.core.fetch import Source

__all__ = ["Inspected", "Source"]


@runtime_checkable
class Inspected(Protocol):
    """A source that can say beforehand what is wrong with its own data."""

    def faults(self) -> tuple[str, ...]:
        """What is wrong, and what becomes of it, one fault each."""
        ...
