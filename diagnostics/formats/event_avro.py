"""Samples of a job's input as an Avro object container file; each block is decompressed within bounds."""

from __future__ import annotations

import base64
import bz2
import io
import lzma
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

from backports import zstd

from diagnostics.errors import LimitExceeded, UnreadableInput
from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.avro_schema import SIZES, read_schema
from diagnostics.notation.event_field import BATCH_EVENTS, EventFields, Events, event_fields
from diagnostics.notation.file_range import Head, Range, open_file

MAGIC = b"Obj\x01"
SYNC_BYTES = 16
MOST_SCHEMA_BYTES = 1_048_576
MOST_SETTINGS = 50
"""Settings of a header. Our choice: writers have two, and one may have a megabyte."""
MOST_BLOCK_BYTES = 64 * 1024 * 1024
"""Decompressed size of a block. Our choice: writers begin a new one after 16 kB to 16 MB."""
MOST_EXPANSION, EXPANSION_FROM_BYTES = 200, 10 * 1024 * 1024
"""Ratio of decompressed to compressed size, as for uploads (`diagnostics.intake.limits`)."""


def _recognise(head: Head) -> float:
    return 0.6 if head.content.startswith(MAGIC) else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    """Decodes all values, since Avro does not state their length; keeps only the fields of events."""
    import fastavro

    named = part.context.get("event_fields")
    with open_file(part) as opened:
        header = _header(opened)
        try:
            schema = read_schema(header["avro.schema"])
            written: Any = fastavro.parse_schema(schema.written)
        except Exception as error:
            raise UnreadableInput(f"an Avro file whose schema cannot be read: {error}"[:300]) from None
        # Nested fields are skipped and never held in memory.
        wanted = {**written, "fields": [each for each in written["fields"] if _is_plain(each["type"])]}
        codec = header.get("avro.codec", b"null").decode("ascii", "replace")
        fields: EventFields | None = None
        events, records, left = Events(), 0, max(EXPANSION_FROM_BYTES, MOST_EXPANSION * part.size)
        for count, block in _blocks(opened, codec, header[""]):
            left -= len(block)
            if left < 0:
                raise LimitExceeded(f"expands to more than {MOST_EXPANSION} times its size: a decompression bomb")
            stream = _WatchedBytes(block) if schema.has_blind_lists else io.BytesIO(block)
            for event in _decoded(stream, len(block), count, written, wanted):
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


class _WatchedBytes(io.BytesIO):
    """A stream that raises EOFError at its end: the decoder skips numbers without checking."""

    def read(self, size: int | None = -1, /) -> bytes:
        content = super().read(size)
        if size is not None and len(content) < size:
            raise EOFError("the block ends in a list")
        return content


def _is_plain(kind: Any) -> bool:
    if isinstance(kind, list):
        return all(_is_plain(each) for each in kind)
    return _is_plain(kind["type"]) if isinstance(kind, dict) else kind in SIZES


def _decoded(stream: io.BytesIO, size: int, count: int, written: Any, wanted: Any) -> Iterator[dict[str, Any]]:
    import fastavro

    for _ in range(count):
        if stream.tell() >= size:
            raise UnreadableInput("an Avro block with fewer values than it says")
        try:
            event = fastavro.schemaless_reader(stream, written, wanted)
        except Exception as error:
            raise UnreadableInput(f"an Avro value that does not fit its schema: {error}"[:300]) from None
        if isinstance(event, dict):
            yield event


def _header(opened: BinaryIO) -> dict[str, bytes]:
    """The header's settings; the empty key holds the sync marker. Raises UnreadableInput."""
    if opened.read(len(MAGIC)) != MAGIC:
        raise UnreadableInput("not an Avro file")
    settings: dict[str, bytes] = {}
    while count := _long(opened):
        if count < 0:
            _long(opened)
        if abs(count) + len(settings) > MOST_SETTINGS:
            raise LimitExceeded(f"an Avro header of more than {MOST_SETTINGS} settings, which is the bound")
        for _ in range(abs(count)):
            name = _bytes(opened).decode("utf-8", "replace")
            settings[name] = _bytes(opened)
    settings[""] = opened.read(SYNC_BYTES)
    if "avro.schema" not in settings or len(settings[""]) < SYNC_BYTES:
        raise UnreadableInput("an Avro file that ends in its header")
    return settings


def _blocks(opened: BinaryIO, codec: str, mark: bytes) -> Iterator[tuple[int, bytes]]:
    """(number of values, bytes) of each block. Raises UnreadableInput, LimitExceeded."""
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
    title=to_say("Event sample (Avro)"),
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
