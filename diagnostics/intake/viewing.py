"""Reads some lines of a stored upload, numbered as the evidence cites them."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import gettempdir

from diagnostics.errors import UnreadableInput
from diagnostics.intake.limits import MIB, USUAL, Allowance, Limits
from diagnostics.intake.lines import CleanText
from diagnostics.intake.members import Member, members
from diagnostics.intake.sources import SourceFile
from diagnostics.intake.streams import Metered
from diagnostics.intake.text_head import read_head
from diagnostics.language import say

MOST_LINES = 2_000
"""Lines read at once. Our choice: more than a page shows."""

DOCUMENT_LINE_BYTES = 4 * MIB
"""Bytes of a line of a JSON document, which may be longer than a log's. Our choice."""

ZIP_BYTES = 512 * MIB
"""A larger zip within an archive, or file of the logs of several processes, is not unpacked for this. Our choice."""

FULL_BYTES = 8 * MIB
SHORT_CHARACTERS = 4_000
"""Once the lines of one call have FULL_BYTES in total, the others are shortened to this. Our choice."""


def read_lines(
    source: SourceFile,
    member: str | None,
    first: int,
    last: int,
    limits: Limits = USUAL,
    seconds: float | None = None,
) -> list[tuple[int, str]]:
    """(number, text) of lines `first` to `last` (from 1, at most MOST_LINES) of a file of an upload.

    member   the InputFile's name, or its part after the upload's own name and `!/`; None for the upload itself
    seconds  time limit for reaching the lines
    Raises UnreadableInput when there is no such file or it was refused, LimitExceeded when the time is over.
    """
    first, last = max(first, 1), min(last, max(first, 1) + MOST_LINES - 1)
    numbered: list[tuple[int, str]] = []
    given = 0
    with closing(_clean_text(source, member, Allowance(limits, seconds=seconds))) as text:
        for number, line in _numbered(text, first, last):
            given += len(line)
            numbered.append((number, _shown(line) if given > FULL_BYTES else line.decode("utf-8", "replace")))
    return numbered


def read_document(
    source: SourceFile, member: str | None, most_bytes: int, limits: Limits = USUAL, seconds: float | None = None
) -> str | None:
    """The whole text of a file of an upload; None when it has more than `most_bytes`.

    Raises as `read_lines`.
    """
    held = bytearray()
    with closing(_clean_text(source, member, Allowance(limits, seconds=seconds))) as text:
        for piece in text:
            held += piece
            if len(held) > most_bytes:
                return None
    return held.decode("utf-8", "replace")


def _clean_text(source: SourceFile, member: str | None, allowance: Allowance) -> Generator[bytes, None, None]:
    """The text of a file of an upload in pieces."""
    wanted = {member or source.name, f"{source.name}!/{member}"}
    with closing(members(source, allowance, Path(gettempdir()), ZIP_BYTES, wanted)) as searched:
        for each in searched:
            allowance.require_time()
            if each.name in wanted:
                yield from _text_of(each, allowance)
                return
    raise UnreadableInput(say("{name} holds no file {member!r}", name=source.name, member=member))


def _text_of(member: Member, allowance: Allowance) -> Iterator[bytes]:
    if member.stream is None:
        raise UnreadableInput(member.refusal or say("cannot be read"))
    head = read_head(member.name, member.stream)
    if head.encoding is None:
        raise UnreadableInput(
            say("{title}: no text, so it has no lines; the file can be downloaded", title=say(head.recognition.title))
        )
    most = USUAL.line_bytes if head.has_lines else DOCUMENT_LINE_BYTES
    return CleanText(Metered(member.stream, allowance), head.encoding, most).pieces()


def _numbered(pieces: Iterator[bytes], first: int, last: int) -> Iterator[tuple[int, bytes]]:
    number, rest = 1, b""
    for piece in pieces:
        ends = piece.count(b"\n")
        if number + ends < first:
            number += ends
            rest = piece[piece.rfind(b"\n") + 1 :] if ends else rest + piece
            continue
        lines = (rest + piece).split(b"\n")
        rest = lines.pop()
        for line in lines:
            if number > last:
                return
            if number >= first:
                yield number, line
            number += 1
        if number > last:
            return
    if rest and first <= number <= last:
        yield number, rest


def _shown(line: bytes) -> str:
    text = line.decode("utf-8", "replace")
    return text if len(text) <= SHORT_CHARACTERS else f"{text[:SHORT_CHARACTERS]} ... ({len(text):,} characters)"
