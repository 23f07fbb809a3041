"""What earlier nights left for this one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from phases.core.runs import Runs
from schemas.bias import BiasRow
from schemas.debate import Case
from schemas.feed import FeedRow
from schemas.ledger import DebateTranscript
from schemas.market import MacroSnapshot, MarketSnapshot, News
from schemas.run import History, LastDebate, LastRow, Told
from schemas.summary import DebateSummary


def history_of(runs: Runs | None, tickers: Sequence[str], session: date, engine: str) -> History:
    """What earlier nights of the same engine left. Reads the store."""
    if runs is None:
        return History()
    before = session.isoformat()
    rows = [FeedRow.model_validate_json(row) for row in runs.latest_rows(tickers, before, engine)]
    debated = runs.latest_rows(tickers, before, engine, holding=("transcript_hash", "decided_by"))
    bias = runs.latest_artefact("bias_row", before, engine)
    macro = runs.latest_artefact("macro_snapshot", before, engine)
    return History(
        rows=tuple(LastRow(session=row.as_of, ticker=row.ticker, status=row.status, stance=row.stance) for row in rows),
        bias_row=None if bias is None else BiasRow.model_validate_json(bias),
        debates=tuple(_debate(runs, FeedRow.model_validate_json(row)) for row in debated),
        macro={} if macro is None else MacroSnapshot.model_validate_json(macro).bodies,
        told=_told(runs, tickers, before, engine),
    )


def _told(runs: Runs, tickers: Sequence[str], before: str, engine: str) -> dict[str, Told]:
    """What earlier nights were told of each ticker. Reads the store."""
    snapshots, news = (runs.latest_artefacts(name, tickers, before, engine) for name in ("market_snapshot", "news"))
    figures = {ticker: MarketSnapshot.model_validate_json(body).bodies for ticker, body in snapshots.items()}
    seen = {
        ticker: {one.id: one.published for one in News.model_validate_json(body).items if one.published}
        for ticker, body in news.items()
    }
    both = {ticker: Told(figures=figures.get(ticker, {}), news=seen.get(ticker, {})) for ticker in {*figures, *seen}}
    return {ticker: both[ticker] for ticker in sorted(both) if both[ticker] != Told()}


def _debate(runs: Runs, row: FeedRow) -> LastDebate:
    """The debate that an earlier night held over a ticker. Reads the store."""
    about = Case.model_validate_json(runs.artefact(row.run_id, row.ticker, "case"))
    summary = DebateSummary.model_validate_json(runs.artefact(row.run_id, row.ticker, "debate_summary"))
    transcript = DebateTranscript.model_validate_json(runs.artefact(row.run_id, row.ticker, "debate_transcript"))
    return LastDebate(
        session=row.as_of,
        protocol=transcript.protocol,
        rounds=transcript.configured_rounds,
        probability=about.payload.probability,
        values={one.id: one.value for one in about.bundle},
        summary=summary.model_copy(update={"rounds": ()}),
    )
