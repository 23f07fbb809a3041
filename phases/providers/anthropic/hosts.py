"""Which server a key may be sent to. Pure; everything is checked before anything is sent."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from phases.core.errors import UsageError
from schemas.settings import ProviderSettings

OWN = {"anthropic": "https://api.anthropic.com"}
"""Addresses of providers that have one of their own."""

EXAMPLES = {
    "bedrock": "https://bedrock-mantle.us-east-1.api.aws/anthropic",
    "vertex": "https://us-east5-aiplatform.googleapis.com/v1",
}

CREDENTIAL_HEADERS = ("authorization", "proxy-authorization", "x-api-key", "cookie")


def checked_base(settings: ProviderSettings) -> str:
    """Address requests go to. Raises UsageError naming what is wrong with it and what is allowed."""
    base = settings.base_url or OWN.get(settings.name)
    if base is None:
        example = EXAMPLES.get(settings.name, "https://HOST")
        raise UsageError(
            f"provider.base_url: {settings.name} needs the address of its region, for example {example},"
            " and its host in provider.hosts"
        )
    parts = _parts("provider.base_url", base)
    host = parts.hostname or ""
    local = is_loopback(host)
    if not local and host not in settings.hosts:
        allowed = ", ".join(settings.hosts)
        raise UsageError(f"provider.base_url: the host {host} is not in provider.hosts ({allowed}); add it to use it")
    if parts.scheme != "https" and not local:
        raise UsageError(f"provider.base_url: {host} must be reached by https; only a loopback address may be http")
    return base


def check_rest(settings: ProviderSettings) -> None:
    """Raise UsageError for a proxy or a header that is wrong, or that would put a credential into the run's record."""
    if settings.proxy is not None:
        _parts("provider.proxy", settings.proxy)
    for name, value in settings.headers.items():
        if name.lower() in CREDENTIAL_HEADERS:
            raise UsageError(f"provider.headers: {name} may not stand there; provider.key names the key's variable")
        if not (value.isascii() and value.isprintable()):
            raise UsageError(f"provider.headers: the value of {name} must be printable ASCII")


def is_loopback(host: str) -> bool:
    """Whether a host is this machine.

    >>> [is_loopback(one) for one in ("localhost", "127.0.0.9", "::1", "localhost.example.com", "127.1.example")]
    [True, True, True, False, False]
    """
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _parts(key: str, url: str) -> SplitResult:
    """The parts of an address. The address itself is not repeated: someone may have put a password there."""
    try:
        parts = urlsplit(url)
        whole = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        whole = False
    if not whole or not (url.isascii() and url.isprintable()) or set(url) & set(' \\"<>') or "%" in parts.netloc:
        raise UsageError(f"{key}: must be an address such as https://HOST or http://localhost:PORT")
    if parts.scheme not in ("http", "https"):
        raise UsageError(f"{key}: must begin with https:// (or http:// for a loopback address)")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise UsageError(f"{key}: may hold no user, password, query or fragment")
    return parts
