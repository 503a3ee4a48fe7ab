"""Values that no evidence holds get a field, on the runbook and beside the plan of the case."""

from __future__ import annotations

from typing import Any

from diagnostics.language import CHINESE
from workbench.languages.sentences import in_language
from workbench.runbooks.placeholders import placeholders, plan_placeholders, value_fields

START = "flink run -s <savepoint-path> a.jar"


def change(kind: str, to: str) -> dict[str, str]:
    return {"kind": kind, "to": to}


def test_a_plan_has_the_fields_of_what_is_copied_from_it() -> None:
    offered: dict[str, Any] = {"changes": [change("config", "bound: <bound>"), change("code", "new <function>()")]}
    plan = {"changes": [change("command", "ls <path>")], "open": [offered], "restart": {"look": "", "command": START}}
    assert plan_placeholders([plan, plan]) == ["path", "bound", "savepoint-path"]
    assert plan_placeholders([plan | {"restart": None, "open": []}]) == ["path"]


def test_a_runbook_has_those_of_its_steps() -> None:
    way = {"look": "", "command": START}
    step = {"look": [{"command": "ls <path>"}], "savepoint": way, "change": [change("code", "<x>")]}
    assert placeholders([step]) == ["path", "savepoint-path"]


def test_a_number_that_code_needs_has_a_field_and_an_expression_that_it_needs_has_none() -> None:
    to = "stream.keyBy(r -> r.<key>); limiter = RateLimiter.create(<agreed requests per second> / 4.0);"
    step = {"look": [], "savepoint": None, "change": [{"kind": "code", "to": to}]}
    assert placeholders([step]) == ["agreed requests per second"]


def test_a_field_has_a_label_in_words_and_shows_the_placeholder_of_the_commands() -> None:
    shipped, other, word = value_fields(["savepoint-path", "name-of-queue", "bound"])
    assert (shipped.label, shipped.is_same) == ("Savepoint path", False)
    assert other.label == "Name of queue"
    assert (word.label, word.is_same) == ("Bound", True)
    with in_language(CHINESE):
        assert value_fields(["savepoint-path"])[0].label == "Savepoint 路径"
