"""Lint finds what is planted: each mistake a person makes in a skill, a protocol or a config has its finding."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from phases.lint import BINDINGS, findings
from phases.plan import CONFIGS, SKILLS


class Bundle(NamedTuple):
    """Copies of the two folders that lint reads."""

    skills: Path
    configs: Path

    def findings(self) -> list[str]:
        return findings(self.skills, self.configs)

    def edit(self, file: str, old: str, new: str) -> None:
        """Replace what must be there once or more."""
        path = self.skills.parent / file
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{file} has no {old!r}"
        path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture(name="bundle")
def _bundle(tmp_path: Path) -> Bundle:
    shutil.copytree(SKILLS, tmp_path / "skills")
    shutil.copytree(CONFIGS, tmp_path / "configs")
    return Bundle(tmp_path / "skills", tmp_path / "configs")


def test_what_is_shipped_has_no_finding(bundle: Bundle) -> None:
    assert bundle.findings() == []
    assert findings() == []


DEBATE = "skills/research-debate/SKILL.md"
MANAGER = "skills/research-manager/SKILL.md"
WORDING = "skills/macro-bias/SKILL.md"
AXIS = "skills/sentiment-analyst/SKILL.md"


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        pytest.param(
            DEBATE,
            "name: research-debate\n",
            "name: research-debates\n",
            "name 'research-debates' differs from the folder 'research-debate'",
            id="name differs from the folder",
        ),
        pytest.param(
            DEBATE, "license: MIT", "licence: MIT", "unknown key licence; did you mean license?", id="front key"
        ),
        pytest.param(
            DEBATE,
            "license: MIT",
            "produces: DebateRoundContribution",
            "unknown key produces",
            id="our key outside metadata",
        ),
        pytest.param(
            DEBATE,
            "produces: DebateRoundContribution",
            "produces: ManagerReply",
            "metadata.produces is 'ManagerReply'; its phase expects DebateRoundContribution",
            id="produces another contract",
        ),
        pytest.param(
            DEBATE,
            "produces: DebateRoundContribution",
            "produces: DebateRoundContributions",
            "metadata.produces is 'DebateRoundContributions'; its phase expects DebateRoundContribution",
            id="produces no contract",
        ),
        pytest.param(
            MANAGER,
            "inputs: evidence, rounds,",
            "inputs: rounds, evidence,",
            "metadata.inputs is in another order; "
            "its phase sends evidence, rounds, statements, claims, question, ticker",
            id="inputs in another order",
        ),
        pytest.param(
            WORDING,
            "inputs: bias_row",
            "inputs: bias_row, payload",
            "metadata.inputs has payload, which is not sent; its phase sends bias_row",
            id="inputs that are not sent",
        ),
        pytest.param(
            DEBATE,
            "at most 600 characters",
            "at most 800 characters",
            "says 800 characters; the limits of DebateRoundContribution are",
            id="wrong number of characters",
        ),
        pytest.param(
            AXIS, "## Task", "## Task\n\nJudge {{ ticker }}.", "an unfilled placeholder", id="placeholder in braces"
        ),
        pytest.param(AXIS, "## Task", "## Task {% if x %}", "an unfilled placeholder", id="placeholder of a template"),
        pytest.param(AXIS, "## Task", "## Task <<TICKER>>", "an unfilled placeholder", id="placeholder in angles"),
        pytest.param(AXIS, "## Task", "## Ta\u200bsk", "an invisible character", id="zero width space"),
        pytest.param(AXIS, "## Task", "## Task \u202eyub", "an invisible character", id="direction mark"),
        pytest.param(AXIS, "## Task", "## Task\U000e0068\U000e0069", "an invisible character", id="tag characters"),
        pytest.param(
            DEBATE,
            '"round_number": 1,',
            '"round_number": "1",',
            'its example: /round_number: "1" must be a whole number',
            id="example of the wrong type",
        ),
        pytest.param(
            MANAGER,
            '"net_stance": "bullish"',
            '"net_stance": "bull"',
            'its example: /net_stance: "bull" must be one of "bullish", "neutral", "bearish"',
            id="example with a wrong word",
        ),
        pytest.param(
            WORDING,
            '{\n  "notes":',
            '{\n  "notes": "Twice.",\n  "notes":',
            "stands twice",
            id="example with a key twice",
        ),
        pytest.param(WORDING, '"notes": "', '"notes": ', "its example is not JSON", id="example that is no JSON"),
        pytest.param(DEBATE, "```json", "```", "has no json example of its answer", id="no example"),
        pytest.param(
            DEBATE, "name: research-debate\n", "name: [research\n", "SKILL.md", id="front matter that is no YAML"
        ),
        pytest.param(DEBATE, "---\nname:", "name:", "no front matter between two lines of ---", id="no front matter"),
    ],
)
def test_planted_in_a_skill(bundle: Bundle, file: str, old: str, new: str, said: str) -> None:
    bundle.edit(file, old, new)
    found = bundle.findings()
    assert any(line.startswith(f"{file}: ") and said in line for line in found), found


WRITE = "nothing fills it, so write it out"


def test_finding_names_the_line(bundle: Bundle) -> None:
    bundle.edit(AXIS, "## Task", "## Task {{x}}")
    lines = (bundle.skills.parent / AXIS).read_text(encoding="utf-8").splitlines()
    assert bundle.findings() == [
        f"{AXIS}: line {lines.index('## Task {{x}}') + 1}: an unfilled placeholder {{{{x}}}}; {WRITE}"
    ]


OVERLAY, DESK, DEFAULT = "configs/anthropic.yaml", "configs/protocols/desk.yaml", "configs/default.yaml"

PLACED = [
    pytest.param(DEBATE, "description: Argues", "about: Argues", "unknown key about", id="front key"),
    pytest.param(DEBATE, "name: research-debate\n", "name: debate\n", "name 'debate' differs", id="name"),
    pytest.param(
        DEBATE, "phase: research_debate", "phase: debate", "metadata.phase is 'debate'; research_d", id="phase"
    ),
    pytest.param(
        DEBATE,
        "open_points, cited",
        "open_point, cited",
        "has open_point, which is not sent; did you mean open_points?; lacks open_points; its phase sends bias_row",
        id="inputs",
    ),
    pytest.param(DEBATE, "at most 600 char", "at most 650 char", "says 650 characters; the limits of D", id="number"),
    pytest.param(DEBATE, '"kind": "carried"', '"kind": "kept"', '/moves/1/kind: "kept" must be one of', id="example"),
    pytest.param(
        DEBATE,
        "validate DebateRoundContribution -",
        "validate DebateRound -",
        "validates DebateRound; its answer is a DebateRoundContribution",
        id="command",
    ),
    pytest.param(DEBATE, "Argue one side", "Argue\u200b one side", "an invisible character U+200B", id="invisible"),
    pytest.param(DESK, "order: together", "order: parallel", "opening.0.order: 'parallel' is not allowed", id="step"),
    pytest.param(DESK, "points.open = 0", "point.open = 0", "did you mean points.open?", id="read-out"),
    pytest.param(DESK, "delta: exchange", "delta: change", "delta: 'change' is not allowed", id="delta"),
    pytest.param(OVERLAY, "models:", "model:", "unknown key model; did you mean models?", id="section"),
    pytest.param(
        OVERLAY,
        "research-manager:",
        "research-manger:",
        "models.research-manger: there is no skill 'research-manger'; did you mean research-manager? (default, debate-",
        id="model of no skill",
    ),
    pytest.param(
        OVERLAY,
        "research-manager:",
        "research-debate/beer:",
        "research-debate has no seat 'beer'; did you mean bear? (seats: bull, bear)",
        id="model of no seat",
    ),
    pytest.param(DEFAULT, "  effort: {}", "  effort: {macro: low}", "provider.effort.macro: there is no", id="effort"),
    pytest.param(
        DEFAULT, "protocol: desk", "protocol: dsk", "debate.protocol: 'dsk' is unknown; did you", id="protocol"
    ),
    pytest.param(
        DEFAULT, "name: offline", "name: ofline", "provider.name: 'ofline' is unknown; did you", id="provider"
    ),
    pytest.param(
        DEFAULT, "name: packaged", "name: package", "source.name: 'package' is unknown; did you mean", id="source"
    ),
    pytest.param(
        DEFAULT, "calendar: XNYS", "calendar: NYSX", "question.calendar: 'NYSX' is unknown; did", id="calendar"
    ),
    pytest.param(DEFAULT, "prices/2026-11", "prices/2026-12", "prices: there is no file 'prices/2026-12", id="prices"),
    pytest.param(
        "configs/prices/2026-11.yaml", "input:", "inptu:", "inptu; did you mean input? (known here: input, ", id="price"
    ),
    pytest.param(
        "configs/nightly.yaml",
        '"px.rsi14"',
        '"px.rsi15"',
        "debate.bands.px.rsi15: no evidence item has this",
        id="band",
    ),
]


@pytest.mark.parametrize(("file", "old", "new", "said"), PLACED)
def test_a_finding_names_file_line_field_and_what_is_allowed(
    bundle: Bundle, file: str, old: str, new: str, said: str
) -> None:
    bundle.edit(file, old, new)
    found = next(one for one in bundle.findings() if said in one)
    name, line = re.match(r"(.+?): line ([0-9]+): ", found).groups()  # type: ignore[union-attr]
    assert name == (file if file.startswith("skills/") else str(bundle.skills.parent / file))
    text = (bundle.skills.parent / file).read_text(encoding="utf-8").splitlines()[int(line) - 1]
    assert new.strip() in text or new.partition(":")[0].strip(' "') in text, text


def test_a_skill_says_what_it_does_and_how_its_answer_is_validated(bundle: Bundle) -> None:
    path = bundle.skills.parent / MANAGER
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub("(?m)^description:.*\n", "", text).replace("validate ManagerReply -", ""), encoding="utf-8")
    first, last = bundle.findings()
    assert first == f"{MANAGER}: line 1: description is missing; say what the skill does and when to use it"
    assert "end with `python run_pipeline.py validate ManagerReply -`" in last


def test_broken_front_matter_is_one_finding_with_the_line_in_the_file(bundle: Bundle) -> None:
    bundle.edit(DEBATE, "license: MIT\n", "license: MIT\n  odd: x\n")
    (found,) = bundle.findings()
    assert found.startswith(f"{DEBATE}: ") and found.count(DEBATE) == 1 and "line 5" in found


def test_every_mistake_is_found_at_once(bundle: Bundle) -> None:
    bundle.edit(AXIS, "## Task", "## Task {{x}}")
    bundle.edit(DEBATE, "name: research-debate\n", "name: debate\n")
    bundle.edit("configs/nightly.yaml", "when: gate", "when: sometimes")
    found = bundle.findings()
    assert len(found) == 3
    assert [any(file in line for line in found) for file in (AXIS, DEBATE, "nightly.yaml")] == [True] * 3


@pytest.mark.parametrize("name", sorted(path.name for path in SKILLS.iterdir() if path.name in BINDINGS))
def test_number_of_characters_is_one_of_the_contract(bundle: Bundle, name: str) -> None:
    path = bundle.skills / name / "SKILL.md"
    path.write_text(path.read_text(encoding="utf-8") + "\nWrite at most 601 characters.\n", encoding="utf-8")
    assert any("says 601 characters" in line for line in bundle.findings())


def test_a_skill_for_agents_alone_says_so_and_no_more(bundle: Bundle) -> None:
    guide = "skills/run-debate/SKILL.md"
    bundle.edit(guide, "  phase: none\n", "  phase: none\n  produces: ManagerReply\n")
    assert bundle.findings() == [f"{guide}: line 8: metadata.produces: no phase asks for it, so it has none"]
    bundle.edit(guide, "  phase: none\n  produces: ManagerReply\n", "  phase: nobody\n")
    remedy = "a skill for agents alone says metadata.phase: none"
    (found,) = bundle.findings()
    assert found.startswith(f"{guide}: line 7: no phase asks for it") and found.endswith(remedy)
    bundle.edit("skills/macro-bias/SKILL.md", "phase: macro_bias", "phase: none")
    assert any("metadata.phase" in line and "macro-bias" in line for line in bundle.findings())


def test_folder_that_no_phase_asks_for(bundle: Bundle) -> None:
    (bundle.skills / "research-debate").rename(bundle.skills / "research-debates")
    found = bundle.findings()
    mistaken = "skills/research-debates/SKILL.md: "
    assert f"{mistaken}line 2: name 'research-debate' differs from the folder 'research-debates'" in found
    remedy = "a skill for agents alone says metadata.phase: none"
    assert f"{mistaken}line 6: no phase asks for it; did you mean research-debate?; {remedy}" in found
    assert any(
        "seats.bull.skill: 'research-debate' is unknown; did you mean research-debates?" in line for line in found
    )


ROUNDS = "configs/protocols/rounds.yaml"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param(
            "seats: [bull, bear]",
            "seats: [bull, beer]",
            "loop.0.seats: 'beer' is unknown; did you mean bear?",
            id="seat",
        ),
        pytest.param(
            "seats: [bull, bear]", "seats: [bull]", "seats.bear: never speaks; name it in a step", id="one side"
        ),
        pytest.param("seats: [bull, bear]", "seats: [bull, bear, bear]", "loop: bear speaks twice", id="a seat twice"),
        pytest.param(
            "bear: {skill: research-debate, side: bear}",
            "bear: {skill: research-debate, side: bull}",
            "seats.bear: a seat of this name would be taken for another; rename it",
            id="a seat of the other side",
        ),
        pytest.param(
            "delta: stance_table", "delta: tally", "`tally` counts votes; it needs at least two", id="no votes"
        ),
        pytest.param(
            "delta: stance_table", "delta: exchange", "delta `exchange` takes 2 to 4", id="exchange of one round"
        ),
        pytest.param(
            "sees: [bias_row,", "sees: [bias_rows,", "'bias_rows' is unknown; did you mean bias_row?", id="sees"
        ),
        pytest.param("require: [claims]", "require: [claim]", "'claim' is unknown; did you mean claims?", id="block"),
        pytest.param(
            "bear: {skill: research-debate,",
            "bear: {skill: research-debates,",
            "seats.bear.skill: 'research-debates' is unknown; did you mean research-debate?",
            id="skill",
        ),
        pytest.param(
            "bear: {skill: research-debate,",
            "bear: {skill: research-manager,",
            "research-manager produces ManagerReply; a seat answers DebateRoundContribution, ",
            id="skill of another contract",
        ),
        pytest.param("protocol: rounds", "protocol: round", "'round' differs from the file's name 'rounds'", id="name"),
        pytest.param("rounds: 1", "rounds: 1\nround: 1", "unknown key round; did you mean rounds?", id="key"),
        pytest.param("rounds: 1", "rounds: 9", "a whole number from 1 to 5", id="too many rounds"),
        pytest.param("argument_limit: 600", "argument_limit: 601", "a whole number from 80 to 600", id="limit raised"),
        pytest.param("gate >= 1", "gates >= 1", "unknown read-out 'gates'; did you mean gate?", id="read-out"),
        pytest.param("gate >= 1", "gate => 1", "is no rule", id="rule"),
        pytest.param("rounds: 1", "rounds: 1\nrounds: 2", "stands twice", id="key twice"),
        pytest.param("seats: [bull, bear]", "seats: [bull, bear", "rounds.yaml", id="no YAML"),
    ],
)
def test_planted_in_a_protocol(bundle: Bundle, old: str, new: str, said: str) -> None:
    bundle.edit(ROUNDS, old, new)
    found = bundle.findings()
    assert len(found) == 1 and said in found[0] and str(bundle.configs / "protocols" / "rounds.yaml") in found[0], found


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param(
            "  threads: 4",
            "  threads: 4\n  thread: 4",
            "unknown key operation.thread; did you mean threads?",
            id="typo",
        ),
        pytest.param(
            "as_of: 2008", "debates: none\nas_of: 2008", "unknown key debates; did you mean debate?", id="section"
        ),
        pytest.param("  threads: 4", "  threads: 0", "operation.threads: '0' is not allowed", id="out of range"),
        pytest.param("as_of: 2008-09-30", "as_of: 2008-09-31", "as_of: '2008-09-31' is not allowed", id="no date"),
        pytest.param("technical: 0.6", "technic: 0.6", "analyst.axes", id="axis"),
        pytest.param("when: all", "when: always", "debate.when: 'always' is not allowed", id="word"),
        pytest.param("  name: packaged", "  name: packaged\n  name: packaged", "stands twice", id="key twice"),
    ],
)
def test_planted_in_the_configuration(bundle: Bundle, old: str, new: str, said: str) -> None:
    bundle.edit("configs/default.yaml", old, new)
    found = bundle.findings()
    assert_of_default(found, said)


def assert_of_default(found: list[str], said: str) -> None:
    """The default has this one finding; what is laid over it can only have the same."""
    own = {line for line in found if "default.yaml" in line}
    assert len(own) == 1 and all(said in line for line in found), found


def test_universe_that_is_not_there(bundle: Bundle) -> None:
    bundle.edit("configs/default.yaml", "universes/packaged.yaml", "universes/none.yaml")
    assert set(bundle.findings()) == {f"{bundle.configs / 'universes' / 'none.yaml'}: No such file or directory"}


def test_planted_in_an_overlay(bundle: Bundle) -> None:
    (bundle.configs / "mine.yaml").write_text("debate:\n  round: 3\n", encoding="utf-8")
    (found,) = bundle.findings()
    assert found.startswith(f"{bundle.configs / 'mine.yaml'}: line 2: unknown key debate.round; did you mean rounds?")


def test_planted_in_a_universe(bundle: Bundle) -> None:
    bundle.edit("configs/universes/packaged.yaml", "- IBM", "- I/BM")
    (found,) = set(bundle.findings())
    assert "packaged.yaml: line 2: tickers: 'I/BM' is no ticker" in found


# What escaped once


def _remove(name: str) -> Callable[[Bundle], None]:
    return lambda bundle: shutil.rmtree(bundle.skills / name)


RENAMED = [
    pytest.param(ROUNDS, "\nrounds: 1", "\nround: 1", "unknown key round; did you mean rounds?", id="of a protocol"),
    pytest.param(
        "configs/default.yaml",
        "  threads: 4",
        "  thread: 4",
        "unknown key operation.thread; did you mean threads?",
        id="of the configuration",
    ),
]


@pytest.mark.parametrize(("file", "old", "new", "said"), RENAMED)
def test_mistyped_key_is_named(bundle: Bundle, file: str, old: str, new: str, said: str) -> None:
    bundle.edit(file, old, new)
    assert any(said in line for line in bundle.findings())


ESCAPED = [
    pytest.param(
        lambda bundle: bundle.edit(
            MANAGER, "inputs: evidence, rounds, statements, claims, question, ticker", "inputs: [evidence]"
        ),
        MANAGER,
        id="inputs written as a list",
    ),
    pytest.param(
        lambda bundle: bundle.edit(MANAGER, "produces: ManagerReply", "produces: [ManagerReply]"),
        MANAGER,
        id="produces written as a list",
    ),
    pytest.param(
        lambda bundle: (bundle.skills.parent / WORDING).write_bytes(b"---\nname: macro-bias\n---\n\xff\n"),
        WORDING,
        id="bytes that are no UTF-8",
    ),
    pytest.param(_remove("research-manager"), "research-manager", id="a skill that a phase asks for is absent"),
    pytest.param(_remove("technical-analyst"), "technical-analyst", id="a skill of a configured axis is absent"),
]


@pytest.mark.parametrize(("plant", "named"), ESCAPED)
def test_what_escaped_is_found(bundle: Bundle, plant: Callable[[Bundle], None], named: str) -> None:
    plant(bundle)
    assert any(named in line for line in bundle.findings())
