"""What a run is: its header (identity and inputs), what earlier nights left for it, and its record."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from schemas.base import Day, EvidenceId, Model, Probability, Stance, Text, Ticker, Utc
from schemas.bias import BiasRow
from schemas.health import NightHealth
from schemas.market import Body, Question
from schemas.settings import PriceTable, Settings
from schemas.summary import DebateSummary, Status


class LastRow(Model):
    """What the latest earlier night said about a ticker."""

    session: Day
    """Session of that night."""
    ticker: Ticker
    """Ticker."""
    status: Status
    """Its status then."""
    stance: Stance | None
    """Its stance then."""


class LastDebate(Model):
    """The latest debate over a ticker that an earlier night held."""

    session: Day
    """Session of that night."""
    protocol: Text
    """Protocol it was held under."""
    rounds: Annotated[int, Field(ge=0)]
    """Loop rounds it was given."""
    probability: Probability
    """Probability of the event before it."""
    values: dict[EvidenceId, bool | int | float | str]
    """What its evidence said, by id."""
    summary: DebateSummary
    """What it came to; without its arguments."""


class Told(Model):
    """What an earlier night was told of a ticker, so that the same under later dates is known again."""

    figures: dict[Text, Body] = Field(default_factory=dict)
    """The company's figures, by the span they describe."""
    news: dict[Text, Utc] = Field(default_factory=dict)
    """Moments of publication, by id of the news."""


class History(Model):
    """What earlier nights of the same configuration left for this one. Stored with the run."""

    rows: tuple[LastRow, ...] = ()
    """Latest earlier row of each requested ticker, sorted by ticker."""
    bias_row: BiasRow | None = None
    """Latest earlier bias row."""
    debates: tuple[LastDebate, ...] = ()
    """Latest earlier debate over each requested ticker, sorted by ticker."""
    macro: dict[Text, Body] = Field(default_factory=dict)
    """The macro series of the latest earlier night, by name."""
    told: dict[Ticker, Told] = Field(default_factory=dict)
    """What the latest earlier night was told of each requested ticker."""


class RunHeader(Model):
    """Everything that decides what a run says. Its digest names the run."""

    run_id: Text
    """`<as-of>-<8 hex of the identity>`."""
    as_of: Day
    """Session the run is for."""
    tickers: tuple[Ticker, ...]
    """Tickers of the run in order, held names included."""
    left_out: tuple[Ticker, ...]
    """Requested tickers over the cap."""
    question: Question
    """What every probability is about."""
    settings: Settings
    """Effective configuration."""
    engine: Text
    """Which engine speaks."""
    protocol: Text
    """Text of the protocol file."""
    prices: PriceTable
    """Price table."""
    skills: dict[str, Text]
    """Text of each skill, by name, as the run uses it."""
    changed_skills: tuple[Text, ...] = ()
    """Skills whose text is not the one that was locked; every row has the flag `changed_skills`."""
    vintage: Text
    """Digest of the data source."""
    code: Text
    """Digest of the program and its contracts."""
    history: History
    """What earlier nights left."""


class CallCounts(Model):
    """Calls of one start of a run."""

    made: Annotated[int, Field(ge=0)]
    """Calls that an engine answered."""
    replayed: Annotated[int, Field(ge=0)]
    """Calls answered by the journal."""
    repaired: Annotated[int, Field(ge=0)]
    """Turns that needed a second reply."""
    void: Annotated[int, Field(ge=0)]
    """Turns that do not count."""


class RunRecord(Model):
    """Machine summary of a finished start of a run, printed by `run --json` and kept as `run.json`."""

    run_id: Text
    """The run."""
    as_of: Day
    """Date asked for."""
    session: Day
    """Session it stands for."""
    engine: Text
    """Which engine spoke."""
    protocol: Text
    """Debate protocol."""
    statuses: dict[Status, Annotated[int, Field(ge=1)]]
    """Number of tickers by status."""
    tickers: dict[Ticker, Status]
    """Status of each ticker."""
    left_out: tuple[Ticker, ...] = ()
    """Requested tickers that the cap left out; the feed has no row of them."""
    calls: CallCounts
    """Calls of this start."""
    tokens: Annotated[int, Field(ge=0)]
    """Tokens of the run, read and written, over all its starts."""
    cost_usd: Annotated[float, Field(ge=0)]
    """Money of the run over all its starts, in US dollars; a call whose answer was lost counts at its worst case."""
    out: Text
    """Folder of the run."""
    exit: Annotated[int, Field(ge=0, le=3)]
    """0 if every ticker has a planned outcome, 3 if some are unpaid, else 1."""
    health: NightHealth | None = None
    """Health of the night; absent in records of older versions."""
