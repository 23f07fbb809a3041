"""`ask`: the one door to models. Render, look into the journal, else claim, call, keep, and only then read.

Core knows no finance word: what a reply must satisfy beyond its contract is handed in as checks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from sqlalchemy import Update

from phases.core.budget import Booking, Budget, billed
from phases.core.errors import StoreError, UsageError
from phases.core.journal import Journal, Question, question
from phases.core.provider import Provider, Reply, Request, restored
from phases.core.reading import Check, Read, read
from phases.core.recorder import Recorder
from phases.core.skills import Skill, render, rerender
from phases.core.stubs import stub_check
from phases.core.text import canonical, digest, printable
from phases.maths.pricing import cost, worst
from schemas.base import Model
from schemas.events import Event
from schemas.generate import wire_schema, wire_text
from schemas.settings import Rates

M = TypeVar("M", bound=Model)
V = TypeVar("V")

NOTED = frozenset({"degenerate", "retry_exhausted", "unpriced"})
"""What is noticed of a turn that a reader of the whole row should know, whichever turn it was."""

ERRORS_QUOTED = 12
"""Most errors that a repair turn quotes."""


@dataclass(frozen=True)
class Wanted(Generic[M]):
    """A turn that is wanted."""

    skill: str
    inputs: Model
    returns: type[M]
    require: tuple[str, ...] = ()
    seat: str = ""
    checks: tuple[Check[M], ...] = ()
    sample: int = 0


@dataclass(frozen=True)
class Answer(Generic[M]):
    """What became of a wanted turn: a record, or the reason why it is void."""

    record: M | None
    void: str | None = None
    flags: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    """Why parts of the reply do not count."""
    tokens: int = 0
    """Tokens read and written for the turn, its repair included."""
    micros: int = 0
    """What the turn cost when it was bought, its repair included, in millionths of a US dollar."""
    priced: bool = True
    """Whether that is what the engine counted, at the rates of its model; else it is the worst case."""


@dataclass(frozen=True)
class Ask:
    """The door of one phase and one ticker. `provider` is absent in a replay."""

    skills: Mapping[str, Skill]
    models: Mapping[str, str]
    engine: str
    provider: Provider | None
    journal: Journal
    recorder: Recorder
    phase: str = ""
    ticker: str = ""
    parameters: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What a model is asked for beside the prompt, such as effort: by parameter, then as `models` is."""
    used: list[str] = field(default_factory=list)
    """Journal keys of the turns asked through this door, in order."""
    noted: set[str] = field(default_factory=set)
    """What of `NOTED` was noticed of them."""
    rates: Mapping[str, Rates] = field(default_factory=dict)
    """Prices by model."""
    budget: Budget | None = None
    """Where spend is booked; absent where nothing can be spent."""

    def __call__(
        self,
        skill: str,
        inputs: Model,
        *,
        returns: type[M],
        require: Sequence[str] = (),
        seat: str = "",
        checks: Sequence[Check[M]] = (),
        sample: int = 0,
    ) -> Answer[M]:
        """Ask one skill for one turn."""
        wanted = Wanted(skill, inputs, returns, tuple(require), seat, tuple(checks), sample)
        return self.all([wanted])[0]

    def all(self, wanted: Sequence[Wanted[M]]) -> list[Answer[M]]:
        """Ask for turns that are spoken together: all are sent before any is awaited."""
        requests = [self._request(one) for one in wanted]
        wanted = [replace(one, checks=(*one.checks, stub_check(self.skills[one.skill]))) for one in wanted]
        replies = self._converse(wanted, requests, [[] for _ in wanted])
        read_ = [_read(one, reply, last=False) for one, reply in zip(wanted, replies, strict=True)]
        again = [at for at, one in enumerate(read_) if one.outcome == "RETRY"]
        given = [[reply] for reply in replies]
        if again:
            for at, reply in self._repair(wanted, requests, replies, read_, again).items():
                given[at].append(reply)
        four = zip(wanted, read_, requests, given, strict=True)
        return [self._answer(one, result, request.model, both) for one, result, request, both in four]

    def _repair(
        self,
        wanted: Sequence[Wanted[M]],
        requests: Sequence[Request],
        replies: Sequence[Reply],
        read_: list[Read[M]],
        again: Sequence[int],
    ) -> dict[int, Reply]:
        """The one repair turn of each reply that needs it; its reading replaces the first."""
        self.recorder.count("repaired", len(again))
        errors = [list(read_[at].errors[:ERRORS_QUOTED]) for at in again]
        repairs = [
            replace(requests[at], prompt=rerender(requests[at].prompt, replies[at].text, found))
            for at, found in zip(again, errors, strict=True)
        ]
        second = self._converse([wanted[at] for at in again], repairs, errors)
        for at, reply in zip(again, second, strict=True):
            result = _read(wanted[at], reply, last=True)
            exhausted = ("retry_exhausted",) if result.outcome == "QUARANTINE" else ()
            read_[at] = replace(result, flags=("repaired", *result.flags, *exhausted))
        return dict(zip(again, second, strict=True))

    def _request(self, wanted: Wanted[M]) -> Request:
        skill = self.skills.get(wanted.skill)
        if skill is None:
            raise UsageError(f"no skill {wanted.skill!r}; there are {', '.join(sorted(self.skills))}")
        return Request(
            skill=wanted.skill,
            seat=wanted.seat,
            model=model_of(self.models, wanted.skill, wanted.seat),
            prompt=render(skill, wanted.inputs, returns=wanted.returns, require=wanted.require),
            schema=wire_schema(wanted.returns, wanted.require),
            require=wanted.require,
            inputs=wanted.inputs,
        )

    def _converse(
        self, wanted: Sequence[Wanted[M]], requests: Sequence[Request], errors: Sequence[list[str]]
    ) -> list[Reply]:
        """Replies in order: from the journal where it has them, else from the provider, journaled."""
        asked = [self._question(*three) for three in zip(wanted, requests, errors, strict=True)]
        self.used.extend(one.key for one in asked)
        if self.provider is None:
            found = self.journal.demand(asked)
        else:
            found = self.journal.take(asked, self.recorder)
        missing = {one.key: at for at, one in enumerate(asked) if one.key not in found}
        self.recorder.count("replayed", len(asked) - len(missing))
        while missing and self.provider is not None:
            open_ = missing.values()
            found |= self._call(self.provider, [requests[at] for at in open_], [asked[at] for at in open_])
            missing = {key: at for key, at in missing.items() if key not in found}
        return [restored(found[one.key]) for one in asked]

    def _call(self, provider: Provider, requests: Sequence[Request], asked: Sequence[Question]) -> dict[str, str]:
        """Answers that count. One that came late gives way to the other process's, or is still to be asked."""
        try:
            bookings = self._booked(provider, requests, asked)
            sent = [
                replace(one, again=self._again(bookings.get(q.key))) for one, q in zip(requests, asked, strict=True)
            ]
            came = list(zip(asked, requests, provider.replies(sent), strict=True))
        except BaseException:
            self.journal.release(asked)
            raise
        failed = [(one, error) for one, _, error in came if not isinstance(error, Reply)]
        answers = self._keep([(one, request, reply) for one, request, reply in came if isinstance(reply, Reply)])
        if failed:
            self.journal.release([one for one, _ in failed])
            if self.budget is not None:  # what certainly was not billed; the rest stays at its worst case
                self.budget.release([one.key for one, error in failed if not error.billed])
            raise failed[0][1]
        return answers

    def _booked(self, provider: Provider, requests: Sequence[Request], asked: Sequence[Question]) -> dict[str, Booking]:
        """Calls booked at the most they can cost, by journal key. Raises CeilingReached."""
        if self.budget is None or not provider.longest:
            return {}
        bookings = [
            Booking(one.key, request.model, worst(request.size, provider.longest), self.rates, self._about(request))
            for request, one in zip(requests, asked, strict=True)
        ]
        self.budget.book(bookings)
        return {one.key: one for one in bookings}

    def _again(self, booking: Booking | None) -> Callable[[], None]:
        """What is done before a further try where one was lost that may have been billed: it is booked too."""

        def again() -> None:
            if self.budget is not None and booking is not None:
                self.budget.lose(booking)

        return again

    def _about(self, request: Request) -> dict[str, Any]:
        number = getattr(request.inputs, "round_number", 0)
        about = {"phase": self.phase, "ticker": self.ticker, "skill": request.skill, "seat": request.seat}
        return {**about, "round_number": number}

    def _keep(self, paid: Sequence[tuple[Question, Request, Reply]]) -> dict[str, str]:
        """Journal replies before anyone judges them, and settle what they cost; gives the answers that count."""
        asked, replies = [one for one, _, _ in paid], [reply for _, _, reply in paid]
        try:
            answers = {one.key: reply.stored() for one, _, reply in paid}
            late = self.journal.keep(answers, self.recorder, self._told(asked, replies), self._settling(paid))
        except StoreError as error:
            lost = ", ".join(f"{reply.request_id or 'a reply'} ({len(reply.text)} characters)" for reply in replies)
            raise StoreError(f"{error}; lost: {lost}") from None
        self.recorder.count("made", len(paid))
        for _, request, reply in paid:
            self.recorder.bill(reply.usage.tokens, cost(reply.usage, request.model, self.rates).micros)
        others = self.journal.take([one for one in asked if one.key in late], self.recorder)
        return {key: answer for key, answer in answers.items() if key not in late} | others

    def _settling(self, paid: Sequence[tuple[Question, Request, Reply]]) -> list[Update]:
        """What calls cost, in place of their bookings."""
        return [
            self.budget.settling(one.key, reply.usage, cost(reply.usage, request.model, self.rates).micros)
            for one, request, reply in paid
            if self.budget is not None and reply.usage.tokens
        ]

    def _told(self, asked: Sequence[Question], replies: Sequence[Reply]) -> list[Event]:
        about = {"ticker": self.ticker or None, "phase": self.phase}
        return [
            self.recorder.event("called", key=one.key, usage=reply.usage, note=_tried(reply), **about)
            for one, reply in zip(asked, replies, strict=True)
        ]

    def _question(self, wanted: Wanted[M], request: Request, errors: list[str]) -> Question:
        skill = self.skills[request.skill]
        shown = {
            "skill": request.skill,
            "seat": request.seat,
            "model": request.model,
            "require": list(request.require),
            "inputs": request.inputs.model_dump(mode="json"),
            "errors": errors,
        }
        identity = {
            "engine": self.engine,
            "model": request.model,
            "skill": skill.digest,
            "prompt": digest(request.prompt.text),
            "schema": digest(wire_text(wanted.returns, wanted.require)),
            "sample": wanted.sample,
        }
        said = {name: chosen(table, request.skill, request.seat) for name, table in self.parameters.items()}
        if parameters := {name: value for name, value in said.items() if value is not None}:
            identity["parameters"] = parameters
        return question(
            "ask",
            identity,
            ticker=self.ticker,
            name=request.skill,
            seat=request.seat,
            request=canonical(shown),
        )

    def _answer(self, wanted: Wanted[M], result: Read[M], model: str, replies: Sequence[Reply]) -> Answer[M]:
        bill = billed(replies, model, self.rates)
        self.noted.update(NOTED.intersection(result.flags) | ({"unpriced"} if not bill["priced"] else set()))
        if result.outcome == "ACCEPT":
            return Answer(result.record, flags=result.flags, dropped=result.dropped, **bill)
        self.recorder.count("void")
        reason = printable("; ".join(result.errors))[:300]
        self.recorder.record(
            self.recorder.event(
                "voided",
                ticker=self.ticker or None,
                phase=self.phase,
                note=f"{wanted.seat or wanted.skill}: {result.outcome}: {reason}",
            )
        )
        return Answer(None, void=f"{result.outcome.lower()}: {reason}", flags=result.flags, **bill)


def model_of(models: Mapping[str, str], skill: str, seat: str) -> str:
    """The model of a seat: `<skill>/<seat>` if configured, else `<skill>`, else `default`."""
    model = chosen(models, skill, seat)
    if model is None:
        raise UsageError(f"models: no entry for {skill} and no default; add `default:`")
    return model


def chosen(table: Mapping[str, V], skill: str, seat: str) -> V | None:
    """What a table says for a seat, most exact name first: `<skill>/<seat>`, `<skill>`, `default`."""
    return next((table[name] for name in (f"{skill}/{seat}", skill, "default") if name in table), None)


def _tried(reply: Reply) -> str | None:
    """The tries of a reply that took more than one, for a reader."""
    tries = [f"{one.status} {one.request_id or '(no id)'}" for one in reply.attempts]
    return f"{len(tries)} tries: {', '.join(tries)}" if len(tries) > 1 else None


def _read(wanted: Wanted[M], reply: Reply, *, last: bool) -> Read[M]:
    return read(
        reply.text,
        reply.stop_reason,
        returns=wanted.returns,
        require=wanted.require,
        inputs=wanted.inputs,
        checks=wanted.checks,
        last=last,
    )
