"""The `author` reading: what adversarial-debate 0.2.2 computes, its faults included. For comparison only."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence

from phases.importers.claims import Claim
from phases.importers.prose import WORDS, Backing, Heard, backings, best

_NAME = re.compile(r"(obj_initial_[ab]_|cl_[AB]_)([0-9]{1,9})")
_UPHOLDING = ("UPHELD", "AGREED", "ACCEPTED")


def contained(text: str, names: Container[str]) -> set[str]:
    """Which names a text contains as plain substrings: a longer number contains the shorter ones.

    >>> sorted(contained("obj_initial_a_10", {"obj_initial_a_1", "obj_initial_a_10", "obj_initial_a_0"}))
    ['obj_initial_a_1', 'obj_initial_a_10']
    """
    spans = ((match.group(), match.start(2) - match.start()) for match in _NAME.finditer(text))
    prefixes = (name[:end] for name, digits in spans for end in range(digits + 1, len(name) + 1))
    return {prefix for prefix in prefixes if prefix in names}


def heard(claims: Sequence[Claim], text: str) -> dict[str, Heard]:
    """Answers that a turn gives, by claim id: on the lines that contain one of its names, the first move word.

    First in the order conceded, rebutted, carried, wherever it stands, denied or not.

    >>> claims = [Claim("cl_A_4", "obj_initial_a_1", "A", "")]
    >>> heard(claims, "obj_initial_a_1 is NOT CONCEDED; REBUTTED")["cl_A_4"].answer
    'conceded'
    """
    owner = {name: claim.id for claim in claims for name in (claim.id, claim.objection)}
    lines = text.split("\n")
    backed = backings(lines)
    said: dict[str, list[tuple[str, Backing]]] = {}
    for at, line in enumerate(lines):
        for claim_id in {owner[name] for name in contained(line, owner)}:
            said.setdefault(claim_id, []).append((line.upper(), backed.get(at, Backing(False, False))))
    answers = {claim_id: _answer(mentions) for claim_id, mentions in said.items()}
    return {claim_id: answer for claim_id, answer in answers.items() if answer is not None}


def _answer(mentions: Sequence[tuple[str, Backing]]) -> Heard | None:
    for word in WORDS:
        backed = [backing for line, backing in mentions if word.upper() in line]
        if backed:
            return Heard(word, best(backed))
    return None


def upheld(claims: Iterable[Claim], texts: Iterable[str]) -> set[str]:
    """Claims of either side whose id stands in a text that has UPHELD, AGREED or ACCEPTED anywhere.

    >>> upheld([Claim("cl_A_1", "obj_initial_a_0", "A", "")], ["I DISAGREED on cl_A_1."])
    {'cl_A_1'}
    """
    names = {claim.id for claim in claims}
    agreeing = (text for text in texts if any(word in text.upper() for word in _UPHOLDING))
    return {name for text in agreeing for name in contained(text, names)}


def rebuts(texts: Iterable[str]) -> bool:
    """Whether any text contains REBUTTED, with an id or without."""
    return any("REBUTTED" in text.upper() for text in texts)
