"""FRED on loopback: one observation a series, unless a test has it say something else."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


class Server:
    """FRED on loopback: one observation a series, but for the series that are told otherwise."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.instead: dict[str, list[Callable[[BaseHTTPRequestHandler], None]]] = {}
        self.stop = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked.append(self.path)
                id = parse_qs(urlsplit(self.path).query)["id"][0]
                ways = server.instead.get(id, [])
                way = (
                    ways.pop(0)
                    if len(ways) > 1
                    else ways[0]
                    if ways
                    else said(f"observation_date,{id}\n2023-01-01,2.5\n")
                )
                way(self)

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}/graph/fredgraph.csv"
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def close(self) -> None:
        self.stop.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def drip(self, handler: BaseHTTPRequestHandler) -> None:
        """A byte now and then, for ever: no single wait is long."""
        handler.send_response(200)
        handler.end_headers()
        while not self.stop.wait(0.02):
            try:
                handler.wfile.write(b"2")
            except OSError:
                return

    def slow_head(self, handler: BaseHTTPRequestHandler) -> None:
        """The same before the body begins."""
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
        while not self.stop.wait(0.02):
            try:
                handler.wfile.write(b"2")
            except OSError:
                return


def said(body: str | bytes, status: int = 200, **headers: str) -> Callable[[BaseHTTPRequestHandler], None]:
    raw = body.encode() if isinstance(body, str) else body

    def way(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(raw)), **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        with suppress(ConnectionError):  # the client may have seen enough
            handler.wfile.write(raw)

    return way


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True
