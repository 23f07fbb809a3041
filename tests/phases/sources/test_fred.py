"""FRED: files plain and with vintages, the download against a server on loopback, and when a figure is known."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args
from urllib.parse import parse_qs, urlsplit

import pytest

from phases.core.errors import NoData, SourceDown, UsageError
from phases.core.recorder import today
from phases.plan import Words, settings_of
from phases.sources import SOURCES
from phases.sources.base import Source
from phases.sources.fred import web
from phases.sources.fred.series import DELAYED, SERIES
from schemas.fred_settings import FredSeries
from schemas.market import MacroSeries, MacroSeriesSet, Span
from schemas.settings import SourceSettings
from tests.shared import shared

SHARED_FOLDER = "data/macro/fred"


def source_of(**fred: Any) -> Source:
    more = {key: fred.pop(key) for key in ("proxy", "deadline_seconds") if key in fred}
    return SOURCES["fred"](SourceSettings.model_validate({"name": "fred", "fred": fred, **more}))


def answered(source: Source, as_of: str) -> dict[str, MacroSeries]:
    found = MacroSeriesSet.model_validate_json(json.dumps(source.fetch("macro", {"as_of": as_of}))).series
    assert [one.name for one in found] == sorted({one.name for one in found})
    return {one.name: one for one in found}


def folder(path: Path, **texts: str) -> Source:
    for id, text in texts.items():
        (path / f"{id}.csv").write_text(text, encoding="utf-8")
    return source_of(path=str(path))


def points(series: MacroSeries) -> list[tuple[str, float, str]]:
    told = zip(series.days, series.values, series.known, strict=True)
    return [(str(day), value, str(known)) for day, value, known in told]


# Files


@pytest.mark.parametrize(
    "heading", ["date,value", "DATE,CPIAUCSL", "observation_date,CPIAUCSL", "\ufeffDate,Value", "value,date"]
)
def test_a_plain_file_is_read_whatever_its_heading(tmp_path: Path, heading: str) -> None:
    rows = [("2023-01-01", "300.536"), ("2023-02-01", "301.648")]
    swap = heading.startswith("value")
    lines = [",".join(row[::-1] if swap else row) for row in rows]
    series = answered(folder(tmp_path, CPIAUCSL="\n".join([heading, *lines]) + "\n"), "2023-03-31")["cpi"]
    # January 1st and 56 days, February 1st and 56
    assert points(series) == [("2023-01-01", 300.536, "2023-02-26"), ("2023-02-01", 301.648, "2023-03-29")]


@pytest.mark.parametrize("nothing", ["", ".", "  "])
def test_no_value_is_a_gap_and_never_zero(tmp_path: Path, nothing: str) -> None:
    text = f"date,value\n2025-09-01,4.4\n2025-10-01,{nothing}\n2025-11-01,4.6\n"
    series = answered(folder(tmp_path, UNRATE=text), "2025-12-31")["unemployment"]
    assert [(day, value) for day, value, _ in points(series)] == [("2025-09-01", 0.044), ("2025-11-01", 0.046)]


def test_a_series_without_a_file_is_listed_without_values(tmp_path: Path) -> None:
    found = answered(folder(tmp_path, VIXCLS="date,value\n2023-03-31,18.7\n"), "2023-03-31")
    assert set(found) == {spec.name for spec in SERIES}
    assert {name for name, one in found.items() if one.values} == {"vix"}


def test_the_monthly_bill_rate_stands_in_for_the_daily(tmp_path: Path) -> None:
    month = "date,value\n2023-01-01,4.54\n"
    assert answered(folder(tmp_path, TB3MS=month), "2023-03-31")["tbill_3m"].period == "month"
    both = answered(folder(tmp_path, DGS3MO="date,value\n2023-03-30,4.97\n"), "2023-03-31")["tbill_3m"]
    assert (both.period, both.values) == ("day", (0.0497,))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "an empty body"),
        ("  \n", "an empty body"),
        ("<!DOCTYPE html><html>", "a page of HTML"),
        ("date,value\n2023-02-30,1\n", "line 2: '2023-02-30' is no day"),
        ("date,value\n01/02/2023,1\n", "line 2: '01/02/2023' is no day"),
        ("date,value\n2023-02-01,1\n2023-03-01,nan\n", "line 3: 'nan' is no number"),
        ("date,value\n2023-02-01,inf\n", "'inf' is no number"),
        ("date,value\n2023-02-01,1_0\n", "'1_0' is no number"),
        ("date,value\n2023-02-01,1e999\n", "'1e999' is no number"),
        ("date,value\n2023-02-01\n", "line 2: 1 cells where the heading has 2"),
        ("date,value\n2023-02-01,1,2\n", "line 2: 3 cells"),
        ("date,close\n2023-02-01,1\n", "the heading is 'date, close'"),
        ("date,value\n2023-02-01,1\n2023-02-01,2\n", "2023-02-01 stands twice"),
        ("date,CPIAUCSL_20230214,CPILFESL_20230214\n", "the heading is"),
        ("date,CPIAUCSL_20231399\n", "is no day"),
        ("Not found", "the heading is 'not found'"),
    ],
)
def test_a_damaged_file_names_the_series_and_the_line(tmp_path: Path, text: str, why: str) -> None:
    source = folder(tmp_path, CPIAUCSL=text)
    with pytest.raises(SourceDown) as down:
        source.fetch("macro", {"as_of": "2023-03-31"})
    assert str(down.value).startswith("fred: CPIAUCSL: ")
    assert why in str(down.value)


def test_a_folder_without_series_is_no_empty_market(tmp_path: Path) -> None:
    (tmp_path / "a file").write_text("")
    for name, why in ((".", "holds no file such as"), ("none", "is no folder; name one"), ("a file", "is no folder")):
        with pytest.raises(UsageError, match=rf"^source\.fred\.path: .* {why}"):
            source_of(path=str(tmp_path / name))
    with pytest.raises(SourceDown, match="none of 1 series has an observation"):
        folder(tmp_path, VIXCLS="date,value\n").fetch("macro", {"as_of": "2023-03-31"})


def test_the_vintage_is_the_content_of_the_files(tmp_path: Path) -> None:
    one = folder(tmp_path, VIXCLS="date,value\n2023-03-31,18.7\n")
    assert (one.live, one.vintage) == (False, source_of(path=str(tmp_path)).vintage)
    (tmp_path / "other.csv").write_text("no series of ours", encoding="utf-8")
    assert source_of(path=str(tmp_path)).vintage == one.vintage
    assert folder(tmp_path, VIXCLS="date,value\n2023-03-31,18.8\n").vintage != one.vintage


@pytest.mark.parametrize("dataset", ["bars", "universe", "fundamentals", "news"])
def test_it_has_nothing_but_macro_series(dataset: str) -> None:
    with pytest.raises(NoData, match=f"no {dataset} of AAPL"):
        source_of().fetch(dataset, {"symbol": "AAPL", "as_of": "2023-03-31"})


def test_the_span_needs_no_network(tmp_path: Path) -> None:
    live = Span.model_validate_json(json.dumps(source_of(base_url="https://fred.invalid/").fetch("span", {})))
    assert live.first == date(1980, 1, 1) < live.last
    kept = folder(tmp_path, VIXCLS="date,value\n2023-03-30,19\n2023-03-31,18.7\n").fetch("span", {})
    assert kept == {"first": "2023-03-30", "last": "2023-03-31"}


# When a figure is known

# series, period, day of its release: from the statistical offices' own calendars
RELEASES = [
    ("CPIAUCSL", "2023-03-01", "2023-04-12"),
    ("CPIAUCSL", "2015-01-01", "2015-02-26"),
    ("CPILFESL", "2013-09-01", "2013-10-30"),
    ("CPIAUCSL", "2025-09-01", "2025-10-24"),
    ("CPIAUCSL", "2025-11-01", "2025-12-18"),
    ("UNRATE", "2023-03-01", "2023-04-07"),
    ("PAYEMS", "2013-09-01", "2013-10-22"),
    ("PAYEMS", "2025-09-01", "2025-11-20"),
    ("UNRATE", "2025-11-01", "2025-12-16"),
    ("GDPC1", "2023-01-01", "2023-04-27"),
    ("GDPC1", "2018-10-01", "2019-02-28"),
    ("PCEPILFE", "2023-03-01", "2023-04-28"),
    ("PCEPILFE", "2018-12-01", "2019-03-01"),
    ("INDPRO", "2023-03-01", "2023-04-14"),
    ("INDPRO", "2025-10-01", "2025-12-23"),
    ("RSXFS", "2023-03-01", "2023-04-14"),
    ("RSXFS", "2018-12-01", "2019-02-14"),
    ("ICSA", "2023-04-01", "2023-04-06"),
    ("ICSA", "2025-10-11", "2025-11-20"),
    ("FEDFUNDS", "2023-03-01", "2023-04-03"),
    ("DTWEXBGS", "2023-03-27", "2023-04-03"),
    ("STLFSI4", "2023-03-31", "2023-04-06"),
    ("ANFCI", "2023-03-31", "2023-04-05"),
    ("DGS10", "2023-03-30", "2023-03-31"),
    ("VIXCLS", "2023-03-31", "2023-03-31"),
]


@pytest.mark.parametrize(("series", "period", "released"), RELEASES, ids=lambda one: str(one))
def test_no_figure_is_known_before_its_release_and_none_long_after(series: str, period: str, released: str) -> None:
    spec = next(one for one in SERIES if one.id == series)
    known = spec.known(date.fromisoformat(period), {})
    assert date.fromisoformat(released) <= known <= date.fromisoformat(released) + timedelta(15)


def test_a_lag_of_the_configuration_replaces_the_built_in_one(tmp_path: Path) -> None:
    (tmp_path / "CPIAUCSL.csv").write_text("date,value\n2013-09-01,234\n", encoding="utf-8")
    source = source_of(path=str(tmp_path), lags={"CPIAUCSL": "50"})
    assert points(answered(source, "2013-12-31")["cpi"]) == [("2013-09-01", 234.0, "2013-10-21")]
    assert answered(source, "2013-10-20")["cpi"].days == ()


def test_the_configuration_knows_every_series_and_no_other() -> None:
    assert set(get_args(FredSeries)) == {spec.id for spec in SERIES}


@pytest.mark.parametrize(
    ("word", "told"),
    [
        (
            "source.fred.lags.CPIAUCSSL=50",
            "'CPIAUCSSL' is not allowed: it must be 'ANFCI', .* did you mean CPIAUCSL",
        ),
        ("source.fred.lags.unrate=50", "did you mean UNRATE"),
        ("source.fred.lags.CPIAUCSL=-5", "CPIAUCSL: '-5' is not allowed: it must be a whole number from 0 to 400"),
        ("source.fred.lags.CPIAUCSL=401", "CPIAUCSL: '401' .* from 0 to 400"),
        ("source.fred.lags.CPIAUCSL=soon", "CPIAUCSL: 'soon' .* from 0 to 400"),
        ("source.order.macro=fred", r"source\.order\.macro: 'fred' .* a list, for example \[fred\]"),
        ("source.order.makro=[fred]", "did you mean macro"),
        *(
            (f"source.fred.base_url={url}", r"source\.fred\.base_url: what stands there .* begins with https://, or")
            for url in (
                "ftp://x",
                "http://fred.example.com/a.csv",
                "http://127.0.0.1.example.com/",
                "https://",
                "https://me:word@fred.example.com/",
                "fred.example.com",
            )
        ),
    ],
)
def test_what_the_configuration_may_not_say_is_named_with_what_it_may(word: str, told: str) -> None:
    with pytest.raises(UsageError, match=f"^--set .*{told}"):
        settings_of(Words(sets=(word,)))


@pytest.mark.parametrize(
    ("scheme", "host"),
    [("https", "fred.example.com"), ("http", "127.0.0.1"), ("http", "[::1]"), ("http", "localhost")],
)
@pytest.mark.parametrize("rest", ["", ":80", "/a.csv?b=c", ":80/a.csv"])
def test_https_and_this_machine_may_be_asked(scheme: str, host: str, rest: str) -> None:
    url = f"{scheme}://{host}{rest}"
    assert settings_of(Words(sets=(f"source.fred.base_url={url}",))).source.fred.base_url == url


def test_the_list_that_a_message_shows_is_taken_as_it_stands() -> None:
    assert settings_of(Words(sets=("source.order.macro=[fred]",))).source.order == {"macro": ("fred",)}


def test_a_series_says_where_a_reader_finds_it(tmp_path: Path) -> None:
    found = answered(folder(tmp_path, VIXCLS="date,value\n2023-03-31,18.7\n"), "2023-03-31")
    assert found["vix"].place == "VIXCLS.csv in source.fred.path"
    assert found["tbill_3m"].place == "DGS3MO.csv or TB3MS.csv in source.fred.path"
    assert str(tmp_path) not in str(found), "a path of this machine is no part of a prompt"


def test_F139_a_body_with_days_to_come_is_refused(tmp_path: Path) -> None:
    """All its dates were shifted: what it says of today was said of another day."""
    ahead = today() + timedelta(1)
    plain = folder(tmp_path, VIXCLS=f"date,value\n2023-03-31,18.7\n{ahead},19.1\n")
    with pytest.raises(SourceDown, match=f"fred: VIXCLS: the day {ahead} is still to come: its dates are wrong"):
        plain.fetch("macro", {"as_of": "2023-03-31"})
    (tmp_path / "VIXCLS.csv").unlink()
    revised = COLUMNS.replace("CPIAUCSL_20230412", f"CPIAUCSL_{ahead:%Y%m%d}").replace("2023-02-01,.", "2023-02-01,300")
    with pytest.raises(SourceDown, match=f"fred: CPIAUCSL: the vintage of {ahead} is still to come"):
        folder(tmp_path, CPIAUCSL=revised.replace("300.356\n", "300.4\n")).fetch("macro", {"as_of": "2023-03-31"})


def test_a_figure_of_today_that_will_be_known_later_is_none_of_the_future(tmp_path: Path) -> None:
    first = today().replace(day=1)
    assert not answered(folder(tmp_path, UNRATE=f"date,value\n2023-02-01,3.6\n{first},4\n"), "2023-02-28")[
        "unemployment"
    ].days


def test_every_delay_is_of_a_series_and_beyond_its_lag() -> None:
    specs = {one.id: one for one in SERIES}
    for id, delays in DELAYED.items():
        usual = {day: date.fromisoformat(day) + timedelta(specs[id].lag) for day in delays}
        assert all(date.fromisoformat(day) < date.fromisoformat(known) for day, known in delays.items())
        assert any(date.fromisoformat(delays[day]) > usual[day] for day in delays), id


def test_the_documentation_has_every_lag() -> None:
    text = (Path(__file__).resolve().parents[3] / "docs" / "sources.md").read_text(encoding="utf-8")
    for spec in SERIES:
        assert f"| `{spec.id}` | `{spec.name}` | {spec.period} | {spec.lag} |" in text


# Vintages


COLUMNS = """observation_date,CPIAUCSL_20230214,CPIAUCSL_20230314,CPIAUCSL_20230412
2023-01-01,300.536,300.356,300.356
2023-02-01,.,301.648,301.648
2023-03-01,.,,301.808
"""
ROWS = """realtime_start,realtime_end,date,value
2023-02-14,2023-03-13,2023-01-01,300.536
2023-03-14,9999-12-31,2023-01-01,300.356
2023-03-14,9999-12-31,2023-02-01,301.648
2023-04-12,9999-12-31,2023-03-01,301.808
"""
ALFRED = """period_start_date,CPIAUCSL,realtime_start_date,realtime_end_date
2023-03-01,301.808,2023-04-12,9999-12-31
2023-01-01,300.536,2023-02-14,2023-03-13
2023-01-01,300.356,2023-03-14,9999-12-31
2023-02-01,301.648,2023-03-14,9999-12-31
"""


@pytest.mark.parametrize("text", [COLUMNS, ROWS, ALFRED], ids=["columns", "rows", "alfred"])
@pytest.mark.parametrize(
    ("as_of", "expected", "revised"),
    [
        ("2023-02-13", [], []),
        ("2023-02-14", [("2023-01-01", 300.536, "2023-02-14")], []),
        ("2023-03-13", [("2023-01-01", 300.536, "2023-02-14")], []),
        (
            "2023-03-31",
            [("2023-01-01", 300.356, "2023-03-14"), ("2023-02-01", 301.648, "2023-03-14")],
            [("2023-01-01", 300.536, "2023-02-14")],
        ),
    ],
)
def test_f131_the_figure_known_then_speaks_and_the_other_is_kept(
    tmp_path: Path, text: str, as_of: str, expected: Any, revised: Any
) -> None:
    series = answered(folder(tmp_path, CPIAUCSL=text), as_of)["cpi"]
    assert points(series) == expected
    assert [(str(one.day), one.value, str(one.known)) for one in series.revised] == revised


def test_a_figure_that_was_withdrawn_is_a_gap_from_then_on(tmp_path: Path) -> None:
    text = ROWS.replace("2023-03-14,9999-12-31,2023-02-01", "2023-03-14,2023-03-20,2023-02-01")
    source = folder(tmp_path, CPIAUCSL=text)
    assert [str(day) for day in answered(source, "2023-03-20")["cpi"].days] == ["2023-01-01", "2023-02-01"]
    assert [str(day) for day in answered(source, "2023-03-21")["cpi"].days] == ["2023-01-01"]


# Download


class Server:
    """FRED on loopback: one observation a series, but for the series that are told otherwise."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.instead: dict[str, list[Callable[[BaseHTTPRequestHandler], None]]] = {}
        self.stop = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked.append(self.path)
                id = parse_qs(urlsplit(self.path).query)["id"][0]
                ways = server.instead.get(id, [])
                way = (
                    ways.pop(0)
                    if len(ways) > 1
                    else ways[0]
                    if ways
                    else said(f"observation_date,{id}\n2023-01-01,2.5\n")
                )
                way(self)

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}/graph/fredgraph.csv"
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def close(self) -> None:
        self.stop.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def drip(self, handler: BaseHTTPRequestHandler) -> None:
        """A byte now and then, for ever: no single wait is long."""
        handler.send_response(200)
        handler.end_headers()
        while not self.stop.wait(0.02):
            try:
                handler.wfile.write(b"2")
            except OSError:
                return

    def slow_head(self, handler: BaseHTTPRequestHandler) -> None:
        """The same before the body begins."""
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
        while not self.stop.wait(0.02):
            try:
                handler.wfile.write(b"2")
            except OSError:
                return


def said(body: str | bytes, status: int = 200, **headers: str) -> Callable[[BaseHTTPRequestHandler], None]:
    raw = body.encode() if isinstance(body, str) else body

    def way(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(raw)), **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        with suppress(ConnectionError):  # the client may have seen enough
            handler.wfile.write(raw)

    return way


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True


@pytest.fixture(name="server")
def _server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(web, "PAUSES", (0.01, 0.01))
    server = Server()
    yield server
    server.close()


GOOD = said("observation_date,CPIAUCSL\n2023-01-01,300.5\n")
HTML = said("<!DOCTYPE html><title>Maintenance</title>", **{"Content-Type": "text/html"})


def test_one_request_a_series_from_a_day_on(server: Server) -> None:
    source = source_of(base_url=server.url)
    assert source.live
    found = answered(source, "2023-12-29")
    asked = [parse_qs(urlsplit(path).query) for path in server.asked]
    assert sorted(one["id"][0] for one in asked) == sorted({spec.id for spec in SERIES} - {"TB3MS"})
    assert {one["cosd"][0] for one in asked} == {"2020-09-15"}  # 1,200 days before
    assert found["cpi"].values == (2.5,)
    assert found["y10"].values == (0.025,)


@pytest.mark.parametrize(
    "first",
    [said("", 500), said("", 503), said("", 429), said(""), HTML, hang_up, said("x", **{"Content-Length": "9"})],
)
def test_a_passing_fault_is_tried_again(server: Server, first: Any) -> None:
    server.instead["CPIAUCSL"] = [first, first, GOOD]
    assert answered(source_of(base_url=server.url), "2023-03-31")["cpi"].values == (300.5,)
    assert sum("id=CPIAUCSL" in path for path in server.asked) == 3


@pytest.mark.parametrize(
    ("way", "why", "tries"),
    [
        (said("", 500), "HTTP 500", 3),
        (said("", 429), "HTTP 429", 3),
        (said("\n"), "an empty body", 3),
        (HTML, "a page of HTML instead of data", 3),
        (said(b"\xff\xfe"), "no UTF-8 text", 3),
        (said("", 403), "HTTP 403", 1),
        (said("", 302, Location="http://elsewhere.invalid/"), "a redirect to http://elsewhere.invalid/", 1),
        (said("date,value\n2023-01-01,x\n"), "line 2: 'x' is no number", 1),
        (said("date,value\n" + "2023-01-01,1\n" * 700_000), "more than 8 MB", 1),
    ],
    ids=["500", "429", "empty", "html", "bytes", "403", "redirect", "number", "size"],
)
def test_a_dead_source_names_itself_and_the_series(server: Server, way: Any, why: str, tries: int) -> None:
    server.instead["CPIAUCSL"] = [way]
    with pytest.raises(SourceDown) as down:
        source_of(base_url=server.url).fetch("macro", {"as_of": "2023-03-31"})
    assert str(down.value).startswith("fred: CPIAUCSL: ")
    assert why in str(down.value)
    assert sum("id=CPIAUCSL" in path for path in server.asked) == tries


@pytest.mark.parametrize("way", ["drip", "slow_head"])
def test_the_deadline_holds_against_a_server_that_drips(server: Server, way: str) -> None:
    server.instead["CPIAUCSL"] = [getattr(server, way)]
    with pytest.raises(SourceDown, match=r"fred: CPIAUCSL: not done within 0\.5 seconds"):
        source_of(base_url=server.url, deadline_seconds="0.5").fetch("macro", {"as_of": "2023-03-31"})


def test_a_series_the_server_does_not_know_is_listed_without_values(server: Server) -> None:
    server.instead["BAMLH0A0HYM2"] = [said("<html>", 404)]
    found = answered(source_of(base_url=server.url), "2023-03-31")
    assert (found["hy_spread"].values, found["cpi"].values) == ((), (2.5,))
    assert found["hy_spread"].place == "BAMLH0A0HYM2 of source.fred.base_url"


def test_a_server_that_knows_none_is_no_empty_market(server: Server) -> None:
    server.instead = {spec.id: [said("", 404)] for spec in SERIES}
    with pytest.raises(SourceDown, match="none of 0 series has an observation"):
        source_of(base_url=server.url).fetch("macro", {"as_of": "2023-03-31"})


def test_nobody_listens() -> None:
    server = Server()
    server.close()
    with pytest.raises(SourceDown, match=r"fred: [A-Z0-9]+: .*source\.fred\.base_url"):
        source_of(base_url=server.url, deadline_seconds="1").fetch("macro", {"as_of": "2023-03-31"})


OWN_NEIGHBOUR = "http://127.0.0.2"
"""An address of this machine at which nobody listens."""


def test_it_goes_through_the_proxy(server: Server) -> None:
    proxy = server.url.removesuffix("/graph/fredgraph.csv")
    source = source_of(base_url=f"{OWN_NEIGHBOUR}/graph/fredgraph.csv", proxy=proxy)
    assert answered(source, "2023-03-31")["cpi"].values == (2.5,)
    assert {urlsplit(path).netloc for path in server.asked} == {urlsplit(OWN_NEIGHBOUR).netloc}


# Real files


def test_the_real_files_answer_in_order() -> None:
    source = source_of(path=str(shared(SHARED_FOLDER)))
    for as_of in ("1990-06-29", "2008-09-30", "2023-03-31", "2025-12-31"):
        for series in answered(source, as_of).values():
            assert all(a < b for a, b in pairwise(series.days))
            assert all(day <= known <= date.fromisoformat(as_of) for day, _, known in _typed(series))
    assert source.fetch("macro", {"as_of": "2023-03-31"}) == source.fetch("macro", {"as_of": "2023-03-31"})


def _typed(series: MacroSeries) -> list[tuple[date, float, date]]:
    return list(zip(series.days, series.values, series.known, strict=True))
