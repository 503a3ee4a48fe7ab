"""The kinds of events of a log record, also when many records are evaluated at once."""

from __future__ import annotations

import re
from typing import Any

import pyarrow as pa
import pytest

from diagnostics.errors import InvalidRule
from diagnostics.evidence.tables import TABLES
from diagnostics.vocabulary.incident_kinds import kinds_of, parse_kinds
from diagnostics.yaml_document import read_yaml

LOST = "The heartbeat of TaskManager with id 10.0.0.7:6122-a1 timed out."


def kinds(**record: Any) -> str | None:
    """The kinds of one record."""
    batch = pa.RecordBatch.from_pylist([record], schema=TABLES["log_record"].arrow_schema())
    return kinds_of(batch)[0].as_py()


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({"message": LOST}, "lost"),
        ({"message": f"Disconnect job manager: {LOST}"}, None),
        ({"message": "Job orders (0a) switched from state RUNNING to FAILING."}, "job_state"),
        ({"message": "map (1/4)#0 (0a) switched from RUNNING to FAILED on a."}, "task_failed"),
        (
            {"message": "map (1/4)#0 (0a) switched from A to FAILED", "level": "INFO", "exception_class": "a.B"},
            "task_failed failure",
        ),
        ({"reason": "Container exited. Exit code is 137."}, "killed"),
        ({"reason": "container_1_3 in state COMPLETE : exitStatus=-104 diagnostics=Container"}, "killed"),
        ({"message": "failed 2 times due to AM Container for a exited with  exitCode: -103"}, "killed"),
        ({"reason": "container_1_3 in state COMPLETE : exitStatus=-100 diagnostics=Container"}, None),
        ({"message": "Submitting job 0a (orders).", "process": "jobmanager"}, "submitted"),
        ({"event": "res.tm.terminated.v17"}, "lost"),
        ({"event": "rpc.quarantined_by.v18"}, "process_end"),
        ({"event": "k8s.event.evicted"}, "kubernetes process_end"),
        ({"event": "op.restore"}, "kubernetes"),
        ({"root_cause_class": "java.lang.OutOfMemoryError", "level": "INFO"}, "oom"),
        ({"exception_class": "java.io.IOException"}, "pasted"),
        ({"exception_class": "java.io.IOException", "level": "WARN"}, None),
        ({"event": "zk.client.established"}, "coordination_back"),
        ({"event": "zk.curator.state", "state_to": "SUSPENDED"}, "coordination_lost"),
        ({"event": "zk.curator.state", "state_to": "RECONNECTED"}, "coordination_back"),
        ({"event": "ha.rm.revoked.late"}, "leadership"),
        ({"event": "ha.rm.revoke"}, None),
        ({"message": "it lost leadership", "process": "jobmanager"}, "leadership"),
        ({"message": "it lost leadership", "process": "taskmanager"}, None),
        ({"event": "hb.jm", "process": "taskmanager"}, "peer_lost"),
        ({"message": "Invoked map-1 in 3 ms", "level": "DEBUG"}, None),
        ({}, None),
    ],
)
def test_a_record_shows_its_kinds(record: dict[str, Any], told: str | None) -> None:
    assert kinds(**record) == told


def test_a_batch_keeps_the_order_of_its_records() -> None:
    records = [{"message": text} for text in ("nothing", LOST, "nothing", "Starting TaskManager with ResourceID a")]
    batch = pa.RecordBatch.from_pylist(records, schema=TABLES["log_record"].arrow_schema())
    assert kinds_of(batch).to_pylist() == [None, "lost", None, "started"]


def test_a_text_across_two_records_matches_neither() -> None:
    records = [{"message": "Closing Task"}, {"message": "Executor connection tm-1"}]
    batch = pa.RecordBatch.from_pylist(records, schema=TABLES["log_record"].arrow_schema())
    assert kinds_of(batch).to_pylist() == [None, None]


def test_a_part_of_a_batch_has_the_marks_of_its_own_records() -> None:
    records = [{"message": LOST}, {"message": "nothing"}, {"message": LOST}]
    batch = pa.RecordBatch.from_pylist(records, schema=TABLES["log_record"].arrow_schema())
    assert kinds_of(batch.slice(1)).to_pylist() == [None, "lost"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a:\n  in_massage: [x]\n", "line 2: `in_massage` is no condition"),
        ("a:\n  in_message: []\n", "line 2: `in_message` is no condition, or has not what it needs"),
        ("a:\n  all:\n    - event: [x]\n    - [y]\n", "line 4: a condition is one entry"),
        ("a: {}\n", "line 1: a condition is one entry"),
    ],
)
def test_what_is_no_condition_is_named_with_its_line(text: str, said: str) -> None:
    with pytest.raises(InvalidRule, match=re.escape(said)):
        parse_kinds(read_yaml(text, "kinds.yaml"))


def test_more_kinds_than_bits_are_refused() -> None:
    text = "".join(f"k{number}: {{exception: true}}\n" for number in range(64))
    with pytest.raises(InvalidRule, match="64 kinds, at most 63"):
        parse_kinds(read_yaml(text, "kinds.yaml"))
