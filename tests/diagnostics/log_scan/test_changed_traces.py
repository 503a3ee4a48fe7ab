"""Traces that a tracker, a chat or a program around Flink's client has changed are read as Java prints them."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.evidence.rows import Rows
from diagnostics.formats.flink_log import FORMAT
from diagnostics.log_scan.changed_traces import unfolded
from diagnostics.log_scan.prefixes import cleaner_for
from diagnostics.log_scan.record_rows import rows_of
from diagnostics.log_scan.stretch import stretch_of
from tests.diagnostics.formats.reading_aids import head_of

TRACE = (
    "java.util.concurrent.ExecutionException: Job failed",
    "\tat java.util.concurrent.CompletableFuture.reportGet(CompletableFuture.java:357)",
    "\tat org.apache.flink.client.program.StreamContextEnvironment.execute(S.java:121) ~[f.jar:1.17]",
    "Caused by: org.apache.kafka.common.errors.UnknownTopicOrPartitionException: This server does not host this topic.",
    "\tat org.apache.kafka.clients.admin.KafkaAdminClient.run(KafkaAdminClient.java:1)",
    "\t... 2 more",
)
STAMP = "2024-03-25 03:30:52,683"
FOLDED = " ".join(each.strip() for each in TRACE)
HEAD = f"{STAMP} ERROR org.apache.flink.client.cli.CliFrontend [] - Error while running the command. "


def _record(text: str) -> dict[str, Any]:
    found = (each for each in rows_of(*stretch_of(text.encode())) if isinstance(each, Rows) and each.batch is not None)
    record: dict[str, Any] = next(each.batch for each in found if each.batch is not None).to_pylist()[0]
    return record


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\n".join(TRACE), id="as Java prints it"),
        pytest.param(FOLDED, id="on one line"),
        pytest.param(HEAD + FOLDED, id="on the line of its record"),
        pytest.param("\n".join(f"{STAMP} [INFO] {each.strip()}" for each in TRACE), id="with a head on each line"),
        pytest.param("\n".join("        " + each.expandtabs(8) for each in TRACE), id="indented as a whole"),
        pytest.param(f"{STAMP} INFO  - [task=7]:[1] -  -> " + "\n\t".join(TRACE), id="indented below the record"),
    ],
)
def test_the_root_cause_of_a_trace_is_read(text: str) -> None:
    record = _record(text)
    assert record["root_cause_class"] == "org.apache.kafka.common.errors.UnknownTopicOrPartitionException"
    assert record["root_cause_message"] == "This server does not host this topic."
    assert record["root_cause_frame"] == "org.apache.kafka.clients.admin.KafkaAdminClient.run"


@pytest.mark.parametrize(
    "line",
    [
        "Triggering checkpoint 4 (type=CHECKPOINT) at 1679303906597 for job a1.",
        "Received JobGraph submission 'x' (3f) at 10.0.0.7 (dataPort=1).",
    ],
)
def test_a_message_that_says_at_is_left_as_it_is(line: str) -> None:
    assert unfolded(line.encode()) == line.encode()


def test_a_trace_whose_every_line_has_a_head_is_recognised() -> None:
    text = "\n".join(f"{STAMP} [INFO] {each.strip()}" for each in TRACE[3:])
    assert FORMAT.recognise(head_of(text, "client.log")) > 0


def test_lines_are_not_joined_or_split_in_the_file() -> None:
    text = "\n".join(f"{STAMP} [INFO] {each.strip()}" for each in TRACE) + "\n" + HEAD + FOLDED + "\n"
    assert cleaner_for(text.encode())(text.encode()).count(b"\n") == text.count("\n")


def test_one_message_about_a_cause_does_not_take_the_heads_away() -> None:
    text = f"{STAMP} INFO  Caused by: a user\n{STAMP} INFO  org.x.Y - went on\n"
    assert cleaner_for(text.encode())(text.encode()) == text.encode()
