"""F169: the key is in no byte that a night leaves behind, whatever the server does with it."""

from __future__ import annotations

import json
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import pytest

from bench.fake_model.server import FakeModel
from phases.core.bundle import BUNDLE
from tests.conftest import DAY, Cli, Told
from tests.phases.core.scripted import NIGHTLY

KEY = "canary/0123+456=789.never~to_be-seen"
SPELLINGS = (KEY, quote(KEY, safe=""), json.dumps(KEY)[1:-1].replace("/", "\\/"), b64encode(KEY.encode()).decode()[:40])
SCENARIOS = BUNDLE / "bench" / "scenarios"


def _night(cli: Cli, out: Path, url: str, *words: str) -> Told:
    config = ("--config", BUNDLE / "configs" / "anthropic.yaml", "--set", f"provider.base_url={url}")
    asked = ("AAPL", "IBM", "--as-of", DAY, "--out", out, "--max-cost", "5")
    return cli("run", *asked, *config, *words, env={"ANTHROPIC_API_KEY": KEY})


def _check_no_key(told: Told, out: Path) -> None:
    files = [path for path in out.rglob("*") if path.is_file()]
    assert any(path.name == "rebuttal.db" for path in files)
    texts = {str(path): path.read_bytes() for path in files}
    texts |= {"stdout": told.out.encode(), "stderr": told.err.encode()}
    found = [(name, one) for name, text in texts.items() for one in SPELLINGS if one.encode() in text]
    assert not found


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("chaos", ("--debug", "--debate", "none")),
        *(
            [(name, words) for name in ("clean", "chaos", "refusals") for words in ((), ("--debug",))]
            if NIGHTLY
            else []
        ),
    ],
)
def test_F169_the_key_is_in_nothing_that_a_night_leaves(
    name: str, words: tuple[str, ...], cli: Cli, tmp_path: Path
) -> None:
    with FakeModel(SCENARIOS / f"{name}.yaml") as server:
        told = _night(cli, tmp_path / "out", server.url, *words)
        assert {seen.headers["authorization"] for seen in server.bodies} == {f"Bearer {KEY}"}
    assert told.code in (0, 1), told.err
    _check_no_key(told, tmp_path / "out")


class Echo(BaseHTTPRequestHandler):
    """Tells everybody what it was sent: in the body, in the request's id, and in the words beside the status."""

    statuses: list[int]
    """Of the requests in turn, again and again."""
    seen: list[str]

    def do_POST(self) -> None:
        """Answer one request."""
        self.rfile.read(int(self.headers["content-length"]))
        status, sent = self.statuses[len(self.seen) % len(self.statuses)], str(self.headers)
        self.seen.append(sent)
        if status == 200:
            usage = {"input_tokens": 9, "output_tokens": 9}
            text = json.dumps({"notes": sent, "argument": sent})
            body = {"type": "message", "content": [{"type": "text", "text": text}], "usage": usage}
            body |= {"stop_reason": "end_turn" if len(self.seen) > 1 else sent}
        else:
            body = {"type": "error", "error": {"type": "api_error", "message": f"{quote(KEY, safe='')} {sent}"}}
        raw = json.dumps(body).encode()
        self.send_response(status, KEY)
        for name, value in {"content-type": "application/json", "request-id": KEY, "content-length": len(raw)}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def _echo(*statuses: int) -> Iterator[tuple[str, list[str]]]:
    seen: list[str] = []
    handler = type("OneEcho", (Echo,), {"statuses": list(statuses), "seen": seen})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize(
    ("statuses", "words", "code"),
    [
        pytest.param((200, 500, 200, 400, 200), (), 1, id="200-400-500"),
        pytest.param((401,), ("--debug",), 4, id="401-debug"),
        *(
            [
                pytest.param((200, 500, 200, 400, 200), ("--debug",), 1, id="200-400-500-debug"),
                pytest.param((401,), (), 4, id="401"),
                pytest.param((500,), (), 4, id="500"),
                pytest.param((500,), ("--debug",), 4, id="500-debug"),
            ]
            if NIGHTLY
            else []
        ),
    ],
)
def test_F169_a_server_that_repeats_the_key_does_not_get_it_kept(
    statuses: tuple[int, ...], words: tuple[str, ...], code: int, cli: Cli, tmp_path: Path
) -> None:
    with _echo(*statuses) as (url, seen):
        told = _night(cli, tmp_path / "out", url, *words)
    assert told.code == code, told.err
    assert seen and all(KEY in one for one in seen), "the server had it to repeat"
    _check_no_key(told, tmp_path / "out")
    assert "[key]" in told.err or statuses[0] == 200
