"""Events as Parquet, Avro and CSV: the same rows as from JSON lines, and files that mean harm."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from pyarrow import parquet

from diagnostics.errors import LimitExceeded, UnreadableInput
from diagnostics.formats import FORMATS, recognise
from tests.diagnostics.formats.reading_aids import head_of, read

PARQUET, AVRO, CSV = FORMATS["event-parquet"], FORMATS["event-avro"], FORMATS["event-csv"]
NAMES = ["parquet", "avro", "csv"]
EVENTS = [
    {"device_id": f"sensor-{number % 7}", "event_time": 1_795_224_420_000 + number, "ingest_time": 1_795_224_421_000}
    for number in range(120_000)
]
SCHEMA = {
    "type": "record",
    "name": "Event",
    "fields": [{"name": name, "type": "string" if name == "device_id" else "long"} for name in EVENTS[0]],
}


def as_parquet(events: list[dict[str, Any]]) -> bytes:
    target = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(events), target)
    return target.getvalue()


def as_avro(events: list[dict[str, Any]], schema: Any = SCHEMA, codec: str = "deflate") -> bytes:
    target = io.BytesIO()
    fastavro.writer(target, schema, events, codec=codec)
    return target.getvalue()


def as_csv(events: list[dict[str, Any]]) -> bytes:
    lines = [",".join(events[0]), *(",".join(str(value) for value in event.values()) for event in events)]
    return ("\n".join(lines) + "\n").encode()


@pytest.mark.parametrize(("one", "write"), [(PARQUET, as_parquet), (AVRO, as_avro), (CSV, as_csv)], ids=NAMES)
def test_every_event_is_read_over_several_batches(one, write, tmp_path: Path) -> None:
    found = read(one, write(EVENTS), tmp_path, "events")
    rows = found.rows["event"]
    assert (found.records, len(rows)) == (120_000, 120_000)
    assert (rows[-1]["key"], rows[-1]["event_ms"]) == (EVENTS[-1]["device_id"], EVENTS[-1]["event_time"])
    assert {row["arrival_ms"] for row in rows} == {1_795_224_421_000}


@pytest.mark.parametrize(("one", "write"), [(PARQUET, as_parquet), (AVRO, as_avro)], ids=NAMES[:2])
def test_a_file_that_was_cut_says_so(one, write, tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"damaged|ends in"):
        read(one, write(EVENTS[:900])[:-40], tmp_path)


def test_a_table_without_key_and_time_is_said_to_hold_no_events(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="without a key and a time among its columns: a, b"):
        read(PARQUET, as_parquet([{"a": 1, "b": 2}]), tmp_path)


def test_an_avro_block_that_expands_beyond_its_bound_is_not_read(tmp_path: Path) -> None:
    schema = {"type": "record", "name": "E", "fields": [{"name": "key", "type": "string"}]}
    with pytest.raises(LimitExceeded, match="expands to more than"):
        read(AVRO, as_avro([{"key": "a" * 80_000_000}], schema), tmp_path)


@pytest.mark.parametrize("items", ["null", {"type": "record", "name": "Nothing", "fields": []}], ids=str)
def test_an_avro_list_of_values_without_bytes_is_refused(items: Any, tmp_path: Path) -> None:
    """Such a list of 2^60 values takes nine bytes in the file and for ever to pass over."""
    schema = {"type": "record", "name": "E", "fields": [{"name": "all", "type": {"type": "array", "items": items}}]}
    with pytest.raises(UnreadableInput, match="without bytes"):
        read(AVRO, as_avro([{"all": []}], schema), tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "timestamp,id,value\n2026-11-21T01:00:00,1,2\n2026-11-21T01:00:01,1,3\n",
        "timestamp,cpu,memory\n1795224420,1,2\n1795224421,2,3\n",
        "2026-11-21 01:00:00,123 INFO something\n2026-11-21 01:00:01,123 INFO other\n",
    ],
)
def test_other_tables_are_not_taken_for_events(text: str) -> None:
    assert recognise(head_of(text)).format_id != "event-csv"
