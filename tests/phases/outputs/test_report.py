"""The pages without a browser: figures, words, what is left out, and what the command says."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from datetime import date
from itertools import accumulate, cycle, islice, pairwise
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phases.core.runs import Runs
from phases.core.store import open_store
from phases.outputs.report.charts import LABEL, PAST, Mark, Round, delta_chart, gap_chart, gap_told, past_chart
from phases.outputs.report.front import health_rows
from phases.outputs.report.words import FATE, FLAGS, STATUS, flag_text
from phases.report import night_text
from schemas.health import Share
from schemas.manager import PointAnswer
from schemas.summary import RATED, Status
from tests.browser.stores import HEALTH
from tests.conftest import DAY, ROOT, Cli, Night, Shared, Told

ROUNDS = (Round("opening", 0.65, 0.25), Round("round 1", 0.65, 0.28), Round("round 2", 0.68, 0.28))
"""The contested question of the forecaster debate: gaps .40, .37, .40; .4133 is the probability before it."""


def test_the_gap_chart_says_every_number() -> None:
    told = gap_told("FED", ROUNDS, 0.4133)
    for words in ("opening: bull 0.650, bear 0.250, midpoint 0.450, gap 0.400", "midpoint 0.465, gap 0.370"):
        assert words in told
    assert "round 2: bull 0.680, bear 0.280, midpoint 0.480, gap 0.400" in told
    assert told.endswith("Before the debate: 0.413.")


def test_the_gap_chart_draws_to_scale() -> None:
    """The axis runs from 0 to 1, so a point at .65 lies .65 of the way up."""
    chart = str(gap_chart("FED", ROUNDS, 0.4133))
    axis = [float(y) for y in re.findall(r'class="grid"[^>]*y1="([\d.]+)"', chart)]
    low, high = max(axis), min(axis)
    (points,) = re.findall(r'polyline class="bull" points="([^"]+)"', chart)
    heights = [(low - float(point.split(",")[1])) / (low - high) for point in points.split()]
    assert heights == pytest.approx([0.65, 0.65, 0.68], abs=0.002)
    (before,) = re.findall(r'line class="before"[^>]*y1="([\d.]+)"', chart)
    assert (low - float(before)) / (low - high) == pytest.approx(0.4133, abs=0.002)
    (band,) = re.findall(r'class="band" points="([^"]+)"', chart)
    assert len(band.split()) == 6, "the band goes there along one side and back along the other"


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=5), st.floats(0, 1))
def test_no_label_covers_another_and_none_leaves_the_drawing(pairs: list[tuple[float, float]], before: float) -> None:
    chart = str(gap_chart("X", [Round(f"round {at}", *pair) for at, pair in enumerate(pairs)], before))
    heights = sorted(float(y) for y in re.findall(r'text class="name [a-z]+" x="[\d.]+" y="([\d.]+)"', chart))
    assert len(heights) == 4
    assert all(b - a >= LABEL - 0.1 for a, b in pairwise(heights))
    assert heights[0] > 0 and heights[-1] <= 200


def test_a_side_that_was_silent_is_not_drawn_through() -> None:
    chart = str(gap_chart("X", (Round("round 1", 0.6, None), Round("round 2", 0.6, 0.4)), None))
    assert "round 1: bull 0.600, bear –;" in chart
    assert chart.count('class="bear dot"') == 1 and chart.count('class="bull dot"') == 2


def test_the_bars_of_the_distribution_begin_at_zero() -> None:
    chart = str(delta_chart([(-1, 5), (0, 10)]))
    bars = re.findall(r'rect class="bar[ a-z]*"[^>]*height="([\d.]+)"', chart)
    assert [float(one) for one in bars] == pytest.approx([0, 46, 92, 0, 0])
    assert "−2: 0, −1: 5, 0: 10, +1: 0, +2: 0" in chart


def test_a_night_without_a_view_breaks_the_line() -> None:
    days = [date(2012, 1, day) for day in (2, 3, 4, 5, 6)]
    marks = [Mark(day, "buy", "debated", 0.5, 0.6) for day in days]
    whole = str(past_chart("X", marks, days[0], days[-1]))
    marks[2] = Mark(days[2], None, "failed", None, None)
    broken = str(past_chart("X", marks, days[0], days[-1]))
    assert (whole.count("<polyline"), broken.count("<polyline")) == (1, 2)
    assert "2012-01-04: no view, failed" in broken and broken.count("cell none") == 1


def test_every_status_and_every_fate_has_words() -> None:
    assert set(STATUS) == set(get_args(Status))
    assert all(STATUS[one].startswith("no view") == (one not in RATED) for one in get_args(Status))
    assert set(FATE) == set(get_args(PointAnswer))


def test_every_flag_that_the_program_sets_has_words() -> None:
    """Flags as the program writes them: findings, flags of a series, of a summary, of a turn."""
    found: set[str] = set()
    for path in (ROOT / "phases").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        found |= set(re.findall(r'"(?:flag|drop)", "([a-z_]+)"\)', text))
        found |= set(re.findall(r'flags\.add\("([a-z_]+)"\)', text))
        found |= set(re.findall(r'flags=\("([a-z_]+)",\)', text))
    assert len(found) > 15
    assert found - set(FLAGS) == set()
    assert flag_text("bear_3_unpaid_move").startswith("bear, round 3: ")
    assert flag_text("bear_3_unpaid_move", opened=True).startswith("bear, round 2: ")
    assert flag_text("bull_1_void", opened=True) == "bull, opening: the turn does not count"


PROTOCOLS = ("forecaster", "moderated", "panel", "points", "rounds")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_protocol_has_its_whole_transcript(shared: Shared, protocol: str) -> None:
    def build(place: Path) -> list[Told]:
        words = ("run", "IBM", "--as-of", DAY, "--set", f"debate.protocol={protocol}", "--out", place / "out", "--json")
        return [Cli(place)(*words)]

    night = shared(f"report-{protocol}", build)
    page = (night.folder / "report.html").read_text(encoding="utf-8")
    ((body,),) = night.ask("SELECT body FROM artefacts WHERE name = 'debate_transcript' AND ticker = 'IBM'")
    ledger = json.loads(body)["ledger"]
    assert page.count('<div class="turn') == len(ledger) > 1
    for event in ledger:
        said = event["contribution"]
        text = next(said[name] for name in ("argument", "answer", "summary", "because", "assessments") if name in said)
        text = text if isinstance(text, str) else text[0]["verdict"]
        assert text.replace("&", "&amp;").replace("'", "&#39;") in page


def test_what_finds_no_room_is_left_out_and_said(three: Night) -> None:
    with closing(open_store(three.path)) as store:
        whole = night_text(store, Runs(store).find("last"))
        size = len(whole.encode())
        assert (whole.count('class="whole"'), "found no room" in whole) == (3, False)
        cut = night_text(store, Runs(store).find("last"), room=size // 3)
    kept = cut.count('class="whole"')
    assert kept < 3
    assert f"{3 - kept} transcript" in cut and "found no room here" in cut


def test_the_same_night_gives_the_same_page(three: Night, tmp_path: Path, cli: Cli) -> None:
    told = cli("report", "last", "--out", three.path, "--to", tmp_path / "again.html")
    assert (told.code, told.out, told.err) == (0, "", f"{tmp_path / 'again.html'}\n")
    assert (tmp_path / "again.html").read_bytes() == (three.folder / "report.html").read_bytes()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "name a RUN (an id, or `last`), or say --history; not both"),
        (("last", "--history"), "name a RUN (an id, or `last`), or say --history; not both"),
        (("2001-02-03-00000000",), "is unknown"),
        (("last", "--to", "/dev/null/page.html"), "--to /dev/null/page.html: cannot be written ("),
    ],
)
def test_what_cannot_be_is_one_line(three: Night, cli: Cli, words: tuple[str, ...], told: str) -> None:
    said = cli("report", *words, "--out", three.path)
    assert said.code == 2 and told in said.error


def test_the_page_of_a_run_goes_into_its_folder_and_the_history_beside_them(
    three: Night, tmp_path: Path, cli: Cli
) -> None:
    out = three.copy(tmp_path / "store").path
    place = out / three.folder.name / "report.html"
    place.unlink()
    assert cli("report", three.folder.name, "--out", out).out == f"{place}\n"
    assert cli("report", "--history", "--out", out).out == f"{out / 'history.html'}\n"
    assert place.is_file() and (out / "history.html").is_file()


def test_to_makes_its_folders(three: Night, tmp_path: Path, cli: Cli) -> None:
    place = tmp_path / "build" / "pages" / "page.html"
    assert cli("report", "last", "--out", three.path, "--to", place).code == 0
    assert place.read_bytes() == (three.folder / "report.html").read_bytes()


@pytest.mark.parametrize("which", ["last", "--history"])
def test_stdout_gets_the_page_and_nothing_else(three: Night, tmp_path: Path, cli: Cli, which: str) -> None:
    """A link of the test's own stands for /dev/stdout: a test that fails must not replace the machine's."""
    link = tmp_path / "stdout"
    link.symlink_to("/proc/self/fd/1")
    assert cli("report", which, "--out", three.path, "--to", tmp_path / "page.html").code == 0
    for place, path in (("-", ""), (link, f"{link}\n")):
        told = cli("report", which, "--out", three.path, "--to", place)
        assert (told.code, told.err) == (0, path)
        assert told.out == (tmp_path / "page.html").read_text(encoding="utf-8")
    assert link.is_symlink() and not (cli.cwd / "-").exists()


def test_F175_a_link_that_to_names_is_replaced_and_its_target_left_alone(
    three: Night, tmp_path: Path, cli: Cli
) -> None:
    page, link = tmp_path / "page.html", tmp_path / "link.html"
    page.write_text("old")
    link.symlink_to(page)
    assert cli("report", "last", "--out", three.path, "--to", link).code == 0
    assert page.read_text() == "old"
    assert not link.is_symlink() and link.read_bytes() == (three.folder / "report.html").read_bytes()


def test_the_page_of_a_what_if_says_so_at_its_top(three: Night, tmp_path: Path, cli: Cli) -> None:
    out = three.copy(tmp_path / "store").path
    with closing(sqlite3.connect(out / "rebuttal.db")) as connection, connection:
        connection.execute("UPDATE runs SET state = 'what-if'")
    page = cli("report", three.folder.name, "--out", out, "--to", "-").out
    assert "<title>What-if: Night of 2012-06-29</title>" in page
    assert (
        page.index('<b class="what-if">what-if</b> engine: ')
        < page.index("not to be acted on")
        < page.index('class="lede"')
    )
    assert "what-if" not in re.sub(
        r"<style>.*?</style>", "", (three.folder / "report.html").read_text("utf-8"), flags=re.S
    )


def test_watch_is_told_from_hold_where_letters_have_no_room() -> None:
    days = [date.fromordinal(date(2012, 1, 1).toordinal() + at) for at in range(100)]
    marks = [Mark(day, "watch" if at % 2 else "hold", "debated", 0.5, 0.5) for at, day in enumerate(days)]
    chart = str(past_chart("X", marks, days[0], days[-1]))
    assert "letter" not in chart, "a hundred nights leave no room for letters"
    assert chart.count('class="cell half"') == chart.count('class="cell watch"') == 50
    assert chart.count('class="cell hold"') == 50


def _strip(days: list[date], stances: tuple[str | None, ...] = ("hold",)) -> tuple[str, list[tuple[float, float]]]:
    """The drawing of these nights, and the left and right edge of each night's mark."""
    marks = [Mark(day, one, "debated", 0.5, 0.5) for day, one in zip(days, cycle(stances), strict=False)]
    chart = str(past_chart("X", marks, days[0], days[-1]))
    found = re.findall(r'class="cell (?!half)\w+" x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', chart)
    return chart, [(float(x), float(x) + float(width)) for x, width in found]


def test_a_pair_of_neighbouring_nights_takes_no_room_from_the_others() -> None:
    days = [date.fromisoformat(f"20{one}") for one in ("08-10-01", "08-10-02", "08-10-31", "08-11-28", "09-01-30")]
    chart, edges = _strip([*days, date(2009, 3, 31)])
    assert [round(right - left) for left, right in edges] == [4, 4, 14, 14, 14, 14]
    assert re.findall(r"letter hold.*?>(.)<", chart) == ["H"] * 4, "all but the pair have room for a letter"


@pytest.mark.parametrize("step", [(1,), (1, 1, 1, 1, 3), (1, 40), (1, 1, 90, 7), (1, 6), (7,), (30, 2)])
@pytest.mark.parametrize("number", [2, 3, 6, 30, 100, 250])
def test_marks_stand_over_their_nights_and_never_on_each_other(step: tuple[int, ...], number: int) -> None:
    ordinals = accumulate(islice(cycle(step), number - 1), initial=date(2010, 1, 4).toordinal())
    chart, edges = _strip([date.fromordinal(one) for one in ordinals], ("buy", "hold", "watch", "sell", None))
    places = [float(one) for one in re.findall(r'class="after" cx="([\d.]+)"', chart)]
    assert len(edges) == len(places) == number
    assert all(left < place < right for (left, right), place in zip(edges, places, strict=True))
    assert all(right < left for (_, right), (left, _) in pairwise(edges))
    assert PAST.left <= edges[0][0] and edges[-1][1] < PAST.right + 0.01
    for at, (left, right) in list(enumerate(edges))[1:-1]:
        near, far = sorted((places[at] - places[at - 1], places[at + 1] - places[at]))
        assert right - left > (3 if near > 4.1 or far > 8 else near / 2 - 0.02)
        assert abs(left + right - 2 * places[at]) < 4


@pytest.mark.parametrize(("cases", "told"), [(0, "–"), (3, "2 of 3"), (9, "6 of 9"), (12, "67% of 12")])
def test_a_share_of_few_cases_is_told_as_a_count(cases: int, told: str) -> None:
    share = Share(share=round(2 / 3, 4) if cases else None, n=cases)
    rows = dict(health_rows(HEALTH.model_copy(update={"echo": share})))["Debates"]
    assert {name: value for name, value, _ in rows}["echo"] == told
