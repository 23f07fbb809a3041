"""The typed shape of `configs/*.yaml`. Closed: an unknown key is an error that names the nearest known one.

YAML scalars arrive as text, so that a ticker such as `NO` or `TRUE` keeps its name; the field's
type then reads them. Everything here is part of a run's identity but the section `operation` and
how the provider is reached.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from schemas.analyst import Axis
from schemas.base import Day, Section, Text, Ticker, absent
from schemas.bias_settings import BiasSettings
from schemas.currency import CURRENCY_PATTERN
from schemas.fred_settings import FredSettings
from schemas.market import Dataset
from schemas.operation import NotifySettings, OperationSettings
from schemas.risk import RiskSettings


def _capitals(value: object) -> object:
    """A symbol in small letters is the same symbol; what is none is left as it was written."""
    return value.upper() if isinstance(value, str) and re.fullmatch("[a-z][a-z0-9.=-]*", value) else value


WEIGHT_PATTERN = r"^[0-9]+(\.[0-9]+)?(/[1-9][0-9]*)?$"

Weight = Annotated[str, Field(pattern=WEIGHT_PATTERN)]
"""A positive number kept exact, as a decimal or a ratio: `.6` is written `0.6` or `3/5`."""


class UniverseSettings(Section):
    """Which tickers a run is about, where none are named on the command line."""

    file: Annotated[Text | None, BeforeValidator(absent)]
    """A list of tickers (YAML, CSV or one symbol a line), relative to the configuration's folder."""
    cap: Annotated[Annotated[int, Field(ge=1)] | None, BeforeValidator(absent)]
    """Most tickers a night may take; held names always come in. Absent for no cap."""
    focus: Annotated[Annotated[int, Field(ge=1)] | None, BeforeValidator(absent)] = None
    """Where no ticker is named and no file given: how many names of the source's universe a night takes."""


class QuestionSettings(Section):
    """What every probability is about."""

    horizon_sessions: Annotated[int, Field(ge=1, le=252)]
    """Sessions until the event resolves."""
    benchmark: Annotated[Ticker, BeforeValidator(_capitals)]
    """Series the return is compared with; `universe` for the mean of every series of the source."""
    calendar: Text
    """Exchange whose sessions the nights are, by its code in exchange-calendars."""


class MarketSettings(Section):
    """Evidence of one ticker and of the market."""

    ASCENDING: ClassVar = (("macro_stale_after_periods", "macro_drop_after_periods"),)

    stale_after_sessions: Annotated[int, Field(ge=0, le=60)]
    """Sessions the newest bar may lag behind before the ticker is stale."""
    macro_stale_after_periods: Annotated[int, Field(ge=1, le=12)]
    """Periods since its release after which a macro observation is stale; at most `macro_drop_after_periods`."""
    macro_drop_after_periods: Annotated[int, Field(ge=1, le=48)]
    """Periods since its release after which it is no evidence any more."""
    crypto: Annotated[Annotated[Ticker, BeforeValidator(_capitals)] | None, BeforeValidator(absent)] = None
    """Symbol whose bars tell of crypto assets, such as `BTC-USD`; absent for none."""
    halted: Literal["refuse", "flag"] = "refuse"
    """What becomes of a ticker no share of which was traded in five sessions."""
    families: tuple[Literal["fa", "news"], ...] = ()
    """Families of evidence that are looked for beside prices and macro figures: fundamentals, news."""


class AnalystSettings(Section):
    """Axes and their join."""

    axes: dict[Axis, Weight]
    """Configured axes and their weights; weights are ratios of their sum."""
    watch_spread: Weight
    """Spread of axis probabilities from which an undecided name is `watch`."""
    correlation: Weight
    """Correlation of axes that are built from different series."""


BAND_PATTERN = r"^[0-9]+(\.[0-9]+)?%?$"

Band = Annotated[str, Field(pattern=BAND_PATTERN)]
"""How far an item may move before a debate is held again: in the item's unit, or in percent of its value then."""


class DebateSettings(Section):
    """The debate."""

    protocol: Annotated[str, Field(pattern=r"^[a-z0-9_-]+$")]
    """Name of a file in the protocols folder."""
    rounds: Annotated[Annotated[int, Field(ge=1, le=5)] | None, BeforeValidator(absent)]
    """Loop rounds, 1..5; absent takes the protocol's own."""
    when: Literal["all", "gate", "none"]
    """`all` debates every ticker, `gate` those the protocol's start rule picks, `none` no one."""
    protocols: Annotated[Text | None, BeforeValidator(absent)]
    """Folder with further protocol files; absent for the shipped ones."""
    bands: dict[Annotated[str, Field(pattern=r"^([a-z]+\.([a-z0-9_]+|\*)|\*)$")], Band]
    """Materiality by evidence id, `family.*` or `*`, the most exact first. While every item stays within its
    band and no condition fires, the last debate is carried without a call. Empty: never carried."""


class ManagerSettings(Section):
    """The research manager."""

    probability_per_point: Weight
    """How far one conviction point moves the probability, where the protocol says no other rule."""


Effort = Literal["low", "medium", "high", "xhigh", "max"]
"""How hard a model is asked to work."""

Thinking = Literal["adaptive", "disabled"]
"""Whether a model may think before it answers."""

DEFAULT_MAX_TOKENS = 2048

Seconds = Annotated[float, Field(ge=0.01, le=86400)]


class ProviderSettings(Section):
    """Who answers the skills. Where and how it is reached is no part of a run's identity."""

    name: Text
    """Name in the table of providers."""
    base_url: Annotated[Text | None, BeforeValidator(absent)] = None
    """Address of the server; absent for the provider's own."""
    key: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] = "ANTHROPIC_API_KEY"
    """Name of the environment variable that holds the key."""
    hosts: tuple[Annotated[str, Field(pattern=r"^[a-z0-9.:-]+$")], ...] = ("api.anthropic.com",)
    """Hosts the key may be sent to; a loopback address always may be used."""
    headers: dict[Annotated[str, Field(pattern=r"^[A-Za-z0-9-]+$")], Text] = Field(default_factory=dict)
    """Further headers of every request. They are kept with the run, so no credentials."""
    proxy: Annotated[Text | None, BeforeValidator(absent)] = None
    """Proxy to go through."""
    max_tokens: Annotated[int, Field(ge=1, le=1_000_000)] = DEFAULT_MAX_TOKENS
    """Most tokens of a reply."""
    effort: dict[Text, Effort] = Field(default_factory=dict)
    """Effort by `default`, `<skill>` or `<skill>/<seat>`; where nothing is said, the model's own."""
    thinking: dict[Text, Thinking] = Field(default_factory=dict)
    """Thinking, by the same names."""
    stream: bool = False
    """Whether replies are streamed; long ones always are."""
    deadline_seconds: Seconds = 120.0
    """Most time a turn may take once it is begun, its retries and waits included."""
    retry_after_cap_seconds: Seconds = 120.0
    """Longest wait a server may ask for before the run stops instead."""
    max_in_flight: Annotated[int, Field(ge=1, le=1024)] = 16
    """Most requests at once."""
    breaker: Annotated[int, Field(ge=1, le=1000)] = 8
    """Server failures in a row after which the run stops."""
    minimum_cacheable: Annotated[int, Field(ge=0, le=1_000_000)] = 1024
    """Shortest prompt prefix, in tokens, that is marked for the prompt cache."""

    @property
    def parameters(self) -> dict[str, Mapping[str, str]]:
        """What models are asked for beside the prompt, where it is not the default: tables by seat."""
        most = {} if self.max_tokens == DEFAULT_MAX_TOKENS else {"default": str(self.max_tokens)}
        return {"effort": self.effort, "thinking": self.thinking, "max_tokens": most}


PROVIDER_OPERATION = (
    "base_url",
    "key",
    "hosts",
    "headers",
    "proxy",
    "deadline_seconds",
    "retry_after_cap_seconds",
    "max_in_flight",
    "breaker",
)
"""Keys of the provider's section that decide how it is reached, and nothing about what is said."""


def by_name(value: object) -> object:
    """A name alone is a section with nothing else said."""
    return {"name": value} if isinstance(value, str) else value


NAMED_SECTIONS = ("source", "provider")
"""Sections that a name alone may stand for."""


Column = Literal["date", "open", "high", "low", "close", "adj_close", "volume", "dividends", "splits"]


Currency = Annotated[str, Field(pattern=CURRENCY_PATTERN)]
"""What prices are in: an ISO 4217 code, or that of a hundredth (`GBp`, `ILA`, `ZAc`)."""


class CsvSettings(Section):
    """How the files of a folder of price series are written."""

    columns: dict[Column, Text] = Field(default_factory=dict)
    """Our name of a column and the file's; what is not said is found by its usual name."""
    header_rows: Annotated[int, Field(ge=1, le=20)] = 1
    """Rows before the first price; the column names are in the first of them."""
    zone: Text = "America/New_York"
    """Zone in which a moment in the date column is a day."""
    adjusted: Literal["no", "splits", "all"] = "all"
    """What the prices are adjusted for, where there is no column of adjusted closes: nothing, splits, or splits
    and dividends."""
    currency: Currency = "USD"
    """Currency of symbols whose suffix says none."""
    currencies: dict[Annotated[Ticker, BeforeValidator(_capitals)], Currency] = Field(default_factory=dict)
    """Currency by symbol, whatever its suffix says."""

    def descending(self, name: str = "") -> Iterator[str]:
        """What contradicts itself, and a column that is said to be two of ours."""
        yield from super().descending(name)
        for theirs, count in Counter(self.columns.values()).items():
            if count > 1:
                ours = " and ".join(sorted(one for one, column in self.columns.items() if column == theirs))
                yield f"{name}columns: {ours} are both the column {theirs!r}; name a column once"


class YahooSettings(Section):
    """Yahoo, through yfinance."""

    cache: Annotated[Text | None, BeforeValidator(absent)] = None
    """Folder for the library's cookies and time zones; absent for one of the run's own."""
    retries: Annotated[int, Field(ge=0, le=10)] = 2
    """Further tries of one question."""
    pause_seconds: Annotated[float, Field(ge=0, le=60)] = 0.0
    """Least time between two questions."""
    breaker: Annotated[int, Field(ge=1, le=1000)] = 5
    """Failures in a row after which the source is taken to be down."""


class SourceSettings(Section):
    """Where data comes from."""

    name: Text
    """Name in the table of sources: answers whatever `order` gives to no other."""
    order: dict[Dataset, tuple[Text, ...]] = Field(default_factory=dict)
    """Sources by dataset, first to last: the next is asked where one has nothing or does not answer."""
    path: Annotated[Text | None, BeforeValidator(absent)] = None
    """Folder of `csv_folder`, relative to where the program is started."""
    on_failure: Literal["stop", "degrade"] = "stop"
    """When no source answers: stop the run, or go on without that ticker, or without that part of the market."""
    proxy: Annotated[Text | None, BeforeValidator(absent)] = None
    """Proxy to go through."""
    deadline_seconds: Seconds = 30.0
    """Most time one question may take, all its tries included."""
    csv: CsvSettings = CsvSettings()
    """Source `csv_folder`."""
    fred: FredSettings = FredSettings()
    """Source `fred`."""
    yahoo: YahooSettings = YahooSettings()
    """Source `yahoo`."""


SOURCE_OPERATION: Mapping[str, Any] = {
    "path": True,
    "on_failure": True,
    "proxy": True,
    "deadline_seconds": True,
    "fred": {"path": True, "base_url": True},
    "yahoo": True,
}
"""Keys of the source's section that decide how it is reached, and nothing about what it says; the data itself is
named by its vintage."""


class Rates(Section):
    """What a model costs, in US dollars for a million tokens."""

    input: Weight
    """Tokens read."""
    output: Weight
    """Tokens written."""
    cache_write: Weight
    """Tokens written to a prompt cache."""
    cache_read: Weight
    """Tokens read from a prompt cache."""


class PriceTable(Section):
    """A dated table of prices."""

    date: Day
    """Day it was made."""
    models: dict[Text, Rates]
    """Rates by model."""


class Settings(Section):
    """A whole configuration."""

    as_of: Annotated[Day | None, BeforeValidator(absent)]
    """Date the night is run for; absent for the last session."""
    source: Annotated[SourceSettings, BeforeValidator(by_name)]
    """Where data comes from; a name alone stands for the key `name` of its section."""
    provider: Annotated[ProviderSettings, BeforeValidator(by_name)]
    """Who answers the skills; a name alone stands for the key `name` of its section."""
    models: dict[str, Text]
    """Model by `default`, `<skill>` or `<skill>/<seat>`."""
    changed_skills: Literal["refuse", "allow"] = "refuse"
    """What becomes of a run with a SKILL.md that is not the one `skills/skills.lock` lists."""
    prices: Text
    """File of the price table, relative to the configuration's folder."""
    universe: UniverseSettings
    """Which tickers."""
    held: tuple[Annotated[Ticker, BeforeValidator(_capitals)], ...]
    """Tickers in the book: always analysed, always in the feed."""
    question: QuestionSettings
    """What every probability is about."""
    market: MarketSettings
    """Evidence."""
    bias: BiasSettings
    """Macro bias row."""
    analyst: AnalystSettings
    """Analyst payload."""
    debate: DebateSettings
    """Debate."""
    manager: ManagerSettings
    """Research manager."""
    risk: RiskSettings = RiskSettings()
    """Risk seats."""
    operation: OperationSettings
    """How it is carried out."""
    notify: NotifySettings = NotifySettings()
    """Who is told when a run ends."""
