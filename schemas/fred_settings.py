"""The section `source.fred` of the configuration; its scalars are read from text."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from schemas.base import Section, Text, absent

FredSeries = Literal[
    "ANFCI",
    "BAMLH0A0HYM2",
    "CPIAUCSL",
    "CPILFESL",
    "DCOILWTICO",
    "DGS10",
    "DGS2",
    "DGS3MO",
    "DTWEXBGS",
    "FEDFUNDS",
    "GDPC1",
    "ICSA",
    "INDPRO",
    "PAYEMS",
    "PCEPILFE",
    "RSXFS",
    "STLFSI4",
    "T10Y2Y",
    "T10YIE",
    "TB3MS",
    "UNEMPLOY",
    "UNRATE",
    "VIXCLS",
]
"""The series that `fred` reads; phases/sources/fred/series.py says what each is."""


URL_PATTERN = r"^(https://[^\s/@]+|http://(localhost|127(\.[0-9]{1,3}){3}|\[::1\])(:[0-9]+)?)(/\S*)?$"

Url = Annotated[str, Field(pattern=URL_PATTERN)]
"""Address of a server: https, or http on a loopback address."""


class FredSettings(Section):
    """Macro series of the Federal Reserve Bank of St. Louis."""

    path: Annotated[Text | None, BeforeValidator(absent)] = None
    """Folder with downloaded files, one a series, plain or with vintages; absent to fetch them."""
    base_url: Url = "https://fred.stlouisfed.org/graph/fredgraph.csv"
    """Address of the key-less download."""
    lags: dict[FredSeries, Annotated[int, Field(ge=0, le=400)]] = Field(default_factory=dict)
    """Days from the first day of a period until its figure is known, where it is not the built-in lag."""
