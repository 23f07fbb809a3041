"""The journal: every answer that came through a door, under the key of its question.

That is resume, replay and cache in one: a question whose answer is stored is never asked
again. A question is claimed before it is asked, by a row written in an immediate transaction,
so that two processes never ask it twice. A claim is renewed while its call is under way; that of
a process of this host that died is taken over at once, and that of any that stood still when its lease ran
out. An answer that comes after its claim was taken over is kept beside the journal, never used.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import BindParameter, Connection, Executable, Row, bindparam, delete, insert, select, update

from phases.core.errors import NotJournaled, Stopped, StoreError, UsageError
from phases.core.recorder import Recorder, later, pause, process_lives, process_name
from phases.core.store import Store, calls, events, late
from phases.core.text import canonical, digest, printable
from schemas.events import Event

POLL_SECONDS = 0.05

# Statements are built once: building one costs as much as carrying it out.
_KEYS: BindParameter[Any] = bindparam("keys", expanding=True)
_FIND = select(calls.c.key, calls.c.reply, calls.c.checksum).where(calls.c.key.in_(_KEYS), calls.c.state == "done")
_KNOWN = select(calls).where(calls.c.key.in_(_KEYS))
_CLAIM = insert(calls)
_TELL = insert(events)
_LATE = insert(late)
_KEEP = (
    update(calls)
    .where(calls.c.key == bindparam("its_key"), calls.c.owner == bindparam("its_owner"), calls.c.state == "claimed")
    .values(state="done", reply=bindparam("its_reply"), checksum=bindparam("its_checksum"))
)
_RENEW = (
    update(calls)
    .where(calls.c.key == bindparam("its_key"), calls.c.owner == bindparam("its_owner"), calls.c.state == "claimed")
    .values(lease_until=bindparam("its_lease"))
)


@dataclass(frozen=True)
class Question:
    """One question to a door."""

    key: str
    kind: Literal["ask", "fetch"]
    ticker: str
    """Ticker it is about; empty for the whole run."""
    name: str
    """Skill or dataset."""
    seat: str
    """Seat that is asked; empty if none."""
    request: str
    """The question as JSON, for people and for `show`."""


def question(kind: Literal["ask", "fetch"], identity: Mapping[str, Any], **shown: str) -> Question:
    """A question whose key is the digest of everything its answer depends on. Raises UsageError for U+0000 in it."""
    for name, word in shown.items():
        if "\0" in word:
            raise UsageError(f"{name} {printable(word)[:60]!r}: the character U+0000 is not allowed")
    return Question(key=digest(canonical({"kind": kind, **identity})), kind=kind, **shown)


def _sound(reply: object, checksum: object) -> bool:
    """Whether a stored answer is what was stored."""
    return isinstance(reply, str) and digest(reply) == checksum


class Journal:
    """Answers of one store, as one run uses them."""

    def __init__(self, store: Store, run_id: str, lease_seconds: int) -> None:
        self._store, self._run_id, self._lease = store, run_id, lease_seconds
        self._process = process_name()
        self._claims: dict[tuple[str, str], Question] = {}
        """What is being asked through this journal, by owner and key."""
        self._claims_lock = threading.Lock()
        self.stopping = threading.Event()
        """Set when the run stops: nothing new is asked from then on."""
        self.beat_seconds = lease_seconds / 3
        """How often claims are renewed: a lease outlives two beats that were missed."""

    @property
    def _owner(self) -> str:
        """This thread of this process: the same question from two threads is asked once, too."""
        return f"{self._process}:{threading.get_ident()}"

    def find(self, keys: Sequence[str]) -> dict[str, str]:
        """Stored answers, by key. Reads the store; an entry that fails its checksum is no answer."""
        with self._store.read() as connection:
            found = connection.execute(_FIND, {"keys": keys}).all()
        return {key: reply for key, reply, checksum in found if _sound(reply, checksum)}

    def demand(self, keys: Sequence[Question]) -> dict[str, str]:
        """Stored answers to all questions. Raises NotJournaled naming the first that has none."""
        found = self.find([one.key for one in keys])
        for one in keys:
            if one.key not in found:
                about = " ".join(word for word in (one.ticker, one.seat or one.name) if word)
                raise NotJournaled(f"{about}: the journal holds no answer to this {one.kind} ({one.name})")
        return found

    def take(self, wanted: Sequence[Question], recorder: Recorder | None = None) -> dict[str, str]:
        """Stored answers; every question that has none is claimed for this process.

        Waits for questions that another living process is asking. A claim that is taken over is told
        to the recorder: its question may have been asked before. Raises Stopped once the run is
        stopping. Writes the store.
        """
        found = self.find([one.key for one in wanted])
        open_ = [one for one in wanted if one.key not in found]
        if open_:
            self._check_going()
        while open_ and self._claim(open_, recorder):
            self._check_going()
            pause(POLL_SECONDS)
            fresh = self.find([one.key for one in open_])
            found |= fresh
            open_ = [one for one in open_ if one.key not in fresh]
        return found

    def _check_going(self) -> None:
        if self.stopping.is_set():
            raise Stopped("the run is stopping; nothing new is asked")

    def _claim(self, wanted: Sequence[Question], recorder: Recorder | None) -> list[str]:
        """Claim what is free; give back the keys that someone else holds or has just answered. Writes the store."""
        owner, keys = self._owner, [one.key for one in wanted]
        claim = {"state": "claimed", "owner": owner, "lease_until": later(self._lease)}

        def work(connection: Connection) -> list[str]:
            known = {row.key: row for row in connection.execute(_KNOWN, {"keys": keys})}
            busy = [key for key, row in known.items() if self._held(row, owner)]
            new = [
                {**claim, "run_id": self._run_id, **vars(one)}
                for one in {one.key: one for one in wanted}.values()
                if one.key not in known
            ]
            if new:
                connection.execute(_CLAIM, new)
            again = [key for key in known if key not in busy]
            if again:
                connection.execute(update(calls).where(calls.c.key.in_(again)).values(**claim))
            lost = [known[key] for key in again if known[key].state == "claimed" and known[key].owner != owner]
            if recorder and lost:
                connection.execute(_TELL, recorder.rows(*(_taken_over(row, recorder) for row in lost)))
            return busy

        busy = self._store.write(work)
        with self._claims_lock:
            self._claims |= {(owner, one.key): one for one in wanted if one.key not in busy}
        return busy

    def _held(self, row: Row[Any], owner: str) -> bool:
        if row.state == "done":
            return _sound(row.reply, row.checksum)
        if row.owner == owner:
            return False
        return bool(row.lease_until > later(0)) and process_lives(row.owner)

    def release(self, wanted: Sequence[Question]) -> None:
        """Give up this thread's claims on questions that got no answer. Writes the store."""
        self._forget([one.key for one in wanted])
        mine = (calls.c.key.in_([one.key for one in wanted]), calls.c.owner == self._owner)
        self._store.write(lambda connection: connection.execute(delete(calls).where(*mine, calls.c.state == "claimed")))

    def renew(self) -> None:
        """Give every claim of this journal that still stands a whole lease from now. Writes the store."""
        with self._claims_lock:
            claims = list(self._claims)
        if claims:
            until = later(self._lease)
            rows = [{"its_owner": owner, "its_key": key, "its_lease": until} for owner, key in claims]
            self._store.write(lambda connection: connection.execute(_RENEW, rows))

    def keep(
        self,
        answers: Mapping[str, str],
        recorder: Recorder,
        happened: Sequence[Event],
        beside: Sequence[Executable] = (),
    ) -> set[str]:
        """Store answers with the events that tell of them, and what else must be true with them, such as their cost.

        Returns once all of it is committed. Writes the store.

        Gives the keys of answers that came late: someone else has answered or is asking by now, so they
        are kept apart, with an event `late`, and `take` has the answer that counts.
        """
        owner = self._owner

        def work(connection: Connection) -> set[str]:
            found = {key for key, reply in answers.items() if not self._settle(connection, owner, key, reply)}
            if found:
                rows = [self._late_row(owner, key, answers[key]) for key in sorted(found)]
                connection.execute(_LATE, rows)
            told = [*_told(happened, found), *_untold(happened, found, recorder)]
            if told:
                connection.execute(_TELL, recorder.rows(*told))
            for one in beside:
                connection.execute(one)
            return found

        try:
            return self._store.write(work)
        finally:
            self._forget(answers)

    def _settle(self, connection: Connection, owner: str, key: str, reply: str) -> bool:
        """Store one answer, unless its question is someone else's by now. Writes the store."""
        its = {"its_key": key, "its_owner": owner, "its_reply": reply, "its_checksum": digest(reply)}
        if connection.execute(_KEEP, its).rowcount == 1:
            return True
        asked = self._claims.get((owner, key))
        if asked is None:
            raise StoreError(f"the question {key} was never claimed; its answer was not used")
        row = connection.execute(_KNOWN, {"keys": [key]}).one_or_none()
        if row is not None and self._held(row, owner):
            return False
        values = {"run_id": self._run_id, "owner": owner, "lease_until": later(0), **vars(asked)}
        connection.execute(delete(calls).where(calls.c.key == key))
        connection.execute(_CLAIM, {**values, "state": "done", "reply": reply, "checksum": its["its_checksum"]})
        return True

    def _late_row(self, owner: str, key: str, reply: str) -> dict[str, str]:
        about = {"key": key, "owner": owner, "run_id": self._run_id, "at": later(0)}
        return {**about, "reply": reply, "checksum": digest(reply)}

    def _forget(self, keys: Iterable[str]) -> None:
        """What is no longer asked is no longer renewed."""
        owner = self._owner
        with self._claims_lock:
            for key in keys:
                self._claims.pop((owner, key), None)


def _taken_over(row: Row[Any], recorder: Recorder) -> Event:
    return recorder.event("taken_over", key=row.key, ticker=row.ticker or None, note=f"claimed by {row.owner} before")


def _told(happened: Sequence[Event], late_keys: Set[str]) -> list[Event]:
    """The events; one that tells of a late answer says so."""
    return [one.model_copy(update={"kind": "late"}) if one.key in late_keys else one for one in happened]


def _untold(happened: Sequence[Event], late_keys: Set[str], recorder: Recorder) -> list[Event]:
    """Events of late answers that no event tells of."""
    return [recorder.event("late", key=key) for key in sorted(late_keys - {one.key for one in happened})]
