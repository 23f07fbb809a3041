"""The configuration reference says of every key what it takes, what stands there and what it means."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from phases.core.errors import UsageError
from phases.plan import CONFIGS, Words, settings_of
from phases.reference import PAGE, configuration_page, kind
from schemas.base import Section
from schemas.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"\| `([a-z_.]+)` \| (.+?) \| (.+?) \| (.+) \|")


def rows() -> dict[str, tuple[str, str, str]]:
    found = (ROW.fullmatch(line) for line in PAGE.read_text(encoding="utf-8").splitlines())
    return {one[1]: (one[2], one[3], one[4]) for one in found if one}


def leaves(section: type[Section] = Settings, above: str = "") -> Iterator[tuple[str, str]]:
    """Every key that holds a value, and its docstring."""
    for name, field in section.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, Section):
            yield from leaves(inner, f"{above}{name}.")
        else:
            yield above + name, " ".join((field.description or "").split())


def test_the_page_is_what_the_models_give() -> None:
    assert PAGE.read_text(encoding="utf-8") == configuration_page()
    done = subprocess.run([sys.executable, "-m", "phases.reference", "--check"], cwd=ROOT, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_every_key_is_there_once_with_its_meaning() -> None:
    assert {key: meaning for key, (*_, meaning) in rows().items()} == dict(leaves())


def test_a_default_is_what_the_file_holds() -> None:
    """Read by another reader of YAML than the page's, all scalars as text."""
    found: Any = yaml.load((CONFIGS / "default.yaml").read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    for key, (_, shown, _) in rows().items():
        value = found
        for part in key.split("."):
            value = value[part]
        assert (yaml.load(shown.strip("`"), Loader=yaml.BaseLoader) if shown != "(empty)" else "") == value, key


PARTNERS = {
    "market.macro_stale_after_periods": "market.macro_drop_after_periods=48",
    "market.macro_drop_after_periods": "market.macro_stale_after_periods=1",
    "bias.thresholds.inflation_cold": "bias.thresholds.inflation_hot=10",
    "bias.thresholds.inflation_hot": "bias.thresholds.inflation_cold=-10",
    "bias.thresholds.tilt": "bias.thresholds.strong=10",
    "bias.thresholds.strong": "bias.thresholds.tilt=0.0001",
}
"""Numbers that may not contradict another one, with room made by that."""


def test_bounds_are_those_that_the_program_keeps() -> None:
    """The number beyond each bound that a row names is refused, and the bound itself is not."""
    tried = 0
    for key, (takes, *_) in rows().items():
        numbers = re.search(r"number from ([-\d.,]+)(?: to ([-\d.,]+))?", takes) if "table" not in takes else None
        step = 1 if "whole" in takes else 0.00001
        for end, sign in ((numbers[1], -1), (numbers[2], 1)) if numbers else ():
            if end is not None:
                bound = float(end.replace(",", ""))
                room = tuple(PARTNERS[one] for one in (key,) if one in PARTNERS)
                settings_of(Words(sets=(*room, f"{key}={bound:.10g}")))
                assert refused(*room, f"{key}={bound + sign * step:.10f}".rstrip("0").rstrip(".")), (key, end)
                tried += 1
    assert tried > 60


def refused(*words: str) -> bool:
    try:
        settings_of(Words(sets=words))
    except UsageError:
        return True
    return False


def test_kinds_in_plain_words() -> None:
    assert kind({"type": "integer", "minimum": 1, "maximum": 1_000_000}) == "a whole number from 1 to 1,000,000"
    assert kind({"anyOf": [{"type": "string"}, {"type": "null"}]}) == "text, or empty"
    assert kind({"enum": ["all", "gate", "none"]}) == "`all`, `gate` or `none`"
