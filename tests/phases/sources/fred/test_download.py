"""FRED over HTTP: one request a series, faults that pass, and a source that is dead."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from phases.core.errors import SourceDown
from phases.sources.fred.series import SERIES
from tests.phases.sources.fred.asked import answered, source_of
from tests.phases.sources.fred.server import Server, hang_up, said

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
