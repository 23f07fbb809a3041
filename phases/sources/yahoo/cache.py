"""The folder where the library keeps cookies and time zones. It holds pickles, so nobody else may write there."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import weakref
from pathlib import Path

from phases.core.errors import UsageError


def cache_folder(given: str | None, owner: object) -> Path:
    """The folder that was given, if it is private, else one of its own that goes with its owner. Makes a folder.

    Raises UsageError naming what another user could have written.
    """
    if given is None:
        made = tempfile.mkdtemp(prefix="rebuttal-yahoo-")
        weakref.finalize(owner, shutil.rmtree, made, ignore_errors=True)
        return Path(made)
    folder = Path(given)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check(folder, stat.S_ISDIR, 0o077)
        for entry in sorted(folder.iterdir()):
            _check(entry, stat.S_ISREG, 0o022)
    except OSError as error:
        raise UsageError(f"source.yahoo.cache: {folder} cannot be used: {error.strerror}") from None
    return folder


def keep_in(folder: Path) -> None:
    """Have the library keep everything in this folder, whatever it used before in this process."""
    from yfinance import cache

    cache.set_cache_location(str(folder))
    cache._TzCacheManager._tz_cache = None
    cache._CookieCacheManager._Cookie_cache = None
    cache._ISINCacheManager._isin_cache = None


def forget_answers() -> None:
    """Have the library ask again; it keeps what it was told in memory, an error page like an answer."""
    from yfinance.data import YfData

    YfData.cache_get.cache_clear()


def let_go() -> None:
    """Close what the library holds open of its folder for this thread; it opens it again by itself."""
    from yfinance import cache

    for manager in (cache._TzDBManager, cache._CookieDBManager, cache._ISINDBManager):
        if manager._db is not None:
            manager._db.close()


def _check(path: Path, kind: object, forbidden: int) -> None:
    """Refuse what is of another kind, belongs to somebody else or could have been written by somebody else."""
    found = path.lstat()
    why = None
    if not callable(kind) or not kind(found.st_mode):
        why = "is a link or no plain file or folder"
    elif found.st_uid != os.geteuid():
        why = "belongs to another user"
    elif found.st_mode & forbidden:
        why = f"is open to other users (mode {stat.S_IMODE(found.st_mode):03o})"
    if why is not None:
        raise UsageError(
            f"source.yahoo.cache: {path} {why}; name a private folder (chmod 700) with no foreign file in it"
        )
