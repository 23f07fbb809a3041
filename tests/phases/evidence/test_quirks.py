"""Every file of real errors of a vendor: what is right is used as it stands, what is wrong is repaired or refused."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from phases.evidence.quality import Checked
from tests.phases.evidence.test_quality import fetched, judged
from tests.shared import PRICES, copied, needs_prices, source_of

pytestmark = needs_prices

FILES = sorted((PRICES / "quirks").glob("*.csv"))
RIGHT = [path for path in FILES if path.stem.endswith(("-fixed", "-no-bad-divs"))]
WRONG = [path for path in FILES if path not in RIGHT]

COLUMNS = {"open": "Open", "high": "High", "low": "Low", "close": "Close", "adj_close": "Adj Close", "volume": "Volume"}

POUNDS = {"REL.L": "GBP"}
"""The file of REL.L is in pounds, though London quotes pence."""


def symbol_of(path: Path) -> str:
    return path.stem.partition("-1d-")[0].replace("-", ".")


def judged_file(path: Path, folder: Path) -> Checked | str:
    """The whole series of a file, checked on its last day, traded or not; or why it is refused."""
    symbol = symbol_of(path)
    source = source_of(copied(folder, {f"{symbol}.csv": path}), currencies=POUNDS if symbol in POUNDS else {})
    last = fetched(source, symbol, "2030-01-01", 5000).days[-1].isoformat()
    return judged(source, symbol, last, 700, "market.halted=flag")


def plain(path: Path) -> pd.DataFrame:
    """The file read with nothing of ours, oldest first, in pounds where London quotes pence."""
    frame = pd.read_csv(path, index_col=0)
    frame.index = frame.index.str[:10]
    pence = symbol_of(path).endswith(".L") and symbol_of(path) not in POUNDS
    prices = [one for one in COLUMNS.values() if one != "Volume"]
    frame[prices] = frame[prices] / (100 if pence else 1)
    return frame.sort_index()


def test_no_file_is_forgotten() -> None:
    assert (len(FILES), len(RIGHT), len(WRONG)) == (16, 9, 7)


@pytest.mark.parametrize("path", RIGHT, ids=lambda path: path.stem)
def test_what_is_right_is_right(path: Path, tmp_path: Path) -> None:
    found, expected = judged_file(path, tmp_path), plain(path)
    assert isinstance(found, Checked), found
    days = [day.isoformat() for day in found.bars.days]
    assert len(days) >= len(expected) - 2, "at the most what has no price, or none that can be"
    for ours, theirs in COLUMNS.items():
        assert getattr(found.bars, ours) == pytest.approx(list(expected.loc[days, theirs]), rel=1e-9), ours


@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_what_is_wrong_is_never_used_silently(path: Path, tmp_path: Path) -> None:
    found = judged_file(path, tmp_path)
    if isinstance(found, str):
        assert "in doubt; correct it at the source" in found
        return
    right = plain(path.with_stem(f"{path.stem}-fixed"))
    days = [day.isoformat() for day in found.bars.days]
    for ours, theirs in COLUMNS.items():
        assert getattr(found.bars, ours) == pytest.approx(list(right.loc[days, theirs]), rel=1e-5), ours
    assert any(word in " ".join(found.notes) for word in ("repaired", "is off by", "adjusted for it"))


def test_pounds_taken_for_pence_are_said_to_be(tmp_path: Path) -> None:
    source = source_of(copied(tmp_path, {"REL.L.csv": PRICES / "quirks" / "REL-L-1d-bad-div-fixed.csv"}))
    found = judged(source, "REL.L", "2024-08-20", 200)
    assert isinstance(found, Checked)
    assert found.notes[0].startswith("prices are taken to be in GBp, as its suffix says; else say it in source.csv")
