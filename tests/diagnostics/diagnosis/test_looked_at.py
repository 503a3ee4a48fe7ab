"""What is said of a job in which nothing is alarming."""

from __future__ import annotations

from diagnostics.diagnosis.fact_view import SignalIndex
from diagnostics.diagnosis.looked_at import describe_quiet, looked_at
from diagnostics.evidence.subject import FactValue


def said_of(restarts: int, failed_in_a_row: int = 0, waits: float | None = None) -> str:
    facts: dict[str, dict[str, FactValue]] = {
        "exceptions": {"failures": 0},
        "restarts": {"restarts": restarts},
        "checkpoint_progress": {"completed": 20, "failed": 0, "consecutive_failed": failed_in_a_row},
    }
    if waits is not None:
        facts["back_pressure.job"] = {"worst_ratio": waits}
    signals = [
        {"key": key, "subject": {"job": "a"}, "level": "job", "facts": each, "citations": [], "citation_count": 0}
        for key, each in facts.items()
    ]
    return describe_quiet(looked_at(SignalIndex.from_stored(signals), "a"))


def test_places_with_nothing_in_them_are_listed_as_quiet() -> None:
    assert "Nothing stands out in failures of tasks and of the job, restarts and checkpoints." in said_of(0)


def test_a_place_in_which_something_is_counted_is_not_among_the_quiet_ones() -> None:
    assert "Nothing stands out in failures of tasks and of the job and checkpoints." in said_of(1)


def test_checkpoints_that_fail_and_tasks_that_wait_are_no_quiet_places() -> None:
    assert "Nothing stands out in failures of tasks and of the job and restarts." in said_of(0, failed_in_a_row=4)
    assert "failures of tasks and of the job, restarts and checkpoints, but" in said_of(0, waits=0.43)
    assert "failures of tasks and of the job, restarts, checkpoints and back pressure, but" in said_of(0, waits=0.05)
