"""The parts of documentation pages that contracts give: what each column of the feed is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schemas.base import Model
from schemas.feed import FeedRow, PortfolioFeed
from schemas.grammar import FOLDER

PAGE = FOLDER.parents[1] / "docs" / "feed.md"
"""Page of the feed, in the repository."""

PARTS: Mapping[str, type[Model]] = {"columns": FeedRow, "header": PortfolioFeed}
"""Tables of the page, by the name between their marks."""


def written(page: str) -> str:
    """The page with its tables as the contracts give them. Raises ValueError if it lacks the marks of one."""
    for name, model in PARTS.items():
        start, end = f"<!-- {name}: written by make schemas -->\n", f"<!-- end of {name} -->"
        before, found, rest = page.partition(start)
        _, closed, after = rest.partition(end)
        if not found or not closed:
            raise ValueError(f"docs/feed.md: the marks {start.strip()} and {end} are not there")
        page = f"{before}{start}{_table(model)}{end}{after}"
    return page


def _table(model: type[Model]) -> str:
    """One line a field: name, type, whether it may be null, meaning."""
    schema = model.model_json_schema()
    lines = ["| name | type | null | meaning |", "|---|---|---|---|"]
    for name, part in schema["properties"].items():
        options = part.get("anyOf", [part])
        [kind] = [_kind(one) for one in options if one != {"type": "null"}]
        meaning = " ".join(part["description"].split()).replace("|", "\\|")
        lines.append(f"| `{name}` | {kind} | {'yes' if len(options) > 1 else ''} | {meaning} |")
    return "\n".join(lines) + "\n"


def _kind(part: Mapping[str, Any]) -> str:
    """Type of a value in words, with what it may be."""
    words = part.get("enum") or ([part["const"]] if "const" in part else [])
    if words:
        return ", ".join(f"`{word}`" for word in words)
    if part["type"] == "array":
        return f"list of {'rows' if '$ref' in part['items'] else 'texts'}"
    low, high = part.get("minimum"), part.get("maximum")
    limits = f" {low}..{high}" if high is not None else f" from {low}" if low is not None else ""
    names = {"string": "date" if part.get("format") == "date" else "text", "integer": "whole number"}
    return f"{names.get(part['type'], part['type'])}{limits}"
