"""The recorded debates of the shared folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.shared import SHARED, shared


@pytest.fixture(scope="session")
def golden() -> Callable[[str], Path]:
    """Path of one recorded file; the test is skipped where there is none."""

    def found(name: str) -> Path:
        inside = SHARED / "golden" / name
        return inside if inside.is_file() else shared(name)

    return found
