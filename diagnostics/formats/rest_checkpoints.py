"""Flink REST `/jobs/<id>/checkpoints` and `/jobs/<id>/checkpoints/details/<n>`: checkpoints and their counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.json_document import Key, Outline
from diagnostics.notation.rest_document import (
    RestDocument,
    fields,
    flag,
    items,
    moment,
    number,
    rest_reader,
    rest_shape,
    small,
    text,
    whole,
)

COUNTS = {
    "total": "totalNumberOfCheckpoints",
    "completed": "numberOfCompletedCheckpoints",
    "failed": "numberOfFailedCheckpoints",
    "in_progress": "numberOfInProgressCheckpoints",
    "restored": "numberOfRestoredCheckpoints",
}
"""Fields of `counts` -> the equivalent job metric; the name for `restored` is ours, because Flink has no metric."""


LATEST = ("completed", "failed", "savepoint")
"""Checkpoints of `latest`, beside the restored one."""
_OF_CHECKPOINT = (
    *("trigger_timestamp", "latest_ack_timestamp", "end_to_end_duration", "state_size", "checkpointed_size"),
    *("checkpoint_type", "is_savepoint", "failure_message", "failure_timestamp", "num_acknowledged_subtasks"),
)
"""A checkpoint has at least one of these fields beside its id and status."""
_PARTS = ("counts", "latest", "history")


def _fits(seen: Outline) -> bool:
    if seen.is_array:
        return _is_checkpoint(seen, "*")
    counts = seen.keys.get("counts", frozenset())
    has_counts = bool(counts) and counts <= COUNTS.keys()
    has_listed = any(_is_checkpoint(seen, f"latest/{kind}") for kind in LATEST) or _is_checkpoint(seen, "history/*")
    return has_counts or has_listed or (_is_checkpoint(seen, "") and not seen.has("", "subtasks"))


def _is_checkpoint(seen: Outline, path: str) -> bool:
    return seen.has(path, "id", "status") and any(seen.has(path, name) for name in _OF_CHECKPOINT)


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    answer = document.value
    counts = list[dict[str, Any]]()
    if isinstance(answer, list):
        rows = [_checkpoint(document, each, place) for place, each in enumerate(answer)]
    elif not any(part in answer for part in _PARTS):
        rows = [_checkpoint(document, answer)]
    else:
        history = items(answer.get("history"))
        rows = [_checkpoint(document, each, "history", place) for place, each in enumerate(history)]
        rows += _latest_outside_history(document, {row["checkpoint_id"] for row in rows})
        counts = list(_counts(document))
        yield Rows("metric_sample", counts)
    yield Rows("checkpoint", rows)
    yield Coverage.cover_times(len(rows) or len(counts), (row["trigger_ms"] for row in rows))


def _latest_outside_history(document: RestDocument, listed: set[int | None]) -> Iterator[dict[str, Any]]:
    """`latest.completed`, `.failed` and `.savepoint` when the short history no longer lists them."""
    latest = fields(document.value.get("latest"))
    for kind in LATEST:
        checkpoint = latest.get(kind)
        if isinstance(checkpoint, dict) and whole(checkpoint.get("id")) not in listed:
            listed.add(whole(checkpoint.get("id")))
            yield _checkpoint(document, checkpoint, "latest", kind)


def _counts(document: RestDocument) -> Iterator[dict[str, Any]]:
    named = {"ts_ms": document.snapshot_ms, "scope": "job", "job_id": document.path.job_id}
    counts = fields(document.value.get("counts"))
    for name, metric in COUNTS.items():
        if name in counts:
            yield {**named, "metric": metric, "value": number(counts[name]), **document.at("counts", name)}
    restored = fields(fields(document.value.get("latest")).get("restored"))
    if restored:
        time = {"metric": "lastCheckpointRestoreTimestamp", "value": number(restored.get("restore_timestamp"))}
        yield {**named, **time, **document.at("latest", "restored")}


def _checkpoint(document: RestDocument, checkpoint: Mapping[str, Any], *path: Key) -> dict[str, Any]:
    return {
        "ts_ms": document.snapshot_ms,
        "job_id": document.path.job_id,
        "checkpoint_id": whole(checkpoint.get("id")),
        "status": text(checkpoint.get("status")),
        "is_savepoint": flag(checkpoint.get("is_savepoint")),
        "checkpoint_type": text(checkpoint.get("checkpoint_type")),
        "trigger_ms": moment(checkpoint.get("trigger_timestamp")),
        "latest_ack_ms": moment(checkpoint.get("latest_ack_timestamp")),
        "end_to_end_ms": number(checkpoint.get("end_to_end_duration")),
        "checkpointed_bytes": number(checkpoint.get("checkpointed_size")),
        "state_bytes": number(checkpoint.get("state_size")),
        "processed_bytes": number(checkpoint.get("processed_data")),
        "persisted_bytes": number(checkpoint.get("persisted_data")),
        "num_subtasks": small(checkpoint.get("num_subtasks")),
        "num_acknowledged": small(checkpoint.get("num_acknowledged_subtasks")),
        "failure_ms": moment(checkpoint.get("failure_timestamp")),
        "failure_message": text(checkpoint.get("failure_message")),
        "external_path": text(checkpoint.get("external_path")),
        **document.at(*path),
    }


FORMAT = Format(
    id="flink-rest-checkpoints",
    title=to_say("Flink REST: checkpoint history"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/monitoring/checkpoint_monitoring/",
    tables=("checkpoint", "metric_sample"),
    recognise=rest_shape(_fits),
    read=rest_reader(_read),
    samples=(
        Sample(
            name="copied.txt",
            text='"id": 812, "status": "FAILED", "end_to_end_duration": 600000, "num_subtasks": 64,\n'
            '"num_acknowledged_subtasks": 63, "failure_message": "Checkpoint expired before completing.", ...',
            rows={
                "checkpoint": [
                    {
                        "checkpoint_id": 812,
                        "status": "FAILED",
                        "end_to_end_ms": 600000.0,
                        "num_acknowledged": 63,
                        "failure_message": "Checkpoint expired before completing.",
                    }
                ]
            },
        ),
        Sample(
            name="rest/jobs_62c0ae9f2958cc5d669a5f9058cc4097_checkpoints.json",
            text='{"counts":{"restored":0,"total":2,"in_progress":1,"completed":1,"failed":0},"summary":{},'
            '"latest":{"completed":{"className":"completed","id":5,"status":"COMPLETED"},"savepoint":null,'
            '"failed":{"className":"failed","id":2,"status":"FAILED","is_savepoint":false,'
            '"trigger_timestamp":1795222052724,"failure_timestamp":1795222082724,'
            '"failure_message":"Checkpoint expired before completing."},"restored":null},"history":['
            '{"className":"completed","id":5,"status":"COMPLETED","is_savepoint":false,"savepointFormat":null,'
            '"trigger_timestamp":1795222105864,"latest_ack_timestamp":1795222133798,"checkpointed_size":287948221,'
            '"state_size":287948221,"end_to_end_duration":27934,"alignment_buffered":0,"processed_data":31025,'
            '"persisted_data":0,"num_subtasks":4,"num_acknowledged_subtasks":4,"checkpoint_type":"CHECKPOINT",'
            '"tasks":{},"external_path":"file:/ckpt/chk-5","discarded":false}]}',
            rows={
                "checkpoint": [
                    {
                        "ts_ms": None,
                        "job_id": "62c0ae9f2958cc5d669a5f9058cc4097",
                        "checkpoint_id": 5,
                        "status": "COMPLETED",
                        "is_savepoint": False,
                        "checkpoint_type": "CHECKPOINT",
                        "trigger_ms": 1795222105864,
                        "latest_ack_ms": 1795222133798,
                        "end_to_end_ms": 27934.0,
                        "checkpointed_bytes": 287948221.0,
                        "state_bytes": 287948221.0,
                        "processed_bytes": 31025.0,
                        "persisted_bytes": 0.0,
                        "num_subtasks": 4,
                        "num_acknowledged": 4,
                        "failure_ms": None,
                        "failure_message": None,
                        "external_path": "file:/ckpt/chk-5",
                        "pointer": "/history/0",
                    },
                    {
                        "checkpoint_id": 2,
                        "status": "FAILED",
                        "failure_message": "Checkpoint expired before completing.",
                        "pointer": "/latest/failed",
                    },
                ],
                "metric_sample": [
                    {"metric": "totalNumberOfCheckpoints", "scope": "job", "value": 2.0},
                    {"metric": "numberOfCompletedCheckpoints", "value": 1.0, "pointer": "/counts/completed"},
                    {"metric": "numberOfFailedCheckpoints", "value": 0.0},
                    {"metric": "numberOfInProgressCheckpoints", "value": 1.0},
                    {"metric": "numberOfRestoredCheckpoints", "value": 0.0},
                ],
            },
        ),
        Sample(
            name="rest.json",
            text='{"counts":{"completed":40,"failed":1},"latest":{"failed":{"id":41,"status":"FAILED",'
            '"failure_message":"Checkpoint expired before completing."}}}',
            rows={
                "metric_sample": [
                    {"metric": "numberOfCompletedCheckpoints", "job_id": None, "value": 40.0},
                    {"metric": "numberOfFailedCheckpoints", "value": 1.0},
                ],
                "checkpoint": [
                    {
                        "checkpoint_id": 41,
                        "status": "FAILED",
                        "failure_message": "Checkpoint expired before completing.",
                        "pointer": "/latest/failed",
                    }
                ],
            },
        ),
    ),
)
