"""Faults of what a night leaves for people, by their number, read back with a parser that is not the browser's."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from phases.core.errors import StoreError, UsageError
from phases.core.store import open_store
from phases.core.text import printable
from phases.hand_off import deliver
from phases.night import export, stored_feed
from phases.outputs.tables import feed_csv, feed_json
from phases.report import write_report
from schemas.feed import PortfolioFeed
from tests.browser.hostile import HOSTILE
from tests.browser.stores import spoil
from tests.conftest import DAY, Cli, Night, Shelf

Attributes = Mapping[str, str | None]


class Document(HTMLParser):
    """Tags with their attributes, and the text of a page outside its own style and script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, Attributes]] = []
        self.words: list[str] = []
        self._raw = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._raw = tag if tag in ("style", "script") else self._raw

    def handle_endtag(self, tag: str) -> None:
        self._raw = "" if tag == self._raw else self._raw

    def handle_data(self, data: str) -> None:
        if not self._raw:
            self.words.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)

    def attributes(self) -> Iterator[tuple[str, str, str]]:
        yield from ((tag, name, value or "") for tag, found in self.tags for name, value in found.items())


def page(out: Path, to: Path, *, history: bool = False) -> str:
    """The page of the last run of a store, or of all."""
    with closing(open_store(out)) as store:
        return write_report(store, out, None if history else "last", history, to).read_text(encoding="utf-8")


@pytest.fixture
def spoiled(three: Night, tmp_path: Path) -> Path:
    """A store whose every free text is hostile."""
    out = three.copy(tmp_path / "spoiled").path
    spoil(out, HOSTILE)
    return out


@pytest.mark.parametrize("history", [False, True], ids=["night", "history"])
def test_F164_markup_in_a_text_is_text(spoiled: Path, tmp_path: Path, history: bool) -> None:
    found = Document(page(spoiled, tmp_path / "page.html", history=history))
    tags = [tag for tag, _ in found.tags]
    assert (tags.count("script"), tags.count("style"), tags.count("meta")) == (1, 1, 5)
    assert not {"img", "iframe", "object", "embed", "link", "base", "foreignobject", "animate", "use"} & set(tags)
    assert [name for _, name, _ in found.attributes() if name.startswith("on") or name == "style"] == []
    assert sum(printable(text) in found.text for text in HOSTILE) > 10
    if not history:
        assert [text for text in HOSTILE if printable(text) not in found.text] == []


def test_F164_a_restrictive_policy_is_there_and_names_what_runs(three: Night, tmp_path: Path) -> None:
    told = page(three.path, tmp_path / "page.html")
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', told)
    rules = dict(rule.strip().split(" ", 1) for rule in unescape(policy).split(";"))
    assert rules.pop("default-src") == "'none'"
    assert {rules.pop("base-uri"), rules.pop("form-action")} == {"'none'"}
    assert set(rules) == {"style-src", "script-src"}
    assert all(re.fullmatch(r"'sha256-[A-Za-z0-9+/]{43}='", rule) for rule in rules.values()), rules
    assert told.index("Content-Security-Policy") < told.index("<style>") < told.index("<script>")


@pytest.mark.parametrize("history", [False, True], ids=["night", "history"])
def test_F165_nothing_remote_is_named_by_a_tag(spoiled: Path, tmp_path: Path, history: bool) -> None:
    found = Document(page(spoiled, tmp_path / "page.html", history=history))
    leads = [
        (tag, name, value)
        for tag, name, value in found.attributes()
        if name in ("src", "href", "xlink:href", "action", "poster", "srcset", "data", "ping", "formaction")
    ]
    assert [one for one in leads if not re.fullmatch(r"#[a-z0-9]+", one[2])] == []
    if not history:
        assert "![chart](https://evil.invalid/p.png)" in found.text


def test_F166_a_cell_that_could_run_is_inert_and_numbers_stay_numbers(three: Night) -> None:
    feed = PortfolioFeed.model_validate_json((three.folder / "feed.json").read_bytes())
    texts = ["=1+1", "+1", "-1.5", "@SUM(A1)", "\tx", "'quoted"]
    for text in texts:
        row = feed.rows[0].model_copy(update={"reason": text, "view_excess_return": -1.5})
        changed = feed.model_copy(update={"rows": (row,)})
        (cells,) = csv.DictReader(io.StringIO(feed_csv(changed), newline=""))
        assert cells["reason"] == f"'{text}"
        assert cells["view_excess_return"] == "-1.5"
        assert PortfolioFeed.model_validate_json(feed_json(changed)).rows[0].reason == text


def test_F175_a_link_at_the_place_of_the_page_is_replaced(three: Night, tmp_path: Path) -> None:
    out, target = three.copy(tmp_path / "linked").path, tmp_path / "target"
    target.write_text("untouched")
    place = out / three.folder.name / "report.html"
    place.unlink(missing_ok=True)
    place.symlink_to(target)
    with closing(open_store(out)) as store:
        assert write_report(store, out, "last") == place
    assert target.read_text() == "untouched"
    assert not place.is_symlink() and place.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_F090_a_page_that_cannot_be_written_after_a_night_is_an_outage_and_no_wrong_word(
    three: Night, tmp_path: Path
) -> None:
    """Exit code 4, as the night was held; 2 would say that nothing was started."""
    out = three.copy(tmp_path / "full").path
    place = out / three.folder.name / "report.html"
    place.unlink(missing_ok=True)
    place.mkdir()
    with closing(open_store(out)) as store, pytest.raises(StoreError, match=r"report\.html: cannot be written"):
        write_report(store, out, "last")


def test_F175_a_link_to_a_folder_is_refused_or_replaced(three: Night, tmp_path: Path) -> None:
    out, folder = three.copy(tmp_path / "linked").path, tmp_path / "folder"
    folder.mkdir()
    own = out / three.folder.name / "report.html"
    own.unlink(missing_ok=True)
    own.symlink_to(folder)
    (tmp_path / "page.html").symlink_to(folder)
    with closing(open_store(out)) as store:
        write_report(store, out, "last")
        with pytest.raises(UsageError, match=r"page\.html: cannot be written"):
            write_report(store, out, "last", to=tmp_path / "page.html")
    assert own.is_file() and not own.is_symlink()
    assert list(folder.iterdir()) == []


def test_F175_a_link_at_the_place_of_the_runs_folder_is_replaced(three: Night, tmp_path: Path) -> None:
    out, elsewhere = three.copy(tmp_path / "linked").path, tmp_path / "elsewhere"
    place = out / three.folder.name
    place.rename(elsewhere)
    place.symlink_to(elsewhere)
    for one in elsewhere.iterdir():
        one.write_text("untouched")
    with closing(open_store(out)) as store:
        write_report(store, out, "last")
        export(stored_feed(store, three.folder.name), place)
        deliver(b"parquet", None, place / "feed.parquet")
    assert place.is_dir() and not place.is_symlink()
    assert {"report.html", "feed.csv", "feed.json", "feed.parquet"} <= {one.name for one in place.iterdir()}
    assert {one.read_text() for one in elsewhere.iterdir()} == {"untouched"}


@pytest.mark.parametrize("lies", ["a file for the folder", "a folder for the feed", "a folder for the page"])
def test_what_lies_where_a_night_writes_is_named_and_the_night_goes_on_once_it_is_gone(
    three: Night, cli: Cli, tmp_path: Path, lies: str
) -> None:
    words = ("run", "AAPL", "IBM", "MSFT", "--as-of", DAY, "--out", tmp_path)
    place = tmp_path / three.folder.name
    if lies == "a file for the folder":
        place.write_text("mine")
        place_of_it = place
    else:
        place_of_it = place / ("feed.csv" if "feed" in lies else "report.html")
        place_of_it.mkdir(parents=True)
    told = cli(*words, "--json")
    assert told.code == 4 and told.err.splitlines()[-1].startswith(f"error: {place}")
    assert told.err.endswith(f"; resumable with `run --resume last --out {tmp_path}`\n"), told.err
    state = "finished" if "page" in lies else "stopped"
    assert Shelf(tmp_path).ask("SELECT state FROM runs") == [(state,)]
    place_of_it.unlink() if place_of_it.is_file() else place_of_it.rmdir()
    again = cli("run", "--resume", "last", "--out", tmp_path, "--json")
    assert (again.code, again.json["calls"]["made"]) == (0, 0)
