"""Failures because a disk, the open files or the processes of a host are used up."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals.host_limits import measure
from tests.diagnostics.hand_made import hand_made, line_of_jobs, needs, only
from tests.diagnostics.signals.failed_program import failed


def facts_of(*log: dict[str, Any]) -> dict[str, Any]:
    return dict(only(measure(hand_made(**line_of_jobs(), log_record=log)), "host_limits").facts)


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("No space left on device", "a disk is full"),
        ("/tmp/rocksdb/000017.sst: Too many open files", "the limit of open files is reached"),
        ("error=11, Resource temporarily unavailable", "the limit of processes and threads is reached"),
        ("The record exceeds the maximum size of a sort buffer", "the memory set aside for it is used up"),
    ],
)
def test_the_limit_of_a_host_is_named(message: str, kind: str) -> None:
    facts = facts_of(*(failed(second, "java.io.IOException", message) for second in (5, 20)))
    assert (facts["kind"], facts["of_limits"], facts["rounds"], facts["is_first"]) == (kind, 2, 2, True)
    assert facts["task_managers"] == ["tm-1"]


def test_what_is_known_for_the_message_is_its_repair() -> None:
    facts = facts_of(failed(5, "java.io.IOException", "The record exceeds the maximum size of a sort buffer"))
    assert "taskmanager.memory.managed" in facts["remedy"]


def test_another_failure_names_none() -> None:
    assert facts_of(failed(5, "java.lang.NullPointerException")) == {"failures": 1, "of_limits": 0}


def test_without_logs_nothing_is_measured() -> None:
    assert needs(measure(hand_made())) == {"host_limits": "taskmanager-log"}
