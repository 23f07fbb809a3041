"""Daily changes of a price that no market makes: whether volume speaks for them, and which ones go back at once.

Shapes. `adj` is one positive adjusted close a session (n,); `close` and `volume` the same, as traded;
`volume` is empty where nobody knows it. A jump at i lies between the sessions i - 1 and i.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]

NOTABLE = 1.4
"""A daily change by this factor or its inverse is worth a flag: a split of 3:2 and a day's market are."""

WILD = 1.84
"""One by this factor may be a split of 2:1 or more, 8 percent of market aside."""

USUAL = 63
"""Sessions whose median is the usual volume."""

HEAVY = 1.5
"""A real fall or rise comes with this much of the usual volume at the least, in shares and in money.

A split multiplies shares and leaves the money as it was; a slip of units the other way round. A
real change multiplies both.
"""

FAR, HEAVIER = 4.0, 2.5
"""From this factor on, more volume is asked for: splits are more often so large than falls are."""

MOST = 50.0
"""A change by this factor is an error, whatever volume says: volume in other units is as wrong as the price."""

SMALL = 0.17
"""A daily change of this share, a fifth with a day's market, is said where no volume speaks for it or it goes back."""

SHORT = 5
"""Most sessions of an excursion that is taken for an error of the source."""


class Jump(NamedTuple):
    """One large change."""

    at: int
    """Session after it."""
    ratio: float
    """Adjusted close before over the one after it: 10 for a split of 10:1 that nobody adjusted."""
    real: bool
    """Whether volume says that the market made it."""


def jumps(adj: Floats, close: Floats, volume: Floats) -> list[Jump]:
    """Every daily change by NOTABLE or more, oldest first.

    >>> fall = np.array([100.0] * 9 + [40.0])
    >>> jumps(fall, fall, np.array([1e6] * 9 + [8e6]))[0].real, jumps(fall, fall, np.array([1e6] * 10))[0].real
    (True, False)
    """
    ratios = adj[:-1] / adj[1:]
    found = np.flatnonzero((ratios >= NOTABLE) | (ratios <= 1 / NOTABLE))
    return [Jump(int(at) + 1, float(ratios[at]), heavy(int(at) + 1, float(ratios[at]), close, volume)) for at in found]


def smaller(adj: Floats, close: Floats, volume: Floats) -> list[Jump]:
    """Every daily change by SMALL or more that is below NOTABLE, oldest first.

    >>> fall = np.array([100.0] * 9 + [75.0])
    >>> [one.at for one in smaller(fall, fall, np.array([1e6] * 10))]
    [9]
    """
    ratios = adj[:-1] / adj[1:]
    found = np.flatnonzero((np.abs(1 / ratios - 1) >= SMALL) & (ratios < NOTABLE) & (ratios > 1 / NOTABLE))
    return [Jump(int(at) + 1, float(ratios[at]), heavy(int(at) + 1, float(ratios[at]), close, volume)) for at in found]


def factor(ratio: float) -> float:
    """The size of a change, whichever its direction: at least 1."""
    return max(ratio, 1 / ratio)


def excursion(found: list[Jump], jump: Jump, least: float = 0.75) -> Jump | None:
    """The jump back, where prices return within SHORT sessions to where they came from.

    >>> there, back = Jump(3, 10.0, False), Jump(4, 0.098, False)
    >>> excursion([there, back], there) == back, excursion([there], there)
    (True, None)
    """
    after = [one for one in found if jump.at < one.at <= jump.at + SHORT]
    return next((one for one in after if least <= one.ratio * jump.ratio <= 1 / least), None)


def heavy(at: int, ratio: float, close: Floats, volume: Floats) -> bool:
    """Whether volume on a session is that of a day on which a price really moves so far."""
    before = slice(max(0, at - USUAL), at) if at >= 5 else slice(at + 1, at + 1 + USUAL)
    if not len(volume) or not len(close[before]) or factor(ratio) >= MOST:
        return False
    usual = [float(np.median(one[before])) for one in (volume, volume * close)]
    times = [one[at] / base if base else 0.0 for one, base in zip((volume, volume * close), usual, strict=True)]
    return bool(min(times) >= (HEAVY if factor(ratio) < FAR else HEAVIER))
