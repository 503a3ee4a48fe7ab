"""A state that each start passes through asks for a look, and the page does not contradict itself about it."""

from __future__ import annotations

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
