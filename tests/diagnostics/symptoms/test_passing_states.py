"""A state that each start passes through asks for a look, and the page does not contradict itself about it."""

from __future__ import annotations

from typing import Any

from tests.diagnostics.symptoms.judged import judged

PASSING = {
    "operator_resources": {
        "cause": "early_warning",
        "what": "the pod of the JobManager is not ready",
        "advice": "Look at the JobManager's pod.",
        "decides": False,
        "failures": 0,
    }
}


def test_the_verdict_names_what_was_noticed_and_claims_no_cause() -> None:
    verdict = judged(**PASSING)["verdict"]
    assert verdict["symptom_class"] == "inconclusive"
    assert verdict["summary"].startswith("These files do not show whether the job is well.")
    assert "the pod of the JobManager is not ready" in verdict["summary"]


def test_the_class_that_a_catalogue_gives_is_no_argument_against_another() -> None:
    against = [line for each in judged(**PASSING)["hypotheses"] for line in each["against"]]
    assert not any("early_warning" in line for line in against)


def test_a_resource_of_the_operator_says_nothing_of_checkpoints() -> None:
    dimensions = judged(**PASSING)["health"]["dimensions"]
    assert dimensions["checkpointing"] == 100
    assert dimensions["stability"] < 100


def test_the_report_of_a_failed_checkpoint_is_no_unexplained_error() -> None:
    """It made a failure in the job's own code the first hypothesis of checkpoints that expire."""
    logged = {"fatal_count": 0, "error_count": 0, "outside_count": 0, "warning_count": 5}
    said = {"warning_class": "org.apache.flink.runtime.checkpoint.CheckpointException", "warning_text": "It expired."}
    expired = {"expired": 5, "failed": 5, "completed": 29, "timeout_ms": 299_000}

    def classes(**facts: dict[str, Any]) -> set[str]:
        return {each["symptom_class"] for each in judged(**facts)["findings"]}

    assert "unexplained_error" not in classes(alarming_records=logged | said, checkpoint_progress=expired)
    known = said | {"warning_remedy": "Raise the timeout."}
    assert "unexplained_error" not in classes(alarming_records=logged | known, checkpoint_progress=expired)
    assert "unexplained_error" in classes(alarming_records=logged | said)
    other = said | {"warning_class": "java.io.IOException"}
    assert "unexplained_error" in classes(alarming_records=logged | other, checkpoint_progress=expired)
