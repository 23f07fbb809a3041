"""The scorecard in words: when it refuses, when it finds nothing, and what it takes to call a debate of use."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest

from phases.maths.scoring import Bin, Forecast
from phases.outputs.report.charts import calibration_chart
from phases.outputs.report.score import Resolution, calibrated, score

FIRST = date(2012, 1, 2)


def made(number: int, before: float, after: float, wrong: int = 0, spans: int = 0) -> Resolution:
    """Forecasts one after another, or over so many spans; every fourth of `wrong` in four did not come true."""
    places = [at % spans if spans else at for at in range(number)]
    held = [(FIRST + timedelta(30 * at), FIRST + timedelta(30 * at + 30)) for at in places]
    return Resolution(tuple(Forecast(span, before, after, int(at % 4 >= wrong)) for at, span in enumerate(held)))


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        pytest.param(Resolution(), "No forecast has resolved yet.", id="none"),
        pytest.param(made(7, 0.5, 0.6), "n = 7: too few to tell", id="few"),
        pytest.param(made(29, 0.5, 0.6), "n = 29: too few to tell. Nothing is concluded below n = 30.", id="29"),
        pytest.param(made(32, 0.5, 0.6), "n = 32: the probabilities were better after the debate", id="better"),
        pytest.param(made(32, 0.6, 0.5), "n = 32: the probabilities were worse after the debate", id="worse"),
        pytest.param(made(32, 0.5, 0.6, wrong=2), "n = 32: no measured benefit. The interval", id="no difference"),
        pytest.param(made(32, 0.5, 0.5), "n = 32: no measured benefit. The interval", id="nothing moved"),
        pytest.param(
            made(40, 0.5, 0.6, spans=9),
            "n = 40, but from 9 spans of time without overlap, of 10 needed: too few to tell",
            id="spans",
        ),
        pytest.param(made(40, 0.5, 0.6, spans=10), "n = 40: the probabilities were better", id="spans enough"),
        pytest.param(made(32, 0.9, 0.6, wrong=4), "n = 32: no measured benefit over the control", id="shrinking"),
    ],
)
def test_verdicts(found: Resolution, verdict: str) -> None:
    """Of the last, .9 is wrong each time and .6 is better; so is .9 moved by .3 to one half, without a debate."""
    assert score(found).verdict.startswith(verdict)


def test_figures_by_hand() -> None:
    """.7 before, .8 after, right three times in four: squared errors .09 .49, and .04 .64; the control says .6."""
    rows = {name: (value, told) for name, value, told in score(made(40, 0.7, 0.8, wrong=1)).rows}
    assert rows["resolved"] == ("40", "in 40 spans of time without overlap")
    assert (rows["Brier before"][0], rows["Brier after"][0]) == ("0.1900", "0.1900")
    assert rows["after − before"][0] == "+0.0000"
    assert rows["after − control"][0] == "−0.0200", ".16 and .36 come to .21"
    assert rows["hit rate"][0] == "75%"


def test_certainty_of_the_wrong_is_shown() -> None:
    rows = {name: value for name, value, _ in score(made(4, 0.5, 1.0, wrong=1)).rows}
    assert rows["log score"] == "∞"


def test_calibration_is_drawn_from_thirty_on() -> None:
    assert calibrated(made(29, 0.5, 0.6)) == ("n = 29: too few to tell. Nothing is concluded below n = 30.", None)
    told, chart = calibrated(made(32, 0.5, 0.6, wrong=1))
    assert told == "32 forecasts had resolved."
    assert "0.6 to 0.7: 32 forecasts, said 0.600, came true 0.750." in str(chart)


def test_the_calibration_is_drawn_to_scale() -> None:
    """Both axes run from 0 to 1; the dotted line joins their ends."""
    chart = str(calibration_chart([Bin(0.4, 0.5, 120, 0.47, 0.25), Bin(0.5, 0.6, 80, 0.53, 0.75)]))
    heights = [float(y) for y in re.findall(r'class="grid"[^>]*y1="([\d.]+)"', chart)]
    low, high = max(heights), min(heights)
    ((left, right),) = {
        (float(a), float(b)) for a, b in re.findall(r'class="grid" x1="([\d.]+)"[^>]*x2="([\d.]+)"', chart)
    }
    dots = [(float(x), float(y)) for x, y in re.findall(r'circle class="after" cx="([\d.]+)" cy="([\d.]+)"', chart)]
    assert [(x - left) / (right - left) for x, _ in dots] == pytest.approx([0.47, 0.53], abs=0.002)
    assert [(low - y) / (low - high) for _, y in dots] == pytest.approx([0.25, 0.75], abs=0.002)
    assert f'class="panel" x1="{left:g}" y1="{low:g}" x2="{right:g}" y2="{high:g}"' in chart
    assert re.findall(r'text class="value"[^>]*>([^<]+)<', chart) == ["120", "80"]


def test_what_is_left_out_is_said() -> None:
    rest = score(Resolution(waiting=1, lost={"no bar": 2})).rest
    assert rest == "1 forecast not due yet. 2 forecasts left out: no bar."
