"""How Yahoo is asked: breaker, pauses, and the library with its private folder."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest

from phases.core.errors import NoData, SourceDown, UsageError
from phases.sources.yahoo import YahooSource
from schemas.settings import SourceSettings
from tests.phases.sources.yahoo import server as served
from tests.phases.sources.yahoo.asked import DAY, Make, bars
from tests.phases.sources.yahoo.server import YahooServer, page, rising


def test_a_dead_source_is_taken_to_be_down_and_further_questions_fail_at_once(
    server: YahooServer, source: Make
) -> None:
    server.faults["*"] = lambda path: page("gone", 503)
    asked = source(retries=0, breaker=3)
    for symbol in ("A", "B", "C"):
        with pytest.raises(SourceDown, match=f"503 about {symbol}"):
            bars(asked, symbol)
    with pytest.raises(SourceDown, match="D was not asked for: yahoo is taken to be down after 3 failures in a row"):
        bars(asked, "D")
    assert server.about("D") == []


def test_questions_are_as_far_apart_as_the_settings_say(
    server: YahooServer, source: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("phases.sources.yahoo.client.pause", waits.append)
    monkeypatch.setattr("phases.sources.yahoo.client.ticks", lambda: 100.0)
    monkeypatch.setattr("phases.sources.yahoo.session.ticks", lambda: 100.0)
    server.charts["AAPL"] = rising("AAPL", DAY)
    asked = source(pause_seconds=7)
    for _ in range(3):
        bars(asked)
    assert waits == [7.0, 14.0]


def test_refusals_in_a_row_do_not_keep_the_others_from_their_answers(server: YahooServer, source: Make) -> None:
    server.charts["GOOD"] = rising("GOOD", DAY)
    server.faults |= {f"BAD{at}": lambda path: served.TOO_MANY for at in range(6)}
    asked = source(retries=1, breaker=3)
    for at in range(6):
        with pytest.raises(SourceDown, match=f"rate limited: it refused BAD{at}"):
            bars(asked, f"BAD{at}")
    assert [len(server.about(f"BAD{at}")) for at in range(6)] == [4, 4, 4, 2, 2, 2]  # no second try from then on
    assert bars(asked, "GOOD").days[-1] == DAY


def test_an_unknown_symbol_is_no_failure_of_the_source(server: YahooServer, source: Make) -> None:
    asked = source(breaker=2)
    for symbol in ("A", "B", "C"):
        with pytest.raises(NoData):
            bars(asked, symbol)


def test_f176_the_librarys_folder_is_private_to_the_run_and_goes_with_it(
    server: YahooServer, source: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.charts["AAPL"] = rising("AAPL", DAY)
    bars(source())
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    asked = source()
    bars(asked)
    (folder,) = tmp_path.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700 and (folder / "cookies.db").is_file()
    del asked
    assert not list(tmp_path.iterdir())


def test_f176_a_folder_of_ones_own_is_kept_and_used_again(server: YahooServer, source: Make, tmp_path: Path) -> None:
    server.charts["AAPL"] = rising("AAPL", DAY)
    bars(source(cache=tmp_path / "made" / "cache"))
    assert stat.S_IMODE((tmp_path / "made" / "cache").stat().st_mode) == 0o700
    before = len(server.asked)
    bars(source(cache=tmp_path / "made" / "cache"))
    assert not any(one.startswith("fc.yahoo.com") for one in server.asked[before:])


@pytest.mark.parametrize("fault", ["folder open", "file open", "link", "other owner", "folder is a link"])
def test_f176_a_folder_that_others_could_write_is_refused(
    server: YahooServer, source: Make, tmp_path: Path, fault: str
) -> None:
    folder = tmp_path / "cache"
    folder.mkdir(0o700)
    planted = folder / "cookies.db"
    if fault == "folder open":
        folder.chmod(0o770)
    elif fault == "link":
        planted.symlink_to(tmp_path / "elsewhere")
    elif fault == "folder is a link":
        (tmp_path / "link").symlink_to(folder)
        folder = tmp_path / "link"
    else:
        planted.write_bytes(b"no database")
        planted.chmod(0o666 if fault == "file open" else 0o600)
        if fault == "other owner":
            if os.geteuid() != 0:
                pytest.skip("only root can give a file away")
            os.chown(planted, 12345, 12345)
    with pytest.raises(UsageError, match=r"source\.yahoo\.cache: .* name a private folder"):
        bars(source(cache=folder))
    assert server.asked == []


def test_a_missing_library_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UsageError, match=re.escape("pip install '.[yahoo]' in the folder of the program")):
        YahooSource(SourceSettings(name="yahoo"))
