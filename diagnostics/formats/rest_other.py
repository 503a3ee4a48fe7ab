"""REST answers without measurements, recognised so that they do not count as unknown files.

Accumulators, lists of log files, times of state changes, counters summed by TaskManager (subtasks have them), status
answers, and the file list of a collecting script.
"""

from __future__ import annotations

from collections.abc import Iterator

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.json_document import Outline
from diagnostics.notation.rest_document import RestDocument, rest_reader, rest_shape

SHAPES = (
    ("job-accumulators", "user-task-accumulators"),
    ("id", "user-accumulators"),
    ("id", "name", "taskmanagers"),
    ("jars", "address"),
)
"""Keys of the outermost object."""


def _fits(seen: Outline) -> bool:
    if seen.is_array:
        return seen.has("*", "file", "path", "status") and seen.keys["*"] <= {"file", "path", "status", "at", "url"}
    if any(seen.has("", *shape) for shape in SHAPES):
        return True
    has_times = seen.has("", "id", "name", "subtasks") and seen.has("subtasks/*", "timestamps")
    is_log_list = seen.keys.get("") == frozenset({"logs"}) and seen.has("logs/*", "name", "size")
    return has_times or is_log_list


def _read(document: RestDocument) -> Iterator[Rows | Coverage]:
    yield Coverage(records=len(document.value))


FORMAT = Format(
    id="flink-rest-other",
    title=to_say("Flink REST: nothing to measure"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/rest_api/",
    tables=(),
    recognise=rest_shape(_fits),
    read=rest_reader(_read),
    samples=(
        Sample(
            name="rest/accumulators.json",
            text='{"job-accumulators":[],"user-task-accumulators":[],"serialized-user-task-accumulators":{}}',
            rows={},
        ),
        Sample(
            name="rest/index.json",
            text='[{"file": "overview.json", "path": "/overview", "status": 200, "at": 1795222136.695}]',
            rows={},
        ),
        Sample(
            name="rest/logs.json",
            text='{"logs":[{"name":"flink-root-taskexecutor-0-vm.out","size":0,"mtime":1795222016191}]}',
            rows={},
        ),
    ),
)
