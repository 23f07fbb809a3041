"""2,333 judged rows keyed without their id column collapse; the seam stops the run and names keys."""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from phases.core.errors import SeamBroken
from phases.core.seam import check_seam

Rows = list[dict[str, str]]


@pytest.fixture(scope="module")
def rows(golden: Callable[[str], Path]) -> Rows:
    with gzip.open(golden("row_seam_2333.csv.gz"), "rt", encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.fixture(scope="module")
def full_key(golden: Callable[[str], Path]) -> list[str]:
    return list(json.loads(golden("golden_vectors.json").read_text())["seams"]["collapse"]["full_key"])


def _keys(rows: Rows, columns: list[str]) -> list[str]:
    return [" / ".join(row[column] for column in columns) for row in rows]


def test_the_full_key_passes(rows: Rows, full_key: list[str]) -> None:
    keys = _keys(rows, full_key)
    assert len(keys) == len(set(keys)) == 2333
    check_seam("judged > rows", keys, reversed(keys))


def test_without_the_id_column_the_seam_names_doubled_keys(rows: Rows, full_key: list[str]) -> None:
    short = _keys(rows, [column for column in full_key if column != "artifact_id"])
    assert len(set(short)) == 359
    with pytest.raises(SeamBroken) as caught:
        check_seam("judged > rows", short, list(dict.fromkeys(short)))
    assert "doubled" in str(caught.value)
    assert any(key in str(caught.value) for key, times in Counter(short).items() if times > 1)


def test_rows_that_collapsed_are_named_as_missing(rows: Rows, full_key: list[str]) -> None:
    """The next phase keyed by less and kept one row of each: fewer rows, which a check of `<=` passes."""
    columns = [column for column in full_key if column != "artifact_id"]
    kept = list(dict(zip(_keys(rows, columns), rows, strict=True)).values())
    assert len(kept) == 359
    with pytest.raises(SeamBroken) as caught:
        check_seam("judged > rows", _keys(rows, full_key), _keys(kept, full_key))
    lost = sorted(set(_keys(rows, full_key)) - set(_keys(kept, full_key)))
    assert len(lost) == 2333 - 359
    assert str(caught.value).startswith(f"seam judged > rows: missing {lost[0]}, {lost[1]}")
