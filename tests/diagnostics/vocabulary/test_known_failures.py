"""Lines of Flink, its connectors and the systems around it, read by the catalogues of failures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from diagnostics.notation.stack_trace import bare_cause
from diagnostics.vocabulary.fault_origins import UNKNOWN, origin_of
from diagnostics.vocabulary.fault_traits import LEAST_OF_FAILURE, Thrower, resemblance_of
from diagnostics.vocabulary.message_remedies import known_message
from diagnostics.vocabulary.outside_refusals import refusal_of
from diagnostics.vocabulary.setting_faults import setting_fault_of

ROWS: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    Path(__file__).with_name("known_failures.yaml").read_text("utf-8")
)
OF_ORIGINS = {
    "memory": "resource_shortage",
    "memory_limit": "resource_shortage",
    "own_code": "user_code",
    "restore": "restore_failure",
    "class_loading": "user_code",
    "statement": "user_code",
    "python": "user_code",
    "serialization": "user_code",
    "record": "user_code",
}
"""Origin -> the class of the rule that takes it."""


def shown_by(text: str) -> str | None:
    """The class of causes that the catalogues give a failure with this text, asked in the order of the rules."""
    if setting_fault_of(text):
        return "misconfiguration"
    cause = bare_cause(text)
    assert cause is not None
    name, said = cause.exception_class or "", cause.exception_message or ""
    origin = origin_of(name, said, None, None, text).id
    if origin in OF_ORIGINS:
        return OF_ORIGINS[origin]
    known = known_message(text)
    if origin != UNKNOWN and (refusal_of(text) or (known and known.system)):
        return "outside_system"
    likeness = resemblance_of(Thrower(name, said), [], LEAST_OF_FAILURE)
    return likeness.symptom_class if likeness else None


@pytest.mark.parametrize(
    ("symptom_class", "text"), [(name, row["text"]) for name, rows in ROWS.items() for row in rows]
)
def test_a_failure_is_understood_by_its_text(symptom_class: str, text: str) -> None:
    assert shown_by(text) == symptom_class


def test_each_line_states_its_source() -> None:
    assert all(row["source"] for rows in ROWS.values() for row in rows)
