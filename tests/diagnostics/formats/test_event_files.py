"""Events as Parquet, Avro and CSV: the same rows as from JSON lines, and hostile files."""

from __future__ import annotations

import io
import json
import math
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from pyarrow import parquet

from diagnostics.errors import LimitExceeded, UnreadableInput
from diagnostics.evidence.rows import Rows
from diagnostics.formats import FORMATS, recognise
from diagnostics.notation.event_columns import epochs_ms
from diagnostics.notation.event_field import NamedFields, epoch_ms
from diagnostics.notation.file_range import Range
from tests.diagnostics.formats.reading_aids import head_of, read

PARQUET, AVRO, CSV = FORMATS["event-parquet"], FORMATS["event-avro"], FORMATS["event-csv"]
JSON_LINES = FORMATS["event-sample"]
NAMES = ["parquet", "avro", "csv"]
EVENTS = [
    {"device_id": f"sensor-{number % 7}", "event_time": 1_795_224_420_000 + number, "ingest_time": 1_795_224_421_000}
    for number in range(120_000)
]
UNUSUAL = [{"k": "a", "t0": 1_795_224_420_970, "t1": 1_795_224_421_000, "rest": "x"}] * 2
"""Events with names that are not known."""
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


def as_unusual_avro(events: list[dict[str, Any]]) -> bytes:
    fields = [{"name": name, "type": "string" if name in ("k", "rest") else "long"} for name in UNUSUAL[0]]
    return as_avro(events, {**SCHEMA, "fields": fields})


def as_lines(events: list[dict[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(event)}\n" for event in events).encode()


def as_csv(events: list[dict[str, Any]]) -> bytes:
    lines = [",".join(events[0]), *(",".join(str(value) for value in event.values()) for event in events)]
    return ("\n".join(lines) + "\n").encode()


def test_the_row_groups_of_a_parquet_file_are_read_apart_and_each_once(tmp_path: Path) -> None:
    path = tmp_path / "events.parquet"
    parquet.write_table(pa.Table.from_pylist(EVENTS), path, row_group_size=30_000)
    assert PARQUET.parts is not None
    begins, size = PARQUET.parts(path), path.stat().st_size
    assert (len(begins), begins[0]) == (4, 0)
    ranges = [Range(0, path.name, str(path), start, end, size) for start, end in pairwise([*begins, size])]
    counts = [
        sum(rows.batch.num_rows for rows in PARQUET.read(each) if isinstance(rows, Rows) and rows.batch is not None)
        for each in ranges
    ]
    assert counts == [30_000] * 4


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


@pytest.mark.parametrize(
    ("one", "write"),
    [(PARQUET, as_parquet), (AVRO, as_unusual_avro), (CSV, as_csv), (JSON_LINES, as_lines)],
    ids=[*NAMES, "json"],
)
def test_a_person_says_which_fields_are_what(one, write, tmp_path: Path) -> None:
    named = NamedFields("k", "t0", "t1")
    found = read(one, write(UNUSUAL), tmp_path, context={"event_fields": named}).rows["event"]
    assert [(each["key"], each["event_ms"], each["arrival_ms"]) for each in found] == [
        ("a", 1_795_224_420_970, 1_795_224_421_000)
    ] * 2


def test_missing_fields_give_no_event(tmp_path: Path) -> None:
    found = read(JSON_LINES, as_lines(UNUSUAL), tmp_path, context={"event_fields": NamedFields("k", "t9")})
    assert not any(found.rows.values())
    assert found.coverage[0].not_understood == 2


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


LINES = {
    "event-sample": [
        '{"device":"a b","time":1795224420,"partition":7}',
        '{"device":"\\u00e9","time":1795224421,"x":[[1]]}',
    ],
    "event-csv": ["a b,1795224420,7", '"é",1795224421,'],
}
ODD = {
    "event-sample": ['{"device":17,"time":1795224422.5}', "no event"],
    "event-csv": ["17,1795224422.5,", "a,b,c,d,e"],
}


@pytest.mark.parametrize("format_id", LINES)
def test_many_lines_at_once_give_what_each_by_itself_gives(format_id: str, tmp_path: Path) -> None:
    """Odd lines make their block be read one by one; the plain lines before them must not change by that."""
    names = "device,time,partition\n" if format_id == "event-csv" else ""
    plain = names + "\n".join(LINES[format_id]) + "\n"
    at_once = read(FORMATS[format_id], plain, tmp_path).rows["event"]
    one_by_one = read(FORMATS[format_id], plain + "\n".join(ODD[format_id]) + "\n", tmp_path)
    assert at_once == one_by_one.rows["event"][:2]
    first = 2 if names else 1
    assert [(row["key"], row["event_ms"], row["line"]) for row in one_by_one.rows["event"]] == [
        ("a b", 1_795_224_420_000, first),
        ("é", 1_795_224_421_000, first + 1),
        ("17", 1_795_224_422_500, first + 2),
    ]
    assert (at_once[0]["partition"], one_by_one.coverage[-1].not_understood) == ("7", 1)


MOMENTS: list[Any] = [None, -5, 0, *(7 * 10**size + 3 for size in range(18))]
COLUMNS = {
    "whole numbers": pa.array(MOMENTS, pa.int64()),
    "fractions": pa.array([None, *(7.25 * 10**size for size in range(18)), float("nan"), float("inf")], pa.float64()),
    "texts with a zone": pa.array(["2026-11-21T01:26:59.250Z", "2026-11-21T01:27:00+02:00", None]),
    "texts without": pa.array(["2026-11-21T01:26:59.250", "2026-11-21 01:27:00"]),
    "texts of several kinds": pa.array(["2026-11-21T01:26:59.250", "never", "2026-11-21T01:27:00Z"]),
    "moments": pa.array([datetime(2026, 1, 1, 3, 4, 5, each, UTC) for each in (123_456, 123_567)]),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_a_column_of_times_is_read_as_each_of_its_values_is(kind: str) -> None:
    column = COLUMNS[kind]
    finite = [value if not isinstance(value, float) or math.isfinite(value) else None for value in column.to_pylist()]
    assert epochs_ms(column).to_pylist() == [epoch_ms(value) for value in finite]
