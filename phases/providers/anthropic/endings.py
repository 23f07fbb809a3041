"""How a turn ends that got no reply: every fault as one of the program's own errors, with its remedy. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from phases.core.errors import (
    InfrastructureError,
    KeyRefused,
    ModelDown,
    RateLimited,
    RebuttalError,
    SpendLimit,
    TickerFailure,
    UsageError,
)
from phases.core.provider import Request
from phases.providers.anthropic.faults import Fault
from phases.providers.anthropic.wire import largest_part
from schemas.events import Attempt
from schemas.settings import ProviderSettings

WORDS_QUOTED = 120
"""Most characters of a server's words that a message repeats."""


def quoted(words: str) -> str:
    """The beginning of a server's words."""
    return words if len(words) <= WORDS_QUOTED else f"{words[: WORDS_QUOTED - 1]}…"


def ending(fault: Fault, request: Request, settings: ProviderSettings, places: Mapping[str, str]) -> RebuttalError:
    """The error a fault comes to once it is not tried again. `places` says where each model is configured."""
    told = f" ({quoted(fault.words)})" if fault.words else ""
    match fault.kind:
        case "spend":
            return SpendLimit(
                f"the model's server refused at a spend limit or for want of credit{told}; raise it there"
            )
        case "denied":
            return KeyRefused(
                f"the model's server refused the key, status {fault.status}{told};"
                f" put a valid key into the environment variable {settings.key}"
            )
        case "no_model" if ends_in_version(settings):
            return UsageError(f"provider.base_url: status {fault.status}{told}; leave out /v1, which is added to it")
        case "no_model":
            return UsageError(
                f"models: the server knows no model {request.model!r}{told};"
                f" correct it under `models:` in {places.get(request.model, 'the configuration')}"
            )
        case "too_long":
            return TickerFailure(
                f"the prompt of {request.skill} is too long for {request.model}; its largest part is"
                f" {largest_part(request)}, status {fault.status}{told}"
            )
        case "redirect":
            return InfrastructureError(
                f"the model's server redirects to {fault.words}, status {fault.status}; not followed:"
                " set provider.base_url to the address that answers itself"
            )
        case "refused":
            return TickerFailure(f"the model's server refused the request of {request.skill}, {fault.status}{told}")
        case "garbled":
            return ModelDown(f"what answered is not a Message: {fault.status}{told}; check provider.base_url")
        case "limited":
            return RateLimited(f"rate limited by the model's server{told}")
        case "unreached":
            return ModelDown(f"the model's server is not reached: {fault.status}; check provider.base_url")
    return ModelDown(f"the model's server does not answer: {fault.status}{told}")


def ends_in_version(settings: ProviderSettings) -> bool:
    """Whether the address ends in what the library adds to it."""
    return settings.name == "anthropic" and (settings.base_url or "").rstrip("/").endswith("/v1")


def tried(attempts: Sequence[Attempt]) -> str:
    """The tries of a turn in words, with the ids a vendor's support asks for."""
    alike = [(text, len(list(those))) for text, those in groupby(_told(one) for one in attempts)]
    listed = "; ".join(text if times == 1 else f"{times} x {text}" for text, times in alike)
    return f"tries: {len(attempts)}" + (f" ({listed})" if listed else "")


def _told(one: Attempt) -> str:
    return f"{one.status} {one.request_id}".rstrip()
