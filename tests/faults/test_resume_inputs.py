"""A run goes on only with what it was begun with: each of its twelve kinds of input, changed, is refused by name."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from phases import plan as planning
from phases.core.errors import UsageError
from phases.core.runs import Runs
from phases.core.skills import LOCK, load_skills, lock_text
from phases.core.store import Store, open_store
from phases.night import hold_night
from phases.plan import CONFIGS, SKILLS, Plan, Words, plan, resume_plan
from phases.providers.offline import OfflineDesk
from phases.sources import SOURCES

Patch = pytest.MonkeyPatch


@dataclass(frozen=True)
class Begun:
    """A run that was begun, and everything that may be changed before it goes on."""

    words: Words
    store: Store
    place: Path
    patch: Patch
    planned: Plan

    def resume(self, words: Words | None = None) -> Plan:
        return resume_plan(self.words if words is None else words, Runs(self.store), "last")


@pytest.fixture(scope="module", name="first")
def _first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Words, Plan]:
    """The plan of a night with a protocol of its own."""
    own = tmp_path_factory.mktemp("own")
    text = (CONFIGS / "protocols" / "rounds.yaml").read_text()
    (own / "mine.yaml").write_text(text.replace("protocol: rounds", "protocol: mine"))
    words = Words(("IBM", "MSFT"), None, ("debate.protocol=mine",), "2012-06-29", None, own)
    return words, plan(words, None)


@pytest.fixture(name="begun")
def _begun(first: tuple[Words, Plan], tmp_path: Path, monkeypatch: Patch) -> Iterator[Begun]:
    words, planned = first
    own = shutil.copytree(words.protocols or "", tmp_path / "own")
    store, header = open_store(tmp_path / "out"), planned.header
    Runs(store).start(header.run_id, header.as_of.isoformat(), header.engine, header.model_dump_json())
    yield Begun(replace(words, protocols=own), store, tmp_path, monkeypatch, planned)
    store.close()


def saying(**changes: Any) -> Callable[[Begun], Words]:
    return lambda begun: replace(begun.words, **changes)


def setting(word: str) -> Callable[[Begun], Words]:
    return lambda begun: replace(begun.words, sets=(*begun.words.sets, word))


def protocol_file(begun: Begun) -> Words:
    file = begun.place / "own" / "mine.yaml"
    file.write_text(f"{file.read_text()}# another word\n")
    return begun.words


def skill_text(begun: Begun) -> Words:
    skills = begun.place / "skills"
    shutil.copytree(SKILLS, skills)
    file = skills / "research-debate" / "SKILL.md"
    file.write_text(f"{file.read_text()}\nSpeak in short sentences.\n")
    (skills / LOCK).write_text(lock_text(load_skills(skills)))
    begun.patch.setattr(planning, "SKILLS", skills)
    return begun.words


def engine(begun: Begun) -> Words:
    class Another(OfflineDesk):
        engine = "another desk v1"

    begun.patch.setitem(
        planning.PROVIDERS, begun.planned.header.settings.provider.name, lambda settings, places: Another()
    )
    return begun.words


def vintage(begun: Begun) -> Words:
    name = begun.planned.header.settings.source.name
    revised = SOURCES[name](begun.planned.header.settings.source)
    revised.vintage = "revised"
    begun.patch.setitem(SOURCES, name, lambda _: revised)
    return begun.words


def program(begun: Begun) -> Words:
    begun.patch.setattr(planning, "code_digest", lambda: "another program")
    return begun.words


def history(begun: Begun) -> Words:
    """An earlier night, caught up on meanwhile."""
    earlier = plan(Words(("IBM",), as_of="2012-06-28", debate="none"), Runs(begun.store))
    hold_night(earlier, begun.store, begun.place / "out", lambda ticker, reason: None)
    return begun.words


TWELVE = [
    pytest.param(saying(as_of="2012-06-28"), "as_of (2012-06-29, now 2012-06-28)", id="as-of"),
    pytest.param(saying(tickers=("IBM",)), "tickers", id="tickers"),
    pytest.param(setting("held=[AAPL]"), "settings.held", id="held names"),
    pytest.param(protocol_file, "protocol", id="protocol file"),
    pytest.param(setting("debate.rounds=4"), "settings.debate.rounds (", id="rounds"),
    pytest.param(skill_text, "skills.research-debate", id="skill text"),
    pytest.param(setting("models.research-debate/bull=m2"), "settings.models.research-debate/bull", id="model"),
    pytest.param(engine, "another desk v1", id="engine"),
    pytest.param(vintage, "vintage", id="source vintage"),
    pytest.param(setting("question.horizon_sessions=20"), "question.horizon_sessions (21, now 20)", id="horizon"),
    pytest.param(program, "code", id="code version"),
    pytest.param(history, "history.rows", id="history"),
]


@pytest.mark.parametrize(("change", "named"), TWELVE)
def test_G14_a_changed_input_is_refused_and_named(begun: Begun, change: Callable[[Begun], Words], named: str) -> None:
    run_id = begun.planned.header.run_id
    words = change(begun)
    before = Runs(begun.store).find(run_id)
    with pytest.raises(UsageError) as caught:
        resume_plan(words, Runs(begun.store), run_id)
    message = str(caught.value)
    assert f"--resume {run_id}: changed since it began: " in message
    assert named in message
    assert "a new run goes without --resume" in message
    assert Runs(begun.store).find(run_id) == before


def test_there_are_twelve() -> None:
    assert len(TWELVE) == 12


def test_the_same_words_go_on(begun: Begun) -> None:
    assert begun.resume().header == begun.planned.header


def test_no_words_go_on(begun: Begun) -> None:
    assert begun.resume(Words()).header.run_id == begun.planned.header.run_id


@pytest.mark.parametrize("word", ["operation.threads=1", "operation.lease_seconds=7", "operation.lock_seconds=7"])
def test_how_it_is_carried_out_may_change(begun: Begun, word: str) -> None:
    assert begun.resume(setting(word)(begun)).header.run_id == begun.planned.header.run_id


def test_a_later_night_is_no_history_of_an_earlier_one(begun: Begun) -> None:
    later = plan(Words(("IBM",), as_of="2012-07-02", debate="none"), Runs(begun.store))
    hold_night(later, begun.store, begun.place / "out", lambda ticker, reason: None)
    resumed = resume_plan(begun.words, Runs(begun.store), begun.planned.header.run_id)
    assert resumed.header == begun.planned.header


# F082, F083: what a refusal shows


def test_F082_a_changed_skill_is_named_with_both_digests(begun: Begun) -> None:
    with pytest.raises(UsageError) as caught:
        begun.resume(skill_text(begun))
    before, _, after = str(caught.value).partition("skills.research-debate (")[2].partition(")")[0].partition(", now ")
    assert len(before) == len(after) == 8
    assert before != after


@pytest.mark.parametrize(
    ("word", "named"),
    [
        ("source.order={macro: []}", "the data of source packaged: vintage ("),
        ("models.default=m2", "settings.models.default ("),
        ("debate.rounds=4", "settings.debate.rounds (null, now 4)"),
    ],
)
def test_F083_another_model_or_number_of_rounds_is_named(begun: Begun, word: str, named: str) -> None:
    with pytest.raises(UsageError) as caught:
        begun.resume(setting(word)(begun))
    assert named in str(caught.value)
