"""What a data source is: one object with a name, a vintage and one method, `fetch`.

A source answers four datasets. Every answer is a plain JSON value and holds nothing
that was not known after the close of `as_of`.

=============  ========================  =====================================================
dataset        params                    answer
=============  ========================  =====================================================
`span`         none                      schemas.market.Span: first and last session it covers
`bars`         symbol, as_of, sessions   schemas.market.Bars: the last `sessions` daily bars
`universe`     as_of, sessions           schemas.market.Universe: adjusted closes of every series
                                         the source has, whatever was asked for
`macro`        as_of                     schemas.market.MacroSeriesSet: released observations
=============  ========================  =====================================================
"""

from phases.core.fetch import Source

__all__ = ["Source"]
