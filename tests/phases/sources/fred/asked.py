"""How FRED is asked in tests: a source of files in a folder, and what it answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from phases.sources import SOURCES
from phases.sources.base import Source
from schemas.market import MacroSeries, MacroSeriesSet
from schemas.settings import SourceSettings


def source_of(**fred: Any) -> Source:
    more = {key: fred.pop(key) for key in ("proxy", "deadline_seconds", "on_failure") if key in fred}
    return SOURCES["fred"](SourceSettings.model_validate({"name": "fred", "fred": fred, **more}))


def answered(source: Source, as_of: str) -> dict[str, MacroSeries]:
    found = MacroSeriesSet.model_validate_json(json.dumps(source.fetch("macro", {"as_of": as_of}))).series
    assert [one.name for one in found] == sorted({one.name for one in found})
    return {one.name: one for one in found}


def folder(path: Path, on_failure: str = "stop", **texts: str) -> Source:
    for id, text in texts.items():
        (path / f"{id}.csv").write_text(text, encoding="utf-8")
    return source_of(path=str(path), on_failure=on_failure)


def points(series: MacroSeries) -> list[tuple[str, float, str]]:
    told = zip(series.days, series.values, series.known, strict=True)
    return [(str(day), value, str(known)) for day, value, known in told]


COLUMNS = """observation_date,CPIAUCSL_20230214,CPIAUCSL_20230314,CPIAUCSL_20230412
2023-01-01,300.536,300.356,300.356
2023-02-01,.,301.648,301.648
2023-03-01,.,,301.808
"""
