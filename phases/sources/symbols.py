"""What a symbol means: where it trades, in which currency, and how a vendor or a file name spells it.

Our symbol is the user's own spelling and is kept through store, files, report and feed; the vendor's
is made when the vendor is asked and goes no further.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from phases.maths.currency import MINOR_UNITS

Kind = Literal["stock", "index", "crypto", "currency", "future"]


class Listing(NamedTuple):
    """Where a symbol trades."""

    exchange: str
    """Code of the trading calendar in exchange-calendars."""
    currency: str | None
    """Currency its prices are quoted in, minor units included (`GBp`); absent where the symbol does not say."""
    zone: str | None
    """Time zone of the exchange; absent where the symbol does not say."""
    kind: Kind = "stock"
    known: bool = True
    """Whether the symbol says where it trades; else New York stands in."""


SUFFIXES: dict[str, Listing] = {
    suffix: Listing(exchange, currency, zone)
    for suffixes, exchange, currency, zone in (
        ("L", "XLON", "GBp", "Europe/London"),
        ("IL", "XLON", "USD", "Europe/London"),
        ("IR", "XDUB", "EUR", "Europe/Dublin"),
        ("DE", "XETR", "EUR", "Europe/Berlin"),
        ("F BE DU HM HA MU SG", "XFRA", "EUR", "Europe/Berlin"),
        ("PA", "XPAR", "EUR", "Europe/Paris"),
        ("AS", "XAMS", "EUR", "Europe/Amsterdam"),
        ("BR", "XBRU", "EUR", "Europe/Brussels"),
        ("LS", "XLIS", "EUR", "Europe/Lisbon"),
        ("MI", "XMIL", "EUR", "Europe/Rome"),
        ("MC", "XMAD", "EUR", "Europe/Madrid"),
        ("VI", "XWBO", "EUR", "Europe/Vienna"),
        ("SW", "XSWX", "CHF", "Europe/Zurich"),
        ("AT", "ASEX", "EUR", "Europe/Athens"),
        ("ST", "XSTO", "SEK", "Europe/Stockholm"),
        ("CO", "XCSE", "DKK", "Europe/Copenhagen"),
        ("HE", "XHEL", "EUR", "Europe/Helsinki"),
        ("OL", "XOSL", "NOK", "Europe/Oslo"),
        ("IC", "XICE", "ISK", "Atlantic/Reykjavik"),
        ("TL", "XTAL", "EUR", "Europe/Tallinn"),
        ("RG", "XRIS", "EUR", "Europe/Riga"),
        ("VS", "XLIT", "EUR", "Europe/Vilnius"),
        ("WA", "XWAR", "PLN", "Europe/Warsaw"),
        ("PR", "XPRA", "CZK", "Europe/Prague"),
        ("BD", "XBUD", "HUF", "Europe/Budapest"),
        ("RO", "XBSE", "RON", "Europe/Bucharest"),
        ("IS", "XIST", "TRY", "Europe/Istanbul"),
        ("TA", "XTAE", "ILA", "Asia/Jerusalem"),
        ("SR", "XSAU", "SAR", "Asia/Riyadh"),
        ("JO", "XJSE", "ZAc", "Africa/Johannesburg"),
        ("HK", "XHKG", "HKD", "Asia/Hong_Kong"),
        ("SS", "XSHG", "CNY", "Asia/Shanghai"),
        ("SZ", "XSHG", "CNY", "Asia/Shanghai"),  # Shenzhen keeps the holidays of Shanghai
        ("T", "XTKS", "JPY", "Asia/Tokyo"),
        ("KS KQ", "XKRX", "KRW", "Asia/Seoul"),
        ("TW TWO", "XTAI", "TWD", "Asia/Taipei"),
        ("SI", "XSES", "SGD", "Asia/Singapore"),
        ("KL", "XKLS", "MYR", "Asia/Kuala_Lumpur"),
        ("JK", "XIDX", "IDR", "Asia/Jakarta"),
        ("BK", "XBKK", "THB", "Asia/Bangkok"),
        ("PS", "XPHS", "PHP", "Asia/Manila"),
        ("NS BO", "XBOM", "INR", "Asia/Kolkata"),  # both exchanges of Mumbai keep the same holidays
        ("KA", "XKAR", "PKR", "Asia/Karachi"),
        ("AX", "XASX", "AUD", "Australia/Sydney"),
        ("NZ", "XNZE", "NZD", "Pacific/Auckland"),
        ("TO CN NE", "XTSE", "CAD", "America/Toronto"),
        ("V", "XTSX", "CAD", "America/Toronto"),
        ("SA", "BVMF", "BRL", "America/Sao_Paulo"),
        ("MX", "XMEX", "MXN", "America/Mexico_City"),
        ("BA", "XBUE", "ARS", "America/Argentina/Buenos_Aires"),
        ("SN", "XSGO", "CLP", "America/Santiago"),
        ("NYB", "IEPA", "USD", "America/New_York"),
        ("CBT CME CMX NYM", "CMES", "USD", "America/Chicago"),
    )
    for suffix in suffixes.split()
}
"""Exchanges by the suffix after the last dot."""

INDICES: dict[str, str] = {
    f"^{name}": suffix
    for names, suffix in (
        ("FTSE FTMC FTAS FTLC", "L"),
        ("ISEQ", "IR"),
        ("GDAXI MDAXI SDAXI TECDAX STOXX50E STOXX", "DE"),
        ("FCHI SBF120 N100 N150", "PA"),
        ("AEX AMX", "AS"),
        ("BFX", "BR"),
        ("IBEX", "MC"),
        ("SSMI SSHI", "SW"),
        ("OMX OMXSPI OMXS30", "ST"),
        ("OMXC20 OMXC25 OMXCPI", "CO"),
        ("OMXH25 OMXHPI", "HE"),
        ("OSEAX", "OL"),
        ("ATX", "VI"),
        ("BUX", "BD"),
        ("N225 TOPX", "T"),
        ("HSI HSCE HSTECH", "HK"),
        ("KS11 KS200", "KS"),
        ("KQ11", "KQ"),
        ("TWII", "TW"),
        ("STI", "SI"),
        ("KLSE", "KL"),
        ("JKSE JKLQ45", "JK"),
        ("BSESN", "BO"),
        ("NSEI NSEBANK NSEMDCP50 CNX100 CNXIT CRSLDX", "NS"),
        ("AXJO AXKO AORD ATLI", "AX"),
        ("NZ50", "NZ"),
        ("GSPTSE", "TO"),
        ("BVSP IBX50", "SA"),
        ("MXX", "MX"),
        ("MERV", "BA"),
        ("IPSA", "SN"),
    )
    for name in names.split()
}
"""Indices of other countries, by the suffix of their exchange."""

HOME_INDICES = frozenset(
    f"^{name}"
    for names in (
        "GSPC SPX SP500TR OEX MID SP400 SP600 SML DJI DJT DJU DJA IXIC NDX NDXE NBI RUT RUI RUA RMZ NYA XAX W5000",
        "VIX VIX1D VIX9D VIX3M VIX6M VXN VXD VXO RVX VVIX SKEW GVZ OVX MOVE IRX FVX TNX TYX",
        "SOX XAU HUI BKX KRX XOI OSX DXY",
    )
    for name in names.split()
)
"""Indices of the United States. Any other that is not listed is taken for one of New York with a note."""

_CLASS = re.compile(r"[A-Z]|PR[A-Z]?|P[A-Z]|WS[A-Z]?|WT|UN?|RT|WI|CL")
"""What stands behind the dot of a listing of New York: a class of shares, preferred ones, warrants, units, rights."""

_NEW_YORK = Listing("XNYS", None, None)
_CRYPTO = re.compile(r"[A-Z0-9]+-(USD|EUR|GBP|JPY|CAD|AUD|CHF|KRW|INR|BRL|TRY)\Z")
_JOINTS = re.compile(r"[._=-]")


def listing(symbol: str) -> Listing:
    """Where a symbol trades; one without a suffix is a listing of New York, and so is one of which nothing is known.

    >>> listing("0700.HK").exchange, listing("BTC-USD").exchange, listing("BRK.B").exchange
    ('XHKG', '24/7', 'XNYS')
    """
    if symbol.startswith("^"):
        found = SUFFIXES.get(INDICES.get(symbol) or symbol.rpartition(".")[2], _NEW_YORK)
        known = found is not _NEW_YORK or symbol in HOME_INDICES
        return found._replace(kind="index", currency=MINOR_UNITS.get(found.currency or "", found.currency), known=known)
    if symbol.endswith("=X"):
        pair = symbol.removesuffix("=X")
        return Listing("24/5", pair[-3:], "UTC", "currency")
    if symbol.endswith("=F"):
        return Listing("CMES", "USD", "America/Chicago", "future")
    crypto = _CRYPTO.match(symbol)
    if crypto:
        return Listing("24/7", crypto[1], "UTC", "crypto")
    _, dot, suffix = symbol.rpartition(".")
    if not dot:
        return _NEW_YORK
    return SUFFIXES.get(suffix) or _NEW_YORK._replace(known=_CLASS.fullmatch(suffix) is not None)


def yahoo_symbol(symbol: str) -> str:
    """Yahoo's spelling: class shares with a dash, the exchange after a dot, Hong Kong in four digits.

    >>> [yahoo_symbol(one) for one in ("BRK.B", "BRK-B", "700.HK", "NOVO.B.CO", "^GSPC", "EURUSD=X")]
    ['BRK-B', 'BRK-B', '0700.HK', 'NOVO-B.CO', '^GSPC', 'EURUSD=X']
    """
    root, dot, suffix = symbol.rpartition(".")
    if not dot or suffix not in SUFFIXES:
        return symbol.replace(".", "-")
    if suffix == "HK" and root.isdigit():
        root = root.zfill(4)
    return f"{root.replace('.', '-')}.{suffix}"


def file_key(name: str) -> str:
    """What all spellings of a symbol in file names share: `BRK.B`, `BRK-B` and `BRK_B` have one key.

    >>> file_key("0700.HK") == file_key("0700_HK"), file_key("^GSPC") == file_key("%5EGSPC")
    (True, True)
    """
    return _JOINTS.sub("-", name.replace("%5E", "^"))


def symbol_of_file(name: str) -> str:
    """The symbol a file name stands for, as a user would write it.

    >>> [symbol_of_file(one) for one in ("0700_HK", "BRK-B", "BRK_B", "%5EGSPC", "EURUSD_X")]
    ['0700.HK', 'BRK-B', 'BRK-B', '^GSPC', 'EURUSD=X']
    """
    root, joint, last = name.replace("%5E", "^").rpartition("_")
    root = root.replace("_", "-")
    if not joint:
        return last
    if last == "X" and re.fullmatch("(?:[A-Z]{3}){1,2}", root):
        return f"{root}={last}"
    return f"{root}{'.' if last in SUFFIXES else '-'}{last}"
