"""Samples of Flink's metrics as delimited text: exports of a Prometheus store or of a Grafana panel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import pyarrow as pa
from pyarrow import csv

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.csv_line import csv_fields
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.metric_table import MetricColumns, MetricTable
from diagnostics.notation.tally import Tally
from diagnostics.notation.text_cuts import TextCuts, text_cuts
from diagnostics.notation.text_lines import MOST_CHARACTER_BYTES

MOST_LINE = 262_144
"""Grafana prints the whole series of each column in the first line. Our choice: a thousand series."""
MOST_COLUMNS = 2_000
LINES_LOOKED_AT = 20
SEPARATORS = ",;\t"
ODD = (b"\n\n", b"\r", b"\0", b"\nsep=", b"\xef\xbb\xbf", b" \n", b"\t\n", b"\f\n", b"\v\n")
"""Of lines that count for nothing, or end with white space that does not belong to a value."""


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
    for first, text in text_cuts(part, MOST_LINE * MOST_CHARACTER_BYTES):
        place = 0
        while table is None and place < len(text.starts):
            line = _line(text, place)
            layout = _layout(line) if line else None
            if layout is not None:
                separator, columns = layout[:2]
                table = MetricTable(layout[2], tally)
            elif line:
                tally.odd(first + place, line)
            place += 1
        if table is not None and place < len(text.starts):
            below = TextCuts.of(text.block[int(text.starts[place]) :])
            numbers = np.arange(first + place, first + len(text.starts))
            texts = _texts(below, separator, columns)
            if texts is None or not table.take_columns(texts, numbers):
                for number, line in zip(numbers.tolist(), map(partial(_line, below), range(len(numbers))), strict=True):
                    values = csv_fields(line, separator)
                    row = dict(zip(columns, values, strict=True)) if len(values) == len(columns) else {}
                    if line and not table.take(row, number):
                        tally.odd(number, line)
        if table is not None and table.is_full:
            yield table.rows()
    if table is not None:
        yield table.rows()
        table.say()
    yield tally.coverage()


def _line(text: TextCuts, place: int) -> str:
    """The text of a line; empty for one that counts for nothing."""
    line = text.line(place).decode("utf-8", "replace")[:MOST_LINE].rstrip().removeprefix("\ufeff")
    return "" if line.startswith("sep=") else line


def _texts(text: TextCuts, separator: str, columns: Sequence[str]) -> dict[str, pa.Array] | None:
    """The columns of many lines as texts; None when a line must be read by itself."""
    block = text.block.replace(b"\r\n", b"\n")
    if (
        block.startswith((b"\n", b"sep="))
        or any(odd in block for odd in ODD)
        or (text.ends - text.starts).max() > MOST_LINE
    ):
        return None
    names = [str(place) for place in range(len(columns))]
    whole = csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=names)
    parse = csv.ParseOptions(delimiter=separator, ignore_empty_lines=False)
    convert = csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False)
    try:
        table = csv.read_csv(pa.BufferReader(block), whole, parse, convert).combine_chunks()
    except pa.ArrowException:
        return None
    if table.num_rows != len(text.starts) or "\n" in table.column(len(columns) - 1)[-1].as_py():
        return None
    return {name: column.combine_chunks() for name, column in zip(columns, table.columns, strict=True)}


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
