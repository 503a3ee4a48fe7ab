"""Answers of a Prometheus server's `/api/v1/query_range` and `/api/v1/query` for Flink's series."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from diagnostics.errors import UnreadableInput
from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.json_document import Outline
from diagnostics.notation.prometheus_series import SeriesSamples, series_key
from diagnostics.notation.rest_document import RestDocument, fields, items, rest_reader, rest_shape, text


def _fits(seen: Outline) -> bool:
    answered = seen.has("", "status", "data") and seen.has("data", "resultType", "result")
    return answered or seen.has("", "status", "errorType", "error")


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    answer = document.value
    if answer["status"] != "success":
        raise UnreadableInput(say("Prometheus answered with an error: {error}", error=text(answer.get("error"))))
    samples, pointers, foreign = SeriesSamples(), [], 0
    results = items(fields(answer["data"])["result"])
    for place, result in enumerate(results):
        labels = {label: value for label, value in fields(result.get("metric")).items() if isinstance(value, str)}
        key = series_key(labels.get("__name__", ""), labels)
        if key is None:
            foreign += 1
            continue
        number = samples.add_series(key)
        for pointer, time, value in _values(result):
            samples.series.append(number)
            samples.times.append(time)
            samples.values.append(value)
            pointers.append(f"/data/result/{place}/{pointer}")
    if pointers:
        line = document.at("data", "result")["line"]
        yield Rows("metric_sample", batch=samples.batch(pointers, line))
    warning = say(
        "{foreign} of {listed} series have no name of a Flink metric and were left out",
        foreign=foreign,
        listed=len(results),
    )
    yield Coverage.cover_times(len(pointers), (time for time in samples.times if time), (warning,) if foreign else ())


def _values(result: Mapping[str, Any]) -> Iterator[tuple[str, int, float]]:
    """(series, epoch ms or 0 when unknown, value): every pair of a range, the single one of an instant."""
    for place, pair in enumerate(items(result.get("values"))):
        yield (f"values/{place}", *_pair(pair))
    if "value" in result:
        yield ("value", *_pair(result["value"]))


def _pair(pair: Any) -> tuple[int, float]:
    time, value = pair
    at_ms = round(time * 1000) if isinstance(time, int | float) and 0 < time < 1e12 else 0
    try:
        return at_ms, float(value)
    except (TypeError, ValueError, OverflowError):
        return at_ms, math.nan


FORMAT = Format(
    id="prometheus-query",
    title=to_say("Prometheus query result"),
    documentation="https://prometheus.io/docs/prometheus/latest/querying/api/#range-queries",
    tables=("metric_sample",),
    recognise=rest_shape(_fits),
    read=rest_reader(_read),
    samples=(
        Sample(
            name="metrics/prometheus/busy.json",
            text='{"status":"success","data":{"resultType":"matrix","result":[{"metric":{'
            '"__name__":"flink_taskmanager_job_task_busyTimeMsPerSecond","host":"localhost","instance":"127.0.0.1:18061",'
            '"job":"flink-taskmanager-0","job_id":"62c0ae9f2958cc5d669a5f9058cc4097","job_name":"profiles",'
            '"subtask_index":"0","task_id":"0fcda262ddc259703435ec6b5d9af99f","task_name":"aggregate",'
            '"tm_id":"localhost:18040_ef0dc3"},"values":[[1795222048.675,"1000"],[1795222053.675,"NaN"]]}]}}',
            rows={
                "metric_sample": [
                    {
                        "ts_ms": 1795222048675,
                        "metric": "busyTimeMsPerSecond",
                        "scope": "task",
                        "job_id": "62c0ae9f2958cc5d669a5f9058cc4097",
                        "vertex_id": "0fcda262ddc259703435ec6b5d9af99f",
                        "vertex": "aggregate",
                        "subtask": 0,
                        "task_manager": "localhost:18040-ef0dc3",
                        "labels": None,
                        "value": 1000.0,
                        "line": 1,
                        "pointer": "/data/result/0/values/0",
                    },
                    {"ts_ms": 1795222053675, "value": None, "pointer": "/data/result/0/values/1"},
                ]
            },
        ),
    ),
)
