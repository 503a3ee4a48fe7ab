"""A missing directory for savepoints is found in a configuration alone, and in what Flink says about it (row S146)."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals.setting_faults import measure as measure_faults
from diagnostics.signals.settings import measure
from tests.diagnostics.hand_made import JOB, START, hand_made, only
from tests.diagnostics.symptoms.judged import judged

WHOLE = {
    "execution.checkpointing.interval": "1 min",
    "execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
    "jobmanager.rpc.address": "flink-jobmanager",
    "taskmanager.numberOfTaskSlots": "4",
}
STATED = [
    {"execution.checkpointing.savepoint-dir": "s3://b/savepoints"},
    {"state.savepoints.dir": "s3://b/savepoints"},
]


def said_of(options: dict[str, str]) -> list[str]:
    """What is found in a configuration file, without anything of a running job."""
    rows = [{"scope": "cluster", "key": key, "value": value} for key, value in options.items()]
    facts = dict(only(measure(hand_made(config_option=rows)), "settings").facts)
    findings = judged(settings=facts)["findings"]
    return [each["statement"] for each in findings if each["rule"]["id"] == "conf.gaps"]


def test_a_configuration_without_the_directory_is_a_finding() -> None:
    (statement,) = said_of(WHOLE)
    assert "It states no directory for savepoints" in statement


@pytest.mark.parametrize("stated", STATED, ids=lambda each: next(iter(each)))
def test_a_configuration_with_it_is_none(stated: dict[str, str]) -> None:
    assert said_of({**WHOLE, **stated}) == []


def test_what_flink_says_without_the_directory_is_a_fault_of_the_setting() -> None:
    message = "Could not stop with a savepoint job"
    log: list[dict[str, Any]] = [
        {
            "ts_ms": START,
            "level": "ERROR",
            "process": "client",
            "job_id": JOB,
            "message": message,
            "exception_class": "java.util.concurrent.ExecutionException",
            "root_cause_class": "java.lang.IllegalStateException",
            "root_cause_message": "No savepoint directory configured. You can either specify a directory",
        }
    ]
    found = [each for each in measure_faults(hand_made(log_record=log)) if getattr(each, "facts", None)]
    assert any("savepoints" in str(each.facts) for each in found)
