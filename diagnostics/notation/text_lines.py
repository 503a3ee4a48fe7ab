"""The lines of a text with their numbers, in bounded memory: a file may be one endless line."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from diagnostics.format import Range, open_range

BLOCK_BYTES = 65_536
"""What is read at once. Our choice: from 64 KiB to 1 MiB the lines of a file take the same time."""

MOST_CHARACTER_BYTES = 4
"""Source: RFC 3629, UTF-8."""


def raw_lines(part: Range, most: int) -> Iterator[bytes]:
    """The lines of a range without their ends; one longer than `most` bytes may have been cut behind them."""
    return chain.from_iterable(block.removesuffix(b"\n").split(b"\n") for block in line_blocks(part, most, BLOCK_BYTES))


def numbered_lines(part: Range, most: int) -> Iterator[tuple[int, str]]:
    """The lines of a range, counted from 1, without white space at their ends; of a longer line `most` characters."""
    blocks = line_blocks(part, most * MOST_CHARACTER_BYTES, BLOCK_BYTES)
    texts = (block.removesuffix(b"\n").decode("utf-8", "replace") for block in blocks)
    lines = chain.from_iterable(text.split("\n") for text in texts)
    for number, line in enumerate(lines, 1):
        yield number, line[:most].rstrip()


def line_blocks(part: Range, most: int, block_bytes: int) -> Iterator[bytes]:
    """The text in blocks of whole lines, about as long as that; at least the first `most` bytes of each are its own."""
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
