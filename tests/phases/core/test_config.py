"""Configuration: texts only, closed keys, and messages that name what is wrong and what is allowed."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from phases.core.config import (
    FILE_LIMIT,
    NODE_LIMIT,
    PATTERNS,
    load_yaml,
    overlay,
    parse_yaml,
    read_mapping,
    read_record,
    with_words,
)
from phases.core.errors import UsageError
from phases.plan import CONFIGS, Words, settings_of
from schemas.base import Model
from schemas.settings import Settings
from tests.phases.core.scripted import SEARCH

DEFAULT = load_yaml(CONFIGS / "default.yaml")


def config_of(*words: str) -> Settings:
    return read_record(Settings, with_words(DEFAULT, words), "night.yaml")


# Texts

BOOLEAN_LIKE = ["NO", "ON", "TRUE", "NULL", "Y", "OFF", "1E5", "0700", "0x1F", "1_000", "12:30", "2001-02-03", ".INF"]


@pytest.mark.parametrize("word", BOOLEAN_LIKE)
def test_a_scalar_stays_the_text_it_is(word: str) -> None:
    assert parse_yaml(f"held: [{word}]\nas: {word}") == {"held": [word], "as": word}


@pytest.mark.parametrize("word", ["NO", "ON", "TRUE", "NULL", "Y", "OFF", "1E5", "0700"])
def test_a_ticker_that_looks_like_something_else_stays_a_ticker(word: str) -> None:
    assert config_of(f"held=[{word}]").held == (word,)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("a: 1\r\nb: [x,\r\n  y]\r\n", {"a": "1", "b": ["x", "y"]}, id="CRLF"),
        pytest.param("a: ! 1", {"a": "1"}, id="the empty tag"),
        pytest.param("%YAML 1.1\n---\na: NO", {"a": "NO"}, id="YAML 1.1"),
        pytest.param("a:\nb: ''\nc: ~", {"a": "", "b": "", "c": "~"}, id="nothing"),
        pytest.param("a: &x 1", {"a": "1"}, id="an anchor nobody uses"),
        pytest.param("a: é中\U0001f680", {"a": "é中\U0001f680"}, id="any letters"),
        pytest.param("", None, id="empty"),
    ],
)
def test_parse_yaml(text: str, found: object) -> None:
    assert parse_yaml(text) == found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("a: 1\nb: 2\na: 3", ("'a'", "lines 1 and 3"), id="key twice"),
        pytest.param("a: 1\n'a': 1", ("'a'", "lines 1 and 2"), id="key twice, quoted"),
        pytest.param(
            "x:\n  - y:\n      b: 1\n      c: 2\n      b: 1", ("'b'", "lines 3 and 5"), id="key twice, nested"
        ),
        pytest.param("x: {b: 1, b: 2}", ("'b'", "lines 1 and 1"), id="key twice, in one line"),
        pytest.param("a: !!python/object/apply:os.system [id]", ("line 1", "python/object/apply"), id="Python tag"),
        pytest.param("a: 1\nb: !!python/name:os.system", ("line 2", "python/name"), id="Python name"),
        pytest.param("a: !!str 1", ("line 1", "tag"), id="str tag"),
        pytest.param("!!map {a: 1}", ("line 1", "tag"), id="map tag"),
        pytest.param("a: !include x.yaml", ("line 1", "!include"), id="own tag"),
        pytest.param("a: &x [1]\nb: *x", ("line 2", "aliases"), id="alias"),
        pytest.param("a: &x {b: 1}\nc: {<<: *x}", ("line 2", "aliases"), id="merge key"),
        pytest.param('a: 1\nb: "x\\0y"', ("line 2", "U+0000"), id="F026 a character no store takes"),
        pytest.param("? [a, b]\n: 1", ("line 1", "key"), id="list as key"),
        pytest.param("? {a: b}\n: 1", ("line 1", "key"), id="mapping as key"),
    ],
)
def test_what_yaml_allows_and_we_do_not_names_its_line(text: str, words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as caught:
        parse_yaml(text)
    assert all(word in str(caught.value) for word in words)


def _nested(levels: int) -> str:
    return "a: " + "[" * levels + "]" * levels


def test_a_deep_list_is_read() -> None:
    assert parse_yaml(_nested(50))


@pytest.mark.parametrize(
    "levels",
    [
        pytest.param(900),
        1500,
        40_000,
    ],
)
def test_a_list_that_is_too_deep_is_an_error(levels: int) -> None:
    with pytest.raises((UsageError, yaml.YAMLError)):
        parse_yaml(_nested(levels))


# Files


def _file(folder: Path, content: str | bytes) -> Path:
    path = folder / "night.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"\xef\xbb\xbfas_of: 2001-02-03\n", id="BOM"),
        pytest.param(b"\xef\xbb\xbfas_of: 2001-02-03\r\n\r\n# end\r\n", id="BOM, CRLF, comment"),
        pytest.param(b"# only\n\n---\nas_of: 2001-02-03", id="document mark, no last line break"),
    ],
)
def test_load_yaml(tmp_path: Path, content: bytes) -> None:
    assert load_yaml(_file(tmp_path, content)) == {"as_of": "2001-02-03"}


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        pytest.param("", "must be a mapping", id="empty"),
        pytest.param("# nothing\n", "must be a mapping", id="comment"),
        pytest.param("- a\n- b\n", "must be a mapping", id="list"),
        pytest.param("word", "must be a mapping", id="word"),
        pytest.param("a: 1\nb: [", "line", id="no YAML"),
        pytest.param("a:\n\t- b", "line 2", id="tab"),
        pytest.param("a: 1\n---\nb: 2\n", "document", id="two documents"),
        pytest.param("a: \x00", "", id="NUL"),
        pytest.param("a: 1\na: 2", "lines 1 and 2", id="key twice"),
        pytest.param(b"a: \xff\xfe", "not UTF-8", id="not UTF-8"),
        pytest.param("a: 1".encode("utf-16"), "not UTF-8", id="UTF-16"),
        pytest.param(BOMB, "aliases", id="alias bomb"),
        pytest.param("- x\n" * (NODE_LIMIT + 1), f"more than {NODE_LIMIT}", id="too many entries"),
        pytest.param("a: " + "x" * FILE_LIMIT, "larger than 1024 kB", id="too large"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_at_once(tmp_path: Path, content: str | bytes, why: str) -> None:
    path = _file(tmp_path, content)
    start = time.process_time()
    with pytest.raises(UsageError) as caught:
        load_yaml(path)
    assert time.process_time() - start < 5, "not what its aliases would unfold to"
    assert str(caught.value).startswith(f"{path}: ")
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "none.yaml", tmp_path):
        with pytest.raises(UsageError, match=str(path)):
            load_yaml(path)


def test_a_path_no_system_takes_is_an_error() -> None:
    with pytest.raises(UsageError):
        load_yaml(Path(parse_yaml('"a\\0b.yaml"')))


# Overlays and words


@pytest.mark.parametrize(
    ("base", "top", "merged"),
    [
        ({"a": "1", "b": "2"}, {"a": "3"}, {"a": "3", "b": "2"}),
        ({"a": {"b": "1", "c": "2"}}, {"a": {"b": "3"}}, {"a": {"b": "3", "c": "2"}}),
        ({"a": ["1", "2"]}, {"a": ["3"]}, {"a": ["3"]}),
        ({"a": {"b": "1"}}, {"a": ""}, {"a": ""}),
        ({"a": "1"}, {"a": {"b": "1"}}, {"a": {"b": "1"}}),
        ({"a": "1"}, {}, {"a": "1"}),
    ],
    ids=["value", "section", "list", "section gone", "section new", "nothing"],
)
def test_overlay(base: dict[str, Any], top: dict[str, Any], merged: dict[str, Any]) -> None:
    before = repr(base)
    assert overlay(base, top) == merged
    assert repr(base) == before


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["a.b=c"], {"a": {"b": "c", "x": "1"}}),
        (["a.b=c=d"], {"a": {"b": "c=d", "x": "1"}}),
        (["a.b="], {"a": {"b": "", "x": "1"}}),
        ([" a.b = [NO, x] "], {"a": {"b": ["NO", "x"], "x": "1"}}),
        (["a={y: 2}"], {"a": {"y": "2", "x": "1"}}),
        (["a.b=1", "a.b=2"], {"a": {"b": "2", "x": "1"}}),
        ([], {"a": {"x": "1"}}),
    ],
)
def test_with_words(words: list[str], found: dict[str, Any]) -> None:
    assert with_words({"a": {"x": "1"}}, words) == found


@pytest.mark.parametrize("word", ["", "a.b", "=1", " =1", "a=[1", "a={b: 1, b: 2}", "a=*x", "a=!!str x", "a=\x01"])
def test_a_word_that_sets_nothing_is_refused(word: str) -> None:
    with pytest.raises(UsageError) as caught:
        with_words({}, [word])
    assert not set("\x01\n") & set(str(caught.value))


@pytest.mark.parametrize("word", ["a", "=1", "a=[1"])
def test_a_refused_word_is_quoted(word: str) -> None:
    with pytest.raises(UsageError, match="--set") as caught:
        with_words({}, [word])
    assert word in str(caught.value)


def test_a_word_that_is_not_utf8_is_refused() -> None:
    with pytest.raises(UsageError):
        with_words({}, ["source=\udcff"])


# The typed record


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("debate.round=2", ("unknown key debate.round", "did you mean rounds?", "known here", "protocol")),
        ("debat.rounds=2", ("unknown key debat", "did you mean debate?")),
        ("zzz=1", ("unknown key zzz", "known here", "operation")),
        ("operation.thread=1", ("unknown key operation.thread", "did you mean threads?")),
        ("analyst.axes={astrology: 1}", ("analyst.axes", "'astrology'", "technical")),
        ("debate.rounds=0", ("debate.rounds", "'0'", "a whole number from 1 to 5")),
        ("debate.rounds=-1", ("debate.rounds", "'-1'", "a whole number from 1 to 5")),
        ("debate.rounds=1000", ("debate.rounds", "'1000'", "a whole number from 1 to 5")),
        ("debate.rounds=two", ("debate.rounds", "'two'", "a whole number from 1 to 5")),
        ("debate.rounds=1.5", ("debate.rounds", "'1.5'", "a whole number from 1 to 5")),
        ("universe.cap=0", ("universe.cap", "'0'", "a whole number from 1")),
        ("operation.threads=257", ("operation.threads", "'257'", "from 1 to 256")),
        ("market.stale_after_sessions=61", ("market.stale_after_sessions", "from 0 to 60")),
        ("question.horizon_sessions=[1]", ("question.horizon_sessions", "from 1 to 252")),
        ("as_of=tomorrow", ("as_of", "'tomorrow'", "2012-06-29")),
        ("as_of=2008-02-30", ("as_of", "'2008-02-30'", "2012-06-29")),
        ("as_of=20080930", ("as_of", "'20080930'", "2012-06-29")),
        ("held=AAPL", ("held", "'AAPL'", "for example [AAPL]")),
        ("held=A B", ("held", "'A B'", "for example [AAPL, IBM]")),
        ("debate.when=gated", ("'all', 'gate' or 'none'; did you mean gate?",)),
        ("provider.effort.default=hihg", ("provider.effort.default", "did you mean high?")),
        ("held=[A B]", ("held.0", "'A B'", "symbol")),
        ("question.benchmark=../x", ("question.benchmark", "'../x'", "symbol")),
        ("question=5", ("question", "'5'", "a section")),
        ("debate.when=sometimes", ("debate.when", "'sometimes'", "'all', 'gate' or 'none'")),
        ("bias.wording=maybe", ("bias.wording", "'maybe'", "true or false")),
        ("source=", ("source", "''")),
        ("provider.deadline_seconds=abc", ("'abc'", "must be a number from 0.01 to 86400")),
        ("provider.deadline_seconds=0", ("'0'", "must be a number from 0.01 to 86400")),
        ("operation.max_cost=-1", ("'-1'", "must be a number from 0")),
        ("provider.key=sk-ant-1", ("what stands there", "the NAME of an environment variable")),
        ("bias.thresholds.growth_expanding=-0.01", ("growth_expanding", "'-0.01'", "from 0 to 10")),
        (
            "bias.thresholds.inflation_cold=0.05",
            ("bias.thresholds.inflation_cold (0.05) is above bias.thresholds.inflation_hot (0.025); lower",),
        ),
        ("bias.thresholds.tilt=0.9", ("bias.thresholds.tilt (0.9) is above bias.thresholds.strong (0.6)",)),
        (
            "market.macro_stale_after_periods=5",
            ("market.macro_stale_after_periods (5) is above market.macro_drop_after_periods (4)",),
        ),
        ("source.csv.currencies={KO:GBp}", ("--set source.csv.currencies={KO:GBp}: 'KO:GBp' is a key", "{KO: GBp}")),
        ("source.order={bars:[fred]}", ("the value is not YAML; in braces a colon wants a space after it",)),
        ("manager.probability_per_point=-1", ("manager.probability_per_point", "'-1'")),
    ],
)
def test_a_wrong_value_is_named_with_what_is_allowed(word: str, says: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as caught:
        config_of(word)
    message = str(caught.value)
    assert message.startswith(("night.yaml: ", "--set "))
    assert all(word in message for word in says), message


@pytest.mark.parametrize("equal", ["bias.thresholds.inflation_cold=0.025", "market.macro_stale_after_periods=4"])
def test_equal_bounds_are_no_contradiction(equal: str) -> None:
    config_of(equal)


@pytest.mark.parametrize("word", ["bias.thresholds.strong=0.1", "bias.thresholds={tilt: 0.9}"])
def test_either_of_two_that_contradict_each_other_is_named_as_it_was_said(word: str) -> None:
    with pytest.raises(UsageError, match=r"^--set bias\.thresholds\.tilt \(.*strong \("):
        settings_of(Words(sets=(word,)))


@pytest.mark.parametrize(
    ("text", "line"), [("source:\n  order: {bars:[fred]}\n", 2), ("a: {b: c}\nheld: {KO:GBp, JPM: USD}\n", 2)]
)
def test_a_colon_in_braces_without_a_space_is_told_of_in_files_too(text: str, line: int) -> None:
    with pytest.raises(UsageError, match=rf"^night\.yaml: .*line {line}.*in braces a colon wants a space after it"):
        read_mapping(text, "night.yaml")
    assert read_mapping("{'a:b': , \"c:d\": e, f: {}}", "x") == {"a:b": "", "c:d": "e", "f": {}}


# A section's name alone


@pytest.mark.parametrize("turned", [False, True])
def test_a_name_alone_keeps_the_other_keys_of_its_section_in_any_order(turned: bool, tmp_path: Path) -> None:
    sets = ("source=yahoo", "source.proxy=http://proxy.invalid", "provider=anthropic", "provider.max_tokens=99")
    said = settings_of(Words(sets=sets[::-1] if turned else sets))
    assert (said.source.name, said.source.proxy) == ("yahoo", "http://proxy.invalid")
    assert (said.provider.name, said.provider.max_tokens) == ("anthropic", 99)
    file = tmp_path / "night.yaml"
    file.write_text("source: yahoo\n" if turned else "source: {name: yahoo, deadline_seconds: 7}\n")
    more = ("source.deadline_seconds=7",) if turned else ("source=packaged",)
    said = settings_of(Words(config=file, sets=more))
    assert (said.source.name, said.source.deadline_seconds) == ("yahoo" if turned else "packaged", 7)


def test_only_whole_sections_have_a_name_alone() -> None:
    assert overlay({"models": {"source": "a"}}, {"models": {"source": "b"}}) == {"models": {"source": "b"}}


@pytest.mark.parametrize(
    ("word", "section", "key", "value"),
    [
        ("debate.rounds=5", "debate", "rounds", 5),
        ("debate.rounds=", "debate", "rounds", None),
        ("debate.rounds=null", "debate", "rounds", None),
        ("universe.cap=~", "universe", "cap", None),
        ("bias.wording=false", "bias", "wording", False),
        ("analyst.watch_spread=1/5", "analyst", "watch_spread", "1/5"),
        ("operation.threads=256", "operation", "threads", 256),
    ],
)
def test_a_right_value_is_typed(word: str, section: str, key: str, value: object) -> None:
    assert getattr(getattr(config_of(word), section), key) == value


def test_every_pattern_of_the_configuration_is_told_in_words() -> None:
    found = re.findall(r'"pattern": "((?:[^"\\\\]|\\\\.)*)"', json.dumps(Settings.model_json_schema()))
    patterns = {json.loads(f'"{one}"') for one in found}
    assert patterns and patterns <= set(PATTERNS)


def test_a_missing_key_is_named() -> None:
    with pytest.raises(UsageError, match=r"night\.yaml: the key debate\.protocol is missing"):
        read_record(Settings, {**DEFAULT, "debate": {"rounds": "1", "when": "all", "protocols": ""}}, "night.yaml")


def test_a_long_or_hostile_value_is_shown_short_and_escaped() -> None:
    with pytest.raises(UsageError) as caught:
        config_of('debate.rounds="\\e[31m\\u202e' + "x" * 500 + '"')
    assert len(str(caught.value)) < 300
    assert str(caught.value).isprintable()


TREES = st.recursive(
    st.text(max_size=5), lambda inner: st.dictionaries(st.text(max_size=5), inner) | st.lists(inner), max_leaves=6
)


class Small(Model):
    size: int
    names: tuple[str, ...] = ()


@SEARCH
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parse_yaml(text)
    except (UsageError, yaml.YAMLError) as error:
        assert str(error)


@SEARCH
@given(st.dictionaries(st.sampled_from(["size", "names", "nemas", ""]), TREES))
def test_any_mapping_is_typed_or_refused(found: dict[str, Any]) -> None:
    try:
        read_record(Small, found, "here")
    except UsageError as error:
        assert str(error).startswith("here: ")
