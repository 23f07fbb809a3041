"""What went wrong with one request, told from its status, its body and the library's error. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from phases.providers.anthropic.retries import Kind


@dataclass(frozen=True)
class Fault:
    """One request that got no message."""

    kind: Kind
    status: str
    """In a few words, for example `529`."""
    words: str = ""
    """What the server said."""
    request_id: str = ""
    retry_after: str | None = None
    billed: bool = False
    """Whether it may have been billed: an answer had begun, or may have been given where none was seen."""


BY_STATUS: Mapping[int, Kind] = {
    401: "denied",
    402: "spend",
    403: "denied",
    404: "no_model",
    408: "server",
    409: "server",
    413: "too_long",
    429: "limited",
    529: "overloaded",
}
"""Kind of fault by HTTP status; every other status from 500 is `server`, every other one `refused`."""

BY_TYPE: Mapping[str, int] = {
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
    "invalid_request_error": 400,
}
"""Status that an error inside a stream would have had; 500 for every other type."""

UNSEEN = frozenset({408, 502, 504, *range(520, 528)})
"""Statuses of somebody in between who saw no whole answer: whoever stands behind may have given one."""

SPEND_CODE = re.compile(r"spend_limit|billing|organization_on_hold")
SPEND_WORDS = re.compile(r"credit balance|spend(ing)? limit|usage limits?\b|billing", re.IGNORECASE)
LONG_WORDS = re.compile(
    r"(prompt|input|request).{0,80}(too (long|large)|exceed)|(context|maximum).{0,20}(length|window|limit|size)"
    r"|too many tokens",
    re.IGNORECASE | re.DOTALL,
)


def of_status(status: int, body: str, headers: Mapping[str, str]) -> Fault:
    """The fault of a response that is no success."""
    if 300 <= status < 400:
        host = _host(headers.get("location", ""))
        return Fault("redirect", str(status), host, headers.get("request-id", ""))
    kind_, words, code = _told(body)
    return Fault(
        kind=_kind(status, kind_, words, code),
        status=str(status),
        words=words,
        request_id=headers.get("request-id", ""),
        retry_after=headers.get("retry-after"),
        billed=status in UNSEEN,
    )


def of_stream(data: str, request_id: str) -> Fault:
    """The fault of an error event in a stream that had begun well."""
    type_, words, code = _told(data)
    status = BY_TYPE.get(type_, 500)
    return Fault(_kind(status, type_, words, code), f"{status} in the stream", words, request_id, billed=True)


def of_connection(error: BaseException, *, begun: bool) -> Fault:
    """The fault of a connection that could not be made, or that broke; `begun` if the answer had begun."""
    causes = list(_causes(error))
    name = type(causes[-1]).__name__
    if begun:
        return Fault("broken", f"connection lost in the middle of the answer ({name})", billed=True)
    if any(isinstance(one, aiohttp.ClientConnectorDNSError) for one in causes):
        return Fault("unreached", "the host's name is not found")
    if any(isinstance(one, aiohttp.ClientConnectorError | aiohttp.ClientProxyConnectionError) for one in causes):
        return Fault("unreached", f"no connection ({name})")
    return Fault("unreached", f"connection closed before an answer ({name})", billed=True)


def _kind(status: int, type_: str, words: str, code: str) -> Kind:
    if SPEND_CODE.search(code):
        return "spend"
    if status in (400, 422) or type_ == "invalid_request_error":
        if SPEND_WORDS.search(words):
            return "spend"
        return "too_long" if status == 413 or LONG_WORDS.search(words) else "refused"
    return BY_STATUS.get(status, "server" if status >= 500 else "refused")


def _told(body: str) -> tuple[str, str, str]:
    """Type, message and error code that a body tells of; the body itself where it has no such form."""
    try:
        error: Any = json.loads(body)
        error = error["error"]
        details = error.get("details")
        code = details.get("error_code") if isinstance(details, dict) else None
        return _text(error.get("type")), _text(error.get("message")), _text(code)
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return "", body[:2000], ""


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _host(location: str) -> str:
    try:
        return urlsplit(location).hostname or "the same host"
    except ValueError:
        return "an address that cannot be read"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and what it was raised from."""
    one: BaseException | None = error
    while one is not None:
        yield one
        one = one.__cause__
