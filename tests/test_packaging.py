"""The bundle: a wheel and an sdist that hold everything and run, and one name in site-packages."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.conftest import DAY, ROOT, Night, Shared, Told

VERSION = re.search(r'VERSION = "([^"]+)"', (ROOT / "phases/core/bundle.py").read_text())[1]  # type: ignore[index]


def _process(*words: object, cwd: Path, env: dict[str, str] | None = None) -> Told:
    done = subprocess.run(
        [sys.executable, *map(str, words)],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    return Told(done.returncode, done.stdout, done.stderr)


def _files() -> Sequence[str]:
    """Every file of the project that git knows or would add."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    found = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return [name for name in found if name and (ROOT / name).is_file()]


@pytest.fixture
def built(shared: Shared) -> Path:
    """A folder with `direct/` (a wheel of the tree), `both/` (an sdist and the wheel of it) and `site/` (installed)."""

    def build(place: Path) -> list[Told]:
        for name in _files():
            (place / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, place / "tree" / name)
        told = [
            _process("-m", "build", "--no-isolation", "--wheel", "-o", place / "direct", cwd=place / "tree"),
            _process("-m", "build", "--no-isolation", "-o", place / "both", cwd=place / "tree"),
        ]
        assert [one.code for one in told] == [0, 0], told
        install = ("install", "-q", "--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check")
        told.append(_process("-m", "pip", *install, "--target", place / "site", *_wheels(place / "both"), cwd=place))
        assert told[-1].code == 0, told[-1].err
        return told

    return shared("built", build).path.parent


def _wheels(folder: Path) -> list[Path]:
    return list(folder.glob("*.whl"))


def _content(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


def test_the_wheel_adds_one_name_and_holds_the_bundle(built: Path) -> None:
    (wheel,) = _wheels(built / "direct")
    assert wheel.name == f"rebuttal-{VERSION}-py3-none-any.whl"
    content = _content(wheel)
    assert {name.split("/")[0] for name in content} == {"rebuttal", f"rebuttal-{VERSION}.dist-info"}
    parts = ("phases/", "schemas/", "skills/", "configs/")
    expected = {name for name in _files() if name.startswith(parts)} | {"run_pipeline.py", "__main__.py"}
    assert {name.removeprefix("rebuttal/") for name in content if name.startswith("rebuttal/")} == expected
    for name in expected:
        assert content[f"rebuttal/{name}"] == (built / "tree" / name).read_bytes(), name


def test_the_wheel_says_what_it_is(built: Path) -> None:
    content = _content(_wheels(built / "direct")[0])
    about = {name.partition("/")[2]: text.decode() for name, text in content.items() if ".dist-info/" in name}
    assert "rebuttal = rebuttal.__main__:main" in about["entry_points.txt"]
    assert f"\nVersion: {VERSION}\n" in about["METADATA"]
    assert any(name.endswith("LICENSE") for name in about)
    assert any(name.endswith("NOTICE.md") for name in about), "the data's licence travels with the data"


def test_the_wheel_of_the_sdist_is_the_wheel_of_the_tree(built: Path) -> None:
    (direct,), (other,) = _wheels(built / "direct"), _wheels(built / "both")
    assert _content(direct) == _content(other)


def test_the_sdist_holds_no_more_than_the_tree(built: Path) -> None:
    (file,) = (built / "both").glob("*.tar.gz")
    with tarfile.open(file) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names - set(_files()) <= {"PKG-INFO"}
    assert {"pyproject.toml", "README.md", "LICENSE", "__main__.py", "run_pipeline.py"} <= names


def test_the_installed_bundle_runs_the_same_night_as_the_clone(built: Path, three: Night, tmp_path: Path) -> None:
    """Same files, so the same run id; same run id, so the same bytes."""
    env = {"PYTHONPATH": str(built / "site"), "PYTHONDONTWRITEBYTECODE": "1"}
    helped = _process("-m", "rebuttal", "--help", cwd=tmp_path, env=env)
    assert helped.code == 0
    assert all(command in helped.out for command in ("run", "replay", "feed", "validate", "lint"))
    words = ("run", "AAPL", "IBM", "MSFT", "--as-of", DAY, "--out", tmp_path / "out", "--json")
    told = _process("-m", "rebuttal", *words, cwd=tmp_path, env=env)
    assert told.code == 0, told.err
    assert told.json["run_id"] == three.folder.name
    assert Path(told.json["out"], "feed.csv").read_bytes() == (three.folder / "feed.csv").read_bytes()
    assert {one.name for one in tmp_path.iterdir()} == {"out"}
    assert not list((built / "site").rglob("*.db"))


def test_the_installed_script_answers(built: Path, tmp_path: Path) -> None:
    (script,) = (one for one in (built / "site" / "bin").iterdir() if one.name == "rebuttal")
    told = _process(script, "--version", cwd=tmp_path, env={"PYTHONPATH": str(built / "site")})
    assert (told.code, told.out, told.err) == (0, f"rebuttal {VERSION}\n", "")
