"""`fetch`: the one door through which data enters. Journal first, exactly like `ask`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol, TypeVar, runtime_checkable

from phases.core.errors import NoData, SourceDown
from phases.core.journal import Journal, Question, question
from phases.core.recorder import Recorder
from phases.core.text import canonical
from schemas.base import Model

M = TypeVar("M", bound=Model)

DATA = '{"data":'
"""How a stored answer begins that is one; what follows, but the last brace, is the answer itself."""


class Source(Protocol):
    """A place data comes from. The same question has the same answer for one vintage."""

    name: str
    """Key in the table of sources; stands in every evidence item."""

    vintage: str
    """Digest of the data behind the answers; part of a run's identity, never of a prompt. Of a source that is
    reached over a network it only says so: what it answered is kept in the journal."""

    live: bool
    """Whether it is reached over a network: the same question may have another answer tomorrow."""

    def fetch(self, dataset: str, params: Mapping[str, str]) -> Any:
        """Answer one question with a plain JSON value.

        Raises `NoData` when there is certainly nothing (unknown symbol, no bar yet) and
        `SourceDown` when the source itself cannot answer; `Unanswered` where it gave nothing and
        nobody knows why.
        """
        ...


@runtime_checkable
class Parted(Protocol):
    """A source made of several, of which some may be reached without a network."""

    def stored_only(self) -> Source:
        """The same, but what is reached over a network is only read where it is stored."""
        ...


@dataclass
class Stored:
    """A source that is not asked: what the journal does not hold of it is missing, and is said to be."""

    name: str
    vintage: str
    live: bool = True

    def fetch(self, dataset: str, params: Mapping[str, str]) -> NoReturn:
        """Raise Unstored: whoever asks has looked into the journal before."""
        night = f" for the night of {params['as_of']}" if "as_of" in params else ""
        about = f" of {params['symbol']}" if "symbol" in params else ""
        raise Unstored(f"{self.name}: no stored answer to {dataset}{about}{night}; run once without --offline")


class Unstored(SourceDown):
    """A source has no stored answer, and may not be asked for one."""


def stored_only(source: Source) -> Source:
    """The source as it may be used where no network is: what is local answers, the rest only from the journal."""
    if isinstance(source, Parted):
        return source.stored_only()
    return Stored(source.name, source.vintage) if source.live else source


@dataclass(frozen=True)
class Fetch:
    """The door of one phase and one ticker. `source` is absent in a replay."""

    source_name: str
    vintage: str
    source: Source | None
    journal: Journal
    recorder: Recorder
    ticker: str = ""
    offline: bool = False
    """Whether only what is stored may be used."""

    def __call__(self, dataset: str, returns: type[M], **params: str) -> M:
        """The answer to one question, typed.

        Raises NoData if the source has certainly nothing, SourceDown if it does not answer,
        NotJournaled in a replay whose journal lacks the answer.
        """
        shown = {"source": self.source_name, "dataset": dataset, "params": params}
        asked = question(
            "fetch",
            {**shown, "vintage": self.vintage},
            ticker=self.ticker,
            name=dataset,
            seat="",
            request=canonical(shown),
        )
        if self.source is None:
            found = self.journal.demand([asked])
        else:
            found = self.journal.take([asked], self.recorder)
        while asked.key not in found:
            found = self._answer(self.source, dataset, params, asked)
        kept = found[asked.key]
        if not kept.startswith(DATA):
            raise NoData(json.loads(kept)["no_data"])
        return returns.model_validate_json(kept[len(DATA) : -1])

    def _answer(
        self, source: Source | None, dataset: str, params: Mapping[str, str], asked: Question
    ) -> dict[str, str]:
        """The answer that counts: nothing yet, if it came late and nobody else has one."""
        assert source is not None
        source = stored_only(source) if self.offline else source
        try:
            answer = canonical({"data": source.fetch(dataset, params)})
        except NoData as nothing:
            answer = canonical({"no_data": nothing.reason})
        except BaseException:
            self.journal.release([asked])
            raise
        late = self.journal.keep({asked.key: answer}, self.recorder, ())
        return self.journal.take([asked], self.recorder) if late else {asked.key: answer}
