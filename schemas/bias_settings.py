"""The section `bias` of the configuration; its scalars are read from text."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from schemas.base import Section

Ratio = Annotated[float, Field(ge=-10, le=10)]
Scale = Annotated[float, Field(ge=0.0001, le=10)]


class BiasThresholds(Section):
    """Where a word of the bias row begins. Conventions, not fitted; docs/sources.md has their reasons."""

    ASCENDING: ClassVar = (("inflation_cold", "inflation_hot"), ("tilt", "strong"))

    growth_expanding: Annotated[float, Field(ge=0, le=10)] = 0.025
    """Real output over a year from which growth is `expanding`; below 0 it is `contracting`."""
    unemployed_contracting: Scale = 0.15
    """Count of unemployed over a year above which growth is `contracting`, where output is unknown."""
    inflation_hot: Ratio = 0.025
    """Core consumer prices over a year above which inflation is `hot`."""
    inflation_cold: Ratio = 0.015
    """The same, below which it is `cold`; at most `inflation_hot`."""
    policy_step: Scale = 0.005
    """Change of short rates in a year from which policy is `tightening` or `easing`."""
    appetite_volatility: Scale = 0.20
    """Realised index volatility a year from which the appetite is no longer `risk on`."""
    tilt: Scale = 0.2
    """Tilt, -1..1, from which a direction is `bullish` or `bearish`; at most `strong`."""
    strong: Scale = 0.6
    """Tilt from which it is strong."""
    rate_scale: Scale = 0.02
    """Change of the short rate over a year that is a full tilt."""
    yield_scale: Scale = 0.01
    """Change of the 10-year yield over 63 sessions that is a full tilt."""
    commodity_scale: Scale = 0.25
    """Change of crude oil over 63 sessions that is a full tilt."""
    dollar_scale: Scale = 0.06
    """Change of the dollar over 63 sessions that is a full tilt."""
    crypto_scale: Scale = 0.6
    """Change of crypto assets over 90 days that is a full tilt."""
    premium_usual: Ratio = 0.04
    """Implied less realised index volatility that is neutral."""
    premium_scale: Scale = 0.08
    """Distance from it that is a full tilt."""


class BiasSettings(Section):
    """The macro bias row."""

    wording: bool
    """Whether the macro-bias skill words the notes."""
    carry_days: Annotated[int, Field(ge=0, le=365)]
    """Oldest value that may be carried from an earlier night, in days."""
    stale_after_days: Annotated[int, Field(ge=0, le=365)] = 7
    """Age of its newest value, in days, after which the row as a whole is stale; it is too where no macro series that
    was looked for has a figure that is not stale."""
    when_stale: Literal["stop", "mark"] = "mark"
    """With a stale row: stop before any call, or mark it in everything that shows it."""
    missing_flag_nights: Annotated[int, Field(ge=1, le=1000)] = 5
    """Nights in a row without a value from which a field that has a source is flagged."""
    thresholds: BiasThresholds = BiasThresholds()
    """Where its words begin."""
