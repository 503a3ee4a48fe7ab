"""What the validators of Flink's Kubernetes operator refuse, in the words of all its releases, and the field to set."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import remedy_of

SAID = (
    ("Job could not be upgraded with last-state while Kubernetes HA disabled", "high-availability.type: kubernetes"),
    ("Job could not be upgraded to last-state while config key[state.savepoints.dir] is not set", "savepoint-dir"),
    ("The LAST_STATE upgrade mode is not supported in session job now.", "1.10"),
    ("Job must start in running state", "spec.job.state: running"),
    ("The job spec should not be empty", "jarURI"),
    ("The session jobs [a, b] should be deleted first", "flinksessionjob"),
    ("The session cluster has non terminated jobs [a] that should be cancelled first", "flink cancel"),
    ("the trigger expression '6' is neither a valid Duration, nor a cron expression.", "0 0 */6 * * ?"),
    ("Manual checkpoint triggering is not supported for this Flink job (requires Flink 1.17+)", "savepointTrigger"),
    ("Either the savepoint path in the spec or configuration state.savepoints.dir in", "savepoint.path"),
    ("The AutoScalerOption job.autoscaler.x is invalid, it should be a value within the range [0, 1]", "range"),
    ("jarURI scheme 's3' is not in the allowlist [https]. Configure 'kubernetes.operator.u'", "allowed-schemes"),
    ("jarURI host 'repo' resolves to a restricted address", "disallow-restricted-hosts"),
    ("Could not recover lost deployment without HA enabled", "initialSavepointPath"),
)


@pytest.mark.parametrize(("said", "named"), SAID)
def test_a_refusal_of_the_operator_names_the_field_to_set(said: str, named: str) -> None:
    assert named in (remedy_of(said) or "")
