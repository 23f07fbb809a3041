"""The page of messages quotes what the program prints: each quotation is a text of the code, in order."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "troubleshooting.md"
GAP = "…"


def quoted() -> list[str]:
    """Messages of the first column, each between marks of code."""
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    return [one for row in rows for one in re.findall(r"`([^`]+)`", row.split(" | ")[0])]


@cache
def texts() -> tuple[str, ...]:
    """Every text of the program but docstrings, what it fills in shown as a gap."""
    files = [*(ROOT / "phases").rglob("*.py"), *(ROOT / "schemas").rglob("*.py"), ROOT / "run_pipeline.py"]
    return tuple(text for file in files for text in _texts(ast.parse(file.read_text(encoding="utf-8"))))


def _texts(tree: ast.AST) -> Iterator[str]:
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(one.value) if isinstance(one, ast.Constant) else GAP for one in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts | statements:
            yield node.value


def printed(message: str, found: tuple[str, ...]) -> bool:
    """Whether some text has the message's pieces, in order."""
    pieces = [re.escape(piece) for piece in message.split(GAP) if piece.strip(" :;,.")]
    return any(re.search(".*".join(pieces), text, re.DOTALL) for text in found)


def test_the_page_quotes_many_messages_and_each_but_once_in_a_table() -> None:
    found = quoted()
    assert len(found) > 70
    for part in PAGE.read_text(encoding="utf-8").split("\n## "):
        own = [one for one in found if f"`{one}`" in part and part.count(f"| `{one}`") > 1]
        assert own == []


@pytest.mark.parametrize("message", quoted())
def test_a_quoted_message_is_one_that_the_program_prints(message: str) -> None:
    assert any(len(piece.strip(" :;,.")) > 3 for piece in message.split(GAP)), "it quotes nothing"
    assert printed(message, texts()), "no text of the program has these words in this order"


def test_a_changed_word_would_be_found() -> None:
    assert printed("the key … is missing", ("the key … is missing",))
    assert not printed("the key … is missing", ("the key … is absent", "the key", " is missing"))
