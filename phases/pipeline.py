"""The phases of a night, in running order. Read this file first.

Data flows down one slope; every arrow is a function from frozen records to one frozen record.

    macro_snapshot ─▶ bias_row ─┐                                   once a night
    market_snapshot ─▶ news ─▶ news_snapshot                        per ticker
    both snapshots  ─▶ analyst_payload ─▶ case ─▶ debate_transcript ─▶ debate_summary    per ticker
                                                                            └─▶ portfolio_feed ─▶ risk_case
"""

from phases.analyst_payload import analyst_payload
from phases.core.phase import Phase
from phases.macro_bias import bias_row
from phases.market_data import macro_snapshot, market_snapshot, news
from phases.news import news_snapshot
from phases.portfolio_feed import portfolio_feed
from phases.research_debate import case, debate_transcript
from phases.research_manager import debate_summary
from phases.risk import risk_case

PIPELINE: tuple[Phase, ...] = (
    macro_snapshot,
    bias_row,
    market_snapshot,
    news,
    news_snapshot,
    analyst_payload,
    case,
    debate_transcript,
    debate_summary,
    portfolio_feed,
    risk_case,
)
"""Every phase: what it needs must be made above it."""
