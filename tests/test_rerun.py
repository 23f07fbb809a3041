"""A changed skill tried on a past run: what it alters, what is asked again, and that the past stays as it was."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete

from bench.fake_model.server import FakeModel
from phases.core.errors import NotJournaled, UsageError
from phases.core.journal import question
from phases.core.runner import Artefacts
from phases.core.runs import Runs
from phases.core.skills import Skill, load_skills
from phases.core.store import Store, calls, open_store
from phases.core.text import digest
from phases.core.turns import asked_keys, stored_turns
from phases.lint import BINDINGS
from phases.night import hold_night
from phases.plan import SKILLS, Words, plan
from phases.providers import PROVIDERS
from phases.rerun import _prompt, altered, changed_skill, past, rerun
from schemas.generate import wire_text
from tests.conftest import DAY, Cli, Night, Shelf
from tests.faults.nights import night
from tests.support import Desk

NEW = "Be brief above all."
TICKERS = ("AAPL", "IBM", "MSFT")


@pytest.fixture(name="shelf")
def _shelf(three: Night, tmp_path: Path) -> Shelf:
    return three.copy(tmp_path / "out")


@pytest.fixture(name="store")
def _store(shelf: Shelf) -> Iterator[Store]:
    store = open_store(shelf.path)
    yield store
    store.close()


def _skill(folder: Path, name: str, old: str = "## Task\n", new: str = f"## Task\n\n{NEW}\n") -> Path:
    """A copy of a shipped skill with one text replaced."""
    text = (SKILLS / name / "SKILL.md").read_text(encoding="utf-8")
    assert old in text
    file = folder / f"{name}.md"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    return file


def _past(shelf: Shelf, run_id: str) -> dict[str, Any]:
    """Everything a store holds of one run, and the bytes of its folder."""
    kept: dict[str, Any] = {
        table: sorted(shelf.ask(f"SELECT * FROM {table} WHERE run_id = '{run_id}'"), key=repr)
        for table in ("runs", "artefacts", "feed", "events", "calls")
    }
    folder = shelf.path / run_id
    return kept | {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}


def _asked(shelf: Shelf, run_id: str) -> Counter[tuple[str, str]]:
    """Turns that were asked for a run, by ticker and seat."""
    query = f"SELECT ticker, seat FROM calls WHERE kind = 'ask' AND state = 'done' AND run_id = '{run_id}'"
    return Counter(shelf.ask(query))


def _again(store: Store, shelf: Shelf, file: Path, name: str = "last") -> str:
    return rerun(store, shelf.path, name, file, True, lambda line: None).text


def _other(shelf: Shelf) -> str:
    """The one run that only tries something out."""
    ((found,),) = shelf.ask("SELECT run_id FROM runs WHERE state = 'what-if'")
    return str(found)


# What changes.


def test_every_turn_renders_from_its_stored_inputs_as_it_was_sent(store: Store) -> None:
    """The key of a turn is the digest of its prompt among others, so it proves the rendering."""
    run = past(store, "last")
    kept, seen = Artefacts(store, run.header.run_id), 0
    for ticker in ("", *TICKERS):
        for turn in stored_turns(store, asked_keys(kept.load(ticker))):
            sent = json.loads(turn.request)
            skill = Skill(sent["skill"], run.header.skills[sent["skill"]])
            identity = {
                "engine": run.header.engine,
                "model": sent["model"],
                "skill": skill.digest,
                "prompt": digest(_prompt(skill, sent, turn).text),
                "schema": digest(wire_text(BINDINGS[skill.name][1], tuple(sent["require"]))),
                "sample": 0,
            }
            assert question("ask", identity, ticker="", name="", seat="", request="").key == turn.key
            seen += 1
    assert seen == run.record.calls.made > 0


def test_an_unchanged_copy_changes_nothing_and_asks_nothing(shelf: Shelf, cli: Cli, tmp_path: Path) -> None:
    before = _past(shelf, shelf.folder.name)
    for ask in ((), ("--ask",)):
        told = cli("replay", "last", "--skill", SKILLS / "research-manager", *ask, "--out", shelf.path)
        assert (told.code, told.err) == (0, "")
        assert told.out.startswith("nothing changes: ") and told.out.count("\n") == 1
    assert shelf.ask("SELECT count(*) FROM runs") == [(1,)]
    assert _past(shelf, shelf.folder.name) == before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("description: Weighs", "description: Judges", id="front matter"),
        pytest.param("\n", "\r\n", id="line end"),
    ],
)
def test_what_no_prompt_shows_changes_nothing(store: Store, shelf: Shelf, tmp_path: Path, old: str, new: str) -> None:
    file = _skill(tmp_path, "research-manager", old, new)
    assert _again(store, shelf, file).startswith("nothing changes: the prose of research-manager is what run ")
    assert shelf.ask("SELECT count(*) FROM runs") == [(1,)]


def test_a_skill_that_the_run_does_not_use_changes_nothing(store: Store, shelf: Shelf, tmp_path: Path) -> None:
    said = _again(store, shelf, _skill(tmp_path, "debate-judge"))
    assert said.startswith("nothing changes: run ") and "does not use debate-judge (it uses " in said


def test_a_changed_manager_alters_the_manager_turns_alone(shelf: Shelf, cli: Cli, tmp_path: Path) -> None:
    told = cli("replay", "last", "--skill", _skill(tmp_path, "research-manager"), "--out", shelf.path)
    assert (told.code, told.err) == (0, "")
    assert told.out.count(f"+{NEW}") == 1, "the difference is shown once"
    lines = told.out.splitlines()
    head = next(at for at, line in enumerate(lines) if line.startswith("ticker"))
    assert lines[head].split() == ["ticker", "seat", "round", "old", "new", "change"]
    table = [line.split() for line in lines[head + 2 : head + 5]]
    assert [row[:3] for row in table] == [[ticker, "manager", "-"] for ticker in TICKERS]
    for _, _, _, old, new, change in table:
        assert int(new) - int(old) == int(change) == len(f"\n{NEW}\n")
    assert lines[-1].startswith("3 prompts of run ")
    assert shelf.ask("SELECT count(*) FROM runs") == [(1,)]


def test_a_changed_debater_alters_every_round_in_its_order(store: Store, tmp_path: Path) -> None:
    found = altered(store, past(store, "last"), changed_skill(_skill(tmp_path, "research-debate")))
    mine = [(one.seat, one.round) for one in found if one.ticker == "IBM"]
    assert mine[:4] == [("bull", "1"), ("bear", "1"), ("bull", "2"), ("bear", "2")]
    assert {one.ticker for one in found} == set(TICKERS)


def test_a_skill_of_the_whole_run_has_its_turn_too(store: Store, tmp_path: Path) -> None:
    found = altered(store, past(store, "last"), changed_skill(_skill(tmp_path, "macro-bias")))
    assert [(one.ticker, one.seat) for one in found] == [("", "macro")]


def test_a_lost_turn_is_not_passed_over(store: Store, tmp_path: Path) -> None:
    store.write(lambda connection: connection.execute(delete(calls).where(calls.c.seat == "manager")))
    with pytest.raises(NotJournaled, match=r"AAPL: the journal holds \d+ of \d+ turns"):
        altered(store, past(store, "last"), changed_skill(_skill(tmp_path, "research-manager")))


# Asked again.


def test_only_the_changed_turns_are_asked_and_the_past_stays(shelf: Shelf, cli: Cli, tmp_path: Path) -> None:
    old = shelf.folder.name
    before, made = _past(shelf, old), sum(_asked(shelf, old).values())
    words = ("replay", old, "--skill", _skill(tmp_path, "research-manager"), "--ask", "--out", shelf.path)
    told = cli(*words)
    assert told.code == 0
    new = _other(shelf)
    assert f"run {old} → {new}" in told.out.splitlines()[0]
    assert _asked(shelf, new) == {(ticker, "manager"): 1 for ticker in TICKERS}
    assert f"calls: 3 made, {made - 3} from the journal" in told.out
    assert "no row differs" in told.out and told.out.count("→") == 1
    assert [line.split()[0] for line in told.out.splitlines()[4:7]] == list(TICKERS)
    assert _past(shelf, old) == before
    assert cli("replay", old, "--check", "--out", shelf.path).code == 0
    assert cli("replay", new, "--check", "--out", shelf.path).code == 0
    again = cli(*words)
    assert (again.code, again.out) == (0, told.out.replace(f"3 made, {made - 3}", f"0 made, {made}"))
    assert _past(shelf, old) == before


def test_what_was_tried_out_is_handed_to_nobody_but_may_be_compared(
    store: Store, shelf: Shelf, cli: Cli, tmp_path: Path
) -> None:
    _again(store, shelf, _skill(tmp_path, "research-manager"))
    new = _other(shelf)
    for form in ("csv", "json", "parquet", "pypfopt", "skfolio", "prices"):
        told = cli("feed", new, "--format", form, "--out", shelf.path)
        assert told.code == 2 and f"run {new} is a what-if" in told.error and told.out == ""
    told = cli("feed", "--diff", "last", new, "--out", shelf.path)
    assert told.code == 0 and told.err == f"note: run {new} is a what-if\n"


def test_equal_answers_change_no_turn_further_on(store: Store, shelf: Shelf, tmp_path: Path) -> None:
    """The desk answers from its inputs: the debaters say the same again, so the managers need not be asked."""
    _again(store, shelf, _skill(tmp_path, "research-debate"))
    assert {seat for _, seat in _asked(shelf, _other(shelf))} == {"bull", "bear"}


def _weaker(request: Any, answer: dict[str, Any]) -> dict[str, Any]:
    """The desk's answer; with the changed skill, an opening that claims nothing but its first claim."""
    changed = NEW in request.prompt.system and answer["round_number"] == 1
    return {**answer, "claims": answer["claims"][:1], "probability": 0.5} if changed else answer


def test_other_answers_reach_the_turns_further_on(
    store: Store, shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, old = Desk(bull=_weaker), shelf.folder.name
    monkeypatch.setitem(PROVIDERS, "offline", lambda settings, places: desk)  # type: ignore[arg-type]
    said = _again(store, shelf, _skill(tmp_path, "research-debate"))
    asked = _asked(shelf, _other(shelf))
    assert {seat for _, seat in asked} == {"bull", "bear", "manager"}
    assert f"calls: {len(desk.requests)} made" in said and len(desk.requests) == sum(asked.values())
    feed = {name: json.loads((shelf.path / name / "feed.json").read_text()) for name in (old, _other(shelf))}
    before, after = ({row["ticker"]: row["probability_post"] for row in one["rows"]} for one in feed.values())
    changed = [ticker for ticker in TICKERS if before[ticker] != after[ticker]]
    assert changed and f"rows that differ: {len(changed)} of 3" in said
    for ticker in changed:
        assert f"{before[ticker]:.4f} → {after[ticker]:.4f}" in said


def test_a_repair_is_rendered_with_the_reply_it_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A manager who first answers with prose is asked again; both of its prompts change."""

    def prose(request: Any, answer: dict[str, Any]) -> Any:
        return answer if "[your_reply " in request.prompt.text else "It went well."

    desk = Desk(manager=prose)
    monkeypatch.setitem(PROVIDERS, "offline", lambda settings, places: desk)  # type: ignore[arg-type]
    store = open_store(tmp_path / "out")
    planned = plan(Words(("IBM",), as_of=DAY), Runs(store))
    hold_night(planned, store, tmp_path / "out", lambda ticker, reason: None)
    found = altered(store, past(store, "last"), changed_skill(_skill(tmp_path, "research-manager")))
    store.close()
    assert [(one.seat, one.round) for one in found] == [("manager", ""), ("manager", "repair")]
    assert [one.old for one in found] == list(map(len, desk.prompts("manager")))


def test_what_was_tried_out_is_neither_last_nor_the_past_of_a_later_night(
    store: Store, shelf: Shelf, tmp_path: Path
) -> None:
    old = shelf.folder.name
    words = Words(TICKERS, as_of="2012-07-31")
    without = plan(words, Runs(store)).header
    _again(store, shelf, _skill(tmp_path, "research-debate"))
    assert Runs(store).find("last").run_id == old
    assert plan(words, Runs(store)).header == without
    assert past(store, _other(shelf)).header.skills["research-debate"] != without.skills["research-debate"]


def test_asking_a_model_again_has_a_ceiling_of_its_own(tmp_path: Path) -> None:
    file, said = _skill(tmp_path, "research-manager"), []
    with FakeModel({}) as server:
        first = night(server.url, tmp_path / "out", tickers=("AAPL",), debate="all", ceiling=0.2)
        assert first.exit in (0, 3)
        second = night(server.url, tmp_path / "out", tickers=("AAPL",), debate="all", ceiling=4, resume=True)
        assert second.exit == 0
        store = open_store(tmp_path / "out")
        try:
            assert past(store, "last").header.settings.operation.max_cost == 4, (
                "the ceiling is that of the latest start"
            )
            for ceiling in (0.001, None):
                said.append(rerun(store, tmp_path / "out", "last", file, True, lambda line: None, ceiling))
        finally:
            store.close()
    assert [one.exit for one in said] == [3, 0]
    assert "AAPL: unpaid: " in said[0].text and "raise --max-cost and run the same command again" in said[0].text
    assert "calls: 1 made" in said[1].text and "cost: $" in said[1].text


# Refused.


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("name: research-manager", "name: research-manger", "line 2: name: no phase asks for 'research-manger'; did"),
        ("name: research-manager\n", "", "name: no phase asks for ''"),
        ("produces: ManagerReply", "produces: PanelAnswer", "line 7: metadata.produces is 'PanelAnswer'; its phase"),
        (
            "inputs: evidence, rounds",
            "inputs: rounds, evidence",
            "line 8: metadata.inputs is in another order; its phase",
        ),
        ("# Research manager", "# {{ name }}", "line 11: an unfilled placeholder"),
        ("license: MIT", "licence: MIT", "line 4: unknown key licence; did you mean license?"),
        ("---\nname", "name", "no front matter between two lines of ---"),
    ],
    ids=["unknown skill", "no name", "produces", "inputs", "placeholder", "front key", "no front matter"],
)
def test_a_skill_that_lint_refuses_is_refused(
    store: Store, shelf: Shelf, tmp_path: Path, old: str, new: str, said: str
) -> None:
    file = _skill(tmp_path, "research-manager", old, new)
    with pytest.raises(UsageError) as caught:
        rerun(store, shelf.path, "last", file, False, lambda line: None)
    assert str(caught.value).startswith(f"--skill {file}: {said}")
    assert "skills/" not in str(caught.value)


@pytest.mark.parametrize(
    "words",
    [("--ask",), ("--check", "--skill", SKILLS / "research-manager"), ("--skill", "nowhere.md")],
    ids=["ask alone", "with check", "no file"],
)
def test_wrong_words_are_refused(shelf: Shelf, cli: Cli, words: tuple[Any, ...]) -> None:
    told = cli("replay", "last", *words, "--out", shelf.path)
    assert told.code == 2
    assert "--skill" in told.error or "nowhere.md" in told.error


def test_another_program_may_look_but_not_ask(
    store: Store, shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("phases.rerun.code_digest", lambda: "another")
    file = _skill(tmp_path, "research-manager")
    assert "3 prompts" in rerun(store, shelf.path, "last", file, False, lambda line: None).text
    with pytest.raises(UsageError, match="the program has changed since run"):
        _again(store, shelf, file)


def test_every_shipped_skill_is_one_that_may_be_tried() -> None:
    for name, skill in load_skills(SKILLS).items():
        if skill.metadata["phase"] != "none":
            assert changed_skill(SKILLS / name) == skill
