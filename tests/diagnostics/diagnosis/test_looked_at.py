"""What is said of a job in which nothing is alarming."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from diagnostics.diagnosis.fact_view import SignalIndex
from diagnostics.diagnosis.looked_at import describe_quiet, evidence_of_most, looked_at, places
from diagnostics.diagnosis.missing import needs
from diagnostics.evidence.subject import FactValue


def said_of(restarts: int, failed_in_a_row: int = 0, waits: float | None = None) -> str:
    facts: dict[str, dict[str, FactValue]] = {
        "exceptions": {"failures": 0},
        "restarts": {"restarts": restarts},
        "checkpoint_progress": {"completed": 20, "failed": 0, "consecutive_failed": failed_in_a_row},
    }
    if waits is not None:
        facts["back_pressure.job"] = {"worst_ratio": waits}
    return describe_quiet(looked_at(measured(facts), "a"))


def measured(facts: Mapping[str, Mapping[str, FactValue]]) -> SignalIndex:
    return SignalIndex.from_stored(
        [
            {"key": key, "subject": {"job": "a"}, "level": "job", "facts": each, "citations": [], "citation_count": 0}
            for key, each in facts.items()
        ]
    )


def test_places_with_nothing_in_them_are_listed_as_quiet() -> None:
    assert "Nothing stands out in failures of tasks and of the job, restarts and checkpoints." in said_of(0)


def test_a_place_in_which_something_is_counted_is_not_among_the_quiet_ones() -> None:
    assert "Nothing stands out in failures of tasks and of the job and checkpoints." in said_of(1)


def test_checkpoints_that_fail_and_tasks_that_wait_are_no_quiet_places() -> None:
    assert "Nothing stands out in failures of tasks and of the job and restarts." in said_of(0, failed_in_a_row=4)
    assert "failures of tasks and of the job, restarts and checkpoints, but" in said_of(0, waits=0.43)
    assert "failures of tasks and of the job, restarts, checkpoints and back pressure, but" in said_of(0, waits=0.05)


FAILURES: dict[str, dict[str, FactValue]] = {"exceptions": {"failures": 0}}
LOG: dict[str, dict[str, FactValue]] = {
    **FAILURES,
    "alarming_records": {"error_count": 0},
    "restarts": {"restarts": 0},
    "task_manager_loss.all": {"lost": 0},
    "checkpoint_progress": {"completed": 20},
    "settings_check": {"misspelt_count": 0},
}
REST: dict[str, dict[str, FactValue]] = {**LOG, "back_pressure.job": {"worst_ratio": 0.0}}
METRICS: dict[str, dict[str, FactValue]] = {
    "restarts": {"restarts": 0},
    "task_manager_loss.all": {"lost": 0},
    "checkpoint_progress": {"completed": 20},
    "back_pressure.job": {"worst_ratio": 0.0},
    "heap_pressure": {"share_ratio": 0.5},
}


@pytest.mark.parametrize(
    ("read", "asked"),
    [
        pytest.param({}, "job-rest", id="a thread dump, which shows none of the places"),
        pytest.param(LOG, "metric-scrapes", id="the log of a JobManager"),
        pytest.param(METRICS, "jobmanager-log", id="metrics"),
        pytest.param(REST, None, id="REST, where no essential place is missing"),
    ],
)
def test_the_kind_of_evidence_that_shows_most_of_what_was_not_read_is_asked_for(
    read: Mapping[str, Mapping[str, FactValue]], asked: str | None
) -> None:
    assert evidence_of_most(looked_at(measured(read), "a")) == asked


def test_places_name_kinds_of_evidence_that_exist() -> None:
    assert {kind for place in places() for kind in (place.needs, *place.also)} <= needs().keys()
