"""The committed schemas are what the models give, one file a contract and no other."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from schemas import CONTRACTS
from schemas.feed import FeedRow, PortfolioFeed
from schemas.generate import FOLDER, json_schema, schema_text, stale
from schemas.pages import PAGE, written
from schemas.validation import Problem, problems, published
from tests.schemas.instances import whole

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", sorted(CONTRACTS))
def test_committed_file_is_what_the_model_gives(name: str) -> None:
    assert (FOLDER / f"{name}.schema.json").read_text(encoding="utf-8") == schema_text(CONTRACTS[name])


def test_no_stray_and_no_absent_file() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(f"{name}.schema.json" for name in CONTRACTS)
    assert set(published()) == set(CONTRACTS)


@pytest.mark.parametrize("name", sorted(CONTRACTS))
def test_committed_file_is_a_json_schema_that_names_itself(name: str) -> None:
    schema = json.loads((FOLDER / f"{name}.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    assert schema["title"] == name
    assert schema["$id"] == f"{name}.schema.json"
    assert schema["description"] == inspect.getdoc(CONTRACTS[name])


@pytest.mark.parametrize("name", sorted(CONTRACTS))
def test_by_name_or_by_model_the_validator_says_the_same(name: str) -> None:
    document = whole(CONTRACTS[name])
    for key in document:
        wrong = {**document, key: {"foreign": True}}
        assert _words(problems(name, wrong)) == _words(problems(CONTRACTS[name], wrong))
    assert problems(name, document) == ()


def _words(found: tuple[Problem, ...]) -> list[tuple[object, ...]]:
    """Problems with the words of their rule in no order: the committed file lists keys by name."""
    return [(one.pointer, one.value, sorted(re.findall(r"\w+", one.rule)), one.limit) for one in found]


def test_stale_names_what_differs_what_is_absent_and_what_is_stray(tmp_path: Path) -> None:
    assert stale(FOLDER) == []
    for path in FOLDER.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "Case.schema.json").write_text(schema_text(CONTRACTS["Case"]).rstrip("\n"), encoding="utf-8")
    (tmp_path / "Bars.schema.json").unlink()
    (tmp_path / "Old.schema.json").write_text("{}", encoding="utf-8")
    assert stale(tmp_path) == ["Bars.schema.json", "Case.schema.json", "Old.schema.json"]


def test_check_finds_nothing_and_changes_nothing() -> None:
    before = {path: path.stat().st_mtime_ns for path in FOLDER.iterdir()}
    done = subprocess.run(
        [sys.executable, "-m", "schemas.generate", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert {path: path.stat().st_mtime_ns for path in FOLDER.iterdir()} == before


def test_the_page_of_the_feed_has_every_column_with_its_meaning() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert written(page) == page
    for model in (FeedRow, PortfolioFeed):
        for name, field in model.model_fields.items():
            meaning = " ".join(str(field.description).split())
            assert re.search(rf"^\| `{name}` \| .* \| {re.escape(meaning)} \|$", page, re.MULTILINE), name
    stale_page = page.replace("| `held` | boolean |", "| `held` | text |")
    assert stale_page != page and written(stale_page) == page
    with pytest.raises(ValueError, match="the marks"):
        written(page.replace("<!-- end of columns -->", ""))


def test_same_model_gives_the_same_bytes_in_another_process() -> None:
    """Set order differs from process to process; no byte may depend on it."""
    code = "from schemas import CONTRACTS; from schemas.generate import schema_text; import hashlib\n"
    code += "print(hashlib.sha256(''.join(map(schema_text, CONTRACTS.values())).encode()).hexdigest())"
    seeds = [{"PYTHONHASHSEED": seed} for seed in ("1", "2")]
    made = {subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, env=seed) for seed in seeds}
    assert len(made) == 1


def test_schema_keeps_a_field_that_is_called_like_a_keyword() -> None:
    assert "title" not in json_schema(CONTRACTS["Evidence"])["properties"]["id"]
    assert "date" in json_schema(CONTRACTS["BiasRow"])["properties"]
