"""A server on loopback that answers as a test says, and the answers it can give: whole, broken, late and streamed."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

USAGE = {"input_tokens": 11, "output_tokens": 5, "cache_read_input_tokens": 3, "cache_creation_input_tokens": 2}
Action = Callable[[socket.socket], None]


@dataclass
class Seen:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: Any
    at: float


@dataclass
class Server:
    """Answers the requests in order with the actions of its script; the last one stands for all that follow."""

    script: list[Action] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)
    under_way: int = 0
    """Requests that have come, and of whose answer nothing has left."""
    most: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.ended = threading.Event()
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.threads = [threading.Thread(target=self._listen)]
        self.threads[0].start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.socket.getsockname()[1]}"

    def close(self) -> None:
        self.ended.set()
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        for thread in self.threads:
            thread.join(10)

    def _listen(self) -> None:
        while not self.ended.is_set():
            try:
                peer, _ = self.socket.accept()
            except OSError:
                return
            self.threads.append(threading.Thread(target=self._serve, args=(peer,)))
            self.threads[-1].start()

    def _serve(self, peer: socket.socket) -> None:
        with peer:
            try:
                seen = self._read(peer)
                if seen is None:
                    return
                with self.lock:
                    self.seen.append(seen)
                    action = self.script[min(len(self.seen), len(self.script)) - 1]
                    self.under_way += 1
                    self.most = max(self.most, self.under_way)
                answering = _Answering(peer, self._answered)
                try:
                    action(cast("socket.socket", answering))
                finally:
                    answering.begin()
            except OSError:
                pass

    def _answered(self) -> None:
        with self.lock:
            self.under_way -= 1

    def _read(self, peer: socket.socket) -> Seen | None:
        raw = b""
        while b"\r\n\r\n" not in raw:
            chunk = peer.recv(65536)
            if not chunk:
                return None
            raw += chunk
        head, _, body = raw.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        while len(body) < int(headers.get("content-length", 0)):
            body += peer.recv(65536)
        return Seen(first.split()[1], headers, json.loads(body), time.monotonic())


class _Answering:
    """A socket that tells once, just before its first byte leaves, that the answer begins."""

    def __init__(self, peer: socket.socket, begun: Callable[[], None]) -> None:
        self._peer, self._begun = peer, [begun]

    def begin(self) -> None:
        while self._begun:
            self._begun.pop()()

    def sendall(self, raw: bytes) -> None:
        self.begin()
        self._peer.sendall(raw)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._peer, name)


def head(status: int, form: str = "application/json", length: int | None = None, **headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status} Told", f"content-type: {form}", "connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    lines += [] if length is None else [f"content-length: {length}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def says(status: int, body: Any, form: str = "application/json", **headers: str) -> Action:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return lambda peer: peer.sendall(head(status, form, len(raw), **headers) + raw)


def message(text: str = '{"a":1}', stop: str = "end_turn", **changes: Any) -> dict[str, Any]:
    told = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": stop, "usage": USAGE}
    told["content"] = [{"type": "text", "text": text}]
    return {key: value for key, value in {**told, **changes}.items() if value is not ...}


def well(text: str = '{"a":1}', request_id: str = "req_ok", **changes: Any) -> Action:
    return says(200, message(text, **changes), request_id=request_id)


def fails(status: int, type: str = "api_error", said: str = "no", code: str = "", **headers: str) -> Action:
    details = {"details": {"error_code": code}} if code else {}
    body = {"type": "error", "error": {"type": type, "message": said, **details}}
    return says(status, body, **{"request_id": f"req_{status}", **headers})


def reset(peer: socket.socket) -> None:
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()


def then_reset(raw: bytes) -> Action:
    def act(peer: socket.socket) -> None:
        peer.sendall(raw)
        time.sleep(0.1)
        reset(peer)

    return act


def hangs(peer: socket.socket) -> None:
    """Nothing, until whoever asked has left."""
    peer.settimeout(60)
    peer.recv(1)


def later(seconds: float, action: Action) -> Action:
    def act(peer: socket.socket) -> None:
        time.sleep(seconds)
        action(peer)

    return act


def drips(peer: socket.socket) -> None:
    peer.sendall(head(200, length=100_000))
    for _ in range(200):
        peer.sendall(b" ")
        time.sleep(0.02)


def event(type: str, **more: Any) -> bytes:
    return f"event: {type}\ndata: {json.dumps({'type': type, **more})}\n\n".encode()


def opening(text: str = "") -> bytes:
    start = {"type": "message", "role": "assistant", "content": [], "stop_reason": None}
    start["usage"] = {"input_tokens": 11, "output_tokens": 1}
    parts = [event("message_start", message=start), event("ping")]
    parts.append(event("content_block_start", index=0, content_block={"type": "text", "text": ""}))
    parts += [event("content_block_delta", index=0, delta={"type": "text_delta", "text": letter}) for letter in text]
    return b"".join(parts)


def closing(stop: str = "end_turn") -> bytes:
    parts = [event("content_block_stop", index=0)]
    parts.append(event("message_delta", delta={"stop_reason": stop, "stop_sequence": None}, usage={"output_tokens": 7}))
    return b"".join([*parts, event("message_stop")])


def streams(raw: bytes) -> Action:
    return lambda peer: peer.sendall(head(200, "text/event-stream", request_id="req_stream") + raw)


CUT = head(200, length=5000, request_id="req_cut") + json.dumps(message("x" * 3000)).encode()[:500]
