"""Samples of a job's input as an Avro object container file, block by block, each decompressed within bounds."""

from __future__ import annotations

import base64
import bz2
import io
import json
import lzma
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

from backports import zstd

from diagnostics.errors import LimitExceeded, UnreadableInput
from diagnostics.format import Coverage, Format, Head, Range, Rows, Sample, open_file
from diagnostics.notation.event_field import BATCH_EVENTS, EventFields, Events, event_fields

MAGIC = b"Obj\x01"
SYNC_BYTES = 16
MOST_SCHEMA_BYTES = 1_048_576
MOST_BLOCK_BYTES = 64 * 1024 * 1024
"""Of a block, decompressed. Our choice: writers begin a new one after 16 kB to 16 MB."""
BARE_TYPES = frozenset(("null", "boolean", "int", "long", "float", "double", "bytes", "string"))


def _recognise(head: Head) -> float:
    return 0.6 if head.content.startswith(MAGIC) else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    """Values of any type are decoded, since their length is not told; only the fields that matter are kept."""
    import fastavro

    named = part.context.get("event_fields")
    with open_file(part) as opened:
        header = _header(opened)
        try:
            written = fastavro.parse_schema(json.loads(header["avro.schema"]))
            wanted = _plain_fields(written)
        except Exception as error:
            raise UnreadableInput(f"an Avro file whose schema cannot be read: {error}"[:300]) from None
        codec = header.get("avro.codec", b"null").decode("ascii", "replace")
        fields: EventFields | None = None
        events, records = Events(), 0
        for count, block in _blocks(opened, codec, header[""]):
            for event in _decoded(block, count, written, wanted):
                fields = fields or event_fields(event, named)
                if fields is None:
                    raise UnreadableInput(
                        f"an Avro file without a key and a time among its fields: {', '.join(event)}"[:300]
                    )
                events.add(event, fields, None)
                if len(events.lines) >= BATCH_EVENTS:
                    yield Rows("event", batch=events.batch())
                    events = Events()
            records += count
        yield Rows("event", batch=events.batch())
        yield Coverage(records=records)


def _plain_fields(schema: Any) -> Any:
    """The schema with only the fields of simple types: the others are passed over and never held."""
    if not isinstance(schema, dict) or schema.get("type") != "record":
        raise UnreadableInput("its values are no records")
    if any(_weighs_nothing(each) for each in _items(schema)):
        raise UnreadableInput("it has a list of values without bytes, of which there may be any number")
    plain = [each for each in schema["fields"] if _is_plain(each["type"])]
    return {**schema, "fields": plain}


def _items(kind: Any) -> Iterator[Any]:
    """The types of what lists hold, at any depth."""
    if isinstance(kind, list):
        for each in kind:
            yield from _items(each)
    elif isinstance(kind, dict):
        if kind.get("type") == "array":
            yield kind["items"]
        for part in (kind.get("items"), kind.get("values"), kind.get("type")):
            yield from _items(part)
        for each in kind.get("fields", ()):
            yield from _items(each["type"])


def _weighs_nothing(kind: Any) -> bool:
    """Whether values of the type take no byte; a type that is only named may be one."""
    if isinstance(kind, dict):
        if kind["type"] == "record":
            return all(_weighs_nothing(each["type"]) for each in kind["fields"])
        return kind.get("size") == 0 if kind["type"] == "fixed" else _weighs_nothing(kind["type"])
    return kind == "null" or (isinstance(kind, str) and kind not in (*BARE_TYPES, "array", "map", "enum"))


def _is_plain(kind: Any) -> bool:
    if isinstance(kind, list):
        return all(_is_plain(each) for each in kind)
    return (kind["type"] if isinstance(kind, dict) else kind) in BARE_TYPES


def _decoded(block: bytes, count: int, written: Any, wanted: Any) -> Iterator[dict[str, Any]]:
    import fastavro

    stream = io.BytesIO(block)
    for _ in range(count):
        if stream.tell() >= len(block):
            raise UnreadableInput("an Avro block with fewer values than it says")
        try:
            event = fastavro.schemaless_reader(stream, written, wanted)
        except Exception as error:
            raise UnreadableInput(f"an Avro value that does not fit its schema: {error}"[:300]) from None
        if isinstance(event, dict):
            yield event


def _header(opened: BinaryIO) -> dict[str, bytes]:
    """The file's settings, and under the empty name its sync mark. Raises UnreadableInput."""
    if opened.read(len(MAGIC)) != MAGIC:
        raise UnreadableInput("not an Avro file")
    settings: dict[str, bytes] = {}
    while count := _long(opened):
        if count < 0:
            _long(opened)
        for _ in range(min(abs(count), 1000)):
            name = _bytes(opened).decode("utf-8", "replace")
            settings[name] = _bytes(opened)
    settings[""] = opened.read(SYNC_BYTES)
    if "avro.schema" not in settings or len(settings[""]) < SYNC_BYTES:
        raise UnreadableInput("an Avro file that ends in its header")
    return settings


def _blocks(opened: BinaryIO, codec: str, mark: bytes) -> Iterator[tuple[int, bytes]]:
    """Each block: how many values, and their bytes. Raises UnreadableInput, LimitExceeded."""
    while (ahead := opened.read(1)) != b"":
        opened.seek(-len(ahead), io.SEEK_CUR)
        count, size = _long(opened), _long(opened)
        if count < 0 or not 0 <= size <= MOST_BLOCK_BYTES:
            raise LimitExceeded(f"an Avro block of {size:,} bytes; {MOST_BLOCK_BYTES:,} is the bound")
        packed = opened.read(size)
        if len(packed) < size or opened.read(SYNC_BYTES) != mark:
            raise UnreadableInput("the Avro file is damaged or ends in the middle of a block")
        yield count, _unpacked(packed, codec)


def _unpacked(packed: bytes, codec: str) -> bytes:
    try:
        if codec == "null":
            return packed
        if codec == "deflate":
            content = zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, MOST_BLOCK_BYTES + 1)
        elif codec == "bzip2":
            content = bz2.BZ2Decompressor().decompress(packed, MOST_BLOCK_BYTES + 1)
        elif codec == "xz":
            content = lzma.LZMADecompressor(memlimit=MOST_BLOCK_BYTES * 4).decompress(packed, MOST_BLOCK_BYTES + 1)
        elif codec == "zstandard":
            content = zstd.ZstdDecompressor().decompress(packed, MOST_BLOCK_BYTES + 1)
        else:
            raise UnreadableInput(
                f"Avro's codec {codec[:40]!r} is not read; null, deflate, bzip2, xz and zstandard are"
            )
    except (zlib.error, OSError, EOFError, lzma.LZMAError, zstd.ZstdError) as error:
        raise UnreadableInput(f"a damaged Avro block: {error}") from None
    if len(content) > MOST_BLOCK_BYTES:
        raise LimitExceeded(f"an Avro block expands to more than {MOST_BLOCK_BYTES:,} bytes, which is the bound")
    return content


def _bytes(opened: BinaryIO) -> bytes:
    size = _long(opened)
    if not 0 <= size <= MOST_SCHEMA_BYTES:
        raise LimitExceeded(f"{size:,} bytes in an Avro header; {MOST_SCHEMA_BYTES:,} is the bound")
    return opened.read(size)


def _long(opened: BinaryIO) -> int:
    """A zig-zag number. Raises UnreadableInput at the end of the file."""
    value = shift = 0
    while shift < 70:
        byte = opened.read(1)
        if not byte:
            raise UnreadableInput("the Avro file ends in the middle")
        value |= (byte[0] & 0x7F) << shift
        if byte[0] < 0x80:
            return (value >> 1) ^ -(value & 1)
        shift += 7
    raise UnreadableInput("not an Avro file: a number of more than 64 bits")


_TWO_EVENTS = (
    "T2JqAQQUYXZyby5jb2RlYw5kZWZsYXRlFmF2cm8uc2NoZW1hsgR7InR5cGUiOiAicmVjb3JkIiwgIm5hbWUiOiAiRSIsICJmaWVsZHMiOiBbeyJu"
    "YW1lIjogImRldmljZSIsICJ0eXBlIjogInN0cmluZyJ9LCB7Im5hbWUiOiAiZXZlbnRfdGltZSIsICJ0eXBlIjogeyJ0eXBlIjogImxvbmciLCAi"
    "bG9naWNhbFR5cGUiOiAidGltZXN0YW1wLW1pbGxpcyJ9fSwgeyJuYW1lIjogInRhZ3MiLCAidHlwZSI6IHsidHlwZSI6ICJhcnJheSIsICJpdGVt"
    "cyI6ICJzdHJpbmcifX0sIHsibmFtZSI6ICJyZWNlaXZlZF9hdCIsICJ0eXBlIjogWyJudWxsIiwgImxvbmciXX1dfQAwMTIzNDU2Nzg5YWJjZGVm"
    "BFgTK07NK84v0jUwMLO40rlt9/4MJqZEBqa+hSCmGEzS0MxoyWyQCAMDANxWEzAxMjM0NTY3ODlhYmNkZWY="
)
"""device, event_time (timestamp-millis), tags (an array) and received_at (null or long), deflated."""

FORMAT = Format(
    id="event-avro",
    title="Event sample (Avro)",
    documentation="https://avro.apache.org/docs/++version++/specification/#object-container-files",
    tables=("event",),
    recognise=_recognise,
    read=_read,
    binary=True,
    samples=(
        Sample(
            name="events/readings.avro",
            text=base64.b64decode(_TWO_EVENTS),
            rows={
                "event": [
                    {"key": "sensor-0068", "event_ms": 1795224420970, "arrival_ms": 1795224422471, "line": None},
                    {"key": "sensor-0162", "event_ms": 1795224422098, "arrival_ms": None},
                ]
            },
        ),
    ),
)
