"""Flink's metrics as OpenTelemetry's JSON: what the collector's file exporter writes, one export on each line.

Flink's OpenTelemetry reporter names a metric `flink.` with the logical scope and the identifier; its attributes are the
variables of the scope.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.json_document import outline, read_json
from diagnostics.notation.json_series import DatedValue, JsonSeries
from diagnostics.notation.prometheus_series import series_key
from diagnostics.notation.rest_document import CERTAIN, fields, items
from diagnostics.notation.tally import MOST_SHOWN, Tally
from diagnostics.notation.text_lines import raw_lines

MOST_LINE = 3_000_000
"""Bytes of an export on a line of its own. Our choice: the collector sends batches of 8,192 values by default."""
PREFIX = "flink."
KINDS = ("gauge", "sum")
QUANTILES = "summary"

_NOT_PLAIN = re.compile(r"[^a-zA-Z0-9:_]")


def _recognise(head: Head) -> float:
    seen = outline(head)
    if seen is None or not seen.has("resourceMetrics/*", "scopeMetrics"):
        return 0.0
    return CERTAIN if f'"{PREFIX}' in head.text or '"flink_' in head.text else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    series = JsonSeries()
    for number, export in _exports(part, series.tally):
        for place, resource in enumerate(items(export.get("resourceMetrics"))):
            for scope, of_scope in enumerate(items(fields(resource).get("scopeMetrics"))):
                for at, metric in enumerate(items(fields(of_scope).get("metrics"))):
                    pointer = f"/resourceMetrics/{place}/scopeMetrics/{scope}/metrics/{at}"
                    _take(series, fields(metric), pointer if number is None else f"/{number - 1}{pointer}")
    yield from series.read(None)


def _exports(part: Range, tally: Tally) -> Iterator[tuple[int | None, Mapping[str, Any]]]:
    """The exports of a file, with their line where each has its own; the first line shows whether they do."""
    lines = ((number, line) for number, line in enumerate(raw_lines(part, MOST_LINE), 1) if line.strip())
    for place, (number, line) in enumerate(lines):
        try:
            export = fields(json.loads(line))
        except (ValueError, RecursionError):
            if place == 0:
                yield None, fields(read_json(part).value)
                return
            tally.odd(number, line[:MOST_SHOWN].decode("utf-8", "replace"))
            continue
        yield number, export


def _take(series: JsonSeries, metric: Mapping[str, Any], pointer: str) -> None:
    name = "flink_" + _NOT_PLAIN.sub("_", str(metric.get("name")).removeprefix(PREFIX).removeprefix("flink_"))
    is_flinks = str(metric.get("name")).startswith((PREFIX, "flink_"))
    for kind in (*KINDS, QUANTILES):
        for number, entry in enumerate(items(fields(metric.get(kind)).get("dataPoints"))):
            point, place = fields(entry), f"{pointer}/{kind}/dataPoints/{number}"
            labels = _attributes(point)
            moment = _whole(point.get("timeUnixNano"))
            ts_ms = moment // 1_000_000 if moment is not None else None
            if kind != QUANTILES:
                value: DatedValue = ts_ms, point.get("asDouble", _whole(point.get("asInt"))), place
                series.add(series_key(name, labels) if is_flinks else None, [value])
                continue
            for each in map(fields, items(point.get("quantileValues"))):
                quantile = {"quantile": str(each.get("quantile", 0))}
                key = series_key(name, {**labels, **quantile}) if is_flinks else None
                series.add(key, [(ts_ms, each.get("value", 0), place)])


def _attributes(point: Mapping[str, Any]) -> dict[str, str]:
    """The attributes of a point that are texts or whole numbers."""
    attributes = {}
    for each in map(fields, items(point.get("attributes"))):
        value = fields(each.get("value"))
        text = value.get("stringValue", value.get("intValue"))
        if isinstance(text, str | int):
            attributes[str(each.get("key")).strip("<>")] = str(text)
    return attributes


def _whole(value: Any) -> int | None:
    """A whole number of 64 bits, which OTLP's JSON writes as text."""
    try:
        return int(value) if isinstance(value, str | int) else None
    except ValueError:
        return None


FORMAT = Format(
    id="otlp-metrics",
    title=to_say("Flink's metrics as OpenTelemetry JSON"),
    documentation="https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding",
    tables=("metric_sample",),
    recognise=_recognise,
    read=_read,
    samples=(
        Sample(
            name="otel-metrics.json",
            text='{"resourceMetrics":[{"resource":{},"scopeMetrics":[{"metrics":[{"name":'
            '"flink.taskmanager.job.task.busyTimeMsPerSecond","gauge":{"dataPoints":[{"attributes":['
            '{"key":"job_name","value":{"stringValue":"orders"}},{"key":"task_name","value":{"stringValue":"Window"}},'
            '{"key":"subtask_index","value":{"stringValue":"2"}}],"timeUnixNano":"1795222800000000000",'
            '"asDouble":998.0}]}},{"name":"system.cpu.time","sum":{"dataPoints":[{"asInt":"3"}]}}]}]}]}\n'
            '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"flink.jobmanager.job.numRestarts","gauge":'
            '{"dataPoints":[{"attributes":[{"key":"job_name","value":{"stringValue":"orders"}}],'
            '"timeUnixNano":"1795222810000000000","asInt":"3"}]}}]}]}]}\n',
            rows={
                "metric_sample": [
                    {
                        "ts_ms": 1795222800000,
                        "metric": "busyTimeMsPerSecond",
                        "scope": "task",
                        "job_name": "orders",
                        "vertex": "Window",
                        "subtask": 2,
                        "value": 998.0,
                    },
                    {"ts_ms": 1795222810000, "metric": "numRestarts", "scope": "job", "value": 3.0},
                ]
            },
        ),
    ),
)
