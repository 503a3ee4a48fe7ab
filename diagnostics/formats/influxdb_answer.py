"""Answers of InfluxDB's `/query` (and of `influx -format json`) for the measurements of Flink's InfluxDB reporter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.event_field import epoch_ms
from diagnostics.notation.json_document import Outline
from diagnostics.notation.json_series import DatedValue, JsonSeries
from diagnostics.notation.prometheus_series import series_key
from diagnostics.notation.rest_document import RestDocument, fields, items, rest_reader, rest_shape

VALUES = ("value", "rate", "count")
"""Fields of a gauge, a meter and a counter. Source: Flink's `MetricMapper` of the InfluxDB reporter."""
AGGREGATES = ("mean", "last", "max", "min", "first", "median")
"""Functions by which a query thins a series; the column is named after them, alone or in front of the field."""
TIME = "time"
SCOPES = ("jobmanager_", "taskmanager_")


def _fits(seen: Outline) -> bool:
    return seen.has("", "results") and seen.has("results/*", "series")


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    series = JsonSeries()
    for place, result in enumerate(items(document.value["results"])):
        for number, entry in enumerate(items(fields(result).get("series"))):
            _take(series, fields(entry), f"/results/{place}/series/{number}/values")
    yield from series.read(document.at("results")["line"])


def _take(series: JsonSeries, entry: Mapping[str, Any], pointer: str) -> None:
    """Add the rows of a series: its tags are beside it, or columns of its rows."""
    columns = [str(each) for each in items(entry.get("columns"))]
    value = next((each for name in _names() for each in columns if each == name), None)
    tags = {name: told for name, told in fields(entry.get("tags")).items() if isinstance(told, str)}
    if value is None or TIME not in columns or not str(entry.get("name")).startswith(SCOPES):
        series.add(None, ())
        return
    grouped: dict[tuple[tuple[str, str], ...], list[DatedValue]] = {}
    at, of = columns.index(TIME), columns.index(value)
    for number, row in enumerate(items(entry.get("values"))):
        if isinstance(row, list) and len(row) == len(columns):
            told = tuple(
                pair for pair in zip(columns, row, strict=True) if isinstance(pair[1], str) and pair[0] != TIME
            )
            grouped.setdefault(told, []).append((epoch_ms(row[at]), row[of], f"{pointer}/{number}"))
    for told, values in grouped.items():
        series.add(series_key(f"flink_{entry.get('name')}", {**tags, **dict(told)}), values)


def _names() -> Iterator[str]:
    yield from VALUES
    for aggregate in AGGREGATES:
        yield aggregate
        yield from (f"{aggregate}_{value}" for value in VALUES)


FORMAT = Format(
    id="influxdb-answer",
    title=to_say("Flink's metrics in InfluxDB (query result)"),
    documentation="https://docs.influxdata.com/influxdb/v1/guides/query_data/",
    tables=("metric_sample",),
    recognise=rest_shape(_fits),
    read=rest_reader(_read),
    samples=(
        Sample(
            name="influx.json",
            text='{"results":[{"statement_id":0,"series":[{"name":"taskmanager_job_task_busyTimeMsPerSecond",'
            '"tags":{"job_name":"orders","subtask_index":"2","task_name":"Window","tm_id":"tm-1"},"columns":'
            '["time","mean"],"values":[["2026-11-21T01:00:00Z",998.5],["2026-11-21T01:00:10Z",null]]},'
            '{"name":"jobmanager_job_numRestarts","columns":["time","job_name","value"],'
            '"values":[[1795222800000,"orders",3]]},{"name":"cpu","columns":["time","value"],"values":[[1,2]]}]}]}',
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
                        "value": 998.5,
                        "pointer": "/results/0/series/0/values/0",
                    },
                    {"metric": "numRestarts", "scope": "job", "job_name": "orders", "value": 3.0},
                ]
            },
        ),
    ),
)
