"""What `validate`, `schemas` and `lint` say of documents, contracts and skills."""

from __future__ import annotations

import json

import pytest

from tests.conftest import ROOT, Cli, Night

TURN = {"role": "bull", "ticker": "AAPL", "round_number": 1, "argument": "Prices rose. They may go on. I stay bullish."}


def _turn(**changed: object) -> str:
    return json.dumps({**TURN, **changed})


INVALID = {
    "601 characters": (_turn(argument="a" * 601), "/argument", "600"),
    "true": (_turn(round_number=True), "/round_number", "true"),
    "text": (_turn(round_number="1"), "/round_number", '"1"'),
    "1.0": (_turn(round_number=1.0), "/round_number", "1.0"),
    "0": (_turn(round_number=0), "/round_number", "at least 1"),
    "unknown key": (_turn(mood="good"), "/mood", "unknown key"),
    "line end": (_turn(ticker="AAPL\n"), "/ticker", "symbol"),
    "double key": (_turn().replace("{", '{"role": "bear", ', 1), "'role'", "twice"),
    "NaN": (_turn().replace(": 1,", ": NaN,"), "NaN", "not a JSON number"),
    "no role": (json.dumps({key: TURN[key] for key in list(TURN)[1:]}), "lacks", "role"),
    "no object": ("[]", "[]", "object"),
}


@pytest.mark.parametrize("document", [_turn(), _turn(argument="a" * 600)], ids=["four fields", "600 characters"])
def test_a_contribution_of_four_fields_is_valid(cli: Cli, document: str) -> None:
    told = cli("validate", "DebateRoundContribution", "-", stdin=document)
    assert (told.code, told.err) == (0, "")


@pytest.mark.parametrize(("document", "pointer", "rule"), INVALID.values(), ids=INVALID)
def test_an_invalid_document_is_told_pointer_value_and_rule(cli: Cli, document: str, pointer: str, rule: str) -> None:
    told = cli("validate", "DebateRoundContribution", "-", stdin=document)
    assert (told.code, told.out) == (1, "")
    (line,) = told.err.splitlines()
    assert pointer in line and rule in line


def test_validate_reads_files_and_the_products_of_a_run(cli: Cli, three: Night) -> None:
    for contract, name in (("PortfolioFeed", "feed.json"), ("RunRecord", "run.json")):
        told = cli("validate", contract, three.folder / name)
        assert (told.code, told.err) == (0, "")
    assert cli("validate", "PortfolioFeed", three.folder / "run.json").code == 1
    assert "did you mean PortfolioFeed" in cli("validate", "PortfolioFed", "-").error
    assert cli("validate", "PortfolioFeed", three.path / "nope.json").code == 2


def test_schemas_are_listed_and_printed(cli: Cli) -> None:
    listed = cli("schemas")
    names = [line.split()[0] for line in listed.out.splitlines()]
    assert listed.code == 0
    assert {"DebateRoundContribution", "FeedRow", "RunRecord"} <= set(names)
    printed = cli("schemas", "DebateRoundContribution")
    assert printed.code == 0
    assert printed.out == (ROOT / "schemas/json/DebateRoundContribution.schema.json").read_text()
    assert printed.json["properties"]["argument"]["maxLength"] == 600
    assert cli("schemas", "DebateRoundContributon").code == 2


def test_lint_has_no_findings(cli: Cli) -> None:
    told = cli("lint")
    assert (told.code, told.err) == (0, "")
