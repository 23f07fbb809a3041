"""Several sources as one: who is asked, which answer is kept for whom, and what is said of a source that was down."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, get_args

import pytest

from phases.core.errors import NoData, SourceDown, UsageError
from phases.core.store import open_store
from phases.night import hold_night
from phases.plan import CONFIGS, Words, plan
from phases.sources import ANSWERS, SOURCES, chain_of, stood_in
from phases.sources.chain import Chain
from schemas.market import Bars, Dataset
from schemas.settings import SourceSettings
from tests.conftest import Cli
from tests.phases.sources.test_csv_damage import LAST, series
from tests.support import fetch_door

PARAMS = {"symbol": "AAPL", "as_of": "2012-06-29", "sessions": "1"}


class Scripted:
    """A source that always does the same."""

    live = False

    def __init__(self, name: str, does: BaseException | Mapping[str, Any], vintage: str = "v") -> None:
        self.name, self.vintage, self._does = name, vintage, does

    def fetch(self, dataset: str, params: Mapping[str, str]) -> Any:
        if isinstance(self._does, BaseException):
            raise self._does
        return self._does


def settings(folder: Path, **more: Any) -> SourceSettings:
    return SourceSettings.model_validate({"name": "csv_folder", "path": str(folder), **more})


def chain(name: str, order: Mapping[str, tuple[str, ...]], *sources: Scripted) -> Chain:
    return Chain(name, {one.name: one for one in sources}, order)


# Which datasets a source answers


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_every_source_says_no_data_to_all_but_what_it_declares(name: str, tmp_path: Path) -> None:
    if name == "skfolio" and importlib.util.find_spec("skfolio") is None:
        pytest.skip("the package skfolio is not installed (extra `skfolio`)")
    source = SOURCES[name](settings(series(tmp_path / "prices", "AAA")))
    for dataset in set(get_args(Dataset)) - set(ANSWERS[name]):
        with pytest.raises(NoData):
            source.fetch(dataset, PARAMS)
    if not source.live:
        symbol = {"csv_folder": "AAA", "skfolio": "JPM"}.get(name, "AAPL")
        for dataset in ANSWERS[name]:
            assert source.fetch(dataset, {**PARAMS, "symbol": symbol, "as_of": "2024-01-31"})


def test_each_source_of_the_table_declares_what_it_answers() -> None:
    assert set(ANSWERS) == set(SOURCES)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["source.order={macro: [csv_folder]}"], "source.order.macro: 'csv_folder' has no macro; .*: fred, packaged$"),
        (["source.order={bars: [fred]}"], "source.order.bars: 'fred' has no bars; .*: csv_folder, packaged, skfolio, "),
        (["source.order={news: [yahoo, fred]}"], "source.order.news: 'fred' has no news; name one that has: yahoo$"),
        (["source=fred"], "source.name: 'fred' has no bars; .* yahoo, or name one in source.order.bars$"),
        (["source.order={bars: []}"], "source.order.bars: no source is named, and a night needs prices; name one: "),
    ],
)
def test_a_source_is_not_taken_for_what_it_cannot_answer(words: list[str], told: str, tmp_path: Path) -> None:
    for offline in (False, True):
        with pytest.raises(UsageError, match=f"^{told}"):
            plan(Words(("AAPL",), sets=tuple(words), as_of="2012-06-29", offline=offline), None)


def test_it_is_said_before_anything_is_made_and_by_doctor(cli: Cli, tmp_path: Path) -> None:
    out, wrong = tmp_path / "out", ("--set", "source.order={macro: [csv_folder]}")
    for done in (cli("run", "AAPL", *wrong, "--out", out), cli("doctor", *wrong, "--out", out)):
        assert done.code == 2 and "source.order.macro: 'csv_folder' has no macro" in done.err
    assert not out.exists()


def test_one_that_has_no_prices_may_be_first_where_another_has_them() -> None:
    source = chain_of(SourceSettings(name="packaged", order={"bars": ("packaged",), "macro": ()}))
    with pytest.raises(NoData, match="no source is configured for macro"):
        source.fetch("macro", PARAMS)


# Whose answer is kept


def test_the_vintage_is_that_of_the_order_of_each_dataset_and_of_the_data() -> None:
    def vintage(name: str, order: Mapping[str, tuple[str, ...]], data: str = "v") -> str:
        answer = {"notes": []}
        return chain(name, order, Scripted("a", answer, data), Scripted("b", answer)).vintage

    base = vintage("a", {"bars": ("a", "b")})
    assert base == vintage("a", {"bars": ("a", "b")})
    others = [
        vintage("a", {"bars": ("b", "a")}),
        vintage("a", {"universe": ("a", "b")}),
        vintage("a", {"bars": ("a", "b"), "macro": ("b",)}),
        vintage("b", {"bars": ("a", "b")}),
        vintage("a", {"bars": ("a", "b")}, "w"),
    ]
    assert len({base, *others}) == 6


def test_in_one_store_another_order_has_answers_of_its_own(tmp_path: Path) -> None:
    folder, out = series(tmp_path / "prices", "AAPL", "MSFT"), tmp_path / "out"
    text = (folder / "AAPL.csv").read_text()
    for name in ("AAPL", "MSFT"):
        (folder / f"{name}.csv").write_text(text.replace("2022-", "2010-").replace("2023-", "2011-"))
    found = []
    for order in ("[packaged, csv_folder]", "[csv_folder, packaged]"):
        sets = (f"source.order={{bars: {order}}}", f"source.path={folder}", "question.benchmark=^GSPC")
        with closing(open_store(out)) as store:
            planned = plan(Words(("AAPL",), CONFIGS / "csv.yaml", sets, "2011-12-30", "none"), None)
            hold_night(planned, store, out, lambda ticker, reason: None)
            assert planned.source is not None
            door = fetch_door(planned.source)
            found.append((planned.header.vintage, door("bars", Bars, **{**PARAMS, "as_of": "2011-12-30"}).source))
    assert [source for _, source in found] == ["packaged", "csv_folder"]
    assert found[0][0] != found[1][0]


# A source that is down


def test_a_source_that_is_down_while_another_answers_is_told_of_once_with_its_first_words() -> None:
    both = chain("a", {"bars": ("a", "b")}, Scripted("a", SourceDown("a: no route")), Scripted("b", {"close": [1]}))
    assert stood_in(both) == ()
    for one in (both, both, both.stored_only()):
        assert one.fetch("bars", PARAMS)["notes"] == ["a: no route"]
    assert stood_in(both) == ("source a gave no answer (3x), and another source answered instead; first: a: no route",)
    assert stood_in(Scripted("a", {})) == ()


@pytest.mark.parametrize("second", [SourceDown("b: gone"), NoData("b has none")])
def test_where_nobody_answers_instead_the_error_says_it(second: Exception) -> None:
    both = chain("a", {"bars": ("a", "b")}, Scripted("a", SourceDown("a: no route")), Scripted("b", second))
    with pytest.raises(SourceDown, match="a: no route"):
        both.fetch("bars", PARAMS)
    assert stood_in(both) == ()


def test_a_night_warns_once_of_a_first_source_that_is_down(cli: Cli, tmp_path: Path) -> None:
    folder = series(tmp_path / "prices", "AAA", "BBB", "CCC")
    more = series(tmp_path / "macro", "AAA")
    (more / "AAA.csv").rename(more / "VIXCLS.csv")
    (more / "VIXCLS.csv").write_text("date,value\nnot a day,1\n")
    words = ("AAA", "BBB", "--config", CONFIGS / "csv.yaml", "--as-of", LAST, "--out", tmp_path / "out")
    sets = (f"source.path={folder}", "source.order={macro: [fred, packaged]}", f"source.fred.path={more}")
    done = cli("run", *words, *(word for one in sets for word in ("--set", one)))
    assert done.code == 0, done.err
    told = [line for line in done.err.splitlines() if line.startswith("warning: ")]
    assert len(told) == 1 and told[0].startswith("warning: source fred gave no answer (1x), and another source"), told
    assert "VIXCLS: line 2" in told[0]
