"""The SDK's clients: one for each provider name, all with the same transport. Opens no connection.

Only this package imports the SDK. Everything it would find out by itself (key, address, proxy,
retries, redirects) is said here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

import anthropic
import httpx2

from phases.core.errors import UsageError
from schemas.settings import ProviderSettings

EXTRAS = {"bedrock": ("boto3", "bedrock"), "vertex": ("google.auth", "vertex")}
"""Module that signs requests where no key is given, and the extra of the SDK that brings it."""

DUMMY = "none"
"""Sent to a loopback server that wants no key."""


def client(settings: ProviderSettings, base: str, key: str | None) -> Any:
    """The client of a provider. Raises UsageError where something it needs is missing."""
    made = CLIENTS[settings.name](
        key,
        base,
        base_url=base,
        max_retries=0,
        timeout=settings.deadline_seconds,
        default_headers=settings.headers,
        http_client=anthropic.DefaultAioHttpClient(
            trust_env=False,
            follow_redirects=False,
            proxy=settings.proxy,
            limits=httpx2.Limits(
                max_connections=settings.max_in_flight, max_keepalive_connections=settings.max_in_flight
            ),
        ),
    )
    made._custom_headers = dict(settings.headers)  # the SDK adds headers from the environment
    if made.base_url.host.strip("[]") != urlsplit(base).hostname:
        raise UsageError("provider.base_url: libraries disagree about its host; write it plainly")
    return made


def check_extras(name: str, key: str | None) -> None:
    """Raise UsageError where requests must be signed and the library for it is not installed."""
    module, extra = EXTRAS.get(name, ("", ""))
    if not module or key is not None:
        return
    try:
        found = find_spec(module)
    except ModuleNotFoundError:
        found = None
    if found is None:
        raise UsageError(
            f"provider {name}: without a key, {module} must sign the requests: pip install 'anthropic[{extra}]',"
            " or set provider.key to the variable that holds a bearer token"
        )


def _anthropic(key: str | None, base: str, **shared: Any) -> Any:
    return anthropic.AsyncAnthropic(api_key=key or DUMMY, **shared)


def _bedrock(key: str | None, base: str, **shared: Any) -> Any:
    return anthropic.AsyncAnthropicBedrockMantle(api_key=key, aws_region=_region(base, r"\.([a-z0-9-]+)\."), **shared)


def _vertex(key: str | None, base: str, **shared: Any) -> Any:
    region = _region(base, r"([a-z0-9-]+?)-?aiplatform\.") or "global"
    made = anthropic.AsyncAnthropicVertex(access_token=key, region=region, **shared)
    if key is not None and made.project_id is None:
        raise UsageError("provider vertex: set the environment variable ANTHROPIC_VERTEX_PROJECT_ID to your project")
    return made


def _region(base: str, pattern: str) -> str | None:
    """The region that a vendor's address names, if it does."""
    found = re.search(pattern, urlsplit(base).hostname or "")
    return found[1] if found else None


CLIENTS: Mapping[str, Callable[..., Any]] = {"anthropic": _anthropic, "bedrock": _bedrock, "vertex": _vertex}
