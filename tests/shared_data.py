"""Where real data for tests lies: in $REBUTTAL_SHARED, else beside the repository. It is never copied here."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def shared(name: str) -> Path:
    """Path of one file or folder; the test is skipped where there is none."""
    path = Path(os.environ.get("REBUTTAL_SHARED") or ROOT.parent / "shared") / name
    if not path.exists():
        pytest.skip(f"{name} is not in {path.parent} (set REBUTTAL_SHARED)")
    return path
