"""F139: a whole body that an earlier night was told, published again under later dates; its age counts from then."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from phases.core.runs import Runs
from phases.core.store import open_store
from phases.evidence.redated import settled_figures, settled_news, settled_series
from phases.market_data import macro_snapshot, market_snapshot, news
from phases.night import hold_night
from phases.plan import CONFIGS, Words, plan
from schemas.market import Fundamentals, MacroSeriesSet, MarketSnapshot, News
from schemas.run import History, Told
from tests.faults.test_data import walk
from tests.phases.test_market_data import AS_OF, Shelf, question
from tests.support import fetch_door, settings

WEEKS = timedelta(28)
LATER = AS_OF + WEEKS


def weekdays(last: date, count: int) -> list[date]:
    return sorted(day for n in range(2 * count) if (day := last - timedelta(n)).weekday() < 5)[-count:]


def vix(last: date, bump: float = 0.0) -> dict[str, Any]:
    """A series of 60 sessions; the same values whatever day they end on."""
    days = [day.isoformat() for day in weekdays(last, 60)]
    values = [20 + n / 7 + (bump if n == 59 else 0) for n in range(60)]
    return {
        "name": "vix",
        "label": "VIX",
        "unit": "index",
        "period": "day",
        "days": days,
        "values": values,
        "known": days,
    }


def series(*those: Mapping[str, Any]) -> MacroSeriesSet:
    return MacroSeriesSet.model_validate_json(json.dumps({"series": those}))


def test_a_series_under_later_dates_keeps_the_dates_it_first_had() -> None:
    first, bodies, notes = settled_series(series(vix(AS_OF)), {})
    assert (first, notes) == (series(vix(AS_OF)), [])
    again, kept, notes = settled_series(series(vix(LATER)), bodies)
    assert again.series[0].days[-1] == again.series[0].known[-1] == AS_OF
    assert again.series[0].values == first.series[0].values
    assert kept == bodies, "the third night is told what the first was"
    assert notes == [f"vix: the values of an earlier night under dates 28 days later; they count as of {AS_OF}"]


@pytest.mark.parametrize(
    "now", [vix(LATER, 0.01), vix(AS_OF), vix(AS_OF - WEEKS)], ids=["news", "same dates", "earlier"]
)
def test_a_change_counts_and_so_does_what_has_no_later_dates(now: dict[str, Any]) -> None:
    _, bodies, _ = settled_series(series(vix(AS_OF)), {})
    settled, kept, notes = settled_series(series(now), bodies)
    assert (settled, notes) == (series(now), [])
    assert str(kept["vix"].day) == now["days"][-1]


class Macro(Shelf):
    def __init__(self, macro: dict[str, Any], last: date) -> None:
        super().__init__(walk(last=last), benchmark=walk(last=last))
        self.macro = macro

    def fetch(self, dataset: str, params: Any) -> Any:
        return {"series": [self.macro]} if dataset == "macro" else super().fetch(dataset, params)


def test_the_age_of_macro_evidence_counts_from_the_first_night() -> None:
    market = settings().market
    first = macro_snapshot(AS_OF, question(), market, fetch=fetch_door(Macro(vix(AS_OF), AS_OF)))
    assert "macro.vix" in {one.id for one in first.evidence}
    door = fetch_door(Macro(vix(LATER), LATER))
    second = macro_snapshot(LATER, question(), market, history=History(macro=first.bodies), fetch=door)
    missing = {one.id: one.reason for one in second.missing}
    assert missing["macro.vix"] == f"newest vix is of {AS_OF}, too old to count"  # 28 days are more than 4 periods of 5
    assert any("vix: the values of an earlier night" in note for note in second.notes)
    assert second.bodies == first.bodies
    soon = AS_OF + timedelta(3)
    door = fetch_door(Macro(vix(soon), soon))
    near = macro_snapshot(soon, question(), market, history=History(macro=first.bodies), fetch=door)
    assert next(one.as_of for one in near.evidence if one.id == "macro.vix") == AS_OF


def figure(name: str, value: float, ended: date, period: str = "now") -> dict[str, Any]:
    told = {"name": name, "value": value, "period": period, "ended": ended.isoformat()}
    return {**told, "known": (ended + timedelta(75 if period == "quarter" else 0)).isoformat()}


def company(day: date, pe: float = 20.0, **more: Any) -> dict[str, Any]:
    """What a vendor says on a day of one quarter, and of today's price."""
    quarter = [figure("revenue", 100.0, date(2008, 6, 30), "quarter")]
    figures = sorted([figure("trailing_pe", pe, day), *quarter], key=lambda one: (one["name"], one["period"]))
    return {"symbol": "ACME", "kind": "stock", "currency": "USD", "figures": figures, **more}


class Company(Shelf):
    def __init__(self, told: dict[str, Any], last: date) -> None:
        super().__init__(walk(last=last), benchmark=walk(last=last))
        self.told = told

    def fetch(self, dataset: str, params: Any) -> Any:
        return self.told if dataset == "fundamentals" else super().fetch(dataset, params)


def told_of(day: date, said: dict[str, Any], history: History | None = None) -> MarketSnapshot:
    market, door = (
        settings("market.families=[fa]", "analyst.axes.fundamental=0.4").market,
        fetch_door(Company(said, day)),
    )
    found: MarketSnapshot = market_snapshot("ACME", day, question(), market, history=history or History(), fetch=door)
    return found


@pytest.mark.parametrize(("pe", "since", "stale"), [(20.0, AS_OF, True), (20.1, LATER, False)])
def test_figures_of_today_that_never_change_are_as_old_as_the_first(pe: float, since: date, stale: bool) -> None:
    first = told_of(AS_OF, company(AS_OF))
    history = History(told={"ACME": Told(figures=first.bodies)})
    item = next(
        one
        for one in told_of(LATER - timedelta(14), company(LATER - timedelta(14), pe), history).evidence
        if one.id == "fa.pe_trailing"
    )
    assert (item.as_of, item.stale) == (AS_OF if stale else LATER - timedelta(14), stale)  # 14 days are more than 10
    assert item.known_at == item.as_of


def test_statements_with_all_their_dates_shifted_are_no_new_quarter() -> None:
    record = Fundamentals.model_validate_json(json.dumps(company(AS_OF)))
    _, bodies, _ = settled_figures(record, AS_OF, {})
    moved = [
        {**one, "ended": "2008-09-30", "known": "2008-12-14"}
        for one in company(AS_OF)["figures"]
        if one["period"] == "quarter"
    ]
    again = Fundamentals.model_validate_json(json.dumps({**company(AS_OF), "figures": moved}))
    settled, kept, notes = settled_figures(again, date(2008, 12, 20), bodies)
    assert settled.figures[0].ended == date(2008, 6, 30)
    assert kept["quarter"] == bodies["quarter"]
    assert "figures of the span quarter: the values of an earlier night under dates 92 days later" in notes[0]


def test_what_becomes_known_later_is_not_looked_at() -> None:
    """Else a figure of the future would decide what counts tonight."""
    whole = {**company(AS_OF), "figures": [*company(AS_OF)["figures"], figure("trailing_pe", 9.0, LATER)]}
    told = [
        settled_figures(Fundamentals.model_validate_json(json.dumps(one)), AS_OF, {}) for one in (whole, company(AS_OF))
    ]
    assert told[0] == told[1]


def piece(id: str, published: datetime | None) -> dict[str, Any]:
    when = None if published is None else published.isoformat().replace("+00:00", "Z")
    return {"id": id, "title": "Acme wins", "summary": None, "publisher": "AP", "published": when}


def test_news_under_a_later_moment_is_as_old_as_it_was(tmp_path: Path) -> None:
    then, now = datetime(2008, 9, 22, 12, tzinfo=UTC), datetime(2008, 9, 30, 12, tzinfo=UTC)
    items = [piece("n00000001", now), piece("n00000002", now), piece("n00000003", None)]
    found = News.model_validate_json(json.dumps({"symbol": "ACME", "items": items}))
    settled = settled_news(found, {"n00000001": then, "n00000003": then})
    assert [one.published for one in settled.items] == [then, now, None]
    assert settled.redated == 1
    assert settled_news(settled, {"n00000001": now}).items == settled.items, "an earlier moment is never made later"

    class Wire(Shelf):
        def fetch(self, dataset: str, params: Any) -> Any:
            return {"symbol": "ACME", "items": items} if dataset == "news" else super().fetch(dataset, params)

    door, market = (
        fetch_door(Wire(walk(), benchmark=walk())),
        settings("market.families=[news]", "analyst.axes.news=0.4").market,
    )
    own = market_snapshot("ACME", AS_OF, question(), market, fetch=door)
    history = History(told={"ACME": Told(news={"n00000001": then})})
    assert news(own, market, history=history, fetch=door).items[0].published == then


def test_a_night_finds_what_the_night_before_was_told(tmp_path: Path) -> None:
    """Through the store: the same file under later dates, and the bias row that comes of it."""
    folder, macro = tmp_path / "prices", tmp_path / "fred"
    folder.mkdir()
    macro.mkdir()
    for at, name in enumerate(("AAA", "BBB")):
        rows = (
            f"{day},{x},{x + 1},{x - 1},{x},1000"
            for n, day in enumerate(weekdays(LATER, 300))
            for x in [90 + n % (7 + at)]
        )
        (folder / f"{name}.csv").write_text("\n".join(["Date,Open,High,Low,Close,Volume", *rows, ""]))
    sets = (f"source.path={folder}", "source.order.macro=[fred]", f"source.fred.path={macro}", "bias.wording=false")
    made = []
    for day in (AS_OF, LATER):
        told = vix(day)
        lines = (f"{one},{value}" for one, value in zip(told["days"], told["values"], strict=True))
        (macro / "VIXCLS.csv").write_text("\n".join(["date,value", *lines, ""]))
        with closing(open_store(tmp_path / "out")) as store:
            words = Words(("AAA",), CONFIGS / "csv.yaml", sets, day.isoformat(), "none")
            hold_night(plan(words, Runs(store)), store, tmp_path / "out", lambda ticker, reason: None)
            with store.read() as connection:
                bodies = connection.exec_driver_sql("SELECT body FROM artefacts WHERE name = 'bias_row'").all()
            made.append([json.loads(body) for (body,) in bodies])
    first, second = made[0][0], next(one for one in made[1] if one["date"] == LATER.isoformat())
    assert first["vix_level"] == round(20 + 59 / 7, 2)
    assert first["provenance"]["vix_level"]["status"] == "fresh"
    assert second["provenance"]["vix_level"]["evidence"] != ["macro.vix"], "a month old is no level of today"
