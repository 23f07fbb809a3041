"""Real data that is no part of the repository: it lies in $REBUTTAL_SHARED, else beside the repository."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from phases.sources.csv_folder import CsvFolder
from schemas.settings import CsvSettings, SourceSettings

SHARED = Path(os.environ.get("REBUTTAL_SHARED") or Path(__file__).resolve().parents[2] / "shared")
PRICES = SHARED / "data" / "prices"

needs_prices = pytest.mark.skipif(not PRICES.is_dir(), reason="no real prices: set REBUTTAL_SHARED to their folder")

NIGHTLY = bool(os.environ.get("REBUTTAL_NIGHTLY"))


def shared(name: str) -> Path:
    """Path of one file or folder; the test is skipped where there is none."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"{name} is not in {SHARED} (set REBUTTAL_SHARED)")
    return path


def source_of(folder: Path, **csv: object) -> CsvFolder:
    """The source over a folder."""
    return CsvFolder(SourceSettings(name="csv_folder", path=str(folder), csv=CsvSettings.model_validate(csv)))


def copied(folder: Path, files: Mapping[str, Path]) -> Path:
    """A folder with real files under other names."""
    folder.mkdir(exist_ok=True)
    for name, path in files.items():
        shutil.copy(path, folder / name)
    return folder
