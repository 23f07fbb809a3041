"""A folder of price series as a source: one CSV file a symbol, plain or gzip, in whatever column order.

It answers `bars` and `universe`, and no other dataset. Which files are series is told by their names
alone (`phases.sources.csv_folder.files`). A damaged file is an error that names it to whoever asks for its
symbol, and is left out of what is made of all series with a note: it is never an empty market. The symbol
`UNIVERSE` is the equal-weight mean of every series, for a folder without an index.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from threading import Lock
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from phases.core.errors import NoData, SourceDamaged, Unanswered, UsageError
from phases.core.text import canonical, digest, nearest, printable
from phases.evidence.rows import SESSIONS
from phases.maths.currency import MINOR_UNITS, currency_code
from phases.sources.csv_folder.files import Found, scan
from phases.sources.csv_folder.series import Series, judged
from phases.sources.csv_folder.sheet import COLUMNS, Sheet, load_sheet
from phases.sources.csv_folder.sound import Night, night_of
from phases.sources.symbols import Listing, file_key, listing
from schemas.market import UNIVERSE_MEAN
from schemas.settings import CsvSettings, SourceSettings

MOST_UNUSED = 8
"""Columns that nothing reads that are named one by one."""

_END = np.datetime64("9999-12-31")
"""A day after all others."""

NIGHTS = 8
"""Nights of which is kept what may be used of a folder."""


class _Folder:
    """The parsed series of one folder and content, each parsed once."""

    def __init__(self, found: Found, settings: CsvSettings) -> None:
        self._found, self._settings = found, settings
        self._named = found.symbols()
        self.misfits = found.misfits
        self.symbols = [symbol for symbol in self._named.values() if not symbol.startswith("^")]
        self._parsed: dict[str, Sheet | str] = {}
        """Rows by key, or what is wrong with a file."""
        self._series: dict[str, tuple[np.datetime64, Series]] = {}
        """The latest night that was asked for, by key."""
        self._faults: dict[str, str] | None = None
        self._all: list[tuple[str, Sheet]] | None = None
        self._nights: dict[tuple[np.datetime64, int], Night] = {}
        self._judging = Lock()

    def sheet(self, symbol: str) -> Sheet | None:
        """The rows of a symbol, or None. Reads its file at the first question.

        Raises SourceDamaged naming what is wrong with the file, UsageError where there are several.
        """
        key = file_key(symbol)
        if key not in self._parsed:
            if key not in self._named:
                return None
            self._parsed[key] = self._read(key)
        found = self._parsed[key]
        if isinstance(found, str):
            raise SourceDamaged(found)
        return found

    def _read(self, key: str) -> Sheet | str:
        try:
            path = self._found.one(key)
            assert path is not None, "a key is of a file, or of what has the name of one"
            return load_sheet(path, self._named[key], lambda what: self._found.one(key, what), self._settings)
        except SourceDamaged as damage:
            return str(damage)

    def series(self, symbol: str, as_of: np.datetime64) -> Series | None:
        """The series of a symbol as it was after a day, or None. Raises as `sheet` does."""
        sheet, key = self.sheet(symbol), file_key(symbol)
        if sheet is None:
            return None
        known = self._series.get(key)
        if known is None or known[0] != as_of:
            known = self._series[key] = as_of, judged(sheet, as_of, self._settings)
        return known[1]

    def damage(self) -> dict[str, str]:
        """What is wrong with files that cannot be read, by symbol. Reads every file once."""
        if self._faults is None:
            told = {symbol: self._fault(symbol) for symbol in self._named.values()}
            self._faults = {symbol: fault for symbol, fault in told.items() if fault}
        return self._faults

    def _fault(self, symbol: str) -> str:
        try:
            self.sheet(symbol)
        except (SourceDamaged, UsageError) as error:
            return str(error).removeprefix("csv_folder: ").removeprefix("source.path: ")
        return ""

    def faults(self) -> dict[str, str]:
        """What is wrong with files, by symbol: those that cannot be read, and those of which nothing is left."""
        damage = self.damage()
        whole = ((symbol, self.series(symbol, _END)) for symbol in self._named.values() if symbol not in damage)
        nothing = {symbol: one.nothing for symbol, one in whole if one is not None and one.nothing}
        return dict(sorted({**damage, **nothing}.items()))

    def unused(self) -> list[str]:
        """What to say of the columns that nothing reads, in one line for the whole folder. Reads every file once."""
        files: dict[str, list[str]] = {}
        for sheet in (one for one in self._parsed.values() if isinstance(one, Sheet)):
            for name in sheet.unused:
                files.setdefault(name, []).append(sheet.file)
        told = [
            f"{name[:40]!r} of {those[0] if len(those) == 1 else f'{len(those)} files'}"
            for name, those in files.items()
        ]
        more = f" and {len(told) - MOST_UNUSED} more" if len(told) > MOST_UNUSED else ""
        shown = ", ".join(sorted(told)[:MOST_UNUSED])
        return [printable(f"columns that nothing reads: {shown}{more}; say in source.csv.columns what one is")] * bool(
            told
        )

    def all(self) -> list[tuple[str, Sheet]]:
        """Every file that can be read but indices, sorted by symbol.

        Raises SourceDamaged naming what is wrong with each if none has a price.
        """
        if self._all is None:
            damage = self.damage()
            found = ((symbol, self.sheet(symbol)) for symbol in self.symbols if symbol not in damage)
            self._all = [(symbol, one) for symbol, one in found if one is not None]
        if not any(len(one.priced) for _, one in self._all) and (faults := self.faults()):
            raise SourceDamaged(f"csv_folder: no price series is sound: {'; '.join(faults.values())}")
        return self._all

    def night(self, as_of: np.datetime64, count: int) -> Night:
        """What of all series may be used after a day: judged once a night, whatever number of tickers asks."""
        key = as_of, max(count, SESSIONS)
        with self._judging:
            if key not in self._nights:
                if len(self._nights) == NIGHTS:
                    del self._nights[next(iter(self._nights))]
                self._nights[key] = night_of(self._after(as_of), *key)
            return self._nights[key]

    def _after(self, as_of: np.datetime64) -> list[tuple[str, Series]]:
        """Every series but indices as it was after a day."""
        return [(symbol, judged(sheet, as_of, self._settings)) for symbol, sheet in self.all()]

    def left_out(self, night: Night) -> list[str]:
        """What to say of the series that a night is without."""
        told = self.damage()
        gone = (*(told[one] for one in self.symbols if one in told), *night.doubts)
        return [f"left out of universe and mean: {why}" for why in gone]


FEWEST = 2
"""Series that make a mean: that of one is the series itself, and nothing beats itself."""

SHOWN = 20
"""Series that are named of a folder that has not the one asked for."""

_FOLDERS: dict[tuple[Path, str], _Folder] = {}
"""Folders parsed by this process, by place and vintage: content, and how it is read."""


class CsvFolder:
    """Answers from the files of one folder."""

    name = "csv_folder"
    live = False

    def __init__(self, settings: SourceSettings) -> None:
        """Find and digest the files; each is parsed at its first question. Raises UsageError without a folder."""
        if settings.path is None:
            raise UsageError("source.path: csv_folder needs a folder; --set source.path=DIR")
        try:
            ZoneInfo(settings.csv.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise UsageError(
                f"source.csv.zone: {printable(settings.csv.zone)!r} is no time zone; write one such as Asia/Tokyo"
            ) from None
        folder = Path(settings.path)
        found = scan(folder)
        read_as = canonical(settings.csv.model_dump(mode="json"))
        self.vintage = digest(f"{found.vintage} {read_as}")[:16]
        self._currency = settings.csv.currency
        self._currencies = {file_key(symbol): one for symbol, one in settings.csv.currencies.items()}
        key = (folder.resolve(), self.vintage)
        self._folder = _FOLDERS.setdefault(key, _Folder(found, settings.csv))

    def faults(self) -> tuple[str, ...]:
        """What is wrong with files of the folder, and with what is said of them. Reads every file once."""
        held = {file_key(symbol) for symbol in self._folder.symbols}
        unknown = [
            f"source.csv.currencies names a symbol that the folder has no file of: {key}"
            for key in self._currencies
            if key not in held
        ]
        return (*self._folder.faults().values(), *self._folder.misfits, *unknown, *self._folder.unused())

    def fetch(self, dataset: str, params: Mapping[str, str]) -> Any:
        """Answer one question with a plain JSON value; see `phases.sources.base`."""
        if dataset == "span":
            return self._span()
        if dataset not in ("bars", "universe"):
            raise NoData(f"a folder of prices holds no {dataset}")
        as_of, count = np.datetime64(date.fromisoformat(params["as_of"])), int(params["sessions"])
        if count < 1:
            raise ValueError(f"sessions is {count}; ask for at least 1")
        if dataset == "universe":
            return self._universe(as_of, count)
        return self._mean(as_of, count) if params["symbol"] == UNIVERSE_MEAN else self._bars(params, as_of, count)

    def _span(self) -> dict[str, str]:
        days = [one.priced for _, one in self._folder.all() if len(one.priced)]
        if not days:
            raise NoData("the folder's files hold no bar; name another one: --set source.path=DIR")
        firsts, lasts = [one[0] for one in days], [one[-1] for one in days]
        return {"first": str(min(firsts)), "last": str(max(lasts))}

    def _bars(self, params: Mapping[str, str], as_of: np.datetime64, count: int) -> dict[str, Any]:
        symbol = params["symbol"]
        series = self._folder.series(symbol, as_of)
        if series is None:
            held = self._folder.symbols
            more = f" and {len(held) - SHOWN} more" if len(held) > SHOWN else ""
            near = nearest(symbol, held)
            raise NoData(f"the folder has no series {symbol!r}{near}; it holds {', '.join(held[:SHOWN])}{more}")
        if series.nothing:
            raise Unanswered(f"csv_folder: {series.nothing}")
        if not len(series.days):
            raise NoData(f"the folder has no bar of {symbol} at or before {as_of}")
        part = series.window(count)
        days, about = series.days[part], listing(symbol)
        currency = self._currency_of(symbol, series)
        actions = [
            *series.splits.entries("split", days[0], as_of),
            *series.dividends.entries("dividend", days[0], as_of),
        ]
        return {
            "symbol": symbol,
            "currency": currency,
            **({"currency_assumed": True} if self._is_assumed(symbol, series) else {}),
            "exchange": about.exchange,
            **({} if about.known else {"exchange_assumed": True}),
            "days": days.astype(str).tolist(),
            **{name: series.columns[name][part].tolist() for name in COLUMNS},
            "actions": sorted(actions, key=canonical),
            "notes": [*self._assumed(symbol, about, series), *series.told(part)],
        }

    def _currency_of(self, symbol: str, series: Series) -> str:
        """The currency as it is configured, else as the file says it, else by the suffix.

        Raises UsageError where configuration and file say different ones.
        """
        told = self._currencies.get(file_key(symbol), "")
        if told and series.currency and currency_code(told) != series.currency:
            raise UsageError(
                f"source.csv.currencies.{symbol}: it is {told}, but the file says {series.currency}; correct one"
            )
        return told or series.currency or listing(symbol).currency or self._currency

    def _is_assumed(self, symbol: str, series: Series) -> bool:
        """Whether the suffix alone says that prices are in hundredths of a currency."""
        told = series.currency or file_key(symbol) in self._currencies
        return not told and self._currency_of(symbol, series) in MINOR_UNITS

    def _assumed(self, symbol: str, about: Listing, series: Series) -> list[str]:
        """What is taken to be so of a symbol, and may be otherwise."""
        found = []
        if self._is_assumed(symbol, series):
            found.append(
                f"prices are taken to be in {self._currency_of(symbol, series)}, as its suffix says; else say it in "
                "source.csv.currencies"
            )
        if not about.known:
            found.append(f"where {symbol} is traded is not known; its days are taken for those of {about.exchange}")
        return found

    def _universe(self, as_of: np.datetime64, count: int) -> dict[str, Any]:
        night = self._folder.night(as_of, count)
        found = [
            {
                "symbol": one.symbol,
                "days": one.days[-count:].astype(str).tolist(),
                "adj_close": one.adj_close[-count:].tolist(),
            }
            for one in night.members
        ]
        return {"series": found, "notes": self._folder.left_out(night)}

    def _mean(self, as_of: np.datetime64, count: int) -> dict[str, Any]:
        """The mean as bars. Where fewer than two series have a part in it: raises SourceDamaged if some were left out.

        Raises NoData if none was.
        """
        if not self._folder.all():
            raise NoData("the folder has no series but indices; name one of them in question.benchmark")
        night = self._folder.night(as_of, count)
        members = [] if night.mean is None else [night.members[at].symbol for at in night.mean.counted]
        gone = self._folder.left_out(night)
        if night.mean is None or len(members) < FEWEST:
            told = f"the folder's mean needs two sound price series with bars up to {as_of}"
            held = f"; it has {', '.join(members) or 'none'}; name an index in question.benchmark, or add price files"
            if gone:
                raise SourceDamaged(f"csv_folder: {'; '.join([told + held, *gone])}")
            raise NoData(told + held)
        mean, part = night.mean, slice(-count, None)
        level = mean.level[part].tolist()
        exchanges = Counter(listing(symbol).exchange for symbol in members)
        note = f"{UNIVERSE_MEAN} is the equal-weight mean of the folder's {len(members)} price series"
        return {
            "symbol": UNIVERSE_MEAN,
            "currency": self._currency,
            "exchange": max(sorted(exchanges), key=exchanges.__getitem__),
            "days": mean.days[part].astype(str).tolist(),
            **{name: [] for name in COLUMNS},
            "close": level,
            "adj_close": list(level),
            "notes": [note, *gone],
        }
