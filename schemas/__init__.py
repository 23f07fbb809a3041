"""The contracts. Models are the source; `schemas/json/` is generated from them. Imports nothing of ours.

`CONTRACTS` maps every published name to its model. It is built at first use: checking one
document against one contract needs no other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schemas.contracts import CONTRACTS as CONTRACTS


def __getattr__(name: str) -> object:
    if name == "CONTRACTS":
        from schemas import contracts

        return contracts.CONTRACTS
    raise AttributeError(name)
