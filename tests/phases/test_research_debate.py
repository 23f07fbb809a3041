"""The case, the gate, and a debate driven through the real door: who is asked what, and what does not count."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import Any

import pytest
import yaml

from phases.core.provider import Reply
from phases.research_debate import case, debate_transcript
from schemas.bias import SOURCED_FIELDS, FedOdds, OnchainPositioning, Provenance
from schemas.debate import Case
from schemas.ledger import DebateTranscript, Spoke, Voided
from schemas.run import History, LastRow
from tests.support import (
    DAY,
    NO_FUNDAMENTALS,
    QUESTION,
    REFUSAL,
    ROUNDS,
    TICKER,
    Changed,
    Desk,
    ask_door,
    case_of,
    constant,
    header_of,
    item,
    macro,
    market,
    no_news,
    payload,
    row_of_bias,
    update,
    view,
)

# the case

OWN = (item("px.ret_63d", 0.5), item("px.vol_ratio", -0.4, stale=True), item("fa.fcf_yield", 0.2, tier=2))
COMMON = (item("macro.index_ret_63d", -0.3), item("macro.wti_63d", stale=True))


def _row(**values: Any) -> Any:
    row = row_of_bias(equity_bias="strong_bearish", bond_bias="bullish", commodity_bias="bearish", **values)
    origin = {
        "equity_bias": Provenance(status="fresh", as_of=DAY, evidence=("macro.index_ret_63d",)),
        "bond_bias": Provenance(status="carried", as_of=DAY - timedelta(9), evidence=("macro.tbill_change_1y",)),
        "commodity_bias": Provenance(status="fresh", as_of=DAY, evidence=("macro.wti_63d",)),
    }
    return row.model_copy(update={"provenance": {**row.provenance, **origin}})


AXES = (
    view("buy", 0.75, 0.575, evidence=("px.ret_63d",)),
    view("sell", 0.6, 0.44, axis="sentiment", evidence=("px.vol_ratio",)),
    view("watch", 0.3, 0.5, axis="fundamental", evidence=("fa.fcf_yield", "px.ret_63d")),
)


SEVERAL = {
    "fed_odds": FedOdds(meeting_date=DAY, most_likely="unchanged", probability=0.9),
    "onchain_positioning": OnchainPositioning(smart_net_bias="bullish", crowd_net_bias="bearish"),
}


def made(
    own: Any = OWN, common: Any = COMMON, axes: Any = AXES, row: Any = None, history: History | None = None
) -> Case:
    found: Case = case(
        payload(axes=axes), market(*own), no_news(), macro(*common), row or _row(), QUESTION, history or History()
    )
    return found


def test_the_bundle_holds_everything_that_may_be_cited_once_and_sorted() -> None:
    ids = [one.id for one in made().bundle]
    given = [one.id for one in (*OWN, *COMMON)]
    added = ["axis.fundamental", "axis.sentiment", "axis.technical", "bias.bond", "bias.commodity", "bias.equity"]
    assert ids == sorted([*given, *added])


@pytest.mark.parametrize(
    ("id", "value", "lean", "tier", "stale"),
    [
        ("axis.technical", "buy", 0.75, 1, False),
        ("axis.sentiment", "sell", -0.6, 1, True),  # as stale as what it rests on
        ("axis.fundamental", "watch", 0.0, 2, False),  # the worst tier of its inputs
        ("bias.equity", "strong_bearish", -0.5, 1, False),  # index-wide: half a lean
        ("bias.bond", "bullish", 0.0, 4, True),  # carried, its inputs not in the bundle
        ("bias.commodity", "bearish", 0.0, 1, True),
    ],
)
def test_summaries_take_the_worst_of_their_inputs(id: str, value: str, lean: float, tier: int, stale: bool) -> None:
    found = next(one for one in made().bundle if one.id == id)
    assert (found.value, found.lean, found.tier, found.stale, found.source) == (value, lean, tier, stale, "computed")
    assert found.as_of <= found.known_at <= DAY


def test_a_direction_that_is_missing_is_no_evidence() -> None:
    assert [one.id for one in made(axes=(), row=row_of_bias()).bundle if one.source == "computed"] == []


def test_every_field_that_is_one_direction_or_one_number_can_be_cited() -> None:
    """Of the fields with a source all but the regime, the notes, and the two that hold several values in one."""
    words = dict.fromkeys(set(SOURCED_FIELDS) - {"vix_level", "macro_regime", "notes", *SEVERAL}, "bearish")
    row = row_of_bias(**words, vix_level=46.78, macro_regime="growth slowing", notes="It slows.", **SEVERAL)
    cited = {one.id: one for one in made(axes=(), row=row).bundle if one.id.startswith("bias.")}
    names = ("bond", "commodity", "crypto", "cta", "equity", "flow", "forex", "hedge_funds", "options", "vix")
    assert sorted(cited) == [f"bias.{name}" for name in names]
    assert {one.value for id, one in cited.items() if id != "bias.vix"} == {"bearish"}
    assert (cited["bias.vix"].value, cited["bias.vix"].unit) == (46.78, "index")
    assert cited["bias.hedge_funds"].label == "macro bias row: hf consensus"
    assert {id: one.lean for id, one in cited.items() if one.lean} == {"bias.equity": -0.25}, "half of a half"


@pytest.mark.parametrize(
    "other",
    [
        made(own=OWN[:2]),
        made(own=(item("px.ret_63d", 0.51), *OWN[1:])),
        made(own=(item("px.ret_63d", 0.5, value=0.0124), *OWN[1:])),
        made(axes=AXES[:2]),
        made(row=_row(vix_level=46.78)),
    ],
)
def test_the_hash_tells_cases_apart(other: Case) -> None:
    assert other.content_hash != made().content_hash
    assert made().content_hash == made().content_hash


# the debate


def debate(
    *words: str,
    desk: Desk | None = None,
    about: Case | None = None,
    protocol: str = ROUNDS,
    history: History | None = None,
    **instead: Changed,
) -> DebateTranscript:
    header = header_of(*words, protocol=protocol, history=history)
    ask = ask_door(desk or Desk(**instead))
    found: DebateTranscript = debate_transcript(
        about or case_of(), header.history, header, header.settings.debate, ask=ask
    )
    return found


def changed(**keys: Any) -> str:
    return json.dumps({**yaml.safe_load(ROUNDS), **keys})


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_every_configured_round_is_held(rounds: int) -> None:
    desk = Desk()
    found = debate(f"debate.rounds={rounds}", desk=desk)
    assert (found.configured_rounds, found.executed_rounds) == (rounds, rounds)
    assert found.stop_reason == f"rounds = {rounds}"
    asked: list[Any] = [(one.inputs.round_number, one.seat) for one in desk.requests]  # type: ignore[attr-defined]
    assert list(dict.fromkeys(asked)) == [
        (number, seat) for number in range(1, rounds + 1) for seat in ("bull", "bear")
    ]
    assert [one.round_number for one in found.rounds] == list(range(1, rounds + 1))
    assert [event.seat for event in found.ledger] == ["bull", "bear"] * rounds


def test_fewer_rounds_than_configured_only_where_a_rule_fired() -> None:
    found = debate("debate.rounds=4", protocol=changed(stop_when=["rounds >= 2"]))
    assert (found.configured_rounds, found.executed_rounds) == (4, 2)
    assert found.stop_reason == "rule: rounds >= 2"


def test_without_a_word_the_protocol_says_how_many_rounds() -> None:
    assert debate(protocol=changed(rounds=3)).executed_rounds == 3


def test_the_prompt_ends_with_what_is_this_turns_own() -> None:
    desk = Desk()
    debate(desk=desk)
    bull, bear = desk.prompts()
    shared = bull.index("Your turn:")
    assert bull[:shared] == bear[: bear.index("[bull_argument")]
    assert '{"role":"bull","round_number":1,"ticker":"ACME"}' in bull
    assert "prior_rounds" not in bull.rpartition("[bias_row")[2]
    assert "[bull_argument " in bear


# gate


def last(stance: Any) -> History:
    told = {"session": DAY - timedelta(1), "status": "debated"}
    return History(
        rows=tuple(
            LastRow(ticker=ticker, stance=stance if ticker == TICKER else "watch", **told)
            for ticker in ("AAA", TICKER, "ZZZ")
        )
    )


STRONG, WEAK = payload(3, "buy"), payload(2, "buy")


@pytest.mark.parametrize(
    ("words", "about", "history", "gated"),
    [
        (("debate.when=none",), STRONG, None, "gated: debates are switched off"),
        (("debate.when=all",), WEAK, None, None),
        (("debate.when=gate",), STRONG, None, None),
        (("debate.when=gate",), WEAK, None, "gated: gate is 0; a debate needs gate >= 1"),
        (("debate.when=gate",), payload(0, "hold"), last("buy"), "gated: gate is 0; a debate needs gate >= 1"),
        (("debate.when=gate", f"held=[{TICKER}]"), STRONG, last("buy"), "gated: gate is 0; a debate needs gate >= 1"),
        (("debate.when=gate", f"held=[{TICKER}]"), STRONG, last("sell"), None),
        (("debate.when=gate", f"held=[{TICKER}]"), WEAK, History(), None),
        (("debate.when=gate", "held=[ZZZ]"), WEAK, last("sell"), "gated: gate is 0; a debate needs gate >= 1"),
    ],
)
def test_gate(words: tuple[str, ...], about: Any, history: History | None, gated: str | None) -> None:
    desk = Desk()
    found = debate(*words, desk=desk, about=case_of(payload=about), history=history)
    if gated is None:
        assert found.executed_rounds == 1
        return
    assert found.stop_reason == gated
    assert (found.executed_rounds, found.rounds, found.ledger, desk.requests) == (0, (), (), [])


def test_a_protocol_without_a_start_rule_debates_under_the_gate() -> None:
    found = debate("debate.when=gate", about=case_of(payload=WEAK), protocol=changed(start_when=[]))
    assert found.executed_rounds == 1


def test_the_gate_may_use_any_read_out() -> None:
    near = changed(start_when=["panel.margin <= 0.6", "panel.spread >= 0.3"])
    for margin, spread, debated in ((0.6, None, 1), (0.61, 0.29, 0), (0.61, 0.3, 1)):
        about = case_of(payload=payload(panel_margin=margin, panel_spread=spread))
        assert debate("debate.when=gate", about=about, protocol=near).executed_rounds == debated


# turns that do not count


@pytest.mark.parametrize(
    ("instead", "stop", "voids"),
    [
        ({"bull": REFUSAL}, "one_sided: no valid turn of the bull", [("bull", "refuse: the model refused")]),
        ({"bear": constant("?")}, "one_sided: no valid turn of the bear", [("bear", "quarantine: the reply holds no")]),
        ({"bull": REFUSAL, "bear": REFUSAL}, "no valid turn", [("bull", "refuse"), ("bear", "refuse")]),
        ({"bull": update(role="bear")}, "one_sided: no valid turn of the bull", [("bull", "quarantine: /role")]),
        ({"bull": update(ticker="OTHER")}, "one_sided: no valid turn of the bull", [("bull", "quarantine: /ticker")]),
        ({"bear": update(round_number=2)}, "one_sided: no valid turn of the bear", [("bear", "quarantine: /round")]),
        ({"bear": update(claims=None)}, "one_sided: no valid turn of the bear", [("bear", "quarantine: /claims is")]),
        ({"bear": constant(Reply("{", "odd"))}, "one_sided: no valid turn of the bear", [("bear", "error: unknown")]),
    ],
)
def test_a_void_opening_ends_the_debate(instead: dict[str, Changed], stop: str, voids: list[tuple[str, str]]) -> None:
    found = debate("debate.rounds=3", **instead)
    assert (found.stop_reason, found.executed_rounds) == (stop, 1)
    seen = [(event.seat, event.reason) for event in found.ledger if isinstance(event, Voided)]
    assert [seat for seat, _ in seen] == [seat for seat, _ in voids]
    assert all(reason.startswith(start) for (_, reason), (_, start) in zip(seen, voids, strict=True))


def test_a_later_void_ends_nothing_and_shows_nothing() -> None:
    def silent_in_round_2(request: Any, answer: Any) -> Any:
        return "?" if request.inputs.round_number == 2 else answer

    desk = Desk(bull=silent_in_round_2)
    found = debate("debate.rounds=3", desk=desk)
    assert (found.stop_reason, found.executed_rounds) == ("rounds = 3", 3)
    assert [(one.bull_argument is None, one.bear_argument is None) for one in found.rounds] == [
        (False, False),
        (True, False),
        (False, False),
    ]
    bear = next(one for one in desk.requests if one.seat == "bear" and one.inputs.round_number == 2)
    assert bear.inputs.bull_argument is None


def _turn(found: DebateTranscript, seat: str = "bull") -> Spoke:
    return next(event for event in found.ledger if isinstance(event, Spoke) and event.seat == seat)


FOREIGN = {"id": "c9", "text": "From nowhere.", "evidence": ["px.ret_63d", "px.target"]}
GROUNDED = {"id": "c1", "text": "It rose.", "evidence": ["px.ret_63d"]}
GRANTED = {"text": "It fell.", "evidence": ["px.nowhere"], "why_limited": "Once."}


@pytest.mark.parametrize(
    ("fields", "claims", "granted"),
    [
        ({"claims": [FOREIGN, GROUNDED]}, ["It rose."], True),
        ({"claims": [FOREIGN]}, [], True),
        ({"acknowledged": GRANTED, "claims": [GROUNDED]}, ["It rose."], False),
    ],
)
def test_what_cites_foreign_evidence_is_asked_again_and_then_does_not_count(
    fields: dict[str, Any], claims: list[str], granted: bool
) -> None:
    desk = Desk(bull=update(**fields))
    said = _turn(debate(desk=desk))
    assert [claim.text for claim in said.contribution.claims or ()] == claims
    assert (said.contribution.acknowledged is not None) is granted
    assert said.flags == ("repaired", "foreign_evidence")
    assert "is not in the evidence given; cite only its ids" in desk.prompts("bull")[1]


def test_a_claim_of_a_model_gets_the_engines_id() -> None:
    said = _turn(debate(bull=update(claims=[{**GROUNDED, "id": "bear.1.c1"}, GROUNDED])))
    assert [claim.id for claim in said.contribution.claims or ()] == ["bull.1.c1", "bull.1.c2"]


LONG = "It rose again, and it will go on rising for as long as its trend is so well supported, which is bullish. "
TAIL = "It rises. This side stays bullish on ACME."


@pytest.mark.parametrize(
    ("limit", "argument", "kept", "flags"),
    [
        (600, LONG * 8, LONG * 5, {"repaired", "cut"}),
        (200, LONG * 3 + TAIL, LONG, {"repaired", "cut"}),
        (80, f"It rose. It goes on. {LONG}{TAIL}", "It rose. It goes on.", {"repaired", "cut"}),
    ],
)
def test_an_argument_that_stays_too_long_is_cut_at_a_sentence(
    limit: int, argument: str, kept: str, flags: set[str]
) -> None:
    desk = Desk(bull=update(argument=argument.strip()))
    said = _turn(debate(protocol=changed(argument_limit=limit), desk=desk))
    assert said.contribution.argument == f"{kept.strip()} [cut]"
    assert len(said.contribution.argument) <= limit
    assert flags <= set(said.flags) and said.flags[0] == "repaired"
    assert f"has {len(argument.strip())} characters; at most {limit}" in desk.prompts("bull")[1]


def test_a_ticker_that_differs_in_case_is_taken_and_noted() -> None:
    said = _turn(debate(bull=update(ticker="acme")))
    assert (said.contribution.ticker, said.flags) == (TICKER, ("ticker_case",))


@pytest.mark.parametrize(
    "other",
    [
        debate("debate.rounds=2"),
        debate(bull=update(argument="Another. Argument. I am bullish on ACME.")),
        debate(bear=REFUSAL),
        debate(about=case_of().model_copy(update={"content_hash": "other"})),
    ],
)
def test_the_hash_tells_debates_apart(other: DebateTranscript) -> None:
    assert other.content_hash != debate().content_hash
    assert debate() == debate()


def test_missing_axes_are_told_to_both_sides() -> None:
    desk = Desk()
    debate(desk=desk, about=case_of(payload=payload(missing_axes=(NO_FUNDAMENTALS,))))
    assert all(NO_FUNDAMENTALS.reason in prompt for prompt in desk.prompts())


def test_nothing_in_a_case_is_later_than_the_night() -> None:
    assert max(one.known_at for one in made().bundle) <= date(2008, 9, 30)
