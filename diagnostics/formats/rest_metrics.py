"""Flink REST metrics and watermarks: lists of `{id, value}` and of aggregates `{id, min, max, avg, sum}`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.file_range import Head
from diagnostics.notation.json_document import outline
from diagnostics.notation.metric_name import from_rest
from diagnostics.notation.rest_document import CERTAIN, RestDocument, RestPath, items, number, rest_reader, text

AGGREGATES = ("min", "max", "avg", "sum", "skew")
"""Aggregates over subtasks; `skew` since 1.20, in percent."""

EMPTY_CONFIDENCE = 0.5
"""For an empty list, which only its path identifies."""

UNUSUAL_CONFIDENCE = 0.5
"""For lists without any of Flink's own metric names: metrics of the user's code, or another program's."""

_EMPTY_ANSWER = re.compile(r"(?:metrics|watermarks)[^/\\]{0,60}$")
_METRIC_ID = re.compile(r'"id"\s{0,9}:\s{0,9}"[^"]')
_FLINK_METRIC = re.compile(
    r'"id"\s{0,9}:\s{0,9}"[^"]{0,300}(?:Status\.|num[A-Z]|[cC]heckpoint|[wW]atermark|buffers\.|Shuffle\.|Time|PerSecond|uptime)'
)
_TRUTH = {"true": 1.0, "false": 0.0}


def _recognise(head: Head) -> float:
    seen = outline(head)
    if seen is None or not seen.is_array or seen.several:
        return 0.0
    if seen.is_empty:
        return EMPTY_CONFIDENCE if head.complete and _EMPTY_ANSWER.search(head.name) else 0.0
    keys = seen.keys.get("*", frozenset())
    if "id" not in keys or not keys <= {"id", "value", *AGGREGATES} or not _METRIC_ID.search(head.text):
        return 0.0
    return CERTAIN if _FLINK_METRIC.search(head.text) else UNUSUAL_CONFIDENCE


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    rows, only_names = [], 0
    for place, entry in enumerate(items(document.value)):
        metric_id = text(entry["id"])
        if metric_id is None:
            continue
        measured = list(_values(entry))
        only_names += not measured
        row = {**_named(document, metric_id), **document.at(place)} if measured else {}
        rows += [{**row, "aggregate": aggregate, "value": value} for aggregate, value in measured]
    yield Rows("metric_sample", rows)
    names = say(
        "{only_names} metrics are listed by name only: ask again with ?get=<names> to get their values",
        only_names=only_names,
    )
    yield Coverage(records=len(items(document.value)), warnings=(names,) if only_names else ())


def _values(entry: Mapping[str, Any]) -> Iterator[tuple[str | None, float | None]]:
    if "value" in entry:
        yield None, _value(entry["value"])
    for aggregate in AGGREGATES:
        if aggregate in entry:
            yield aggregate, _value(entry[aggregate])


def _value(value: Any) -> float | None:
    return _TRUTH[value] if isinstance(value, str) and value in _TRUTH else number(value)


def _scope(path: RestPath) -> str | None:
    if path.vertex_id:
        return "task"
    if path.job_id:
        return "job"
    if path.is_jobmanager:
        return "jobmanager"
    return "taskmanager" if path.task_manager else None


def _named(document: RestDocument, metric_id: str) -> dict[str, Any]:
    name = from_rest(metric_id, _scope(document.path))
    labels = ",".join(f"{label}={value}" for label, value in sorted(name.labels.items()))
    return {
        "ts_ms": document.snapshot_ms,
        "metric": name.metric,
        "scope": name.scope,
        "job_id": document.path.job_id,
        "vertex_id": document.path.vertex_id,
        "operator": name.operator,
        "subtask": document.path.subtask if name.subtask is None else name.subtask,
        "task_manager": document.path.task_manager,
        "quantile": name.quantile,
        "labels": labels or None,
    }


FORMAT = Format(
    id="flink-rest-metrics",
    title=to_say("Flink REST: metrics"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/metrics/#rest-api-integration",
    tables=("metric_sample",),
    recognise=_recognise,
    read=rest_reader(_read),
    samples=(
        Sample(
            name="rest/jobs_62c0ae9f2958cc5d669a5f9058cc4097_vertices_0fcda262ddc259703435ec6b5d9af99f_metrics.json",
            text='[{"id": "1.buffers.inputExclusiveBuffersUsage", "value": "0.0"}, '
            '{"id": "0.user-profile-aggregate._timer_state/event_user-timers.rocksdb_total-sst-files-size", '
            '"value": "17"}, {"id": "1.Sink__profile-sink.numBytesOutPerSecond", "value": "NaN"}, '
            '{"id": "1.isBackPressured", "value": "false"}, {"id": "0.mailboxLatencyMs_p99", "value": "13.5"}, '
            '{"id": "1.user-profile-aggregate.currentInputWatermark", "value": "-9223372036854775808"}]',
            rows={
                "metric_sample": [
                    {
                        "metric": "buffers.inputExclusiveBuffersUsage",
                        "scope": "task",
                        "job_id": "62c0ae9f2958cc5d669a5f9058cc4097",
                        "vertex_id": "0fcda262ddc259703435ec6b5d9af99f",
                        "operator": None,
                        "subtask": 1,
                        "aggregate": None,
                        "value": 0.0,
                        "pointer": "/0",
                    },
                    {
                        "metric": "rocksdb.total-sst-files-size",
                        "scope": "operator",
                        "operator": "user-profile-aggregate",
                        "labels": "column_family=_timer_state/event_user-timers",
                        "subtask": 0,
                        "value": 17.0,
                    },
                    {"metric": "numBytesOutPerSecond", "operator": "Sink__profile-sink", "value": None},
                    {"metric": "isBackPressured", "value": 0.0},
                    {"metric": "mailboxLatencyMs", "quantile": 0.99, "value": 13.5},
                    {"metric": "currentInputWatermark", "scope": "operator", "value": None},
                ]
            },
        ),
        Sample(
            name="jobs/62c0ae9f2958cc5d669a5f9058cc4097/vertices/0fcda262ddc259703435ec6b5d9af99f/subtasks/metrics.json",
            text='[{"id":"busyTimeMsPerSecond","min":79.0,"max":1000.0,"avg":310.75,"sum":1243.0,"skew":100.0}]',
            rows={
                "metric_sample": [
                    {
                        "metric": "busyTimeMsPerSecond",
                        "scope": "task",
                        "subtask": None,
                        "aggregate": "min",
                        "value": 79.0,
                    },
                    {"aggregate": "max", "value": 1000.0},
                    {"aggregate": "avg", "value": 310.75},
                    {"aggregate": "sum", "value": 1243.0},
                    {"aggregate": "skew", "value": 100.0},
                ]
            },
        ),
        Sample(
            name="rest/taskmanagers_localhost_18040-ef0dc3_metrics.json",
            text='[{"id":"Status.JVM.Memory.Heap.Used","value":"168064224"}]',
            rows={
                "metric_sample": [
                    {
                        "metric": "Status.JVM.Memory.Heap.Used",
                        "scope": "taskmanager",
                        "task_manager": "localhost:18040-ef0dc3",
                        "value": 168064224.0,
                    }
                ]
            },
        ),
    ),
)
