"""One text serves reader, model and validator: every field says what it is, in sentences."""

from __future__ import annotations

import re
from typing import Any

import pytest

from schemas import CONTRACTS
from schemas.base import Model
from schemas.generate import json_schema
from tests.schemas.instances import models

FIELDS = [(model, name) for model in models() for name in model.model_fields]


def _id(value: object) -> str:
    return value.__name__ if isinstance(value, type) else str(value)


@pytest.mark.parametrize("model", models(), ids=_id)
def test_record_has_a_docstring_of_its_own(model: type[Model]) -> None:
    text = (model.__dict__.get("__doc__") or "").strip()
    assert text
    assert text.splitlines()[0].endswith((".", ":"))


def test_field_has_a_description_that_ends_with_a_full_stop() -> None:
    wrong = {
        f"{model.__name__}.{name}": model.model_fields[name].description
        for model, name in FIELDS
        if not re.fullmatch(r"\S.*\.", model.model_fields[name].description or "", re.DOTALL)
    }
    assert wrong == {}


def test_description_is_one_paragraph_without_marks_of_work_in_progress() -> None:
    for model, name in FIELDS:
        text = model.model_fields[name].description or ""
        assert not re.search(r"\n\s*\n|TODO|FIXME|XXX|\t", text), f"{model.__name__}.{name}"


@pytest.mark.parametrize("model", list(CONTRACTS.values()), ids=_id)
def test_description_reaches_the_schema(model: type[Model]) -> None:
    schema = json_schema(model)
    defs = schema.get("$defs", {})
    assert schema["description"]
    for name, field in model.model_fields.items():
        assert _description(schema["properties"][name], defs) == field.description
    for part in defs.values():
        assert all(_description(one, defs) for one in part["properties"].values())


def _description(part: dict[str, Any], defs: dict[str, Any]) -> Any:
    """A part's own text, or that of the record it refers to where the two are the same."""
    return part.get("description") or defs[part["$ref"].rpartition("/")[2]]["description"]


@pytest.mark.parametrize("model", models(), ids=_id)
def test_record_is_frozen_closed_and_free_of_nan(model: type[Model]) -> None:
    config = model.model_config
    assert config["frozen"] and config["extra"] == "forbid"
    assert config["allow_inf_nan"] is False
    assert json_schema(model)["additionalProperties"] is False
