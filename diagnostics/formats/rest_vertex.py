"""Flink REST `/jobs/<id>/vertices/<id>` and `.../subtasks/<n>`: the subtasks of one task with their counters, also the
subtasks alone as people copy them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.json_document import Key, Outline
from diagnostics.notation.rest_document import RestDocument, fields, items, moment, rest_reader, rest_shape, small, text
from diagnostics.notation.rest_subtask import lists_subtasks, subtask_row, task_key


def _fits(seen: Outline) -> bool:
    if seen.is_array:
        return lists_subtasks(seen, "*")
    is_alone = lists_subtasks(seen, "") and not seen.has("", "subtasks")
    is_whole = seen.has("", "id", "name", "subtasks", "parallelism") and not seen.has("", "taskmanagers")
    return is_alone or is_whole or (lists_subtasks(seen, "subtasks/*") and not seen.has("", "vertices"))


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    vertex = fields(document.value)
    ts_ms = moment(vertex.get("now")) or document.snapshot_ms
    subtasks = list(_subtasks(document))
    named = {"ts_ms": ts_ms, "job_id": document.path.job_id, "vertex_id": task_key(vertex, document)}
    if "subtask" not in vertex:
        about = {
            "name": text(vertex.get("name")),
            "parallelism": small(vertex.get("parallelism")) or len(subtasks),
            "max_parallelism": small(vertex.get("maxParallelism")),
        }
        yield Rows("vertex", [{**named, **about, **document.at()}])
    yield Rows("subtask", [{**named, **subtask_row(subtask), **document.at(*path)} for path, subtask in subtasks])
    yield Coverage(records=1 + len(subtasks), first_ts_ms=ts_ms, last_ts_ms=ts_ms)


def _subtasks(document: RestDocument) -> Iterator[tuple[tuple[Key, ...], Mapping[str, Any]]]:
    """The subtasks with their paths: of a task, of a copied list, or the only one of an answer about it."""
    answer = document.value
    if isinstance(answer, dict) and "subtasks" not in answer:
        yield (), answer
        return
    above, listed = ((), answer) if isinstance(answer, list) else (("subtasks",), items(answer["subtasks"]))
    for place, subtask in enumerate(listed):
        yield (*above, place), subtask


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
        Sample(
            name="rest.json",
            text='{"name":"Source: orders","parallelism":2,"subtasks":[{"subtask":0,"metrics":{"write-records":91243}},'
            '{"subtask":1,"metrics":{"write-records":0}}]}',
            rows={
                "vertex": [{"job_id": None, "vertex_id": "Source: orders", "name": "Source: orders", "parallelism": 2}],
                "subtask": [
                    {"vertex_id": "Source: orders", "subtask": 0, "write_records": 91243, "pointer": "/subtasks/0"},
                    {"subtask": 1, "write_records": 0, "read_records": None, "status": None},
                ],
            },
        ),
        Sample(
            name="subtask.json",
            text='{"subtask":3,"status":"RUNNING","attempt":1,"endpoint":"tm:18050","start-time":1795222041691,'
            '"end-time":-1,"duration":95180,"metrics":{"read-records":5,"write-records":4}}',
            rows={
                "subtask": [
                    {
                        "vertex_id": "(subtask.json)",
                        "subtask": 3,
                        "attempt": 1,
                        "read_records": 5,
                        "write_records": 4,
                        "pointer": "",
                    }
                ]
            },
        ),
    ),
)
