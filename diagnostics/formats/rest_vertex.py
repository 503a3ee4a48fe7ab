"""Flink REST `/jobs/<id>/vertices/<id>`: the subtasks of one task with their counters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.json_document import Outline
from diagnostics.notation.rest_document import (
    RestDocument,
    complete,
    fields,
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
    if not seen.has("", "id", "name", "subtasks"):
        return False
    return seen.has("", "parallelism") or seen.has("subtasks/*", "attempt", "status")


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    vertex = document.value
    ts_ms = moment(vertex.get("now")) or document.snapshot_ms
    subtasks = items(vertex["subtasks"])
    named = {"ts_ms": ts_ms, "job_id": document.path.job_id, "vertex_id": text(vertex["id"])}
    about = {
        **named,
        "name": text(vertex.get("name")),
        "parallelism": small(vertex.get("parallelism")) or len(subtasks),
        "max_parallelism": small(vertex.get("maxParallelism")),
    }
    yield Rows("vertex", [{**about, **document.at()}])
    yield Rows(
        "subtask",
        [{**named, **_subtask(subtask), **document.at("subtasks", place)} for place, subtask in enumerate(subtasks)],
    )
    yield Coverage(records=1 + len(subtasks), first_ts_ms=ts_ms, last_ts_ms=ts_ms)


def _subtask(subtask: Mapping[str, Any]) -> dict[str, Any]:
    metrics = fields(subtask.get("metrics"))
    return {
        "subtask": small(subtask.get("subtask")),
        "attempt": small(subtask.get("attempt")),
        "status": text(subtask.get("status")),
        "task_manager": _task_manager(subtask.get("taskmanager-id")),
        "host": text(subtask.get("endpoint")) or text(subtask.get("host")),
        "start_ms": moment(subtask.get("start-time", subtask.get("start_time"))),
        "duration_ms": whole(subtask.get("duration")),
        "read_records": whole(complete(metrics, "read-records")),
        "write_records": whole(complete(metrics, "write-records")),
        "read_bytes": whole(complete(metrics, "read-bytes")),
        "write_bytes": whole(complete(metrics, "write-bytes")),
        "busy_ms": number(metrics.get("accumulated-busy-time")),
        "back_pressured_ms": number(metrics.get("accumulated-backpressured-time")),
        "idle_ms": number(metrics.get("accumulated-idle-time")),
    }


def _task_manager(value: Any) -> str | None:
    return None if value == "(unassigned)" else text(value)


FORMAT = Format(
    id="flink-rest-vertex",
    title=to_say("Flink REST: task with its subtasks"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/rest_api/#jobs-jobid-vertices-vertexid",
    tables=("vertex", "subtask"),
    recognise=rest_shape(_fits),
    read=rest_reader(_read),
    samples=(
        Sample(
            name="rest/jobs_62c0ae9f2958cc5d669a5f9058cc4097_vertices_401ce4df3bc435e1a06b783bc1174815.json",
            text='{"id":"401ce4df3bc435e1a06b783bc1174815","name":"Source: clickstream-source","parallelism":2,'
            '"maxParallelism":128,"now":1795222136871,"subtasks":[{"subtask":0,"status":"RUNNING","attempt":0,'
            '"host":"localhost","endpoint":"localhost:18050","start-time":1795222041691,"end-time":-1,"duration":95180,'
            '"metrics":{"read-bytes":0,"read-bytes-complete":true,"write-bytes":210503987,"write-bytes-complete":true,'
            '"read-records":0,"read-records-complete":false,"write-records":136921,"write-records-complete":true,'
            '"accumulated-backpressured-time":12362,"accumulated-idle-time":0,"accumulated-busy-time":"NaN"},'
            '"taskmanager-id":"localhost:18040-ef0dc3","start_time":1795222041691}]}',
            rows={
                "vertex": [
                    {
                        "ts_ms": 1795222136871,
                        "job_id": "62c0ae9f2958cc5d669a5f9058cc4097",
                        "vertex_id": "401ce4df3bc435e1a06b783bc1174815",
                        "name": "Source: clickstream-source",
                        "parallelism": 2,
                        "max_parallelism": 128,
                        "status": None,
                    }
                ],
                "subtask": [
                    {
                        "ts_ms": 1795222136871,
                        "job_id": "62c0ae9f2958cc5d669a5f9058cc4097",
                        "vertex_id": "401ce4df3bc435e1a06b783bc1174815",
                        "subtask": 0,
                        "attempt": 0,
                        "status": "RUNNING",
                        "task_manager": "localhost:18040-ef0dc3",
                        "host": "localhost:18050",
                        "start_ms": 1795222041691,
                        "duration_ms": 95180,
                        "read_records": None,
                        "write_records": 136921,
                        "read_bytes": 0,
                        "write_bytes": 210503987,
                        "busy_ms": None,
                        "back_pressured_ms": 12362.0,
                        "idle_ms": 0.0,
                        "line": 1,
                        "last_line": 1,
                        "pointer": "/subtasks/0",
                    }
                ],
            },
        ),
    ),
)
