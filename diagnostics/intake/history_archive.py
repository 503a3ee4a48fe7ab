"""What a Flink JobManager leaves for its History Server: the REST answers of one finished job in one JSON document."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from diagnostics.errors import LimitExceeded, UnreadableInput
from diagnostics.intake.limits import MIB, in_words
from diagnostics.intake.streams import ByteStream, pieces

MOST_BYTES = 128 * MIB
"""Of one archive, which is parsed as a whole. Our choice: one of a thousand subtasks has some MB."""

_BEGINNING = re.compile(rb'\s{0,64}\{\s{0,64}"archive"\s{0,64}:\s{0,64}\[\s{0,64}\{\s{0,64}"(?:path|json)"\s{0,64}:')


@dataclass(frozen=True, slots=True)
class ArchivedAnswer:
    """An answer under the path that REST has for it, as a file: `jobs/<id>/checkpoints.json`."""

    name: str
    content: bytes


def is_history_archive(head: bytes) -> bool:
    """Whether a file begins as `FsJobArchivist` writes it."""
    return _BEGINNING.match(head) is not None


def archived_answers(stream: ByteStream, entries: int) -> Iterator[ArchivedAnswer]:
    """The answers in their order, at most so many. Raises UnreadableInput and LimitExceeded."""
    content = bytearray()
    for piece in pieces(stream):
        content += piece
        if len(content) > MOST_BYTES:
            bound = in_words(MOST_BYTES)
            raise LimitExceeded(f"a History Server archive of more than {bound}; {bound} is the bound")
    try:
        archive = json.loads(content)["archive"]
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise UnreadableInput(f"a History Server archive that is damaged or ends early: {error}"[:300]) from None
    if not isinstance(archive, list):
        raise UnreadableInput("a History Server archive without its list of answers")
    for entry in archive[:entries]:
        answer = _answer(entry)
        if answer is not None:
            yield answer
    if len(archive) > entries:
        raise LimitExceeded(f"more than {entries:,} answers in the archive, which is the bound; the rest was not read")


def _answer(entry: Any) -> ArchivedAnswer | None:
    path, content = (entry.get("path"), entry.get("json")) if isinstance(entry, dict) else (None, None)
    if not isinstance(path, str) or not isinstance(content, str):
        return None
    return ArchivedAnswer(f"{path.strip('/')}.json", content.encode("utf-8", "replace"))
