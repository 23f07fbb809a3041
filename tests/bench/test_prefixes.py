"""What the turns of one ticker share, as a server sees it: the blocks of their prompts and the cache marks on them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pytest

from bench.fake_model.server import FakeModel
from bench.prefixes import hold, repeated
from phases.plan import CONFIGS, Words, settings_of

MINIMUM = settings_of(Words(config=CONFIGS / "anthropic.yaml")).provider.minimum_cacheable
LOOKBACK = 20
"""Blocks before a mark in which the service looks for a beginning that it keeps, by its documentation."""

JUNK = {"when": {"skill": "research-debate", "repair": False}, "do": {"text": "I would rather not say."}}


class Sent(NamedTuple):
    """One prompt as the server got it."""

    texts: tuple[str, ...]
    """System and parts."""
    marks: tuple[int, ...]
    """Which of them carry a cache mark."""
    side: str
    round: str
    repair: bool

    @property
    def parts(self) -> dict[str, str]:
        """Text of every part but the last, by its name."""
        return {text[1:].partition(" ")[0]: text for text in self.texts[1:-1]}

    def tokens(self, at: int) -> int:
        """Size of the prefix that ends with a part, in tokens of four bytes."""
        return sum(len(text.encode()) for text in self.texts[: at + 1]) // 4


def _sent(body: dict[str, Any]) -> Sent:
    (message,) = body["messages"]
    found = [*body["system"], *message["content"]]
    whole = "".join(block["text"] for block in found)
    side, number = (re.search(rf'Your turn: .*"{word}":"?(\w+)', whole) for word in ("role", "round_number"))
    return Sent(
        tuple(block["text"] for block in found),
        tuple(at for at, block in enumerate(found) if "cache_control" in block),
        side[1] if side else "",
        number[1] if number else "",
        "[your_reply " in whole,
    )


@pytest.fixture(scope="module", name="night")
def _night() -> Iterator[list[Sent]]:
    """Every prompt of a night in which each debater's first reply is junk."""
    with FakeModel({"script": [JUNK]}) as server:
        assert hold(server.url) == {"debated": 1}
        yield [_sent(seen.body) for seen in server.bodies]


def _turn(night: Sequence[Sent], side: str, number: str, repair: bool = False) -> Sent:
    (found,) = (one for one in night if (one.side, one.round, one.repair) == (side, number, repair))
    return found


def test_sides_of_an_opening_share_all_but_the_last_part(night: Sequence[Sent]) -> None:
    bull, bear = (_turn(night, side, "1") for side in ("bull", "bear"))
    assert bull.texts[:-1] == bear.texts[:-1]
    assert bull.texts[-1].replace('"role":"bull"', '"role":"bear"', 1) == bear.texts[-1] != bull.texts[-1]


@pytest.mark.parametrize("number", ["2", "3"])
def test_sides_of_a_later_round_share_all_but_the_last_part_too(night: Sequence[Sent], number: str) -> None:
    bull, bear = (_turn(night, side, number) for side in ("bull", "bear"))
    assert bull.texts[:-1] == bear.texts[:-1]
    assert bull.texts[-1] != bear.texts[-1]


@pytest.mark.parametrize("number", ["2", "3"])
def test_a_round_begins_with_all_but_the_last_part_of_the_round_before(night: Sequence[Sent], number: str) -> None:
    before, after = (_turn(night, "bull", at) for at in (str(int(number) - 1), number))
    assert after.texts[: len(before.texts) - 1] == before.texts[:-1]
    assert set(before.marks[:-1]) <= set(after.marks)
    assert max(before.marks) <= max(after.marks) <= max(before.marks) + LOOKBACK


def test_marks_are_few_on_long_prefixes_and_never_on_the_last_part(night: Sequence[Sent]) -> None:
    for one in night:
        assert len(one.marks) <= 4 and (one.marks or not one.side)
        assert len(one.texts) - 1 not in one.marks
        assert all(one.tokens(at) >= MINIMUM for at in one.marks), (one.side, one.marks)


def test_a_repair_has_the_prefix_of_the_turn_it_repairs_and_reads_it_from_the_cache(night: Sequence[Sent]) -> None:
    repairs = [one for one in night if one.repair]
    assert {(one.side, one.round) for one in repairs} >= {("bull", "1"), ("bear", "1"), ("bull", "2"), ("bear", "2")}
    for again in repairs:
        first = _turn(night, again.side, again.round)
        assert again.texts[: len(first.texts)] == first.texts
        assert set(first.marks) <= set(again.marks)


def test_the_server_counts_the_cache_reads_of_a_clean_night() -> None:
    with FakeModel({}) as server:
        assert hold(server.url) == {"debated": 1}
        tokens, turns = server.stats()["tokens"], [_sent(seen.body) for seen in server.bodies]
    system = next(one.tokens(0) for one in turns if one.side)
    debated = sum(bool(one.side) for one in turns)
    assert tokens["cache_read_input_tokens"] >= 2 * (debated - 1) * system
    prompts = ["".join(one.texts).encode() for one in turns if one.side]
    assert repeated(prompts) > 0.6 * sum(map(len, prompts))


def test_repeated_takes_the_longest_beginning_of_any_earlier_prompt() -> None:
    assert repeated([b"abcd", b"abxy", b"abxz", b"q", b"abcd"]) == 0 + 2 + 3 + 0 + 4
