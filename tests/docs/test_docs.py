"""What the pages point at is there, and what they tell to type is a command with such options."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from run_pipeline import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "AGENTS.md", *(ROOT / "docs").rglob("*.md")])
FENCED = re.compile(r"^```[a-z]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
STARTS = ("python run_pipeline.py", ".venv/bin/python run_pipeline.py", "rebuttal ")


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def links() -> Iterator[tuple[str, str]]:
    for page in PAGES:
        prose = FENCED.sub("", page.read_text(encoding="utf-8"))
        for target in re.findall(r"\]\(([^)\s]+)\)", prose):
            if not re.match(r"[a-z]+:", target):
                yield name(page), target


def typed() -> Iterator[tuple[str, str]]:
    """Lines of commands: those of blocks, and those in the text that begin as a command does."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        blocks = [line.strip() for block in FENCED.findall(text) for line in block.splitlines()]
        inline = re.findall(r"`([^`\n]+)`", FENCED.sub("", text))
        for line in dict.fromkeys([*blocks, *inline]):
            if line.startswith("make ") or f"{line} ".startswith(STARTS):
                yield name(page), line.partition("  #")[0].strip()


@pytest.mark.parametrize(("page", "target"), list(links()))
def test_a_link_leads_to_a_file_and_a_heading(page: str, target: str) -> None:
    path, _, heading = target.partition("#")
    file = (ROOT / page).parent / path if path else ROOT / page
    assert file.resolve().is_relative_to(ROOT) and file.exists()
    if heading:
        headings = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
        assert heading in [re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings]


def test_every_page_is_in_the_index() -> None:
    index = ROOT / "docs" / "README.md"
    listed = {(index.parent / target).resolve() for page, target in links() if page == "docs/README.md"}
    pages = {page for page in (ROOT / "docs").glob("*.md") if page != index}
    assert pages <= listed
    assert (ROOT / "docs" / "protocols" / "README.md") in listed


@pytest.mark.parametrize(("page", "line"), list(typed()))
def test_a_command_parses(page: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its words are read as the program reads them, and nothing is carried out."""
    monkeypatch.chdir(tmp_path)
    if line.startswith("make "):
        targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
        assert set(line.split()[1:]) <= set(targets)
        return
    start = next(one for one in STARTS if f"{line} ".startswith(one))
    words = shlex.split(f"{line} ".removeprefix(start).replace("[", " ").replace("]", " ").replace("…", " "))
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    if not words or words[0] in ("--help", "--version"):
        return
    if words[0] not in commands:
        assert re.fullmatch(r"--?[a-z].*|[A-Z0-9^][A-Z0-9.^=-]*", words[0]), f"no command {words[0]}"
        words = ["run", *words]
    commands[words[0]].make_context(words[0], [one for one in words[1:] if one != "|"])


def test_a_wrong_option_would_be_found() -> None:
    show = typer.main.get_command(app).commands["show"]  # type: ignore[attr-defined]
    with pytest.raises(Exception, match="--evidense"):
        show.make_context("show", ["last", "IBM", "--evidense"])


def test_the_pages_tell_many_commands_and_files_they_name_are_there() -> None:
    found = [line for _, line in typed()]
    assert len(found) > 40
    named = {word for line in found for word in re.findall(r"(?:configs|tests|examples)/[\w/.-]+\.\w+", line)}
    assert [one for one in sorted(named) if not (ROOT / one).exists()] == []
