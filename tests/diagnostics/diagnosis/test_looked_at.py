"""What is said of a job in which nothing is alarming."""

from __future__ import annotations

from diagnostics.diagnosis.fact_view import SignalIndex
from diagnostics.diagnosis.looked_at import describe_quiet, looked_at
from diagnostics.evidence.subject import FactValue


def said_of(restarts: int) -> str:
    facts: dict[str, dict[str, FactValue]] = {
        "exceptions": {"failures": 0},
        "restarts": {"restarts": restarts},
        "checkpoint_progress": {"completed": 20, "failed": 0},
    }
    signals = [
        {"key": key, "subject": {"job": "a"}, "level": "job", "facts": each, "citations": [], "citation_count": 0}
        for key, each in facts.items()
    ]
    return describe_quiet(looked_at(SignalIndex.from_stored(signals), "a"))


def test_places_with_nothing_in_them_are_listed_as_quiet() -> None:
    assert "Nothing stands out in failures of tasks and of the job, restarts and checkpoints." in said_of(0)


def test_a_place_in_which_something_is_counted_is_not_among_the_quiet_ones() -> None:
    assert "Nothing stands out in failures of tasks and of the job and checkpoints." in said_of(1)
