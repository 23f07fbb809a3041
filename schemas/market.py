"""What is known about the market and about one ticker: fetched series, evidence, snapshots."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.base import Day, EvidenceId, Lean, Model, Text, Ticker, Utc

Dataset = Literal["bars", "universe", "macro", "fundamentals", "news"]
"""What a source may be asked, beside the days it covers."""

UNIVERSE_MEAN = "UNIVERSE"
"""Symbol of the equal-weight mean of every price series a source has, for a source that has no index."""

Unit = Literal["ratio", "usd", "index", "days", "count", "text"]
Tier = Annotated[int, Field(ge=1, le=4)]


class Question(Model):
    """What every probability of a run is about."""

    event: Text
    """The event, in one sentence."""
    horizon_sessions: Annotated[int, Field(ge=1)]
    """Sessions from the as-of session to the resolution."""
    benchmark: Ticker
    """Series the return is compared with."""
    resolves_on: Day
    """Session on which the event is decided."""


class Span(Model):
    """The days a source covers."""

    first: Day
    """First session with a price."""
    last: Day
    """Last session with a price."""


class Action(Model):
    """A split or a dividend."""

    day: Day
    """First session that trades without it."""
    kind: Literal["split", "dividend"]
    """What it is."""
    value: Annotated[float, Field(ge=0)]
    """New shares for one old share; or the amount a share, in the currency of the prices."""


class Bars(Model):
    """Daily bars of one symbol, oldest first; the columns have one entry a session."""

    symbol: Ticker
    """Symbol as asked."""
    currency: Text
    """ISO code of the currency the prices are in."""
    currency_assumed: bool = False
    """Whether only the symbol's suffix says that the prices are in hundredths of a currency."""
    exchange: Text
    """Code of the exchange's trading calendar, for example `XNYS`."""
    exchange_assumed: bool = False
    """Whether nothing says where the symbol trades, so that New York's calendar stands in."""
    days: tuple[Day, ...]
    """Sessions, strictly increasing, none after the as-of date."""
    open: tuple[float, ...]
    """Opening prices as traded, in `currency`. Empty where the source has none, like `high`, `low` and `volume`."""
    high: tuple[float, ...]
    """Highest prices as traded."""
    low: tuple[float, ...]
    """Lowest prices as traded."""
    close: tuple[float, ...]
    """Closing prices as traded."""
    adj_close: tuple[float, ...]
    """Closes adjusted for splits and dividends: for ratios only, never quoted as a price."""
    volume: tuple[float, ...]
    """Shares traded."""
    actions: tuple[Action, ...] = ()
    """Splits and dividends within the days, oldest first."""
    source: Text | None = None
    """Which source answered; absent where there is only one."""
    notes: tuple[Text, ...] = ()
    """What was dropped, repaired or stood in for something else, in words."""


class CloseSeries(Model):
    """Adjusted closes of one symbol, oldest first."""

    symbol: Ticker
    """Symbol."""
    days: tuple[Day, ...]
    """Sessions, strictly increasing."""
    adj_close: tuple[float, ...]
    """Adjusted closes, one a session."""


class Universe(Model):
    """Every price series a source has, but its benchmark: what breadth and correlation are counted over."""

    series: tuple[CloseSeries, ...]
    """One entry a symbol, sorted by symbol."""
    notes: tuple[Text, ...] = ()
    """Which series are left out, and why."""


class Revised(Model):
    """A figure that a later one of the same period replaced."""

    day: Day
    """First day of the period."""
    value: float
    """The figure as it was."""
    known: Day
    """First day it could be known."""


class MacroSeries(Model):
    """Released observations of one macro series, oldest first."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9_]+$")]
    """Name, for example `core_cpi`."""
    label: Text
    """What it measures, in words."""
    unit: Unit
    """Unit of the values."""
    period: Literal["day", "week", "month", "quarter"]
    """What one observation describes."""
    days: tuple[Day, ...]
    """First day of each period."""
    values: tuple[float, ...]
    """Observations."""
    known: tuple[Day, ...]
    """First day each observation could be known, its release lag included."""
    revised: tuple[Revised, ...] = ()
    """Figures that those above replaced, by period, oldest first."""
    source: Text | None = None
    """Which source answered; absent where there is only one."""
    place: Text | None = None
    """Where a reader finds it: the vendor's id, and the file or address; absent where there is nothing to look at."""
    fault: Text | None = None
    """What is wrong with what the source has of it, so that no figure counts; absent where nothing is."""


class MacroSeriesSet(Model):
    """All macro series of a source, as known at the as-of date."""

    series: tuple[MacroSeries, ...]
    """One entry a series, sorted by name."""


FigureName = Annotated[str, Field(pattern=r"^[a-z0-9_]+$")]
"""Name of one figure, ours and no vendor's, for example `free_cash_flow`."""


class Figure(Model):
    """One figure of a company, as one report or one vendor gave it."""

    name: FigureName
    """What it is."""
    value: float | None
    """The figure: money in `currency` of the statements, ratios as ratios (0.05 is 5 percent). Absent where the
    source names it and has no number for it."""
    period: Literal["quarter", "year", "ttm", "now"]
    """Span it describes; `now` for a level at one moment."""
    ended: Day
    """Last day of that span."""
    known: Day
    """First day it could be known: filed, or fetched, or the period's end and a stated lag."""


class Fundamentals(Model):
    """What a source knows of one company's figures. What it does not know is absent, never 0."""

    symbol: Ticker
    """Symbol as asked."""
    kind: Literal["stock", "fund", "index", "crypto", "currency", "other"]
    """What the symbol is; only a stock has statements."""
    currency: Text | None
    """ISO code of the currency of statements and market value."""
    figures: tuple[Figure, ...]
    """Figures, sorted by name, span and end. One that was restated stands once for each day it became known."""
    earnings: tuple[Day, ...] = ()
    """Days on which results are or were due, oldest first."""
    earnings_known: Day | None = None
    """Day on which those days were known; absent where nobody knows since when, and they are then not used."""
    source: Text | None = None
    """Which source answered; absent where there is only one."""
    notes: tuple[Text, ...] = ()
    """What could not be read, in words."""


class NewsItem(Model):
    """One piece of news as it came, its text cleaned. Untrusted: no debater ever sees it."""

    id: Annotated[str, Field(pattern=r"^n[0-9a-f]{8}$")]
    """Digest of its title and publisher."""
    title: Text
    """Headline."""
    summary: Text | None
    """A few sentences, where the source has them."""
    publisher: Text
    """Who published it."""
    published: Utc | None
    """When; absent where the source does not say."""
    symbols: tuple[Ticker, ...] = ()
    """Symbols the source says it is about."""


class News(Model):
    """News about one symbol, the newest first, none published after the close of the as-of session."""

    symbol: Ticker
    """Symbol as asked."""
    items: tuple[NewsItem, ...]
    """Items."""
    left_out: Annotated[int, Field(ge=0)] = 0
    """How many were left out because they were published later, or nobody knows when."""
    redated: Annotated[int, Field(ge=0)] = 0
    """How many an earlier night was told of with an earlier moment, which counts."""
    live: bool = False
    """Whether the as-of session was the newest when the source was asked: only then may an undated item count."""
    source: Text | None = None
    """Which source answered; absent where there is only one."""


class Evidence(Model):
    """One fact that a speaker may cite."""

    id: EvidenceId
    """Name by which it is cited, for example `px.ret_63d`."""
    label: Text
    """What it is, in words."""
    value: bool | int | float | Text
    """The fact itself."""
    unit: Unit
    """Unit of the value; a `ratio` of 0.05 is 5 percent."""
    lean: Lean
    """Direction for the event, from one table: 1 fully for, -1 fully against, 0 neutral."""
    as_of: Day
    """The day it describes."""
    known_at: Day
    """The first day it could be known."""
    source: Text
    """Which source said it, or `computed` for a value made from others."""
    tier: Tier
    """Trust in the source: 1 prices, volume and official macro; 2 filings; 3 named outlets; 4 other."""
    stale: bool
    """True if it is older than its kind allows; it then weighs half."""


class Missing(Model):
    """A fact that was looked for and is not there."""

    id: EvidenceId
    """Name it would have had."""
    reason: Text
    """Why it is absent."""


class Body(Model):
    """What a source said, without its dates: the same under later dates is nothing new."""

    mark: Text
    """Digest of the values."""
    day: Day
    """Newest day it described when it was first said."""
    known: Day
    """First day that could be known."""


class MarketSnapshot(Model):
    """Everything known about one ticker after the close of a session."""

    ticker: Ticker
    """The ticker."""
    as_of: Day
    """The run's as-of date."""
    session: Day
    """Session of the newest bar used."""
    evidence: tuple[Evidence, ...]
    """Facts, sorted by id."""
    missing: tuple[Missing, ...]
    """Facts looked for and not found, sorted by id."""
    content_hash: Text
    """Digest of everything above."""
    flags: tuple[Text, ...] = ()
    """What a reader of the row should know, for example `halted`, sorted."""
    notes: tuple[Text, ...] = ()
    """What was dropped, repaired or stood in for something else, in words."""
    bodies: dict[Text, Body] = Field(default_factory=dict)
    """The company's figures as they were said, by the span they describe."""


class MacroSnapshot(Model):
    """Everything known about the market as a whole after the close of a session."""

    as_of: Day
    """The run's as-of date."""
    session: Day
    """Last session of the benchmark at or before the as-of date."""
    evidence: tuple[Evidence, ...]
    """Facts, sorted by id."""
    missing: tuple[Missing, ...]
    """Facts looked for and not found, sorted by id."""
    content_hash: Text
    """Digest of everything above."""
    notes: tuple[Text, ...] = ()
    """What was dropped, repaired or stood in for something else, in words."""
    bodies: dict[Text, Body] = Field(default_factory=dict)
    """The macro series as they were said, by name."""
