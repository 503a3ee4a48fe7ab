"""What is to be done first, and the branches of the runbook, are those of the message and not of the whole class."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.runbook import fill, runbooks
from diagnostics.signals import DEFINITIONS
from tests.diagnostics.runbook.test_runbook import stored
from tests.diagnostics.symptoms.judged import SUBJECTS, judged

REMEDY = "Give the job a replication slot of its own. Drop the old one."
ADVICE = "Correct the user and password. Look which of them expired."
REFUSED = {
    "failures": 3,
    "unreachable": 3,
    "kind": "it refuses the login",
    "said": "ExampleException: no",
    "system": "PostgreSQL",
    "opening": True,
    "is_first": True,
    "rounds": 3,
}


def first_step(**facts: dict[str, Any]) -> str:
    return str(judged(**facts)["findings"][0]["first_step"])


def _subject_of(key: str) -> tuple[str, dict[str, Any]]:
    level = DEFINITIONS[key].level
    return level, SUBJECTS[level]


def steps(**facts: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The steps of the runbook of the leading finding, by id."""
    finding = judged(**facts)["findings"][0]
    signals = [stored(key, *_subject_of(key), **of_key) for key, of_key in facts.items()]
    filled = fill(runbooks()[finding["runbook"]], finding, signals)
    return {each["id"]: each for each in filled["steps"]}


def taken(step: dict[str, Any]) -> list[str]:
    return [each["then"] for each in step["answers"] if each["taken"]]


def test_a_known_message_has_its_repair_as_the_first_step() -> None:
    assert first_step(outside_faults={**REFUSED, "remedy": REMEDY, "advice": ADVICE}) == REMEDY


def test_a_message_of_a_known_kind_begins_with_the_repair_of_this_kind() -> None:
    assert first_step(outside_faults={**REFUSED, "advice": ADVICE}) == "Correct the user and password."


def test_only_the_branch_of_the_kind_stands_in_the_runbook() -> None:
    message = steps(outside_faults={**REFUSED, "advice": ADVICE})["message"]
    assert [each["then"] for each in message["answers"] if each["taken"] is not False] == [ADVICE]
    assert taken(message) == [ADVICE]


def test_a_system_that_answers_is_not_looked_for() -> None:
    """That it refuses a login or is full is its answer: neither its name and port nor its return is the question."""
    shown = steps(outside_faults={**REFUSED, "advice": ADVICE, "answers": True, "lasting": True})
    assert [name for name, each in shown.items() if not each["left_out"]] == ["message"]
    stated = judged(outside_faults={**REFUSED, "first_ms": 0, "interval_ms": 10_000, "answers": True, "lasting": True})
    assert "no restart changes what the system refuses" in stated["findings"][0]["statement"]
    assert "is away" not in stated["findings"][0]["statement"]


def test_a_system_that_is_away_is_looked_for_first() -> None:
    fault = {**REFUSED, "kind": "it does not answer", "first_ms": 0, "interval_ms": 10_000, "answers": False}
    shown = steps(outside_faults=fault)
    assert [name for name, each in shown.items() if not each["left_out"]] == ["reach", "message", "outlast"]
    assert "while the system is away" in judged(outside_faults=fault)["findings"][0]["statement"]


@pytest.mark.parametrize(("opening", "futile"), [(True, 1), (False, 0)])
def test_the_interval_is_called_useless_only_where_no_record_was_processed(opening: bool, futile: int) -> None:
    """Of a load that has too many small transactions the longer interval is the repair."""
    assert len(steps(outside_faults={**REFUSED, "opening": opening})["reach"]["wont_help"]) == futile


def test_the_address_of_a_back_end_is_told_by_its_own_repair() -> None:
    """No option of the job names it: the front end hands it out."""
    refused = {**REFUSED, "host": "127.0.0.1", "kind": "it refuses the connection", "remedy": REMEDY}
    assert first_step(outside_faults={**refused, "system": "StarRocks"}) == REMEDY
    assert first_step(outside_faults=refused).startswith("Name the host of PostgreSQL in place of 127.0.0.1")


def test_a_setting_that_fails_the_job_is_not_followed_by_changes_of_other_settings() -> None:
    fault = {"of_settings": 1, "kind": "an option is missing", "said": "no option", "remedy": REMEDY, "is_first": True}
    shown = steps(setting_faults=fault, settings={"tolerable_failed": 0, "interval_ms": 1000})
    assert taken(shown["named-setting"]) == [REMEDY]
    assert [name for name in ("retention", "pace", "failures") if not shown[name]["left_out"]] == []


def test_missing_slots_are_not_followed_by_changes_of_memory() -> None:
    shown = steps(slots={"refused": 3, "required": 8, "total_end": 4})
    assert not shown["slots"]["left_out"]
    memory = ("jobmanager-memory", "what-lives-on-the-heap", "enlarge-or-move-the-state", "outside-the-heap", "cpu")
    assert [name for name in memory if not shown[name]["left_out"]] == []


RESTARTS = {"restarts": 3, "final_state": "RUNNING", "interval_ms": 10_000}


def test_a_symptom_that_a_cause_explains_does_not_ask_for_the_cause() -> None:
    alone = judged(restarts=RESTARTS)["findings"]
    assert alone[0]["first_step"].startswith("Read the last 'Caused by' of the first failure")
    beside = judged(restarts=RESTARTS, outside_faults={**REFUSED, "remedy": REMEDY})["findings"]
    assert [each["first_step"] for each in beside] == [REMEDY, None]


UNKNOWN_NAME = {**REFUSED, "system": None, "kind": "its name cannot be resolved", "host": "nsdev", "opening": False}
PACKETS = ("network-or-process", "which-link", "ride-over")


def test_a_name_that_is_not_known_is_no_matter_of_lost_packets() -> None:
    fault = {name: value for name, value in UNKNOWN_NAME.items() if value is not None}
    shown = steps(outside_faults=fault)
    assert [name for name, each in shown.items() if not each["left_out"]] == ["get-back", "name"]
    assert shown["name"]["look"][0]["command"].startswith("getent hosts nsdev;")


def test_the_name_of_a_lost_process_is_gone_with_it() -> None:
    shown = steps(connections={"unknown_host": 3, "broken": 3, "peer": "tm-1"})
    assert [name for name in PACKETS if shown[name]["left_out"]] == list(PACKETS)
    signals = [stored("connections", *_subject_of("connections"), unknown_host=3, peer="tm-1")]
    signals.append(stored("task_manager_loss.all", "job", SUBJECTS["job"], lost=1))
    filled = fill(runbooks()["network-partition"], {"subject": SUBJECTS["job"]}, signals)
    assert not [each["id"] for each in filled["steps"] if each["id"] in PACKETS and each["left_out"]]
