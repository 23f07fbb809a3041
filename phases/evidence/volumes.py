"""Volume that says nothing, the same in every bar, or in another unit than before, as hundreds or thousands of shares.

It is not used, and its items say why.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from phases.evidence.rows import Floats, Rows, counted, listed
from phases.maths import jumps as jmp
from schemas.market import Missing

OTHER_UNIT = "volume_unit"
"""Flag of a ticker whose volume is not used."""

UNIT, ALONE = 100.0, 1000.0
"""Factor to the usual volume that no market sustains for two sessions; and one that it does not reach in one."""

YEAR, LEAST = 252, 20
"""Sessions whose median is the usual volume, and the fewest of them."""

MOVED = 1.1
"""A daily change by this factor or its inverse explains a volume that never was, for a week; a jump does for good."""

BEYOND = 10.0
"""How far outside all volume of the year before, too, a volume in another unit is."""

FULL = tuple(float(2**bits - 1) for bits in (15, 16, 31, 32, 63, 64))
"""Numbers that stand where none fits, or none is known: the largest of their kind."""

ITEMS = ("px.volume_ratio", "px.up_volume")
"""Those that are computed from volume."""


def check_same(rows: Rows) -> None:
    """Drop a volume that is the same in every bar, or the largest number of its kind in most."""
    volume = rows.columns["volume"]
    if not len(volume):
        return
    same = np.ptp(volume) == 0 and (len(volume) >= YEAR // 2 or not volume[0])
    full = int(np.isin(volume, FULL).sum())
    if not same and 2 * full <= len(volume):
        return
    where = "every bar" if same else counted(full, "bar")
    rows.notes.append(f"volume is {np.median(volume):.0f} in {where}: it says nothing, and is not used")
    rows.columns["volume"] = np.array([])


def check_unit(rows: Rows) -> None:
    """Drop the volume of a series whose newest quarter is in two units."""
    volume, close = rows.columns["volume"], rows.columns["adj_close"]
    first = max(LEAST, len(volume) - jmp.USUAL)
    if len(volume) <= first or not volume.any():
        return
    before = volume[max(0, first - YEAR) : first]
    usual, known = float(np.median(before)), before[before > 0]
    moves = np.abs(np.diff(np.log(close)))[first - 1 :]
    factor = _factor(volume[first:], usual)
    if len(known):
        factor[(volume[first:] < BEYOND * known.max()) & (volume[first:] > known.min() / BEYOND)] = 1.0
    for at in np.flatnonzero(moves >= np.log(MOVED)):
        factor[at : None if moves[at] >= np.log(jmp.NOTABLE) else at + jmp.SHORT + 1] = 1.0
    for place, ratio in rows.splits().items():
        if jmp.factor(ratio) >= UNIT / BEYOND:  # shares are counted anew
            factor[max(0, place - first) :] = 1.0
    odd = factor >= UNIT
    if odd.sum() < 2 and not (factor >= ALONE).any():
        return
    places = (np.flatnonzero(odd) + first).tolist()
    by = float(np.median(volume[places])) / usual
    told = f"volume of {listed([rows.days[at] for at in places])} is {by:.3g} times that of the year before"
    rows.flags.add(OTHER_UNIT)
    rows.notes.append(f"{told}, as in another unit: volume is not used")
    rows.columns["volume"] = np.array([])


def _factor(volume: Floats, usual: float) -> Floats:
    """How many times the usual each is, or the usual it; 1 where either is none."""
    known = (volume > 0) & (usual > 0)
    times = np.where(known, volume, 1.0) / (usual if usual > 0 else 1.0)
    return np.where(known, np.maximum(times, 1 / times), 1.0)


def volume_missing(missing: Iterable[Missing], flags: Iterable[str]) -> list[Missing]:
    """Missing items where the volume of the source is not used, those that are computed from it with that reason."""
    changes = "changes its unit within the newest quarter" if OTHER_UNIT in flags else "says nothing"
    why = {"reason": f"the source's volume {changes}, and is not used"}
    return [one.model_copy(update=why) if one.id in ITEMS else one for one in missing]
