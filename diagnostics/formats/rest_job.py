"""Flink REST `/jobs`, `/jobs/overview`, `/jobs/<id>` and `/jobs/<id>/plan`: jobs, their tasks and edges; of copied
pieces also tasks without ids, and subtasks beside or below them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.json_document import Key, Outline
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
)
from diagnostics.notation.rest_subtask import subtask_row, task_key

TASK_COUNTERS = {
    "read-records": "numRecordsIn",
    "write-records": "numRecordsOut",
    "read-bytes": "numBytesIn",
    "write-bytes": "numBytesOut",
    "accumulated-busy-time": "accumulateBusyTimeMs",
    "accumulated-backpressured-time": "accumulateBackPressuredTimeMs",
    "accumulated-idle-time": "accumulateIdleTimeMs",
}
"""Fields of `vertices[].metrics` -> task metric that each sums over the subtasks."""


def _fits(seen: Outline) -> bool:
    return (
        seen.has("jobs/*", "jid", "state")
        or seen.has("jobs/*", "id", "status")
        or seen.has("", "jid", "vertices")
        or any(seen.has("vertices/*", "name", of_task) for of_task in ("status", "parallelism", "metrics"))
        or seen.has("", "jid", "state", "timestamps")
        or seen.has("plan", "nodes")
        or (seen.has("", "plan") and seen.has("plan", "jid"))
    )


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    answer = document.value
    if "jobs" in answer:
        jobs = [_job(document, job, "jobs", place) for place, job in enumerate(items(answer["jobs"]))]
        yield Rows("job", jobs)
        yield Coverage(records=len(jobs))
        return
    if text(answer.get("jid")) or document.path.job_id:
        yield Rows("job", [_job(document, answer)])
    yield from _vertices(document, moment(answer.get("now")) or document.snapshot_ms)
    yield Rows("edge", list(_edges(document)))
    yield Coverage(records=1, first_ts_ms=moment(answer.get("start-time")), last_ts_ms=moment(answer.get("now")))


def _job(document: RestDocument, job: Mapping[str, Any], *path: Key) -> dict[str, Any]:
    return {
        "ts_ms": moment(job.get("now")) or document.snapshot_ms,
        "job_id": text(job.get("jid", job.get("id"))) or document.path.job_id,
        "name": text(job.get("name")),
        "state": text(job.get("state", job.get("status"))),
        "start_ms": moment(job.get("start-time")),
        "end_ms": moment(job.get("end-time")),
        **document.at(*path),
    }


def _vertices(document: RestDocument, ts_ms: int | None) -> Iterator[Rows]:
    job_id = text(document.value.get("jid")) or document.path.job_id
    vertices, samples, subtasks = [], [], []
    listed = items(document.value.get("vertices"))
    for place, vertex in enumerate(listed):
        named = {"ts_ms": ts_ms, "job_id": job_id, "vertex_id": task_key(vertex, document)}
        vertices.append(
            {
                **named,
                "name": text(vertex.get("name")),
                "parallelism": small(vertex.get("parallelism")),
                "max_parallelism": small(vertex.get("maxParallelism")),
                "status": text(vertex.get("status")),
                **document.at("vertices", place),
            }
        )
        metrics = fields(vertex.get("metrics"))
        samples += [
            {
                **named,
                "metric": metric,
                "scope": "task",
                "job_name": text(document.value.get("name")),
                "vertex": text(vertex.get("name")),
                "aggregate": "sum",
                "value": number(complete(metrics, name)),
                **document.at("vertices", place, "metrics", name),
            }
            for name, metric in TASK_COUNTERS.items()
            if name in metrics
        ]
        of_task: list[tuple[Key, ...]] = [("vertices", place, "subtasks")] if "subtasks" in vertex else []
        of_task += [("subtasks",)] if "subtasks" in document.value and len(listed) == 1 else []
        for path in of_task:
            told = vertex["subtasks"] if len(path) > 1 else document.value["subtasks"]
            subtasks += [
                {**named, **subtask_row(each), **document.at(*path, number_of)}
                for number_of, each in enumerate(items(told))
            ]
    if subtasks:
        yield Rows("subtask", subtasks)
    yield Rows("vertex", vertices)
    yield Rows("metric_sample", samples)


def _edges(document: RestDocument) -> Iterator[dict[str, Any]]:
    plan = fields(document.value.get("plan"))
    job_id = text(plan.get("jid")) or text(document.value.get("jid")) or document.path.job_id
    for place, node in enumerate(items(plan.get("nodes"))):
        for number_in, source in enumerate(items(node.get("inputs"))):
            yield {
                "job_id": job_id,
                "source_id": text(source["id"]),
                "target_id": text(node["id"]),
                "ship_strategy": text(source.get("ship_strategy")),
                **document.at("plan", "nodes", place, "inputs", number_in),
            }


FORMAT = Format(
    id="flink-rest-job",
    title=to_say("Flink REST: job"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/rest_api/#jobs-jobid",
    tables=("job", "vertex", "subtask", "edge", "metric_sample"),
    recognise=rest_shape(_fits),
    read=rest_reader(_read),
    samples=(
        Sample(
            name="rest/jobs.json",
            text='{"jobs":[{"id":"62c0ae9f2958cc5d669a5f9058cc4097","status":"RESTARTING"}]}',
            rows={"job": [{"job_id": "62c0ae9f2958cc5d669a5f9058cc4097", "name": None, "state": "RESTARTING"}]},
        ),
        Sample(
            name="rest/jobs_overview.json",
            text='{"jobs":[{"jid":"62c0ae9f2958cc5d669a5f9058cc4097","name":"clickstream-session-profiles",'
            '"start-time":1795222038930,"end-time":-1,"duration":97865,"state":"RUNNING",'
            '"last-modification":1795222044840,"tasks":{"running":4,"total":4}}]}',
            rows={
                "job": [
                    {
                        "ts_ms": None,
                        "job_id": "62c0ae9f2958cc5d669a5f9058cc4097",
                        "name": "clickstream-session-profiles",
                        "state": "RUNNING",
                        "start_ms": 1795222038930,
                        "end_ms": None,
                        "line": 1,
                        "pointer": "/jobs/0",
                    }
                ]
            },
        ),
        Sample(
            name="rest/job.json",
            text='{"jid":"62c0ae9f2958cc5d669a5f9058cc4097","name":"clickstream-session-profiles","isStoppable":false,'
            '"state":"RUNNING","start-time":1795222038930,"end-time":-1,"duration":97869,"maxParallelism":-1,'
            '"now":1795222136799,"timestamps":{"RUNNING":1795222041212},"vertices":['
            '{"id":"401ce4df3bc435e1a06b783bc1174815","name":"Source: clickstream-source","maxParallelism":128,'
            '"parallelism":2,"status":"RUNNING","start-time":1795222041691,"end-time":-1,"duration":95108,"metrics":{'
            '"read-bytes":0,"read-bytes-complete":true,"write-records":273830,"write-records-complete":false,'
            '"accumulated-backpressured-time":23443,"accumulated-busy-time":"NaN"}}],'
            '"plan":{"jid":"62c0ae9f2958cc5d669a5f9058cc4097","name":"clickstream-session-profiles","nodes":['
            '{"id":"0fcda262ddc259703435ec6b5d9af99f","parallelism":2,"inputs":[{"num":0,'
            '"id":"401ce4df3bc435e1a06b783bc1174815","ship_strategy":"HASH","exchange":"pipelined_bounded"}]}]}}',
            rows={
                "job": [{"ts_ms": 1795222136799, "state": "RUNNING", "pointer": ""}],
                "vertex": [
                    {
                        "ts_ms": 1795222136799,
                        "job_id": "62c0ae9f2958cc5d669a5f9058cc4097",
                        "vertex_id": "401ce4df3bc435e1a06b783bc1174815",
                        "name": "Source: clickstream-source",
                        "parallelism": 2,
                        "max_parallelism": 128,
                        "status": "RUNNING",
                        "pointer": "/vertices/0",
                    }
                ],
                "metric_sample": [
                    {"metric": "numRecordsOut", "aggregate": "sum", "value": None},
                    {"metric": "numBytesIn", "value": 0.0, "pointer": "/vertices/0/metrics/read-bytes"},
                    {"metric": "accumulateBusyTimeMs", "value": None},
                    {"metric": "accumulateBackPressuredTimeMs", "value": 23443.0},
                ],
                "edge": [
                    {
                        "job_id": "62c0ae9f2958cc5d669a5f9058cc4097",
                        "source_id": "401ce4df3bc435e1a06b783bc1174815",
                        "target_id": "0fcda262ddc259703435ec6b5d9af99f",
                        "ship_strategy": "HASH",
                        "pointer": "/plan/nodes/0/inputs/0",
                    }
                ],
            },
        ),
        Sample(
            name="rest.json",
            text='{"vertices":[{"name":"Source: files","status":"RUNNING","metrics":{"write-records":9}}],"subtasks":['
            '{"subtask":0,"status":"FINISHED","duration":7500000},{"subtask":1,"status":"RUNNING"}]}',
            rows={
                "vertex": [{"job_id": None, "vertex_id": "Source: files", "status": "RUNNING"}],
                "subtask": [
                    {"vertex_id": "Source: files", "subtask": 0, "duration_ms": 7500000, "pointer": "/subtasks/0"},
                    {"subtask": 1, "status": "RUNNING", "duration_ms": None},
                ],
                "metric_sample": [{"vertex_id": "Source: files", "metric": "numRecordsOut", "value": 9.0}],
            },
        ),
    ),
)
