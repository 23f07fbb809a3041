"""The guide for agents: its rules make the inputs that a night makes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.conftest import Night
from tests.skill_command.turns import Say, bare, turns_of


def test_the_rules_of_the_guide_make_the_inputs_that_a_night_makes(say: Say, nights: Night, tmp_path: Path) -> None:
    """Both roles for two rounds and the manager, driven as `run-debate` says, against the engine's own debate."""
    turns = [turn for turn in turns_of(nights, tmp_path / "spare") if turn.protocol == "desk"]
    made = {(turn.seat, turn.inputs.get("round_number")): turn.inputs for turn in turns}
    opening = {side: made[side, 1] for side in ("bull", "bear")}
    spoken: list[dict[str, Any]] = []
    for number in (1, 2, 3):
        inputs = {side: _next_inputs(opening[side], spoken, side, number) for side in opening}
        assert bare({side: made[side, number] for side in opening}) == bare(inputs)
        for one in inputs.values():
            told = say("skill", "research-debate", "--inputs", "-", "--out", tmp_path / "out", stdin=json.dumps(one))
            assert told.code == 0, told.err
            spoken.append(told.json)
    assert bare(_manager_inputs(opening["bull"], spoken)) == bare(made["manager", None])


def _next_inputs(opening: dict[str, Any], spoken: list[dict[str, Any]], side: str, number: int) -> dict[str, Any]:
    if number == 1:
        return opening
    mine = [one for one in spoken if one["role"] == side]
    awaiting = [point for point in _points(spoken) if point["awaits"] == side]
    points = sorted(awaiting, key=lambda point: point["side"] == side)
    shown = [{key: point[key] for key in ("id", "text", "evidence", "rebuttal") if key in point} for point in points]
    return {
        **opening,
        "round_number": number,
        "prior_rounds": _rounds(spoken),
        "last_probability": mine[-1]["probability"],
        "cited_before": sorted({id for one in spoken for id in _cited(one)}),
        **({"open_points": shown} if shown else {}),
    }


def _rounds(spoken: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    for one in spoken:
        number = one["round_number"]
        found.setdefault(number, {"round_number": number})[f"{one['role']}_argument"] = one["argument"]
    return list(found.values())


def _cited(said: dict[str, Any]) -> set[str]:
    parts = [*said.get("claims", ()), *said.get("moves", ()), said["acknowledged"]]
    return {id for part in parts for id in part["evidence"]}


def _points(spoken: list[dict[str, Any]]) -> list[dict[str, Any]]:
    other = {"bull": "bear", "bear": "bull"}
    points = [
        {"id": f"{one['role']}.1.c{at}", "side": one["role"], "text": claim["text"], "evidence": claim["evidence"]}
        | {"awaits": other[one["role"]], "answer": "unaddressed"}
        for one in spoken
        if one["round_number"] == 1
        for at, claim in enumerate(one["claims"], 1)
    ]
    by_id = {point["id"]: point for point in points}
    for one in spoken:
        for move in one.get("moves", ()):
            point, own = by_id[move["target"]], by_id[move["target"]]["side"] == one["role"]
            if point["awaits"] != one["role"]:
                continue
            if move["kind"] == "conceded":
                point |= {"awaits": None, "answer": "withdrawn" if own else "conceded"}
            elif move["kind"] == "rebutted":
                met = own or point["answer"] == "met"
                point |= {"awaits": other[one["role"]], "answer": "met" if met else "rebutted", "rebuttal": move}
            elif point["answer"] == "unaddressed":
                point["answer"] = "carried"
    return points


def _manager_inputs(opening: dict[str, Any], spoken: list[dict[str, Any]]) -> dict[str, Any]:
    items = {one["id"]: one for one in opening["evidence"]}
    worth = {1: 1.0, 2: 0.75, 3: 0.5, 4: 0.25}
    claims = [
        {key: point[key] for key in ("id", "side", "text", "evidence", "answer")}
        | {"weight": max(worth[items[id]["tier"]] / (2 if items[id]["stale"] else 1) for id in point["evidence"])}
        for point in _points(spoken)
    ]
    shared = {key: opening[key] for key in ("ticker", "question", "evidence")}
    return {**shared, "rounds": _rounds(spoken), "claims": claims}
