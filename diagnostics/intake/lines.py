r"""Converts a file's bytes to clean text: UTF-8, lines ended by `\n`, no NUL, bounded lines.

Line numbers count `\n` in this text from 1. The number of lines is unchanged, except that a lone carriage return ends a
line, as in an editor.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path

from diagnostics.intake.encoding import REPLACEMENT, Encoding, decoded_line
from diagnostics.intake.limits import MIB, in_words
from diagnostics.intake.streams import PIECE_BYTES, ByteStream, pieces
from diagnostics.language import say, to_say

FRAGMENT_BYTES = MIB
"""Bytes in which a line of unlimited length is decoded. Our choice."""

_INSTEAD = {
    "utf-8": to_say("wrong bytes, shown as \ufffd, in {place}"),
    "gb18030": to_say("not UTF-8, read as GB 18030: {place}"),
    "latin-1": to_say(
        "neither UTF-8 nor GB 18030, read as Latin-1, so that letters beyond ASCII may be wrong: {place}"
    ),
    "nul": to_say("NUL bytes left out in {place}"),
    "long": to_say("longer than {bound} and shortened: {place}"),
}


class CleanText:
    """The clean text of a stream, and the corrections made.

    line_bytes  longer lines are shortened with a mark; None keeps all lines whole
    """

    def __init__(self, stream: ByteStream, encoding: Encoding, line_bytes: int | None) -> None:
        self._stream = stream
        self._encoding = encoding
        self._line_bytes = line_bytes
        self._fragment_bytes = line_bytes or FRAGMENT_BYTES
        self._lines = 0
        self._rest = b""
        self._dropped = 0
        self._done: dict[str, tuple[int, int]] = {}

    def pieces(self) -> Iterator[bytes]:
        """The text in pieces. Raises UnreadableInput."""
        for block in self._normalised():
            end = block.rfind(b"\n") + 1
            if end:
                yield self._clean(self._rest + block[:end])
                self._rest = b""
            self._rest += block[end:]
            if len(self._rest) > self._fragment_bytes:
                yield self._fragment()
        if self._rest or self._dropped:
            yield self._clean(self._rest)

    def warnings(self) -> tuple[str, ...]:
        """The corrections made, once all pieces are read."""
        bound = in_words(self._line_bytes or 0)
        return tuple(
            _INSTEAD[what].format(place=_place(count, first), bound=bound)
            for what, (count, first) in sorted(self._done.items())
        )

    def _normalised(self) -> Iterator[bytes]:
        r"""Blocks of 8-bit text without byte order mark, with `\n` as the only line end."""
        wide = codecs.getincrementaldecoder(self._encoding.codec)("replace") if self._encoding.is_wide else None
        mark, held = self._encoding.mark_bytes, b""
        for block in pieces(self._stream):
            if mark:
                mark, block = mark - min(mark, len(block)), block[mark:]
            if wide:
                block = self._narrow(wide.decode(block))
            block = held + block
            held = b"\r" if block.endswith(b"\r") else b""
            yield _with_newlines(block[: len(block) - len(held)])
        last = self._narrow(wide.decode(b"", final=True)) if wide else b""
        yield _with_newlines(held + last)

    def _narrow(self, text: str) -> bytes:
        wrong = text.find(REPLACEMENT)
        if wrong >= 0:
            self._note("utf-8", self._lines + 1 + text.count("\n", 0, wrong))
        return text.encode("utf-8", "replace")

    def _clean(self, text: bytes) -> bytes:
        """Whole lines (the last line may lack its end) as valid UTF-8 of bounded length.

        The first may be the end of a line whose beginning was emitted already: of that only its length is reported.
        """
        if self._dropped:
            end = text.find(b"\n")
            end = len(text) if end < 0 else end
            mark = _shortened_from(self._dropped + end)
            self._dropped = 0
            return mark + self._clean(text[end:])
        if self._is_clean(text):
            self._lines += text.count(b"\n")
            return text
        lines = text.split(b"\n")
        cleaned = [self._clean_line(line, self._lines + number) for number, line in enumerate(lines, 1)]
        self._lines += len(lines) - 1
        return b"\n".join(cleaned)

    def _is_clean(self, text: bytes) -> bool:
        if b"\0" in text:
            return False
        if self._line_bytes is not None and _has_long_line(text, self._line_bytes):
            return False
        if text.isascii():
            return True
        try:
            text.decode("utf-8")
        except UnicodeDecodeError:
            return False
        return True

    def _clean_line(self, line: bytes, number: int) -> bytes:
        if b"\0" in line:
            self._note("nul", number)
            line = line.replace(b"\0", b"")
        if self._line_bytes is not None and len(line) > self._line_bytes:
            self._note("long", number)
            line = _whole_characters(line[: self._line_bytes]) + _shortened_from(len(line))
        if line.isascii():
            return line
        decoded = decoded_line(line)
        if decoded.instead is None:
            return line
        self._note(decoded.instead, number)
        return decoded.text.encode("utf-8")

    def _fragment(self) -> bytes:
        """The beginning of a line longer than the buffer: emitted, or counted as dropped."""
        whole = _whole_characters(self._rest)
        rest, self._rest = self._rest, self._rest[len(whole) :]
        if self._line_bytes is None:
            return self._clean(whole)
        self._rest = b""
        if self._dropped:
            self._dropped += len(rest)
            return b""
        self._note("long", self._lines + 1)
        kept = _whole_characters(rest[: self._line_bytes])
        self._dropped = len(rest)
        return self._clean_line(kept, self._lines + 1)

    def _note(self, what: str, line: int) -> None:
        count, first = self._done.get(what, (0, line))
        self._done[what] = (count + 1, first)


def is_clean(path: Path, line_bytes: int | None) -> bool:
    """Whether the file is clean text on disk. Stops at the first defect."""
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    carried = 0
    with open(path, "rb", buffering=0) as file:
        if file.read(3) == codecs.BOM_UTF8:
            return False
        file.seek(0)
        while block := file.read(PIECE_BYTES):
            if b"\r" in block or b"\0" in block:
                return False
            first = block.find(b"\n")
            carried += len(block) if first < 0 else first
            if line_bytes is not None and (carried > line_bytes or _has_long_line(block, line_bytes)):
                return False
            carried = carried if first < 0 else len(block) - block.rfind(b"\n") - 1
            try:
                decoder.decode(block)
            except UnicodeDecodeError:
                return False
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _has_long_line(text: bytes, bound: int) -> bool:
    """Whether a line is longer than `bound`; examines one line end per `bound` bytes only."""
    start = 0
    while len(text) - start > bound:
        end = text.rfind(b"\n", start, start + bound + 1)
        if end < 0:
            return True
        start = end + 1
    return False


def _with_newlines(block: bytes) -> bytes:
    return block.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in block else block


def _whole_characters(text: bytes) -> bytes:
    """The text without a UTF-8 character cut at its end."""
    for back in range(1, min(4, len(text) + 1)):
        byte = text[-back]
        if byte & 0xC0 == 0xC0:
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return text[:-back] if back < length else text
        if byte < 0x80:
            break
    return text


def _shortened_from(size: int) -> bytes:
    return f" ... (shortened from {size:,} bytes)".encode()


def _place(count: int, first: int) -> str:
    return (
        say("line {first:,}", first=first)
        if count == 1
        else say("{count:,} lines, the first is line {first:,}", count=count, first=first)
    )
