"""Flink REST `/jobs/<id>/checkpoints/details/<n>/subtasks/<vertex id>`: each subtask's statistics of one checkpoint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.json_document import Outline
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


def _fits(seen: Outline) -> bool:
    if not seen.has("", "id", "num_subtasks", "subtasks"):
        return False
    return seen.has("", "num_acknowledged_subtasks") or seen.has("subtasks/*", "index", "status")


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    answer = document.value
    named = {
        "ts_ms": document.snapshot_ms,
        "job_id": document.path.job_id,
        "checkpoint_id": whole(answer["id"]),
        "vertex_id": document.path.vertex_id,
    }
    rows = [
        {**named, **_part(subtask), **document.at("subtasks", place)}
        for place, subtask in enumerate(items(answer["subtasks"]))
    ]
    yield Rows("subtask_checkpoint", rows)
    yield Coverage.cover_times(len(rows), (row["ack_ms"] for row in rows))


def _part(subtask: Mapping[str, Any]) -> dict[str, Any]:
    durations, alignment = fields(subtask.get("checkpoint")), fields(subtask.get("alignment"))
    return {
        "subtask": small(subtask.get("index")),
        "status": text(subtask.get("status")),
        "ack_ms": moment(subtask.get("ack_timestamp")),
        "end_to_end_ms": number(subtask.get("end_to_end_duration")),
        "checkpointed_bytes": number(subtask.get("checkpointed_size")),
        "state_bytes": number(subtask.get("state_size")),
        "sync_ms": number(durations.get("sync")),
        "async_ms": number(durations.get("async")),
        "alignment_ms": number(alignment.get("duration")),
        "start_delay_ms": number(subtask.get("start_delay")),
        "processed_bytes": number(alignment.get("processed")),
        "persisted_bytes": number(alignment.get("persisted")),
        "unaligned": flag(subtask.get("unaligned_checkpoint")),
        "aborted": flag(subtask.get("aborted")),
    }


FORMAT = Format(
    id="flink-rest-subtask-checkpoints",
    title=to_say("Flink REST: one checkpoint, subtask by subtask"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/monitoring/checkpoint_monitoring/",
    tables=("subtask_checkpoint",),
    recognise=rest_shape(_fits),
    read=rest_reader(_read),
    samples=(
        Sample(
            name="jobs/62c0ae9f2958cc5d669a5f9058cc4097/checkpoints/details/3/subtasks/0fcda262ddc259703435ec6b5d9af99f.json",
            text='{"id":3,"status":"COMPLETED","latest_ack_timestamp":1795222079697,"num_subtasks":2,'
            '"num_acknowledged_subtasks":1,"summary":{"state_size":{"min":54760384,"p50":"NaN"}},"subtasks":['
            '{"className":"completed","index":0,"ack_timestamp":1795222079697,"end_to_end_duration":12791,'
            '"checkpointed_size":54983741,"state_size":54983741,"checkpoint":{"sync":403,"async":12284},'
            '"alignment":{"buffered":0,"processed":23903,"persisted":-1,"duration":2},"start_delay":7,'
            '"unaligned_checkpoint":false,"aborted":false,"status":"completed"},'
            '{"className":"pending","index":1,"status":"pending_or_failed"}]}',
            rows={
                "subtask_checkpoint": [
                    {
                        "ts_ms": None,
                        "job_id": "62c0ae9f2958cc5d669a5f9058cc4097",
                        "checkpoint_id": 3,
                        "vertex_id": "0fcda262ddc259703435ec6b5d9af99f",
                        "subtask": 0,
                        "status": "completed",
                        "ack_ms": 1795222079697,
                        "end_to_end_ms": 12791.0,
                        "checkpointed_bytes": 54983741.0,
                        "state_bytes": 54983741.0,
                        "sync_ms": 403.0,
                        "async_ms": 12284.0,
                        "alignment_ms": 2.0,
                        "start_delay_ms": 7.0,
                        "processed_bytes": 23903.0,
                        "persisted_bytes": None,
                        "unaligned": False,
                        "aborted": False,
                        "pointer": "/subtasks/0",
                    },
                    {"subtask": 1, "status": "pending_or_failed", "ack_ms": None, "async_ms": None, "aborted": None},
                ]
            },
        ),
    ),
)
