"""Currencies that prices are quoted in by the hundredth."""

MINOR_UNITS: dict[str, str] = {"GBp": "GBP", "GBX": "GBP", "ZAc": "ZAR", "ZAC": "ZAR", "ILA": "ILS"}
"""The currency itself, by the code of its hundredth: pence, cents of Johannesburg, agorot."""
