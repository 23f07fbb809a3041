"""What the configuration may say of FRED, and what it is told if it says more."""

from __future__ import annotations

from typing import get_args

import pytest

from phases.core.errors import UsageError
from phases.plan import Words, settings_of
from phases.sources.fred.series import SERIES
from schemas.fred_settings import FredSeries


def test_the_configuration_knows_every_series_and_no_other() -> None:
    assert set(get_args(FredSeries)) == {spec.id for spec in SERIES}


@pytest.mark.parametrize(
    ("word", "told"),
    [
        (
            "source.fred.lags.CPIAUCSSL=50",
            "'CPIAUCSSL' is not allowed: it must be 'ANFCI', .* did you mean CPIAUCSL",
        ),
        ("source.fred.lags.unrate=50", "did you mean UNRATE"),
        ("source.fred.lags.CPIAUCSL=-5", "CPIAUCSL: '-5' is not allowed: it must be a whole number from 0 to 400"),
        ("source.fred.lags.CPIAUCSL=401", "CPIAUCSL: '401' .* from 0 to 400"),
        ("source.fred.lags.CPIAUCSL=soon", "CPIAUCSL: 'soon' .* from 0 to 400"),
        ("source.order.macro=fred", r"source\.order\.macro: 'fred' .* a list, for example \[fred\]"),
        ("source.order.makro=[fred]", "did you mean macro"),
        *(
            (f"source.fred.base_url={url}", r"source\.fred\.base_url: what stands there .* begins with https://, or")
            for url in (
                "ftp://x",
                "http://fred.example.com/a.csv",
                "http://127.0.0.1.example.com/",
                "https://",
                "https://me:word@fred.example.com/",
                "fred.example.com",
            )
        ),
    ],
)
def test_what_the_configuration_may_not_say_is_named_with_what_it_may(word: str, told: str) -> None:
    with pytest.raises(UsageError, match=f"^--set .*{told}"):
        settings_of(Words(sets=(word,)))


@pytest.mark.parametrize(
    ("scheme", "host"),
    [("https", "fred.example.com"), ("http", "127.0.0.1"), ("http", "[::1]"), ("http", "localhost")],
)
@pytest.mark.parametrize("rest", ["", ":80", "/a.csv?b=c", ":80/a.csv"])
def test_https_and_this_machine_may_be_asked(scheme: str, host: str, rest: str) -> None:
    url = f"{scheme}://{host}{rest}"
    assert settings_of(Words(sets=(f"source.fred.base_url={url}",))).source.fred.base_url == url


def test_the_list_that_a_message_shows_is_taken_as_it_stands() -> None:
    assert settings_of(Words(sets=("source.order.macro=[fred]",))).source.order == {"macro": ("fred",)}
