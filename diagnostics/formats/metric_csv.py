"""Samples of Flink's metrics as delimited text: exports of a Prometheus store or of a Grafana panel."""

from __future__ import annotations

from collections.abc import Iterator

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.csv_line import csv_fields
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.metric_table import MetricColumns, MetricTable
from diagnostics.notation.tally import Tally
from diagnostics.notation.text_lines import numbered_lines

MOST_LINE = 262_144
"""Grafana prints the whole series of each column in the first line. Our choice: a thousand series."""
MOST_COLUMNS = 2_000
LINES_LOOKED_AT = 20
SEPARATORS = ",;\t"


def _recognise(head: Head) -> float:
    if head.starts_as_json or "flink_" not in head.text:
        return 0.0
    lines = head.text.lstrip("\ufeff").split("\n", LINES_LOOKED_AT)[:LINES_LOOKED_AT]
    named = [line for line in lines if line.strip() and not line.startswith("sep=")]
    layout = _layout(named[0]) if named else None
    if layout is None:
        return 0.0
    separator, columns, chosen = layout
    for line in named[1:]:
        row = dict(zip(columns, csv_fields(line, separator), strict=False))
        if any(key is not None for key, _ in chosen.samples(row)):
            return 0.9
    return 0.0


def _layout(line: str) -> tuple[str, list[str], MetricColumns] | None:
    """Separator, names and metric columns from the line of names; None when there are none."""
    for separator in SEPARATORS:
        names = [name.strip() for name in csv_fields(line, separator)]
        if 2 <= len(names) <= MOST_COLUMNS and (chosen := MetricColumns.of(names)) is not None:
            return separator, names, chosen
    return None


def _read(part: Range) -> Iterator[Rows | Coverage]:
    tally = Tally()
    table: MetricTable | None = None
    separator, columns = ",", list[str]()
    for number, line in numbered_lines(part, MOST_LINE):
        line = line.removeprefix("\ufeff")
        if not line or line.startswith("sep="):
            continue
        if table is None:
            layout = _layout(line)
            if layout is None:
                tally.odd(number, line)
                continue
            separator, columns = layout[:2]
            table = MetricTable(layout[2], tally)
            continue
        values = csv_fields(line, separator)
        if len(values) != len(columns) or not table.take(dict(zip(columns, values, strict=True)), number):
            tally.odd(number, line)
        if table.is_full:
            yield table.rows()
    if table is not None:
        yield table.rows()
        table.say()
    yield tally.coverage()


FORMAT = Format(
    id="metric-csv",
    title=to_say("Metrics as CSV (exports of Prometheus, Grafana)"),
    documentation="https://grafana.com/docs/grafana/latest/panels-visualizations/panel-inspector/",
    tables=("metric_sample",),
    recognise=_recognise,
    read=_read,
    samples=(
        Sample(
            name="remote-read.csv",
            text="timestamp,__name__,job_name,task_name,subtask_index,value\n"
            "1795222048.675,flink_taskmanager_job_task_busyTimeMsPerSecond,orders,aggregate,0,998\n"
            "1795222053.675,flink_taskmanager_job_task_busyTimeMsPerSecond,orders,aggregate,0,NaN\n"
            "1795222053.675,node_load1,,,,0.5\n",
            rows={
                "metric_sample": [
                    {
                        "ts_ms": 1795222048675,
                        "metric": "busyTimeMsPerSecond",
                        "scope": "task",
                        "job_name": "orders",
                        "vertex": "aggregate",
                        "subtask": 0,
                        "value": 998.0,
                        "line": 2,
                    },
                    {"ts_ms": 1795222053675, "value": None, "line": 3},
                ]
            },
        ),
        Sample(
            name="busy-data.csv",
            text='"Time","flink_taskmanager_job_task_busyTimeMsPerSecond{subtask_index=""0"", task_name=""sums""}",'
            '"flink_taskmanager_job_task_busyTimeMsPerSecond{subtask_index=""1"", task_name=""sums""}"\n'
            "2026-11-21 01:31:39,998,12\n"
            "2026-11-21 01:31:44,,13\n",
            rows={
                "metric_sample": [
                    {"ts_ms": 1795224699000, "vertex": "sums", "subtask": 0, "value": 998.0, "line": 2},
                    {"ts_ms": 1795224699000, "subtask": 1, "value": 12.0},
                    {"ts_ms": 1795224704000, "subtask": 1, "value": 13.0, "line": 3},
                ]
            },
        ),
    ),
)
