"""Our spelling of a symbol and Yahoo's, and Yahoo's names of exchanges as trading calendars."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

CALENDARS: Mapping[str, str] = {
    "AMS": "XAMS",
    "ASE": "XNYS",
    "ASX": "XASX",
    "ATH": "ASEX",
    "BER": "XFRA",
    "BRU": "XBRU",
    "BSE": "XBOM",
    "BTS": "XNYS",
    "BUD": "XBUD",
    "BUE": "XBUE",
    "CBT": "CMES",
    "CCC": "24/7",
    "CCY": "24/5",
    "CGI": "XNYS",
    "CME": "CMES",
    "CMX": "CMES",
    "CPH": "XCSE",
    "DJI": "XNYS",
    "DUS": "XDUS",
    "EBS": "XSWX",
    "FGI": "XLON",
    "FRA": "XFRA",
    "GER": "XETR",
    "HAM": "XHAM",
    "HEL": "XHEL",
    "HKG": "XHKG",
    "ICE": "XICE",
    "IOB": "XLON",
    "ISE": "XDUB",
    "IST": "XIST",
    "JKT": "XIDX",
    "JNB": "XJSE",
    "JPX": "XTKS",
    "KLS": "XKLS",
    "KOE": "XKRX",
    "KSC": "XKRX",
    "LIS": "XLIS",
    "LSE": "XLON",
    "MCE": "XMAD",
    "MEX": "XMEX",
    "MIL": "XMIL",
    "MUN": "XFRA",
    "NAS": "XNYS",
    "NCM": "XNYS",
    "NGM": "XNYS",
    "NIM": "XNYS",
    "NMS": "XNYS",
    "NSI": "XBOM",
    "NYB": "IEPA",
    "NYM": "CMES",
    "NYQ": "XNYS",
    "NYS": "XNYS",
    "NZE": "XNZE",
    "OEM": "XNYS",
    "OPR": "XNYS",
    "OSA": "XTKS",
    "OSL": "XOSL",
    "PAR": "XPAR",
    "PCX": "XNYS",
    "PNK": "XNYS",
    "PRA": "XPRA",
    "SAO": "BVMF",
    "SAU": "XSAU",
    "SES": "XSES",
    "SET": "XBKK",
    "SGO": "XSGO",
    "SHH": "XSHG",
    "SHZ": "XSHG",
    "SNP": "XNYS",
    "STO": "XSTO",
    "STU": "XSTU",
    "TAI": "XTAI",
    "TLV": "XTAE",
    "TOR": "XTSE",
    "TSX": "XTSE",
    "TWO": "XTAI",
    "VAN": "XTSE",
    "VIE": "XWBO",
    "WCB": "XNYS",
    "WSE": "XWAR",
    "YHD": "XNYS",
}
"""Calendars by the code of the exchange in the history's metadata. BATS, pink sheets and indices of New York keep its
days; Shenzhen keeps those of Shanghai, the National Stock Exchange of India those of Bombay."""

_CLASS = re.compile(r"([A-Z]{1,4})\.([A-Z])\Z")
_SINGLE_LETTER_EXCHANGES = frozenset("FLTV")
"""Frankfurt, London, Tokyo and TSX Venture: `BARC.L` is no class of a share."""


def vendor_symbol(ticker: str) -> str:
    """Yahoo's spelling: a share class stands behind a dash, an exchange behind a dot.

    >>> [vendor_symbol(one) for one in ("BRK.B", "BRK-B", "0700.HK", "SHEL.L", "^GSPC", "CON")]
    ['BRK-B', 'BRK-B', '0700.HK', 'SHEL.L', '^GSPC', 'CON']
    """
    share = _CLASS.match(ticker)
    return f"{share[1]}-{share[2]}" if share and share[2] not in _SINGLE_LETTER_EXCHANGES else ticker


def calendar_of(meta: Mapping[str, Any]) -> str | None:
    """Calendar of the exchange that the history's metadata names; None where it is not known."""
    if meta.get("instrumentType") == "CRYPTOCURRENCY":
        return "24/7"
    return CALENDARS.get(str(meta.get("exchangeName") or meta.get("exchange")))
