"""Where the recorded debates lie: in $REBUTTAL_SHARED, else beside the repository. They are never copied here."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def golden() -> Callable[[str], Path]:
    """Path of one recorded file; the test is skipped where there is none."""
    named = os.environ.get("REBUTTAL_SHARED")
    folders = [Path(named)] if named else [ROOT.parent / "shared"]

    def found(name: str) -> Path:
        for folder in folders:
            for path in (folder / "golden" / name, folder / name):
                if path.is_file():
                    return path
        pytest.skip(f"{name} is in none of {', '.join(map(str, folders))} (set REBUTTAL_SHARED)")

    return found
