"""Numbered lines of a text in bounded memory: a file may be a single endless line."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from diagnostics.notation.file_range import Range, open_range

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK_BYTES = 65_536
"""Bytes read at once. Our choice: from 64 KiB to 1 MiB the time is the same."""

ARRAY_BYTES = 4_194_304
"""Bytes of lines that are processed together as columns. Our choice: some ten thousand lines."""

MOST_CHARACTER_BYTES = 4
"""Source: RFC 3629, UTF-8."""


def raw_lines(part: Range, most: int) -> Iterator[bytes]:
    """The lines of a range without their ends; one longer than `most` bytes may be truncated."""
    return chain.from_iterable(block.removesuffix(b"\n").split(b"\n") for block in line_blocks(part, most, BLOCK_BYTES))


def numbered_lines(part: Range, most: int) -> Iterator[tuple[int, str]]:
    """The lines of a range, counted from 1, without trailing white space; at most `most` characters of each."""
    blocks = line_blocks(part, most * MOST_CHARACTER_BYTES, BLOCK_BYTES)
    texts = (block.removesuffix(b"\n").decode("utf-8", "replace") for block in blocks)
    lines = chain.from_iterable(text.split("\n") for text in texts)
    for number, line in enumerate(lines, 1):
        yield number, line[:most].rstrip()


def line_blocks(part: Range, most: int, block_bytes: int) -> Iterator[bytes]:
    """The text in blocks of whole lines of about `block_bytes`; of a long line at least the first `most` bytes."""
    with open_range(part) as opened:
        left, begun = part.end - part.start, b""
        while block := opened.read(min(block_bytes, left)):
            left -= len(block)
            block = begun + block
            end = block.rfind(b"\n") + 1
            if end:
                yield block[:end]
            begun = block[end : end + most]
        if begun:
            yield begun


def line_arrays(part: Range, most: int) -> Iterator[tuple[int, pa.LargeBinaryArray]]:
    """The lines of a range as arrays of bytes with their line ends, each with the number of its first line, from 1.

    Lines longer than `most` bytes may be truncated.
    """
    import numpy as np
    import pyarrow as pa

    number = 1
    for block in line_blocks(part, most, ARRAY_BYTES):
        ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n")) + 1
        bounds = np.concatenate([[0], ends, [] if block.endswith(b"\n") else [len(block)]]).astype(np.int64)
        buffers = [None, pa.py_buffer(bounds), pa.py_buffer(block)]
        yield number, pa.Array.from_buffers(pa.large_binary(), len(bounds) - 1, buffers)
        number += len(bounds) - 1
