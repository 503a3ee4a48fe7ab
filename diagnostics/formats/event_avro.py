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
from diagnostics.language import say, to_say
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
            raise UnreadableInput(
                say("an Avro file whose schema cannot be read: {error}", error=str(error)[:250])
            ) from None
        # Nested fields are skipped and never held in memory.
        wanted = {**written, "fields": [each for each in written["fields"] if _is_plain(each["type"])]}
        codec = header.get("avro.codec", b"null").decode("ascii", "replace")
        fields: EventFields | None = None
        events, records, left = Events(), 0, max(EXPANSION_FROM_BYTES, MOST_EXPANSION * part.size)
        for count, block in _blocks(opened, codec, header[""]):
            left -= len(block)
            if left < 0:
                raise LimitExceeded(
                    say("expands to more than {bound} times its size: a decompression bomb", bound=MOST_EXPANSION)
                )
            stream = _WatchedBytes(block) if schema.has_blind_lists else io.BytesIO(block)
            for event in _decoded(stream, len(block), count, written, wanted):
                fields = fields or event_fields(event, named)
                if fields is None:
                    raise UnreadableInput(
                        say(
                            "an Avro file without a key and a time among its fields: {names}",
                            names=", ".join(event)[:250],
                        )
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
            raise EOFError(say("the block ends in a list"))
        return content


def _is_plain(kind: Any) -> bool:
    if isinstance(kind, list):
        return all(_is_plain(each) for each in kind)
    return _is_plain(kind["type"]) if isinstance(kind, dict) else kind in SIZES


def _decoded(stream: io.BytesIO, size: int, count: int, written: Any, wanted: Any) -> Iterator[dict[str, Any]]:
    import fastavro

    for _ in range(count):
        if stream.tell() >= size:
            raise UnreadableInput(say("an Avro block with fewer values than it says"))
        try:
            event = fastavro.schemaless_reader(stream, written, wanted)
        except Exception as error:
            raise UnreadableInput(
                say("an Avro value that does not fit its schema: {error}", error=str(error)[:250])
            ) from None
        if isinstance(event, dict):
            yield event


def _header(opened: BinaryIO) -> dict[str, bytes]:
    """The header's settings; the empty key holds the sync marker. Raises UnreadableInput."""
    if opened.read(len(MAGIC)) != MAGIC:
        raise UnreadableInput(say("not an Avro file"))
    settings: dict[str, bytes] = {}
    while count := _long(opened):
        if count < 0:
            _long(opened)
        if abs(count) + len(settings) > MOST_SETTINGS:
            raise LimitExceeded(
                say("an Avro header of more than {bound} settings, which is the bound", bound=MOST_SETTINGS)
            )
        for _ in range(abs(count)):
            name = _bytes(opened).decode("utf-8", "replace")
            settings[name] = _bytes(opened)
    settings[""] = opened.read(SYNC_BYTES)
    if "avro.schema" not in settings or len(settings[""]) < SYNC_BYTES:
        raise UnreadableInput(say("an Avro file that ends in its header"))
    return settings


def _blocks(opened: BinaryIO, codec: str, mark: bytes) -> Iterator[tuple[int, bytes]]:
    """(number of values, bytes) of each block. Raises UnreadableInput, LimitExceeded."""
    while (ahead := opened.read(1)) != b"":
        opened.seek(-len(ahead), io.SEEK_CUR)
        count, size = _long(opened), _long(opened)
        if count < 0 or not 0 <= size <= MOST_BLOCK_BYTES:
            raise LimitExceeded(
                say("an Avro block of {size:,} bytes; {bound:,} is the bound", size=size, bound=MOST_BLOCK_BYTES)
            )
        packed = opened.read(size)
        if len(packed) < size or opened.read(SYNC_BYTES) != mark:
            raise UnreadableInput(say("the Avro file is damaged or ends in the middle of a block"))
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
                say("Avro's codec {codec!r} is not read; null, deflate, bzip2, xz and zstandard are", codec=codec[:40])
            )
    except (zlib.error, OSError, EOFError, lzma.LZMAError, zstd.ZstdError) as error:
        raise UnreadableInput(say("a damaged Avro block: {error}", error=error)) from None
    if len(content) > MOST_BLOCK_BYTES:
        raise LimitExceeded(
            say("an Avro block expands to more than {bound:,} bytes, which is the bound", bound=MOST_BLOCK_BYTES)
        )
    return content


def _bytes(opened: BinaryIO) -> bytes:
    size = _long(opened)
    if not 0 <= size <= MOST_SCHEMA_BYTES:
        raise LimitExceeded(
            say("{size:,} bytes in an Avro header; {bound:,} is the bound", size=size, bound=MOST_SCHEMA_BYTES)
        )
    return opened.read(size)


def _long(opened: BinaryIO) -> int:
    """A zig-zag number. Raises UnreadableInput at the end of the file."""
    value = shift = 0
    while shift < 70:
        byte = opened.read(1)
        if not byte:
            raise UnreadableInput(say("the Avro file ends in the middle"))
        value |= (byte[0] & 0x7F) << shift
        if byte[0] < 0x80:
            return (value >> 1) ^ -(value & 1)
        shift += 7
    raise UnreadableInput(say("not an Avro file: a number of more than 64 bits"))


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
