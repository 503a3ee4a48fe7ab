"""A printed Java stack trace: the outermost exception, its root cause, and the first frame of the user's code."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from diagnostics.notation.stack_frame import frame_name, is_user_code

MOST_MESSAGE = 500
MOST_LINES = 5_000

_THROWABLE = re.compile(
    r'(?:Exception in thread "[^"]{0,200}" )?((?:[A-Za-z_$][\w$]{0,200}\.){1,30}[A-Za-z_$][\w$]{0,200})(?:: ?|$)'
)
_WRAPPERS = ("org.apache.flink.util.SerializedThrowable", "org.apache.flink.runtime.util.SerializedThrowable")
_CAUSED_BY = "Caused by: "


@dataclass(frozen=True, slots=True)
class StackTrace:
    """What a stack trace says, in the columns that `log_record` and `failure` share. None where it does not say it."""

    exception_class: str | None = None
    exception_message: str | None = None
    root_cause_class: str | None = None
    root_cause_message: str | None = None
    root_cause_frame: str | None = None
    user_frame: str | None = None


@dataclass(slots=True)
class _Throwable:
    name: str | None
    message: str
    frames: list[str]


def stack_trace(lines: Iterable[str]) -> StackTrace | None:
    """The trace that begins with the first line `package.Class: message`; None when no line names an exception.

    Suppressed exceptions are left out; `SerializedThrowable`, which only carries another exception's text, is opened.
    """
    chain: list[_Throwable] = []
    for count, line in enumerate(lines):
        if count >= MOST_LINES:
            break
        _take(chain, line.rstrip("\r\n"))
    if not chain:
        return None
    outer, root = chain[0], chain[-1]
    frames = [frame for throwable in reversed(chain) for frame in throwable.frames]
    return StackTrace(
        exception_class=outer.name,
        exception_message=_shortened(outer.message),
        root_cause_class=root.name,
        root_cause_message=_shortened(root.message),
        root_cause_frame=root.frames[0] if root.frames else None,
        user_frame=next((frame for frame in frames if is_user_code(frame)), None),
    )


def _take(chain: list[_Throwable], line: str) -> None:
    stripped = line.strip()
    if stripped.startswith("at "):
        if chain and not _is_suppressed(line):
            chain[-1].frames.append(frame_name(stripped[3:]))
    elif line.startswith(_CAUSED_BY):
        chain.append(_throwable(stripped.removeprefix(_CAUSED_BY)))
    elif not chain:
        if _THROWABLE.match(stripped):
            chain.append(_throwable(stripped))
    elif not chain[-1].frames and stripped and len(chain[-1].message) < MOST_MESSAGE:
        chain[-1].message = f"{chain[-1].message}\n{stripped}".strip()


def _is_suppressed(line: str) -> bool:
    return line.startswith(("\t\t", "        \t"))


def _throwable(told: str) -> _Throwable:
    found = _THROWABLE.match(told)
    while found and found.group(1) in _WRAPPERS and _THROWABLE.match(told, found.end()):
        told = told[found.end() :]
        found = _THROWABLE.match(told)
    if not found:
        return _Throwable(None, told[:MOST_MESSAGE], [])
    return _Throwable(found.group(1), told[found.end() :][:MOST_MESSAGE], [])


def _shortened(message: str) -> str | None:
    return message[:MOST_MESSAGE].encode("utf-8", "replace").decode("utf-8").strip() or None
