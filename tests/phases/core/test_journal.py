"""The journal: a question is asked once, whoever asks and whoever dies, and only a whole answer is served."""

from __future__ import annotations

import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text

from phases.core.errors import NotJournaled, StoreError, UsageError
from phases.core.journal import Journal, Question, question
from phases.core.recorder import Recorder, later, process_lives, process_name
from phases.core.store import Store, calls, events
from phases.core.store import late as late_answers
from tests.phases.core.conftest import KINDS, Start
from tests.phases.core.scripted import RUN


def about(word: str, **shown: str) -> Question:
    told = {"ticker": "AAPL", "name": "debater", "seat": "bull", "request": "{}", **shown}
    return question("ask", {"word": word}, **told)


def keep(journal: Journal, store: Store, **answers: str) -> None:
    journal.keep({about(word).key: answer for word, answer in answers.items()}, Recorder(store, RUN, 1), ())


@pytest.fixture(name="journal")
def _journal(store: Store) -> Journal:
    return Journal(store, RUN, 60)


@pytest.fixture(name="kind", params=KINDS)
def _kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def edit_by_hand(store: Store, statement: str, **values: str) -> None:
    store.write(lambda connection: connection.execute(text(statement), values))


def rows(store: Store) -> list[Any]:
    with store.read() as connection:
        return list(connection.execute(select(calls).order_by(calls.c.key)))


# Keys


def test_a_key_is_of_the_identity_alone_and_in_any_order() -> None:
    one = question("ask", {"a": "1", "b": "2"}, ticker="A", name="n", seat="s", request="r")
    two = question("ask", {"b": "2", "a": "1"}, ticker="B", name="m", seat="t", request="q")
    assert one.key == two.key
    assert len(one.key) == 32


@pytest.mark.parametrize("kind", ["ask", "fetch"])
def test_another_identity_is_another_key(kind: Any) -> None:
    shown = {"ticker": "A", "name": "n", "seat": "s", "request": "r"}
    base = question("ask", {"a": "1", "b": "2"}, **shown).key
    others = [{"a": "1"}, {"a": "2", "b": "1"}, {"a": 1, "b": "2"}, {"ab": "12"}, {"a": "1", "b": "2", "c": None}]
    keys = {question(kind, other, **shown).key for other in others}
    assert len(keys) == len(others)
    assert base not in keys


@pytest.mark.parametrize("part", ["ticker", "name", "seat"])
def test_F026_a_question_with_u0000_in_it_is_refused_on_every_store(part: str) -> None:
    with pytest.raises(UsageError, match=rf"{part} 'a\\\\u0000b'.*U\+0000"):
        about("a", **{part: "a\0b"})


# Take, keep, release


def test_a_question_is_claimed_kept_and_then_found(journal: Journal, store: Store) -> None:
    wanted = [about("a"), about("b")]
    assert journal.take(wanted) == {}
    assert [row.state for row in rows(store)] == ["claimed", "claimed"]
    keep(journal, store, a="A", b="B")
    assert journal.take(wanted) == {wanted[0].key: "A", wanted[1].key: "B"}
    assert journal.demand(wanted) == journal.find([one.key for one in wanted]) == journal.take(wanted)


def test_take_claims_only_what_has_no_answer(journal: Journal, store: Store) -> None:
    journal.take([about("a")])
    keep(journal, store, a="A")
    assert journal.take([about("a"), about("b")]) == {about("a").key: "A"}
    assert sorted(row.state for row in rows(store)) == ["claimed", "done"]


def test_the_same_question_twice_is_one_claim(journal: Journal, store: Store) -> None:
    assert journal.take([about("a"), about("a")]) == {}
    assert len(rows(store)) == 1


def test_an_answer_comes_back_to_the_last_character(journal: Journal, store: Store) -> None:
    answer = '{"text": "\U0001f680 é\u2028\\u0000 \'; DROP TABLE calls"}\n' * 50
    journal.take([about("a")])
    keep(journal, store, a=answer)
    assert journal.find([about("a").key]) == {about("a").key: answer}


def test_a_released_question_is_free(journal: Journal, store: Store) -> None:
    journal.take([about("a"), about("b")])
    journal.release([about("a")])
    assert [row.key for row in rows(store)] == [about("b").key]
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(journal.take, [about("a")]).result(timeout=5) == {}


def test_release_leaves_answers_and_claims_of_others(journal: Journal, store: Store) -> None:
    journal.take([about("a")])
    keep(journal, store, a="A")
    with ThreadPoolExecutor(1) as pool:
        pool.submit(journal.take, [about("b")]).result()
    journal.release([about("a"), about("b")])
    assert sorted(row.state for row in rows(store)) == ["claimed", "done"]


def test_a_replay_names_what_the_journal_lacks(journal: Journal, store: Store) -> None:
    journal.take([about("a"), about("b")])
    keep(journal, store, a="A")
    with pytest.raises(NotJournaled) as caught:
        journal.demand([about("a"), about("b", ticker="IBM", seat="bear")])
    assert "IBM bear" in str(caught.value)
    assert "debater" in str(caught.value)


def test_an_answer_and_its_event_are_one_commit(journal: Journal, store: Store) -> None:
    recorder = Recorder(store, RUN, 1)
    journal.take([about("a")])
    happened = recorder.event("called", ticker="AAPL", key=about("a").key)
    with pytest.raises(StoreError):
        journal.keep({about("a").key: "A", about("never claimed").key: "B"}, recorder, [happened])
    assert journal.find([about("a").key]) == {}
    journal.keep({about("a").key: "A"}, recorder, [happened])
    with store.read() as connection:
        assert [row.run_id for row in connection.execute(select(events))] == [RUN]


# Two at once


def test_many_threads_ask_once(store: Store) -> None:
    made, start = [], threading.Barrier(8)

    def ask(_: int) -> str:
        journal = Journal(store, RUN, 60)
        start.wait(60)
        found = journal.take([about("a")])
        if not found:
            made.append(threading.get_ident())
            time.sleep(0.2)
            keep(journal, store, a=f"by {threading.get_ident()}")
            return f"by {threading.get_ident()}"
        return found[about("a").key]

    with ThreadPoolExecutor(8) as pool:
        answers = set(pool.map(ask, range(8)))
    assert len(made) == 1
    assert answers == {f"by {made[0]}"}


def test_F108_two_processes_ask_once(process: Start, store: Store, out: Path) -> None:
    children = [process("ask", out, "a", 0.3) for _ in range(2)]
    pipes = [(child.stdin, child.stdout) for child in children if child.stdin and child.stdout]
    assert [told.readline() for _, told in pipes] == ["ready\n"] * 2
    for words, _ in pipes:
        words.write("go\n")
        words.flush()
    told = [told.readline().split(" ", 1) for _, told in pipes]
    assert sorted(word for word, _ in told) == ["found", "made"]
    assert {answer.strip() for _, answer in told} == {rows(store)[0].reply}


def test_a_thread_that_gives_up_hands_over(journal: Journal) -> None:
    journal.take([about("a")])
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(journal.take, [about("a")])
        time.sleep(0.2)
        assert not other.done()
        journal.release([about("a")])
        assert other.result(timeout=60) == {}


# The dead and the late


def _claimed_by(process: Start, out: Path, lease: int) -> tuple[Any, str]:
    child = process("claim", out, "a", lease)
    assert child.stdout is not None
    word, name = child.stdout.readline().split()
    assert word == "claimed"
    return child, name


def test_F109_a_claim_of_a_killed_process_is_taken_over_at_once(
    process: Start, journal: Journal, store: Store, out: Path
) -> None:
    child, name = _claimed_by(process, out, 300)
    assert process_lives(name)
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert not process_lives(name)
    start = time.monotonic()
    assert journal.take([about("a")]) == {}
    assert time.monotonic() - start < 30
    keep(journal, store, a="A")


def test_a_killed_process_does_not_live_before_it_is_reaped(process: Start, store: Store, out: Path) -> None:
    child, name = _claimed_by(process, out, 300)
    child.send_signal(signal.SIGKILL)
    stat = Path(f"/proc/{child.pid}/stat")
    while ") Z " not in stat.read_text():
        time.sleep(0.01)
    assert not process_lives(name)


def test_a_process_of_another_start_or_none_does_not_live() -> None:
    mine = process_name()
    assert process_lives(mine)
    assert process_lives(f"{mine}:12345")
    assert process_lives("999999999:1:elsewhere_00000000:12345"), "of another host only the lease can tell"
    assert not any(process_lives(name) for name in ("", "x", "x:1", "999999999:1", f"{mine.partition(':')[0]}:0"))


def test_F110_a_lease_that_ran_out_is_taken_over_and_the_late_answer_is_kept_apart(store: Store) -> None:
    first, next_ = Journal(store, RUN, 1), Journal(store, RUN, 60)
    assert first.take([about("a")]) == {}
    with ThreadPoolExecutor(1) as pool:
        ran_out = rows(store)[0].lease_until
        assert pool.submit(next_.take, [about("a")]).result(timeout=60) == {}
        assert later(0) > ran_out
        keep(first, store, a="late")
        pool.submit(keep, next_, store, a="in time").result(timeout=60)
    assert rows(store)[0].reply == "in time"
    with store.read() as connection:
        assert [(row.key, row.reply) for row in connection.execute(select(late_answers))] == [(about("a").key, "late")]


def test_a_claim_that_nobody_contests_may_be_answered_late(store: Store) -> None:
    journal = Journal(store, RUN, 1)
    journal.take([about("a")])
    time.sleep(1.1)
    assert rows(store)[0].lease_until < later(0)
    keep(journal, store, a="A")
    assert rows(store)[0].reply == "A"


# Edited by hand


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param("UPDATE calls SET reply = replace(reply, 'bull', 'bear')", id="F105 a word changed"),
        pytest.param("UPDATE calls SET reply = substr(reply, 1, length(reply) / 2)", id="F104 cut in half"),
        pytest.param("UPDATE calls SET reply = ''", id="emptied"),
        pytest.param("UPDATE calls SET reply = reply || ' '", id="a space added"),
        pytest.param("UPDATE calls SET checksum = 'x'", id="checksum changed"),
        pytest.param("UPDATE calls SET checksum = NULL", id="checksum gone"),
    ],
)
def test_an_edited_answer_is_not_served_and_is_asked_again(journal: Journal, store: Store, edit: str) -> None:
    wanted = [about("a")]
    journal.take(wanted)
    keep(journal, store, a="the bull spoke")
    edit_by_hand(store, edit)
    assert journal.find([wanted[0].key]) == {}
    with pytest.raises(NotJournaled):
        journal.demand(wanted)
    assert journal.take(wanted) == {}
    keep(journal, store, a="the bull spoke again")
    assert journal.take(wanted) == {wanted[0].key: "the bull spoke again"}


def test_an_answer_moved_to_another_question_is_found_only_under_its_checksum(journal: Journal, store: Store) -> None:
    journal.take([about("a"), about("b")])
    keep(journal, store, a="A", b="B")
    edit_by_hand(store, "UPDATE calls SET reply = 'A' WHERE key = :key", key=about("b").key)
    assert journal.find([about("a").key, about("b").key]) == {about("a").key: "A"}
