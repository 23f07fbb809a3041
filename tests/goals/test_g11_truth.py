"""G11, truth: whatever a night meets, its statuses, its summary, its files and its exit code say the same."""

from __future__ import annotations

import csv
import io
import json
import random
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bench.fake_model.server import FakeModel
from phases.entry import exit_code
from run_pipeline import app
from tests.conftest import DAY, Goal, Shelf
from tests.phases.core.scripted import NIGHTLY, ROOT

NAMES = ("AAPL", "GOOG", "IBM", "MSFT")
RATED = {"contested", "degraded", "gated", "debated"}
WORDS_ONLY = {"text": "I would rather talk about something else."}


class Cause(NamedTuple):
    """What befalls one ticker, and the status that its row must have in a night with debates, and in one without."""

    rules: tuple[tuple[dict[str, Any], Any], ...]
    """Which of its turns, and what the server does with them."""
    debated: str
    gated: str


ANALYSTS = ("technical-analyst", "sentiment-analyst")
OPENINGS = tuple({"skill": "research-debate", "seat": seat, "round": 1} for seat in ("bull", "bear"))
CAUSES: Mapping[str, Cause] = {
    "nothing": Cause((), "debated", "gated"),
    "an analyst refuses": Cause((({"skill": ANALYSTS[0]}, "refuse"),), "degraded", "degraded"),
    "both analysts refuse": Cause(tuple(({"skill": one}, "refuse") for one in ANALYSTS), "refused", "refused"),
    "both analysts babble": Cause(tuple(({"skill": one}, WORDS_ONLY) for one in ANALYSTS), "failed", "failed"),
    "one analyst refuses, one babbles": Cause(
        (({"skill": ANALYSTS[0]}, "refuse"), ({"skill": ANALYSTS[1]}, WORDS_ONLY)), "failed", "failed"
    ),
    "one opening void": Cause(((OPENINGS[0], WORDS_ONLY),), "debated", "gated"),
    "both openings refused": Cause(tuple((one, "refuse") for one in OPENINGS), "refused", "gated"),
    "both openings void": Cause(tuple((one, WORDS_ONLY) for one in OPENINGS), "failed", "gated"),
    "the manager refuses": Cause((({"skill": "research-manager"}, "refuse"),), "failed", "gated"),
    "an analyst's reply cut": Cause(
        (({"skill": ANALYSTS[1], "repair": False}, {"truncate": "cut"}),), "debated", "gated"
    ),
    "a limit passes": Cause((({"attempt": 1}, {"status": 429, "retry_after": "0"}),), "debated", "gated"),
    "a prompt too long": Cause(
        (({"skill": ANALYSTS[0]}, {"status": 400, "message": "prompt is too long: 9 tokens > 8 maximum"}),),
        "failed",
        "failed",
    ),
}
OTHERS = {"NOSUCH": "no_data", "^GSPC": "refused"}


class Mix(NamedTuple):
    """One night: what befalls whom, and what stops it."""

    causes: dict[str, str]
    others: tuple[str, ...]
    held: tuple[str, ...]
    debate: str
    stop: str
    """`ceiling`, `down` or nothing."""


def mixes() -> list[Mix]:
    """Every cause at least once, then at random."""
    dice, found = random.Random(11), []
    names = list(CAUSES)
    for at in range(100 if NIGHTLY else 6):
        drawn = [names[(at * 2 + more) % len(names)] for more in (0, 1)]
        drawn += [dice.choice(names) if NIGHTLY else "nothing" for _ in range(2 if NIGHTLY else 0)]
        causes = dict(zip(dice.sample(NAMES, len(drawn)), drawn, strict=True))
        others = tuple(one for one in OTHERS if dice.random() < 0.4)
        held = tuple(one for one in ("HELDX",) if dice.random() < 0.4)
        found.append(
            Mix(causes, others, held, "none" if at % 4 == 3 else "all", {2: "ceiling", 5: "down"}.get(at % 9, ""))
        )
    return found


def expected(mix: Mix) -> dict[str, str]:
    """Statuses of a night that nothing stops."""
    known = {
        name: CAUSES[cause].gated if mix.debate == "none" else CAUSES[cause].debated
        for name, cause in mix.causes.items()
    }
    return {**known, **{one: OTHERS[one] for one in mix.others}, **dict.fromkeys(mix.held, "no_data")}


def _scenario(mix: Mix) -> dict[str, Any]:
    rules = [
        {"when": {"ticker": ticker, **when}, "do": do}
        for ticker, cause in mix.causes.items()
        for when, do in CAUSES[cause].rules
    ]
    down = [{"when": {"skill": "research-debate"}, "do": {"status": 401}}] if mix.stop == "down" else []
    return {"script": [*down, *rules]}


def _run(mix: Mix, out: Path, url: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of the command line."""
    words = ["run", *mix.causes, *mix.others, "--config", str(ROOT / "configs/anthropic.yaml"), "--as-of", DAY]
    words += ["--set", f"provider.base_url={url}", "--debate", mix.debate, "--out", str(out), "--json"]
    words += ["--set", f"held={json.dumps(mix.held)}"] if mix.held else []
    words += ["--max-cost", "0.1"] if mix.stop == "ceiling" else []
    code = exit_code(app, words, debug=False)
    said = capsys.readouterr()
    return code, said.out, said.err


def _agree(shelf: Shelf, code: int, record: dict[str, Any]) -> dict[str, str]:
    """Everything that tells of the night says the same; gives the statuses."""
    rows = json.loads((shelf.folder / "feed.json").read_text())["rows"]
    lines = list(csv.DictReader(io.StringIO((shelf.folder / "feed.csv").read_text())))
    statuses = {row["ticker"]: row["status"] for row in rows}
    assert {line["ticker"].removeprefix("'"): line["status"] for line in lines} == statuses
    assert json.loads((shelf.folder / "run.json").read_text()) == record
    assert record["tickers"] == statuses and record["statuses"] == dict(Counter(statuses.values()))
    ((state, kept),) = shelf.ask("SELECT state, record FROM runs")
    assert (state, json.loads(kept)) == ("finished", record)
    assert dict(shelf.ask("SELECT ticker, status FROM feed")) == statuses
    assert record["exit"] == code
    assert code == (3 if "unpaid" in statuses.values() else 0 if set(statuses.values()) <= RATED else 1)
    for row in rows:
        numbers = ("stance", "conviction_pre", "conviction_post", "probability_post")
        assert {row[name] is not None for name in numbers} == {row["status"] in RATED}, row
        assert row["reason"] or row["status"] in ("debated", "gated")
        assert row["held"] == (row["ticker"] == "HELDX")
    return statuses


def test_G11_statuses_files_and_exit_code_say_the_same(
    tmp_path: Path, goal: Goal, capsys: pytest.CaptureFixture[str]
) -> None:
    met: Counter[str] = Counter()
    for at, mix in enumerate(mixes()):
        shelf = Shelf(tmp_path / str(at))
        with FakeModel(_scenario(mix)) as server:
            code, out, err = _run(mix, shelf.path, server.url, capsys)
            told = expected(mix)
            debates = [one for one in map(CAUSES.__getitem__, mix.causes.values()) if one.gated in RATED]
            if mix.stop == "down" and debates and mix.debate == "all":
                assert (code, out, shelf.ask("SELECT state, record FROM runs")) == (4, "", [("stopped", None)]), mix
                assert err.splitlines()[-1].startswith("error: ") and "--resume last" in err
                assert [one for one in shelf.path.iterdir() if one.is_dir()] == []
                met["stopped"] += 1
                continue
            statuses = _agree(shelf, code, json.loads(out))
        if mix.stop == "ceiling":
            assert all(status in ("unpaid", told[name]) for name, status in statuses.items()), (mix, statuses)
        else:
            assert statuses == told, (mix, statuses)
        met.update(statuses.values())
    nights = len(mixes())
    goal("G11 truthful status and exit code", mixes=nights, in_agreement=nights, **dict(sorted(met.items())))
