"""Yahoo's keys and our names of figures. The one table; everything else reads it.

Money is in the currency of the statements (`financialCurrency`), market value in that of the
listing; ratios are ratios (0.05 is 5 percent), as Yahoo writes these keys. `now` is a level at the fetch,
`ttm` the twelve months that end with the last quarter, `quarter` its three, or a level at its end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

Period = Literal["quarter", "year", "ttm", "now"]

Sort = Literal["market", "money", "ratio", "count", "per_price", "mixed"]
"""`market`: money in the listing's currency; `money`: in that of the statements; `per_price`: a share's price to
one of its figures, wrong by 100 where the price is in pence; `mixed`: a ratio of `market` and `money`."""


class Told(NamedTuple):
    """One figure of `info`."""

    name: str
    """Our name."""
    key: str
    """Yahoo's key."""
    sort: Sort
    period: Period
    below: str = ""
    """For `per_price`: Yahoo's key of what the price is divided by."""


INFO: tuple[Told, ...] = (
    Told("market_cap", "marketCap", "market", "now"),
    Told("enterprise_value", "enterpriseValue", "market", "now"),
    Told("trailing_pe", "trailingPE", "per_price", "ttm", "trailingEps"),
    Told("forward_pe", "forwardPE", "per_price", "now", "forwardEps"),
    Told("price_to_book", "priceToBook", "per_price", "now", "bookValue"),
    Told("ev_to_ebitda", "enterpriseToEbitda", "mixed", "ttm"),
    Told("revenue", "totalRevenue", "money", "ttm"),
    Told("net_income", "netIncomeToCommon", "money", "ttm"),
    Told("ebitda", "ebitda", "money", "ttm"),
    Told("free_cash_flow", "freeCashflow", "money", "ttm"),
    Told("operating_cash_flow", "operatingCashflow", "money", "ttm"),
    Told("total_debt", "totalDebt", "money", "quarter"),
    Told("cash", "totalCash", "money", "quarter"),
    Told("gross_margin", "grossMargins", "ratio", "ttm"),
    Told("operating_margin", "operatingMargins", "ratio", "ttm"),
    Told("net_margin", "profitMargins", "ratio", "ttm"),
    Told("revenue_growth", "revenueGrowth", "ratio", "quarter"),
    Told("earnings_growth", "earningsGrowth", "ratio", "quarter"),
    Told("return_on_equity", "returnOnEquity", "ratio", "ttm"),
    Told("return_on_assets", "returnOnAssets", "ratio", "ttm"),
    Told("shares", "sharesOutstanding", "count", "now"),
)

FLOWS: Mapping[str, str] = {
    "revenue": "TotalRevenue",
    "gross_profit": "GrossProfit",
    "operating_income": "OperatingIncome",
    "net_income": "NetIncome",
    "ebitda": "EBITDA",
}
"""Income statement: money of a quarter."""

CASH: Mapping[str, str] = {"free_cash_flow": "FreeCashFlow", "operating_cash_flow": "OperatingCashFlow"}
"""Cash flow statement: money of a quarter."""

LEVELS: Mapping[str, str] = {
    "total_debt": "TotalDebt",
    "cash": "CashCashEquivalentsAndShortTermInvestments",
    "equity": "StockholdersEquity",
    "shares": "OrdinarySharesNumber",
}
"""Balance sheet: levels at the end of a quarter."""

KINDS: Mapping[str, str] = {
    "EQUITY": "stock",
    "ETF": "fund",
    "MUTUALFUND": "fund",
    "INDEX": "index",
    "CRYPTOCURRENCY": "crypto",
    "CURRENCY": "currency",
}
"""What a symbol is, by `quoteType`."""

QUARTER_LAG, YEAR_LAG = 75, 100
"""Days after the end of a quarter, or of a year, when its statements are taken to be known."""
