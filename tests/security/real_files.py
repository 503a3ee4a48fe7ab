"""Small real files of each format: its samples, and those of `tests/diagnostics/formats/samples` that it claims."""

from __future__ import annotations

import io
from decimal import Decimal
from functools import cache
from pathlib import Path

import fastavro
import pyarrow as pa
from pyarrow import parquet

from diagnostics.formats import FORMATS, recognise
from diagnostics.notation.file_range import HEAD_BYTES, Head

FOLDER = Path(__file__).parents[1] / "diagnostics" / "formats" / "samples"
MOST_BYTES = 6_000
"""Larger ones are left out: thousands of mutants of each are read."""

TIME = 1_795_224_420_970


@cache
def real_files(format_id: str) -> tuple[bytes, ...]:
    """The contents."""
    samples = [sample.content for sample in FORMATS[format_id].samples]
    return (*samples, *_claimed().get(format_id, ()), *WRITTEN.get(format_id, tuple)())


@cache
def _claimed() -> dict[str, list[bytes]]:
    claimed: dict[str, list[bytes]] = {}
    for path in sorted(FOLDER.iterdir()):
        content = path.read_bytes()
        if len(content) > MOST_BYTES or path.suffix == ".md":
            continue
        head = Head(path.name, content[:HEAD_BYTES], content[:HEAD_BYTES].decode("utf-8", "replace"), complete=True)
        claimed.setdefault(recognise(head).format_id or "", []).append(content)
    return claimed


def _parquet_files() -> tuple[bytes, ...]:
    events = {"device_id": ["a", "b"] * 50, "event_time": [TIME + n for n in range(100)], "tags": [["x"]] * 100}
    series = 'flink_taskmanager_job_task_busyTimeMsPerSecond{job_id="a",task_id="b",subtask_index="0"}'
    metrics = {"timestamp": [TIME, TIME + 1], "value": [1.0, 2.0], "metric": [series, series]}
    return tuple(map(_parquet, (events, metrics)))


def _parquet(columns: dict[str, list[object]]) -> bytes:
    target = io.BytesIO()
    parquet.write_table(pa.table(columns), target, row_group_size=50)
    return target.getvalue()


def _avro_files() -> tuple[bytes, ...]:
    pair = {"type": "record", "name": "Pair", "fields": [{"name": "x", "type": "float"}, {"name": "y", "type": "int"}]}
    cost = {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}
    kinds = {"device_id": "string", "event_time": "long", "pairs": {"type": "array", "items": pair}, "cost": cost}
    schema = {"type": "record", "name": "E", "fields": [{"name": name, "type": kind} for name, kind in kinds.items()]}
    event = {"device_id": "a", "event_time": TIME, "pairs": [{"x": 0.5, "y": 3}], "cost": Decimal("1.5")}
    target = io.BytesIO()
    fastavro.writer(target, schema, [event] * 30)
    return (target.getvalue(),)


WRITTEN = {"event-parquet": _parquet_files, "event-avro": _avro_files}
"""Formats of bytes, whose samples hold one shape of several."""
