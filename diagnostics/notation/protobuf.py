"""The wire format of Protocol Buffers, as far as profiles need it; input is untrusted and not copied."""

from __future__ import annotations

from collections.abc import Iterator

from diagnostics.errors import UnreadableInput
from diagnostics.language import say

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
"""Wire types. Source: protobuf.dev, "Encoding"."""


def fields(content: memoryview) -> Iterator[tuple[int, int, int, memoryview]]:
    """Every field of a message: (number, wire type, value of a varint, bytes of a LENGTH field).

    Raises  UnreadableInput when the bytes are no message.
    """
    place, end = 0, len(content)
    nothing = content[:0]
    while place < end:
        tag, place = varint(content, place)
        number, kind = tag >> 3, tag & 7
        if number == 0:
            raise UnreadableInput(say("not a Protocol Buffers message: a field without number"))
        if kind == VARINT:
            value, place = varint(content, place)
            yield number, kind, value, nothing
            continue
        if kind == LENGTH:
            length, place = varint(content, place)
        elif kind in (FIXED64, FIXED32):
            length = 8 if kind == FIXED64 else 4
        else:
            raise UnreadableInput(say("not a Protocol Buffers message: wire type {kind}", kind=kind))
        if length > end - place:
            raise UnreadableInput(say("the message ends in the middle of a field"))
        yield number, kind, 0, content[place : place + length]
        place += length


def numbers(kind: int, value: int, packed: memoryview) -> Iterator[int]:
    """The values of a repeated varint field, packed or one by one."""
    if kind == VARINT:
        yield value
        return
    place = 0
    while place < len(packed):
        one, place = varint(packed, place)
        yield one


def varint(content: memoryview, place: int) -> tuple[int, int]:
    """The number at an offset, and the offset after it. Raises UnreadableInput."""
    value = shift = 0
    while shift < 70:
        if place >= len(content):
            raise UnreadableInput(say("the message ends in the middle of a number"))
        byte = content[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, place
        shift += 7
    raise UnreadableInput(say("not a Protocol Buffers message: a number of more than 64 bits"))


def signed(value: int) -> int:
    """An int64 from its varint."""
    return value - 2**64 if value >= 2**63 else value
