"""The feed as text: CSV and one JSON document, with the same values to the last digit."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from phases.core.recorder import process_lives, process_name
from schemas.base import Model
from schemas.feed import FeedRow, PortfolioFeed

RISKY = ("=", "+", "-", "@", "\t", "\r", "'")
"""A text cell that starts so could run as a formula; a leading apostrophe makes it inert, and is doubled."""


def feed_csv(feed: PortfolioFeed) -> str:
    """One line a row under a header line. Null is an empty cell; flags are joined by `;`."""
    lines = [FeedRow.model_fields, *([_cell(one) for one in row.model_dump(mode="json").values()] for row in feed.rows)]
    return "".join(f"{','.join(map(_quoted, cells))}\n" for cells in lines)


def _quoted(cell: str) -> str:
    """A cell in quotes where it needs them. The csv module of some Python versions leaves a bare CR without."""
    return '"' + cell.replace('"', '""') + '"' if any(mark in cell for mark in ',"\r\n') else cell


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    text = ";".join(value) if isinstance(value, list) else str(value)
    return f"'{text}" if text.startswith(RISKY) else text


def feed_json(feed: PortfolioFeed) -> str:
    """Header and rows as one JSON document."""
    return record_text(feed)


def record_text(record: Model) -> str:
    """Any record as an indented JSON document."""
    return json.dumps(record.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n"


FORMATS = {"csv": feed_csv, "json": feed_json}
"""Text of a feed by format."""


def make_folder(folder: Path) -> None:
    """Make the folder of a run. A link that lies there is replaced and never followed. Writes a folder."""
    if folder.is_symlink():
        folder.unlink()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that a reader finds the old one whole or the new one whole. Writes a file, makes its folders.

    Where it fails, nothing of the new one is left. A link that lies there is replaced and never followed. What is no
    regular file (a pipe, a device, /dev/stdout) is written to as it is.
    """
    raw = content.encode() if isinstance(content, str) else content
    opened = path.is_symlink() and path.readlink().is_relative_to("/proc")
    if opened or (path.exists() and not path.is_file()):
        path.write_bytes(raw)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    start = f".{path.name}.draft-"
    for stray in path.parent.glob(f"{start}*"):
        if not process_lives(stray.name.removeprefix(start).replace("-", ":")):
            stray.unlink(missing_ok=True)
    draft = path.with_name(start + process_name().replace(":", "-"))
    try:
        with draft.open("wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)  # on a full disk it would keep the disk full
        raise
