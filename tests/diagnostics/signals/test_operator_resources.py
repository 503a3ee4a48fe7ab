"""Which states of an operator's resource ask for something, and which say that all is well."""

from __future__ import annotations

import pytest

from diagnostics.language import CHINESE, in_reader_language, reading_in
from diagnostics.signals.operator_resources import measure
from diagnostics.symptoms import symptoms
from diagnostics.vocabulary.resource_states import resource_states
from tests.diagnostics.hand_made import hand_made, only

READY = {"status.jobManagerDeploymentStatus": "READY"}
STATES = (
    (READY | {"status.jobStatus.state": "RECONCILING", "status.error": "Job Not Found"}, "job-not-known"),
    (READY | {"status.jobStatus.state": "RECONCILING"}, "job-state-unknown"),
    (READY | {"status.jobStatus.state": "CREATED"}, "job-waits-for-slots"),
    ({"status.jobManagerDeploymentStatus": "MISSING"}, "jobmanager-missing"),
    ({"spec.job.state": "suspended", "status.jobManagerDeploymentStatus": "MISSING"}, "suspended-as-asked"),
    ({"status.reconciliationStatus.state": "ROLLED_BACK"}, "rolled-back"),
    ({"metadata.generation": "3", "status.observedGeneration": "2"}, "change-not-taken-up"),
    ({"metadata.generation": "1", "spec.flinkVersion": "v1_20"}, "no-operator-acts"),
    (
        {
            "status.jobStatus.state": "FINISHED",
            "status.jobStatus.upgradeSnapshotReference": "null",
            "status.jobStatus.savepointInfo.lastSavepoint.location": "s3://a/savepoint-1",
            "spec.job.state": "running",
        },
        "savepoint-of-former-operator",
    ),
)
WELL = (
    READY | {"status.jobStatus.state": "RUNNING", "status.lifecycleState": "STABLE"},
    READY | {"status.jobStatus.state": "FINISHED", "spec.job.state": "running"},
    {"spec.job.state": "running", "spec.job.upgradeMode": "savepoint", "spec.flinkVersion": "v1_20"},
    {"metadata.generation": "2", "status.observedGeneration": "2", "status.lifecycleState": "DEPLOYED"},
)


def rows(fields: dict[str, str], name: str = "orders") -> list[dict[str, object]]:
    return [{"scope": "resource", "key": f"{name}/{path}", "value": value} for path, value in fields.items()]


@pytest.mark.parametrize(("fields", "state"), STATES)
def test_a_state_that_asks_for_something_is_named(fields: dict[str, str], state: str) -> None:
    facts = only(measure(hand_made(config_option=rows(fields))), "operator_resources").facts
    assert str(facts["state"]).startswith(state)


@pytest.mark.parametrize("fields", WELL)
def test_a_resource_that_is_well_or_only_described_gives_nothing(fields: dict[str, str]) -> None:
    assert not list(measure(hand_made(config_option=rows(fields))))


def test_a_piece_without_a_name_is_of_the_only_resource() -> None:
    pieces = rows({"spec.job.state": "suspended"}) + rows({"status.lifecycleState": "SUSPENDED"}, "")
    facts = only(measure(hand_made(config_option=pieces)), "operator_resources").facts
    assert (facts["resource"], facts["state"]) == ("orders", "suspended-as-asked")
    assert facts["shown_fields"] == ["status.lifecycleState: SUSPENDED", "spec.job.state: suspended"]


@pytest.mark.parametrize("name", list(resource_states()))
def test_each_state_has_a_class_and_sentences_in_both_languages(name: str) -> None:
    entry = resource_states()[name]
    assert entry.cause in symptoms()
    assert entry.when
    english = (entry.what_for({}), entry.advice_for({}))
    with reading_in(CHINESE):
        assert all(in_reader_language(each) != str(each) for each in english)


@pytest.mark.parametrize(
    "fields",
    [
        {"status.jobManagerDeploymentStatus": "DEPLOYING"},
        {"status.jobManagerDeploymentStatus": "DEPLOYED_NOT_READY", "status.jobStatus.state": "RECONCILING"},
        READY | {"status.jobStatus.state": "RECONCILING"},
        READY | {"status.jobStatus.state": "CREATED"},
    ],
)
def test_a_state_that_each_start_passes_through_is_no_cause(fields: dict[str, str]) -> None:
    facts = only(measure(hand_made(config_option=rows(fields))), "operator_resources").facts
    assert facts["cause"] == "early_warning"
