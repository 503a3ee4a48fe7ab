"""An answer of Flink's REST API in a file: its values, the ids in its path, and Flink's notations of unknown values."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from diagnostics.errors import UnreadableInput
from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.language import say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.json_document import JsonDocument, Key, Outline, outline, read_json

CERTAIN = 0.95
"""Confidence for a structure that only Flink's REST API has."""

MOST_TEXT = 500
"""Characters kept of a name or message, as in the evidence tables."""

_SEPARATOR = r"[/\\_.=:-]+"
_JOB = re.compile(rf"(?:^|[/\\_!.-])jobs?{_SEPARATOR}([0-9a-f]{{32}})(?![0-9a-f])")
_VERTEX = re.compile(rf"(?:vertices|vertex|subtasks){_SEPARATOR}([0-9a-f]{{32}})(?![0-9a-f])")
_CHECKPOINT = re.compile(rf"details{_SEPARATOR}(\d{{1,18}})(?!\d)")
_SUBTASK = re.compile(rf"subtasks{_SEPARATOR}(\d{{1,9}})(?![0-9a-z])")
_TASK_MANAGER = re.compile(r"taskmanagers[/\\_]([^/\\]{1,200})")
_QUESTION = re.compile(r"[_.](?:metrics|thread-dump|logs?|stdout|jmx|profiler|json|txt)(?:[._-].*)?$")
_REPLACED_COLON = re.compile(r"^(.+)_(\d{1,5}-[0-9a-f]{6})$")

LONG_MIN = -(2**63)
LONG_MAX = 2**63 - 1


@dataclass(frozen=True, slots=True)
class RestPath:
    """The ids in the path of an answer; both `jobs/<id>/vertices/<id>/x` and `jobs_<id>_vertices_<id>_x`."""

    job_id: str | None
    vertex_id: str | None
    checkpoint_id: int | None
    subtask: int | None
    task_manager: str | None
    is_jobmanager: bool


def rest_path(name: str) -> RestPath:
    """The ids in the path inside the upload."""
    job, vertex = _JOB.search(name), _VERTEX.search(name)
    checkpoint, subtask = _CHECKPOINT.search(name), _SUBTASK.search(name)
    return RestPath(
        job_id=job.group(1) if job else None,
        vertex_id=vertex.group(1) if vertex else None,
        checkpoint_id=int(checkpoint.group(1)) if checkpoint else None,
        subtask=int(subtask.group(1)) if subtask else None,
        task_manager=None if vertex else _task_manager(name),
        is_jobmanager=re.search(r"(?:^|[/\\_])jobmanager[/\\_]", name) is not None,
    )


def _task_manager(name: str) -> str | None:
    found = _TASK_MANAGER.search(name)
    if not found:
        return None
    resource_id = _QUESTION.sub("", found.group(1))
    colon = _REPLACED_COLON.match(resource_id)
    if colon:
        return f"{colon.group(1)}:{colon.group(2)}"
    return resource_id if resource_id not in ("metrics", "index") else None


@dataclass(slots=True)
class RestDocument:
    """An answer: its parsed value, its path, and the time of the request if known."""

    json: JsonDocument
    path: RestPath
    name: str
    snapshot_ms: int | None

    @property
    def value(self) -> Any:
        """The parsed JSON."""
        return self.json.value

    def at(self, *path: Key) -> dict[str, Any]:
        """The citation columns of the value at `path`."""
        return self.json.at(*path)


def read_rest(part: Range) -> RestDocument:
    """The answer in a file. Raises UnreadableInput as `read_json` does."""
    answer = read_json(part, takes_excerpts=True)
    return RestDocument(answer, rest_path(part.name), part.name, whole(part.context.get("snapshot_ms")))


def rest_reader(
    read: Callable[[RestDocument], Iterator[Rows | Coverage]],
) -> Callable[[Range], Iterator[Rows | Coverage]]:
    """A format's reader from a function over one answer; warns when the answer has no usable value."""

    def reader(part: Range) -> Iterator[Rows | Coverage]:
        document = read_rest(part)
        if document.json.is_excerpt:
            yield Coverage(warnings=(say("an excerpt of an answer: what was left out of it is not known"),))
        try:
            yield from read(document)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise UnreadableInput(say("not the shape that Flink's REST API gives: {error}", error=error)) from error

    return reader


def rest_shape(fits: Callable[[Outline], bool]) -> Callable[[Head], float]:
    """A format's `recognise` from a predicate over the outline of one JSON document."""

    def recognise(head: Head) -> float:
        seen = outline(head)
        return CERTAIN if seen is not None and not seen.several and fits(seen) else 0.0

    return recognise


def number(value: Any) -> float | None:
    """A number, or None for Flink's notations of unknown: null, NaN, infinite, -1, Long.MIN_VALUE."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        known = float(value)
    except OverflowError:
        return None
    return None if not math.isfinite(known) or known == -1 or known <= LONG_MIN else known


def whole(value: Any) -> int | None:
    """A whole number within 64 bits, or None as `number` does."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value if LONG_MIN < value <= LONG_MAX and value != -1 else None
    known = number(value)
    return int(known) if known is not None and abs(known) < LONG_MAX and known == int(known) else None


def small(value: Any) -> int | None:
    """A whole number within 32 bits that is not negative (an index, a count), else None."""
    known = whole(value)
    return known if known is not None and 0 <= known < 2**31 else None


def moment(value: Any) -> int | None:
    """Epoch milliseconds, or None; Flink also writes 0 for a time that has not happened."""
    known = whole(value)
    return known if known is not None and known > 0 else None


def flag(value: Any) -> bool | None:
    """A boolean, else None."""
    return value if isinstance(value, bool) else None


def text(value: Any, most: int = MOST_TEXT) -> str | None:
    """Text without invalid surrogates, shortened; None for other values and empty text."""
    if not isinstance(value, str) or not value:
        return None
    return value[:most].encode("utf-8", "replace").decode("utf-8")


def items(value: Any) -> list[Any]:
    """A JSON array, or an empty one for null or anything else."""
    return value if isinstance(value, list) else []


def fields(value: Any) -> Mapping[str, Any]:
    """A JSON object, or an empty one for null or anything else."""
    return value if isinstance(value, dict) else {}


def complete(metrics: Mapping[str, Any], name: str) -> Any:
    """A counter of a vertex or subtask; None when Flink marks it as not reported by every subtask."""
    return metrics.get(name) if metrics.get(f"{name}-complete", True) is not False else None
