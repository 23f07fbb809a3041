"""FRED, the macro series of the Federal Reserve Bank of St. Louis: a folder of files, or the key-less download."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Mapping
from datetime import date, timedelta
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from phases.core.errors import NoData, SourceDown, UsageError
from phases.core.recorder import today
from phases.core.text import printable
from phases.sources.fred.files import Row, Said, Unreadable, read
from phases.sources.fred.series import LEAST_LAG, SERIES, WINDOW, Spec
from schemas.settings import SourceSettings

SINCE = date(1980, 1, 1)
"""First day the download is asked about; most series are older."""

YEARS_BACK = timedelta(1200)
"""How far before the as-of day the download begins: three years and the longest lag."""


class FredSource:
    """Answers `macro`; it has no prices.

    In a folder lies one file a series, `<ID>.csv`. A series without a file is listed without values.
    """

    name = "fred"

    def __init__(self, settings: SourceSettings) -> None:
        """Read and digest the folder, if there is one. Raises UsageError if it holds no series."""
        self._settings = settings
        self.live = settings.fred.path is None
        self._files = {} if settings.fred.path is None else _read(Path(settings.fred.path))
        self._tolerant = settings.on_failure == "degrade" and not self.live
        self._faults: dict[str, str] = {}
        """What is wrong with files, by series, where each costs its series alone."""
        _check_lags(settings)
        parts = [f"{id} {hashlib.sha256(body).hexdigest()}" for id, body in self._files.items()]
        parts += [f"lag {id} {days}" for id, days in sorted(settings.fred.lags.items())]
        self.vintage = ("live " if self.live else "") + hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]

    def fetch(self, dataset: str, params: Mapping[str, str]) -> Any:
        """Answer one question with a plain JSON value; see `phases.sources.base`."""
        if dataset == "span":
            return self._span()
        if dataset != "macro":
            about = f" of {params['symbol']}" if "symbol" in params else ""
            raise NoData(f"fred has macro series alone, and no {dataset}{about}")
        as_of = date.fromisoformat(params["as_of"])
        rows = self._downloaded(as_of) if self.live else self._parsed
        if not any(rows.values()):
            first = next((f"; {id}: {why}" for id, why in self._faults.items()), "")
            raise SourceDown(f"fred: none of {len(rows)} series has an observation; check source.fred{first}")
        there = {id for id, held in rows.items() if held} | self._faults.keys()
        named: dict[str, Spec] = {}
        for spec in SERIES:
            if spec.name not in named or (spec.id in there and named[spec.name].id not in there):
                named[spec.name] = spec
        return {
            "series": [
                {**self._told(spec, rows.get(spec.id) or [], as_of), "place": self._place(spec, spec.id in there)}
                for _, spec in sorted(named.items())
            ]
        }

    def faults(self) -> tuple[str, ...]:
        """What is wrong with files that cost their series alone, a line each."""
        self._parsed  # noqa: B018
        return tuple(f"{id}.csv: {why}" for id, why in self._faults.items())

    def _told(self, spec: Spec, rows: list[Row], as_of: date) -> dict[str, Any]:
        """What was known of a series; why nothing of it counts where its file is at fault."""
        try:
            return _series(spec, rows, as_of) | ({"fault": why} if (why := self._faults.get(spec.id)) else {})
        except Unreadable as error:
            if not self._tolerant:
                raise _damaged(spec, error) from None
            return {**_series(spec, [], as_of), "fault": str(error)}

    def _place(self, spec: Spec, used: bool) -> str:
        """Where a reader finds a series; where none is used, every one that could stand in."""
        if self.live:
            return f"{spec.id} of source.fred.base_url"
        ids = [spec.id] if used else [one.id for one in SERIES if one.name == spec.name]
        return " or ".join(f"{id}.csv" for id in ids) + " in source.fred.path"

    def _span(self) -> dict[str, str]:
        if self.live:
            return {"first": SINCE.isoformat(), "last": today().isoformat()}
        days = [row.day for rows in self._parsed.values() for row in rows]
        if not days:
            raise SourceDown(f"fred: no file in {self._settings.fred.path} has an observation")
        return {"first": min(days).isoformat(), "last": max(days).isoformat()}

    @cached_property
    def _parsed(self) -> dict[str, list[Row]]:
        texts = {id: body.decode("utf-8", "replace") for id, body in self._files.items()}
        return {spec.id: self._rows(spec, texts[spec.id]) for spec in SERIES if spec.id in texts}

    def _downloaded(self, as_of: date) -> dict[str, list[Row]]:
        from phases.sources.fred.web import downloaded

        first = {spec.name: spec for spec in reversed(SERIES)}
        since = max(SINCE, as_of - YEARS_BACK).isoformat()
        bodies = downloaded(self._settings, sorted(spec.id for spec in first.values()), since)
        return {spec.id: self._rows(spec, bodies[spec.id] or "") for spec in first.values() if bodies[spec.id]}

    def _rows(self, spec: Spec, text: str) -> list[Row]:
        try:
            found = read(text, spec.id, partial(spec.known, lags=self._settings.fred.lags))
            if (ahead := _ahead(found, today())) is not None:
                raise Unreadable(f"{ahead} is still to come: its dates are wrong")
        except Unreadable as error:
            if not self._tolerant:
                raise _damaged(spec, error) from None
            self._faults[spec.id] = str(error)
            return []
        return found


def _damaged(spec: Spec, error: Unreadable) -> SourceDown:
    return SourceDown(f"fred: {spec.id}: {error}; download it anew")


def _check_lags(settings: SourceSettings) -> None:
    """Raise UsageError for a lag after which a period is not over yet."""
    for spec in SERIES:
        least = LEAST_LAG[spec.period]
        if (days := settings.fred.lags.get(spec.id, least)) < least:
            raise UsageError(
                f"source.fred.lags.{spec.id}: {days} days after its first day a {spec.period} is not over; "
                f"give {least} or more"
            )


def _read(folder: Path) -> dict[str, bytes]:
    """The files of known series, by series."""
    where = printable(str(folder))
    if not folder.is_dir():
        raise UsageError(f"source.fred.path: {where} is no folder; name one, or leave it empty to fetch the series")
    try:
        found: dict[str, bytes] = {
            spec.id: path.read_bytes() for spec in SERIES if (path := folder / f"{spec.id}.csv").is_file()
        }
    except OSError as error:
        raise UsageError(
            f"source.fred.path: {where}: {printable(Path(str(error.filename)).name)} cannot be read ({error.strerror})"
        ) from None
    if not found:
        raise UsageError(
            f"source.fred.path: {where} holds no file such as CPIAUCSL.csv; name the folder of the downloaded series"
        )
    return found


def _ahead(rows: list[Row], now: date) -> str | None:
    """A day in the future that figures are of, or became known on. Of a plain file only the first can be wrong."""
    if rows and rows[-1].day > now:
        return f"the day {rows[-1].day}"
    vintages = [one.since for row in rows if len(row.said) > 1 for one in row.said if one.value is not None]
    return f"the vintage of {max(vintages)}" if vintages and max(vintages) > now else None


def _series(spec: Spec, rows: list[Row], as_of: date) -> dict[str, Any]:
    """What was known of a series: by period the newest figure said by then, and those it replaced.

    Raises Unreadable for what cannot have been known then.
    """
    days: list[str] = []
    values: list[float] = []
    known: list[str] = []
    revised: list[dict[str, Any]] = []
    for row in reversed(rows[: bisect_right(rows, as_of, key=lambda one: one.day)]):
        said = [one for one in row.said if one.since <= as_of]
        _check_days(spec, said)
        figures = [(one.since.isoformat(), _scaled(spec, one.value)) for one in said if one.value is not None]
        if not said or said[-1].value is None:
            continue
        days.append(row.day.isoformat())
        known.append(figures[-1][0])
        values.append(figures[-1][1])
        told = [{"day": days[-1], "value": value, "known": since} for since, value in figures[:-1]]
        revised += reversed(told)
        if len(days) == WINDOW[spec.period]:
            break
    about = {"name": spec.name, "label": spec.label, "unit": spec.unit, "period": spec.period}
    replaced = {"revised": revised[::-1]} if revised else {}
    return {**about, "days": days[::-1], "values": values[::-1], "known": known[::-1], **replaced}


def _check_days(spec: Spec, said: list[Said]) -> None:
    """Raise Unreadable for what is said to be known before its period was over, or no longer than it was known."""
    for one in said:
        if one.value is not None and one.since < spec.over(one.day):
            early = f"{one.value:g} of {one.day} is said to be known on {one.since}, before its {spec.period} is over"
            raise Unreadable(f"line {one.line}: {early}")
        if one.until < one.since:
            raise Unreadable(f"line {one.line}: what is known of {one.day} from {one.since} ends on {one.until}")


def _scaled(spec: Spec, value: float) -> float:
    return round(value / 100, 10) if spec.percent else value
