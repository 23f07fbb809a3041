"""The shipped configuration: every file loads, every key has its comment, every value is one that works."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from phases.core.config import load_yaml, overlay, read_record
from phases.core.skills import load_skills
from phases.debate.protocol import read_protocol
from phases.debate.seats import seated
from phases.plan import CONFIGS, SKILLS, Words, settings_of
from phases.providers import PROVIDERS
from phases.sources import SOURCES
from phases.watchlist import watchlist
from schemas.settings import Settings

DEFAULT = CONFIGS / "default.yaml"
FILES = sorted(CONFIGS.rglob("*.yaml"))

SHARED = {"market.macro_drop_after_periods": "market.macro_stale_after_periods"}
"""Keys that stand under the comment of the key above them."""


def _id(path: Path) -> str:
    return path.relative_to(CONFIGS).as_posix()


def _keys(found: dict[str, Any], above: str = "") -> Iterator[str]:
    for key, value in found.items():
        yield above + key
        if isinstance(value, dict):
            yield from _keys(value, f"{above}{key}.")


def _lines(text: str) -> Iterator[tuple[str, str, bool]]:
    """Each key by its path, the line above it, and whether it opens a section."""
    stack: list[tuple[int, str]] = []
    before = ""
    for line in text.splitlines():
        key = re.match(r"( *)([a-z_]+):(.*)$", line)
        if key:
            indent = len(key[1])
            stack = [one for one in stack if one[0] < indent]
            stack.append((indent, key[2]))
            yield ".".join(name for _, name in stack), before.strip(), not key[3].strip()
        before = line


@pytest.mark.parametrize("path", FILES, ids=_id)
def test_loads_and_says_what_it_is(path: Path) -> None:
    assert load_yaml(path)
    assert path.read_text(encoding="utf-8").startswith("# ")


def test_nothing_else_lies_in_the_folder() -> None:
    files = [path for path in CONFIGS.rglob("*") if path.is_file()]
    assert {path.suffix for path in files if path.parent.name != "universes"} == {".yaml"}
    assert {path.suffix for path in files if path.parent.name == "universes"} == {".yaml", ".csv", ".txt"}


def test_every_key_of_the_default_has_a_comment() -> None:
    found = load_yaml(DEFAULT)
    lines = {path: (before, opens) for path, before, opens in _lines(DEFAULT.read_text(encoding="utf-8"))}
    assert set(lines) == set(_keys(found)), "this test reads the file as the loader does"
    commented = {path for path, (before, _) in lines.items() if before.startswith("#")}
    tables = {path for path in commented if isinstance(_at(found, path), dict)}
    for path in lines:
        value = _at(found, path)
        inside = path.rpartition(".")[0] in tables
        section = isinstance(value, dict) and all(f"{path}.{key}" in commented | set(SHARED) for key in value)
        assert path in commented or inside or section or SHARED.get(path) in commented, f"{path} has no comment"


def _at(found: dict[str, Any], path: str) -> Any:
    value: Any = found
    for key in path.split("."):
        value = value[key]
    return value


def test_default_is_complete() -> None:
    """It is what everything else is laid over, so it has every key of the record, and no other."""
    found = load_yaml(DEFAULT)
    settings = read_record(Settings, found, str(DEFAULT))
    for name, section in settings:
        fields = getattr(type(section), "model_fields", None)
        if fields:
            assert list(found[name]) == list(fields), name
    assert list(found) == list(Settings.model_fields)


def test_default_names_what_there_is() -> None:
    settings = settings_of(Words())
    assert settings.source.name in SOURCES
    assert settings.provider.name in PROVIDERS
    assert (CONFIGS / "protocols" / f"{settings.debate.protocol}.yaml").is_file()


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=_id)
def test_configuration_is_one_over_the_default(path: Path) -> None:
    settings = read_record(Settings, overlay(load_yaml(DEFAULT), load_yaml(path)), str(path))
    assert watchlist((), settings, CONFIGS).tickers


@pytest.mark.parametrize("path", sorted((CONFIGS / "protocols").glob("*.yaml")), ids=_id)
def test_protocol_is_named_for_its_file_and_has_its_skills(path: Path) -> None:
    protocol = read_protocol(path.read_text(encoding="utf-8"), str(path))
    assert protocol.protocol == path.stem
    kinds = seated(protocol, load_skills(SKILLS), str(path))
    assert list(kinds) == list(protocol.seats)


@pytest.mark.parametrize("path", sorted((CONFIGS / "universes").glob("*")), ids=_id)
def test_universe_is_a_list_without_doubles(path: Path) -> None:
    settings = settings_of(Words(sets=(f"universe.file={path}",)))
    found = watchlist((), settings, Path("/"))
    assert path.read_text(encoding="utf-8").startswith("# ")
    assert len(found.tickers) >= 4
    assert found.notes == ()


def test_no_secret_and_no_price_stands_in_a_config() -> None:
    """The name of a variable that holds a key may stand there."""
    for path in FILES:
        text = path.read_text(encoding="utf-8").replace("ANTHROPIC_API_KEY", "NAME")
        assert not re.search(r"(?i)api.?key|secret|token:|password|bearer|sk-", text), path
