"""Where the bundle lies: the folder that holds `skills/` and `configs/`, in a clone and in a wheel alike."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

VERSION = "0.1.0"

BUNDLE = Path(__file__).resolve().parents[2]
"""Folder with `skills/`, `configs/`, `schemas/` and `phases/`."""


@cache
def code_digest() -> str:
    """Digest over the program's own sources. Reads files."""
    digest = hashlib.sha256()
    sources = [BUNDLE / "run_pipeline.py"]
    sources += sorted((BUNDLE / "phases").rglob("*.py")) + sorted((BUNDLE / "schemas").glob("*.py"))
    for path in sources:
        digest.update(path.relative_to(BUNDLE).as_posix().encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]
