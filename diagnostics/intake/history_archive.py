"""Reads a JobManager's archive for the History Server: the REST answers of a finished job in one JSON document."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from diagnostics.errors import LimitExceeded, UnreadableInput
from diagnostics.intake.limits import MIB, in_words
from diagnostics.intake.streams import ByteStream, pieces
from diagnostics.language import say

MOST_BYTES = 128 * MIB
"""Bytes of one archive, which is held in memory. Our choice: one of a thousand subtasks has some MB."""

_GAP = rb"[ \t\r\n]{0,64}"
_STRING = rb'("(?:[^"\\]++|\\.)*+")'
_BEGINNING = re.compile(
    rb'%(gap)b\{%(gap)b"archive"%(gap)b:%(gap)b\[(%(gap)b\{%(gap)b"(?:path|json)"%(gap)b:)' % {b"gap": _GAP}
)
_ENTRY = re.compile(
    _GAP.join(
        (rb"", rb"\{", rb'"(path|json)"', rb":", _STRING, rb",", rb'"(path|json)"', rb":", _STRING, rb"\}", rb"([,\]])")
    ),
    re.DOTALL,
)
"""One answer with the separator after it. Parsing the whole document as JSON would take up to thirty times its bytes in
memory and fail on a truncated archive.
"""


@dataclass(frozen=True, slots=True)
class ArchivedAnswer:
    """An answer as a file named by its REST path: `jobs/<id>/checkpoints.json`."""

    name: str
    content: bytes


def is_history_archive(head: bytes) -> bool:
    """Whether a file begins as `FsJobArchivist` writes it."""
    return _BEGINNING.match(head) is not None


def archived_answers(stream: ByteStream, entries: int) -> Iterator[ArchivedAnswer]:
    """The answers in order, at most `entries`. Raises UnreadableInput and LimitExceeded."""
    content = bytearray()
    for piece in pieces(stream):
        content += piece
        if len(content) > MOST_BYTES:
            bound = in_words(MOST_BYTES)
            raise LimitExceeded(say("a History Server archive of more than {bound}; {bound} is the bound", bound=bound))
    found = _BEGINNING.match(content)
    position = found.start(1) if found else 0
    for _ in range(entries):
        entry = _ENTRY.match(content, position)
        if entry is None:
            raise UnreadableInput(
                say("a History Server archive that is damaged or ends early; the answers before were read")
            )
        answer = _answer(entry)
        if answer is not None:
            yield answer
        if entry[5] == b"]":
            return
        position = entry.end()
    raise LimitExceeded(
        say("more than {most:,} answers in the archive, which is the bound; the rest was not read", most=entries)
    )


def _answer(entry: re.Match[bytes]) -> ArchivedAnswer | None:
    try:
        told = {entry[1]: json.loads(entry[2]), entry[3]: json.loads(entry[4])}
    except ValueError:
        return None
    path, content = told.get(b"path"), told.get(b"json")
    if path is None or content is None:
        return None
    return ArchivedAnswer(f"{path.strip('/')}.json", content.encode("utf-8", "replace"))
