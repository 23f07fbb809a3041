"""The journal: every answer that came through a door, under the key of its question.

That is resume, replay and cache in one: a question whose answer is stored is never asked
again. A question is claimed before it is asked, by a row written in an immediate transaction,
so that two processes never ask it twice; a claim of a process that died is taken over.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import BindParameter, Connection, Row, bindparam, delete, insert, select, update

from phases.core.errors import NotJournaled, Stopped, StoreError
from phases.core.recorder import Recorder, later, pause, process_lives, process_name
from phases.core.store import Store, calls, events
from phases.core.text import canonical, digest
from schemas.events import Event

POLL_SECONDS = 0.05

# Statements are built once: building one costs as much as carrying it out.
_KEYS: BindParameter[Any] = bindparam("keys", expanding=True)
_FIND = select(calls.c.key, calls.c.reply, calls.c.checksum).where(calls.c.key.in_(_KEYS), calls.c.state == "done")
_KNOWN = select(calls).where(calls.c.key.in_(_KEYS))
_CLAIM = insert(calls)
_TELL = insert(events)
_KEEP = (
    update(calls)
    .where(calls.c.key == bindparam("its_key"), calls.c.owner == bindparam("its_owner"), calls.c.state == "claimed")
    .values(state="done", reply=bindparam("its_reply"), checksum=bindparam("its_checksum"))
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
    """A question whose key is the digest of everything its answer depends on."""
    return Question(key=digest(canonical({"kind": kind, **identity})), kind=kind, **shown)


def _sound(reply: object, checksum: object) -> bool:
    """Whether a stored answer is what was stored."""
    return isinstance(reply, str) and digest(reply) == checksum


class Journal:
    """Answers of one store, as one run uses them."""

    def __init__(self, store: Store, run_id: str, lease_seconds: int) -> None:
        self._store, self._run_id, self._lease = store, run_id, lease_seconds
        self._process = process_name()
        self.stopping = threading.Event()
        """Set when the run stops: nothing new is asked from then on."""

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

    def take(self, wanted: Sequence[Question]) -> dict[str, str]:
        """Stored answers; every question that has none is claimed for this process.

        Waits for questions that another living process is asking. Raises Stopped once the run is
        stopping. Writes the store.
        """
        found = self.find([one.key for one in wanted])
        open_ = [one for one in wanted if one.key not in found]
        if open_:
            self._check_going()
        while open_ and self._claim(open_):
            self._check_going()
            pause(POLL_SECONDS)
            fresh = self.find([one.key for one in open_])
            found |= fresh
            open_ = [one for one in open_ if one.key not in fresh]
        return found

    def _check_going(self) -> None:
        if self.stopping.is_set():
            raise Stopped("the run is stopping; nothing new is asked")

    def _claim(self, wanted: Sequence[Question]) -> list[str]:
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
            return busy

        return self._store.write(work)

    def _held(self, row: Row[Any], owner: str) -> bool:
        if row.state == "done":
            return _sound(row.reply, row.checksum)
        if row.owner == owner:
            return False
        return bool(row.lease_until > later(0)) and process_lives(row.owner)

    def release(self, wanted: Sequence[Question]) -> None:
        """Give up this thread's claims on questions that got no answer. Writes the store."""
        mine = (calls.c.key.in_([one.key for one in wanted]), calls.c.owner == self._owner)
        self._store.write(lambda connection: connection.execute(delete(calls).where(*mine, calls.c.state == "claimed")))

    def keep(self, answers: Mapping[str, str], recorder: Recorder, happened: Sequence[Event]) -> None:
        """Store answers with the events that tell of them. Returns once they are committed. Writes the store."""
        owner = self._owner

        def work(connection: Connection) -> None:
            for key, reply in answers.items():
                its = {"its_key": key, "its_owner": owner, "its_reply": reply, "its_checksum": digest(reply)}
                done = connection.execute(_KEEP, its)
                if done.rowcount != 1:
                    raise StoreError(f"the claim on {key} was lost to another process; its answer was not used")
            if happened:
                connection.execute(_TELL, recorder.rows(*happened))

        self._store.write(work)
