"""Flink's metrics from Datadog: answers of its query API, and the series that Flink's reporter sends to it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.json_document import Outline
from diagnostics.notation.prometheus_series import SeriesSamples, reported_key
from diagnostics.notation.reporter_name import MOST_TAGS, from_datadog
from diagnostics.notation.rest_document import RestDocument, fields, items, rest_reader, rest_shape
from diagnostics.notation.tally import Tally

SECONDS_BELOW = 1e11
"""Smaller times are seconds: Datadog accepts seconds and answers in milliseconds."""


def _fits(seen: Outline) -> bool:
    return seen.has("series/*", "metric", "pointlist") or seen.has("series/*", "metric", "points", "tags")


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    samples, tally = SeriesSamples(), Tally()
    pointers: list[str] = []
    foreign = 0
    listed = items(document.value["series"])
    for place, entry in enumerate(listed):
        series_fields = fields(entry)
        key = reported_key(from_datadog(str(series_fields.get("metric")), _tags(series_fields)))
        if key is None:
            foreign += 1
            continue
        number = samples.add_series(key)
        name = "pointlist" if "pointlist" in series_fields else "points"
        for position, point in enumerate(items(series_fields.get(name))):
            if not isinstance(point, list) or len(point) != 2 or not all(_is_number(each) for each in point):
                continue
            ts_ms = round(point[0] * (1000 if point[0] < SECONDS_BELOW else 1)) if 0 < point[0] < 1e15 else 0
            samples.add(number, ts_ms, float(point[1]))
            pointers.append(f"/series/{place}/{name}/{position}")
            tally.take_time(ts_ms or None)
    if pointers:
        yield Rows("metric_sample", batch=samples.batch(pa.array(pointers), document.at("series")["line"]))
    tally.records = len(pointers)
    if foreign:
        tally.warn(
            say(
                "{foreign} of {listed} series have no name of a Flink metric and were left out",
                foreign=foreign,
                listed=len(listed),
            )
        )
    yield tally.coverage()


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _tags(told: Mapping[str, Any]) -> dict[str, str]:
    """Tags of a series: a list, or the scope in an answer; `*` means all."""
    listed = items(told.get("tag_set")) or items(told.get("tags")) or str(told.get("scope") or "").split(",")
    pairs = (each.partition(":") for each in listed[:MOST_TAGS] if isinstance(each, str))
    return {name.strip(): value.strip() for name, _, value in pairs if value}


FORMAT = Format(
    id="datadog-series",
    title=to_say("Flink's metrics in Datadog"),
    documentation="https://docs.datadoghq.com/integrations/flink/",
    tables=("metric_sample",),
    recognise=rest_shape(_fits),
    read=rest_reader(_read),
    samples=(
        Sample(
            name="metrics/datadog.json",
            text='{"status":"ok","series":[{"metric":"flink.task.busyTimeMsPerSecond","tag_set":["job_name:orders",'
            '"task_name:Window","subtask_index:2","tm_id:tm-1"],"scope":"job_name:orders","interval":10,'
            '"pointlist":[[1795222800000.0,998.0],[1795222810000.0,null]]},'
            '{"metric":"flink.operator.currentInputWatermark","scope":"*","pointlist":[[1795222800000.0,5.0]]},'
            '{"metric":"system.cpu.idle","scope":"*","pointlist":[[1795222800000.0,5.0]]}]}',
            rows={
                "metric_sample": [
                    {
                        "ts_ms": 1795222800000,
                        "metric": "busyTimeMsPerSecond",
                        "scope": "task",
                        "job_name": "orders",
                        "vertex": "Window",
                        "subtask": 2,
                        "task_manager": "tm-1",
                        "value": 998.0,
                        "pointer": "/series/0/pointlist/0",
                    },
                    {"metric": "currentInputWatermark", "scope": "operator", "job_name": None, "value": 5.0},
                ]
            },
        ),
        Sample(
            name="metrics/datadog-sent.json",
            text='{"series":[{"metric":"flink.taskmanager.Status.JVM.Memory.Heap.Used","type":"gauge","host":"vm",'
            '"tags":["host:vm","tm_id:tm-1"],"points":[[1795222800,1024]]}]}',
            rows={
                "metric_sample": [
                    {
                        "metric": "Status.JVM.Memory.Heap.Used",
                        "scope": "taskmanager",
                        "host": "vm",
                        "ts_ms": 1795222800000,
                        "pointer": "/series/0/points/0",
                    }
                ]
            },
        ),
    ),
)
