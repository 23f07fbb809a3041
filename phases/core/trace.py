"""Spans of a run, its tickers and the steps of its debates, around those that the model's library makes of its calls.

Nothing is imported and nothing is made unless OpenTelemetry is configured. No span holds a text that was asked or
answered.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from phases.core.config import secret
from phases.core.errors import RebuttalError
from phases.core.text import extra

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Tracer

NAME = "rebuttal"

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
"""Environment variables of which either asks for spans to be sent."""

Mark = Callable[[str, str | int], None]
"""Adds an attribute to a span."""


class _Tracing:
    tracer: Tracer | None = None


@contextmanager
def tracing(note: Callable[[str], None]) -> Iterator[None]:
    """Meanwhile spans are made, if the environment or the program around this one configured OpenTelemetry.

    Where that is asked for and cannot be, `note` is told why, and nothing is made. Reads the environment.
    """
    provider = None
    try:
        if any(map(secret, ENDPOINTS)) and not _disabled():
            provider = _exporting()
        _Tracing.tracer = _tracer()
    except ImportError:
        note(f"note: {ENDPOINTS[0]} is set and no spans are sent: {extra('otel')}")
    except (ValueError, OSError, RuntimeError) as error:
        note(f"note: no spans are sent: the OTEL_* variables are not understood ({type(error).__name__})")
    lost = _Lost()
    try:
        yield
    finally:
        _Tracing.tracer = None
        if provider is not None:
            provider.shutdown()
            if lost.records:
                note(f"note: spans were not sent: nothing answers as {_endpoint()} says")
        lost.close()


class _Lost(logging.Handler):
    """Takes what the exporter logs of spans that it cannot send: it would say so for every batch, each try."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.records = 0
        self._logger = logging.getLogger("opentelemetry")
        self._logger.addHandler(self)
        self._logger.propagate = False

    def emit(self, record: logging.LogRecord) -> None:
        """Count it."""
        self.records += 1

    def close(self) -> None:
        """Leave the library's log lines to everybody again."""
        self._logger.removeHandler(self)
        self._logger.propagate = True
        super().close()


def _endpoint() -> str:
    """The variable that says where spans go; its value may hold a secret."""
    return next(name for name in reversed(ENDPOINTS) if secret(name))


def _disabled() -> bool:
    return (secret("OTEL_SDK_DISABLED") or "").lower() == "true" or secret("OTEL_TRACES_EXPORTER") == "none"


def _exporting() -> TracerProvider:
    """A provider that sends spans as the environment says."""
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    own = {} if secret("OTEL_SERVICE_NAME") else {"service.name": NAME}
    provider = TracerProvider(resource=Resource.create(own))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    return provider


def _tracer() -> Tracer | None:
    """The tracer, if this process has what makes spans."""
    if "opentelemetry.sdk.trace" not in sys.modules:
        return None
    from opentelemetry.trace import get_tracer

    return get_tracer(NAME)


@contextmanager
def span(name: str, **attributes: str | int) -> Iterator[Mark]:
    """Meanwhile a span of that name stands, with these attributes; an error only leaves the name of its type."""
    if _Tracing.tracer is None:
        yield _unmarked
        return
    from opentelemetry.trace import StatusCode

    told = {f"{NAME}.{key}": value for key, value in attributes.items()}
    started = _Tracing.tracer.start_as_current_span(
        f"{NAME}.{name}", attributes=told, record_exception=False, set_status_on_exception=False
    )
    with started as it:
        try:
            yield lambda key, value: it.set_attribute(f"{NAME}.{key}", value)
        except (RebuttalError, KeyboardInterrupt) as error:
            it.set_attribute("error.type", type(error).__name__)
            it.set_status(StatusCode.ERROR)
            raise


def _unmarked(key: str, value: str | int) -> None:
    """There is no span to mark."""
