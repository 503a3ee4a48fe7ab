"""Where a sink of a job's source keeps records in memory that no checkpoint holds. The source is never run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from diagnostics.notation.code_request import attached_sinks
from diagnostics.notation.source_text import Lines, classes

_FIELD = re.compile(
    r"\b(?:Array|Linked)?(?:List|Deque|Queue|Set|Map|Collection)<[^;=(){}]{1,200}>\s{1,20}([A-Za-z_]\w{0,60})\s{0,20}[;=]"
)
_FILLED = re.compile(r"\b([A-Za-z_]\w{0,60})\s?\.\s?(?:add|addLast|offer|put|push)\s?\(")
_SAVES = re.compile(r"\b(?:snapshotState|initializeState|CheckpointedFunction|finish|close|prepareCommit)\b")
"""What writes out or saves such records, at a checkpoint, at the end of the input or at a stop. Source: Flink's
CheckpointedFunction, SinkFunction.finish, RichFunction.close and SinkWriter."""


def unsaved_buffers(plain: str) -> Iterator[tuple[str, int]]:
    """`Class.field` and the line of a collection that an attached sink fills with records and nothing in it saves."""
    attached, lines = attached_sinks(plain), Lines(plain)
    for name, begin, end in classes(plain) if attached else ():
        body = plain[begin:end]
        if name not in attached or _SAVES.search(body):
            continue
        filled = {each.group(1) for each in _FILLED.finditer(body)}
        field = next((each for each in _FIELD.finditer(body) if each.group(1) in filled), None)
        if field:
            yield f"{name}.{field.group(1)}", lines.at(begin + field.start(1))
