"""A known bug is reported only when a failure matches it and the release has it or may have it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from diagnostics.evidence import Evidence
from diagnostics.evidence.rows import Rows
from diagnostics.formats import FORMATS
from diagnostics.notation.file_range import Range
from diagnostics.reading.reduction import reduce_tables
from diagnostics.reading.row_batch import row_batch
from diagnostics.signals.known_bugs import measure
from diagnostics.vocabulary.incident_kinds import kinds_of
from tests.diagnostics.hand_made import JOB, START, hand_made, needs, only

REJECTED = (
    "java.util.concurrent.RejectedExecutionException: Mailbox is in state CLOSED, but is required to be in state OPEN"
)
FRAME = "org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailboxImpl.checkPutStateConditions"
"""What FLINK-24846 looks like; it is in 1.10.0 to 1.14.2 and fixed in 1.13.6, 1.14.3 and 1.15.0."""


def started(version: str, second: float = 0.0, file_id: int = 0) -> dict[str, Any]:
    """The line with which a process names its version."""
    message = f" Starting TaskManager (Version: {version}, Scala: 2.12, Rev:a, Date:b)"
    return {"ts_ms": at(second), "level": "INFO", "message": message, "kinds": "version", "file_id": file_id}


def at(second: float) -> int:
    return START + int(second * 1000)


def failing(second: float, **rest: Any) -> dict[str, Any]:
    """The record of a task that fails with the bug."""
    row = {
        "ts_ms": at(second),
        "level": "WARN",
        "message": "enrich (1/2)#0 switched from RUNNING to FAILED with failure cause:",
        "job_id": JOB,
        "vertex": "enrich",
        "causes": f"java.io.IOException: Could not finish\n{REJECTED}",
        "root_cause_class": "java.util.concurrent.RejectedExecutionException",
        "root_cause_message": REJECTED.partition(": ")[2],
        "root_cause_frame": FRAME,
        "thrown_in": FRAME,
    }
    return row | rest


def measured(*rows: dict[str, Any], **tables: Any) -> list[Any]:
    return list(measure(hand_made(log_record=rows, **tables)))


def test_a_bug_is_named_with_its_fix_and_cited() -> None:
    signal = only(measured(started("1.13.2"), failing(5), failing(65)), "known_bugs")
    facts = signal.facts
    assert (facts["bug"], facts["release"], facts["next_fixed"], facts["seen"]) == (
        "FLINK-24846",
        "1.13.2",
        "1.13.6",
        2,
    )
    assert (facts["fixed"], facts["first_ms"], facts["vertices"]) == (["1.13.6", "1.14.3", "1.15.0"], at(5), ["enrich"])
    assert (signal.subject.job, [each.line for each in signal.citations]) == (JOB, [2, 3])
    assert signal.window == (at(5), at(65))


@pytest.mark.parametrize("version", ["1.9.3", "1.13.6", "1.14.3", "1.20.1", "2.0.0"])
def test_a_bug_is_not_reported_beyond_its_releases(version: str) -> None:
    assert measured(started(version), failing(5)) == []


def test_without_a_release_the_bug_is_one_that_it_may_have() -> None:
    facts = only(measured(failing(5)), "known_bugs").facts
    assert (facts["bug"], facts["fixed"], facts["product"]) == ("FLINK-24846", ["1.13.6", "1.14.3", "1.15.0"], "Flink")
    assert "release" not in facts
    assert "symptom_class" not in facts


def test_a_release_without_its_third_number_does_not_count() -> None:
    assert "release" not in only(measured(started("1.13-SNAPSHOT"), failing(5)), "known_bugs").facts


@pytest.mark.parametrize(
    "near",
    [
        {"causes": REJECTED.replace("Mailbox is in state", "The mailbox is in")},
        {"root_cause_frame": "org.acme.Job.map", "thrown_in": "org.acme.Job.map"},
        {"causes": None, "root_cause_frame": None, "thrown_in": None},
    ],
)
def test_a_near_miss_in_text_or_frame_is_not_reported(near: dict[str, Any]) -> None:
    row = failing(5, root_cause_message=None, **near)
    assert measured(started("1.13.2"), row) == []


def test_the_release_is_that_of_the_process_that_wrote_the_record() -> None:
    """Another file tells of the upgrade, and so does a later start in the same file."""
    upgraded = [started("1.13.2"), failing(5), started("1.15.0", 60), failing(65), started("1.15.0", file_id=1)]
    assert only(measured(*upgraded), "known_bugs").facts["seen"] == 1
    assert measured(started("1.15.0"), failing(5), started("1.13.2", file_id=1)) == []


def test_two_releases_of_other_files_decide_nothing() -> None:
    told = measured(started("1.13.2", file_id=1), started("1.13.1", file_id=2), failing(5))
    assert "release" not in only(told, "known_bugs").facts


CLOSED = "org.apache.flink.streaming.connectors.kafka.internals.Handover$ClosedException"
"""What FLINK-28758 looks like; it is in flink-connector-kafka 3.0.0 and fixed in 3.0.1."""


def of_a_connector(second: float) -> dict[str, Any]:
    frame = "org.apache.flink.streaming.connectors.kafka.internals.Handover.close"
    return failing(second, causes=CLOSED, root_cause_message="", root_cause_frame=frame, thrown_in=frame)


def class_path(jars: str, file_id: int = 0) -> dict[str, Any]:
    message = f" Classpath: {jars}:/opt/flink/lib/flink-dist-1.17.1.jar:"
    return {"ts_ms": at(0), "level": "INFO", "message": message, "kinds": "class_path", "file_id": file_id}


def test_the_class_path_names_the_release_of_a_connector() -> None:
    path = class_path("/opt/flink/lib/flink-sql-connector-kafka-3.0.0-1.17.jar")
    facts = only(measured(path, of_a_connector(5)), "known_bugs").facts
    assert (facts["bug"], facts["release"], facts["product"]) == ("FLINK-28758", "3.0.0", "flink-connector-kafka")


def test_a_connector_that_has_the_fix_by_its_class_path_shows_no_bug() -> None:
    assert measured(class_path("lib/flink-connector-kafka-3.0.2-1.18.jar"), of_a_connector(5)) == []


def test_a_connector_whose_release_is_nowhere_may_have_the_bug() -> None:
    facts = only(
        measured(started("1.17.1"), class_path("lib/flink-json-1.17.1.jar"), of_a_connector(5)), "known_bugs"
    ).facts
    assert (facts["bug"], facts["fixed"], "release" in facts) == ("FLINK-28758", ["3.0.1"], False)


def test_the_frames_of_the_trace_name_the_release() -> None:
    facts = only(measured(failing(5, frames=f"{FRAME} flink-dist 1.13.1")), "known_bugs").facts
    assert facts["release"] == "1.13.1"


def test_a_bug_is_known_by_a_frame_below_the_first() -> None:
    stack = f"org.apache.flink.util.Inner.check flink-dist 1.13.1\n{FRAME} flink-dist 1.13.1"
    other = "org.apache.flink.util.Inner.check"
    facts = only(measured(failing(5, frames=stack, root_cause_frame=other, thrown_in=other)), "known_bugs").facts
    assert (facts["bug"], facts["release"]) == ("FLINK-24846", "1.13.1")


def test_a_lambda_counts_as_the_method_around_it() -> None:
    inside = FRAME.replace("checkPutStateConditions", "lambda$checkPutStateConditions$0")
    row = failing(5, root_cause_frame=inside, thrown_in=inside)
    assert only(measured(started("1.13.2"), row), "known_bugs").facts["seen"] == 1


def test_a_record_without_a_job_belongs_to_the_only_one_there_is() -> None:
    job = {"job_id": JOB, "name": "orders"}
    told = measured(started("1.13.2"), failing(5, job_id=None), job=[job])
    assert only(told, "known_bugs").subject.job == JOB


LOG = f"""\
2023-05-01 10:00:00,001 INFO  org.apache.flink.runtime.entrypoint.ClusterEntrypoint [] -  Starting \
StandaloneSessionClusterEntrypoint (Version: 1.14.0, Scala: 2.12, Rev:460b386, Date:2021-09-22T08:39:40+02:00)
2023-05-01 10:01:00,000 INFO  org.apache.flink.runtime.executiongraph.ExecutionGraph [] - Job orders ({JOB}) switched \
from state CREATED to RUNNING.
2023-05-01 10:05:00,000 INFO  org.apache.flink.runtime.executiongraph.ExecutionGraph [] - enrich (1/2) ({"1" * 32}) \
switched from RUNNING to FAILED on tm-1 @ host (dataPort=1).
java.lang.Exception: Could not finish
\tat org.apache.flink.streaming.runtime.tasks.StreamTask.invoke(StreamTask.java:623)
Caused by: {REJECTED}
\tat {FRAME}(TaskMailboxImpl.java:269)
\tat org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailboxImpl.put(TaskMailboxImpl.java:197)
"""


def test_a_log_as_flink_prints_it_shows_the_bug(tmp_path: Path) -> None:
    path = tmp_path / "jobmanager.log"
    path.write_text(LOG, "utf-8")
    size = path.stat().st_size
    whole = Range(0, path.name, str(path), 0, size, size, {})
    read = [rows for rows in FORMATS["flink-log"].read(whole) if isinstance(rows, Rows) and rows.table == "log_record"]
    records = pa.Table.from_batches([row_batch(rows, 0, 0, None)[0] for rows in read]).combine_chunks()
    records = records.set_column(records.schema.get_field_index("kinds"), "kinds", kinds_of(records))
    evidence = Evidence({"log_record": len(records)}, None, reduce_tables({"log_record": records}))
    signal = only(measure(evidence), "known_bugs")
    assert (signal.facts["bug"], signal.facts["release"], signal.citations[0].line) == ("FLINK-24846", "1.14.0", 3)


def test_an_answer_of_rest_shows_it_too() -> None:
    failure = {name: value for name, value in failing(5).items() if name not in ("level", "message")}
    job = {"job_id": JOB, "name": "orders", "flink_version": "1.14.0"}
    told = list(measure(hand_made(failure=[failure], job=[job])))
    signal = only(told, "known_bugs")
    assert (signal.facts["release"], signal.citations[0].kind) == ("1.14.0", "rest")


def test_without_logs_and_exceptions_nothing_is_measured() -> None:
    assert needs(measure(hand_made())) == {"known_bugs": "jobmanager-log"}
