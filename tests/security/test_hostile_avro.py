"""Avro files whose schema leads a decoder astray: each is refused with its reason, in bounded time and memory."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from tests.security.bounded_reading import BoundedReader, Outcome

MOST_MIB = 400
MOST_SECONDS = 5
MARK = b"0123456789abcdef"
EVENT = [{"name": "device_id", "type": "string"}, {"name": "event_time", "type": "long"}]
ONE_EVENT = b"\x02a" + b"\x94\xeb\xdb\xef\xbf\x68"
"""Its key, and a time of 2026."""


def number(value: int) -> bytes:
    """A zig-zag number of the format."""
    value, written = (value << 1) ^ (value >> 63), bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])


def text(content: bytes) -> bytes:
    return number(len(content)) + content


def written(schema: Any, values: bytes, count: int, folder: Path, codec: str = "null") -> Path:
    """A container with one block, as no writer would make it."""
    stated = schema if isinstance(schema, bytes) else json.dumps(schema).encode()
    header = b"Obj\x01" + number(2) + text(b"avro.schema") + text(stated) + text(b"avro.codec") + text(codec.encode())
    if codec == "deflate":
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        values = packer.compress(values) + packer.flush()
    path = folder / "events.avro"
    path.write_bytes(header + b"\0" + MARK + number(count) + text(values) + MARK)
    return path


def record(*fields: Any, name: str = "E") -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": list(fields)}


def doubling(depth: int) -> dict[str, Any]:
    """A record of two records of two records ... of nothing."""
    inner: Any = record(name="R0")
    for level in range(1, depth):
        twice = [{"name": "a", "type": inner}, {"name": "b", "type": f"R{level - 1}"}]
        inner = record(*twice, name=f"R{level}")
    return record({"name": "all", "type": inner}, *EVENT)


def deep(depth: int) -> bytes:
    return b'{"type":"array","items":' * depth + b'"int"' + b"}" * depth


def assert_bounded(outcome: Outcome) -> None:
    assert outcome.failure is None
    assert outcome.seconds < MOST_SECONDS
    assert outcome.peak_mib < MOST_MIB


def test_the_container_of_these_tests_is_read_when_nothing_is_wrong(reader: BoundedReader, tmp_path: Path) -> None:
    outcome = reader.read(written(record(*EVENT), ONE_EVENT * 3, 3, tmp_path))
    assert (outcome.rows, outcome.refusals, outcome.failure) == ({"event": 3}, [], None)


def test_the_same_type_twice_is_no_type_within_itself(reader: BoundedReader, tmp_path: Path) -> None:
    pair = record({"name": "x", "type": "int"}, name="Pair")
    schema = record(*EVENT, {"name": "a", "type": pair}, {"name": "b", "type": "Pair"})
    outcome = reader.read(written(schema, (ONE_EVENT + b"\2\4") * 3, 3, tmp_path))
    assert (outcome.rows, outcome.refusals, outcome.failure) == ({"event": 3}, [], None)


def test_a_list_of_fractions_is_passed_over(reader: BoundedReader, tmp_path: Path) -> None:
    schema = record({"name": "vector", "type": {"type": "array", "items": "float"}}, *EVENT)
    outcome = reader.read(written(schema, (b"\4" + bytes(8) + b"\0" + ONE_EVENT) * 3, 3, tmp_path))
    assert (outcome.rows, outcome.refusals, outcome.failure) == ({"event": 3}, [], None)


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        (record({"name": "next", "type": "E"}, *EVENT), "a type within itself"),
        (record({"name": "next", "type": ["null", "E"]}, *EVENT), "a type within itself"),
        ({**record({"name": "next", "type": "a.b.E"}, *EVENT), "namespace": "a.b"}, "a type within itself"),
        (
            record({"name": "r", "type": record({"name": "next", "type": "E"}, name="R")}, *EVENT),
            "a type within itself",
        ),
        (doubling(30), "a record of more than"),
        (record({"name": "all", "type": {"type": "array", "items": record(name="R")}}, *EVENT), "without bytes"),
        (record({"name": "u", "type": ["int"] * 500}, *EVENT), "a union of 500 types"),
        (deep(100), "more than 40 levels deep"),
        (deep(40_000), "no JSON"),
        (b'{"type":"record","name":"E"}', "a record without fields"),
        (b'{"type":"record","name":"E","fields":[7]}', "a record without fields"),
        (b'{"type":{"type":[]}}', "no records"),
        (b"7", "what is no type"),
        (record({"name": "f", "type": {"type": "fixed", "name": "F", "size": -1}}, *EVENT), "a fixed size without"),
        (record({"name": "f", "type": "Nobody"}, *EVENT), "an unknown type"),
    ],
)
def test_a_schema_without_bounds_is_refused(reader: BoundedReader, schema: Any, reason: str, tmp_path: Path) -> None:
    outcome = reader.read(written(schema, ONE_EVENT * 3, 3, tmp_path))
    assert_bounded(outcome)
    assert reason in outcome.refusals[0]


@pytest.mark.parametrize("items", ["float", "double", "boolean", {"type": "fixed", "name": "F", "size": 4}], ids=str)
def test_a_list_of_numbers_ends_with_its_block(reader: BoundedReader, items: Any, tmp_path: Path) -> None:
    """A decoder passes over a number without a look at it: a list of 2^60 takes nine bytes and has no end."""
    schema = record({"name": "all", "type": {"type": "array", "items": items}}, *EVENT)
    outcome = reader.read(written(schema, number(2**60), 1, tmp_path))
    assert_bounded(outcome)
    assert "ends in a list" in outcome.refusals[0]


def test_a_decimal_of_a_megabyte_is_no_number(reader: BoundedReader, tmp_path: Path) -> None:
    decimal = {"type": "bytes", "logicalType": "decimal", "precision": 2_000_000, "scale": 1}
    schema = record({"name": "amount", "type": decimal}, *EVENT)
    outcome = reader.read(written(schema, (text(b"\x7f" * 1_000_000) + ONE_EVENT) * 20, 20, tmp_path))
    assert_bounded(outcome)
    assert outcome.rows == {"event": 20}


def test_a_block_that_says_it_holds_more_is_read_as_far_as_it_goes(reader: BoundedReader, tmp_path: Path) -> None:
    outcome = reader.read(written(record(*EVENT), ONE_EVENT * 3, 2**50, tmp_path))
    assert_bounded(outcome)
    assert "fewer values than it says" in outcome.refusals[0]


def test_blocks_that_expand_without_end_are_a_bomb(reader: BoundedReader, tmp_path: Path) -> None:
    path = written(record({"name": "rest", "type": "bytes"}, *EVENT), b"", 0, tmp_path, codec="deflate")
    event = text(bytes(30_000_000)) + ONE_EVENT
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(event) + packer.flush()
    path.write_bytes(path.read_bytes() + (number(1) + text(block) + MARK) * 40)
    outcome = reader.read(path)
    assert_bounded(outcome)
    assert "a decompression bomb" in outcome.refusals[0]


def test_a_header_of_a_thousand_settings_is_refused(reader: BoundedReader, tmp_path: Path) -> None:
    path = tmp_path / "events.avro"
    path.write_bytes(b"Obj\x01" + number(1000) + (text(b"name") + text(b"value")) * 1000 + b"\0" + MARK)
    outcome = reader.read(path)
    assert_bounded(outcome)
    assert "more than 50 settings" in outcome.refusals[0]
