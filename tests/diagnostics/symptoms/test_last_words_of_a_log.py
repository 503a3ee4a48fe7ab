"""What an error or a warning in a log is worth: by what the log does after it, and by whether to try again helps."""

from __future__ import annotations

import pytest

from tests.diagnostics.symptoms.judged import judged

REFUSED = {"failures": 1, "unreachable": 1, "system": "Kafka", "rounds": 1, "is_first": True, "first_ms": 1}
THROWN = {"failures": 1, "of_code": 1, "rounds": 1, "is_first": True, "first_ms": 1, "said": "ClassCastException"}


@pytest.mark.parametrize(
    ("reported_by", "verdict"), [("failure", "user_code"), ("error", "user_code"), ("passed", "inconclusive")]
)
@pytest.mark.parametrize("origin", ["own_code", "connector_code", "statement", "record"])
def test_an_error_counts_unless_the_log_goes_on_for_long_after_it(reported_by: str, verdict: str, origin: str) -> None:
    document = judged(code_faults={**THROWN, "origin": origin, "reported_by": reported_by})
    assert document["verdict"]["symptom_class"] == verdict


@pytest.mark.parametrize(
    ("kind", "lasting", "verdict"),
    [
        ("its name cannot be resolved", True, "outside_system"),
        ("it does not answer", False, "inconclusive"),
    ],
)
def test_a_warning_counts_where_to_try_again_does_not_help(kind: str, lasting: bool, verdict: str) -> None:
    warned = {**REFUSED, "kind": kind, "lasting": lasting, "said": "x", "reported_by": "warning"}
    assert judged(outside_faults=warned)["verdict"]["symptom_class"] == verdict
    assert judged(outside_faults={**warned, "reported_by": "passed"})["verdict"]["symptom_class"] == "inconclusive"
