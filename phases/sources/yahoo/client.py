"""Questions to the library: one deadline for all tries of a question, retries that wait, and a breaker."""

from __future__ import annotations

import importlib.util
import logging
import threading
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from phases.core.errors import NoData, SourceDown, Unanswered, UsageError
from phases.core.recorder import pause, ticks
from phases.core.text import extra, printable
from phases.sources.symbols import yahoo_symbol
from phases.sources.yahoo.cache import cache_folder, forget_answers, keep_in, let_go
from phases.sources.yahoo.session import Doorman, Retry, guarded
from schemas.settings import SourceSettings

T = TypeVar("T")

FIRST_WAIT = 1.0
"""Seconds before the second try; doubled before each further one."""

_LIBRARY = threading.Lock()
"""The library is set up by one client at a time."""


class Client:
    """Asks the library. Safe to use from many threads."""

    def __init__(self, settings: SourceSettings) -> None:
        if importlib.util.find_spec("yfinance") is None:
            raise UsageError(f"source yahoo needs the library yfinance: {extra('yahoo')}")
        self._settings = settings
        self._doorman = Doorman()
        self._lock = threading.Lock()
        self._session: Any = None
        self._failures = 0
        self._down: str | None = None
        """Why the source is taken to be down."""
        self._limited = False
        """Whether Yahoo said that it is asked too often: then it is tried once more, without waiting."""
        self._next = 0.0

    def ask(self, ticker: str, work: Callable[[Any, float], T]) -> T:
        """What the work finds with the library's `Ticker` in the seconds it is given.

        Raises SourceDown where there is no answer in time; NoData and Unanswered of the work pass.
        Reaches the network.
        """
        self._check_breaker(ticker)
        self._space_out()
        session, until = self._made_session(), ticks() + self._settings.deadline_seconds
        wait = FIRST_WAIT
        for left in range(self._settings.yahoo.retries, -1, -1):
            try:
                found = self._once(ticker, session, until, work)
            except Retry as failed:
                forget_answers()
                wait = max(wait, failed.wait)
                hopeless = failed.limited and self._limited and self._down is not None
                if not left or hopeless or ticks() + wait >= until:
                    raise self._counted(failed) from None
                pause(wait)
                wait *= 2
            except NoData:
                self._answered()
                raise
            else:
                self._answered()
                return found
        raise AssertionError("the last try returns or raises")

    def _once(self, ticker: str, session: Any, until: float, work: Callable[[Any, float], T]) -> T:
        """One try. Everything that the library may raise becomes an error of ours."""
        import yfinance as yf
        from yfinance.exceptions import YFException, YFRateLimitError, YFTickerMissingError
        from yfinance.utils import is_isin

        symbol = yahoo_symbol(ticker)
        if is_isin(symbol):
            raise NoData(f"{ticker} is no symbol but an ISIN; name the symbol that Yahoo lists it under")
        self._doorman.begin(symbol, ticker, until)
        try:
            return work(yf.Ticker(symbol, session=session), self._doorman.left())
        except YFRateLimitError:
            told = f"yahoo is rate limited: it refused {ticker} for being asked too often (429)"
            raise Retry(told, limited=True, wait=self._doorman.wait) from None
        except YFTickerMissingError:
            raise Unanswered(f"yahoo gave no prices of {ticker} and no reason; the cause is not known") from None
        except OSError as error:
            raise Retry(f"yahoo cannot be reached for {ticker}: {_brief(error)}") from None
        except (YFException, ValueError) as error:
            raise Retry(f"yahoo's reply about {ticker} is not an answer: {_brief(error)}") from None
        except (LookupError, TypeError, AttributeError, ArithmeticError) as error:
            raise SourceDown(
                f"yahoo's reply about {ticker} has another shape than the library knows: {_brief(error)} "
                f"(yfinance {yf.__version__})"
            ) from None
        finally:
            let_go()

    def _made_session(self) -> Any:
        """The session, with the library set up for it: errors raised, its folder private, its log silent."""
        with _LIBRARY:
            if self._session is None:
                import yfinance as yf
                from curl_cffi import requests

                yf.config.debug.hide_exceptions = False
                logging.getLogger("yfinance").setLevel(logging.CRITICAL + 1)
                warnings.filterwarnings("ignore", module="yfinance")
                keep_in(cache_folder(self._settings.yahoo.cache, self))
                yf.data.YfData._instances.clear()  # cookies and answers of another session
                proxy = self._settings.proxy
                session: Any = requests.Session(impersonate="chrome", trust_env=False, proxy=proxy)
                self._session = guarded(session, self._doorman)
            return self._session

    def _space_out(self) -> None:
        """Keep the least time between two questions. Reads the clock."""
        with self._lock:
            now = ticks()
            begin = max(now, self._next)
            self._next = begin + self._settings.yahoo.pause_seconds
        if begin > now:
            pause(begin - now)

    def _check_breaker(self, ticker: str) -> None:
        with self._lock:
            if self._down is not None and not self._limited:
                raise SourceDown(f"{ticker} was not asked for: {self._down}")

    def _answered(self) -> None:
        with self._lock:
            self._failures, self._down, self._limited = 0, None, False

    def _counted(self, failed: Retry) -> SourceDown:
        """The failure of a question; after so many in a row the source is taken to be down."""
        with self._lock:
            self._failures += 1
            self._limited = failed.limited
            if self._failures >= self._settings.yahoo.breaker:
                self._down = f"yahoo is taken to be down after {self._failures} failures in a row, the last: {failed}"
        return SourceDown(str(failed))


def _brief(error: BaseException) -> str:
    """An error of a library on one line, without the addresses it was after."""
    words = printable(str(error).partition(" See https://")[0]).strip()
    return f"{type(error).__name__}: {words[:160]}"
