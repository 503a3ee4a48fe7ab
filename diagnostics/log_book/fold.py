"""Folds the lines after a record's head line: exceptions visible, their frames folded, user frames marked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from diagnostics.notation.stack_frame import frame_name, is_user_code

MOST_LINES = 2_000
MOST_LINE = 1_000
"""Limits of what is shown of one record. Our choice."""

_TITLE = re.compile(
    r"\s{0,20}(?:(?:Caused by|Suppressed): |\[CIRCULAR REFERENCE|"
    r"(?:[A-Za-z_$][\w$]{0,200}\.){1,30}[A-Z][\w$]{0,200}(?:Exception|Error|Throwable|Failure|Timeout)(?::|$))"
)
_ELIDED = re.compile(r"\s+\.\.\. \d{1,6} (?:more|common frames omitted)")


@dataclass(slots=True)
class Fold:
    """An exception with its frames, or other lines.

    title   the line that names the exception; null for other lines
    frames  {text, own}: `own` means user code
    """

    title: str | None
    frames: list[dict[str, Any]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


def folded(continuation: str | None) -> Sequence[Fold]:
    """The folds of a stack trace, outermost exception first; other lines are not folded."""
    folds: list[Fold] = []
    for line in (continuation or "").split("\n")[:MOST_LINES]:
        line = line[:MOST_LINE].rstrip()
        if not line.strip():
            continue
        is_frame = line.lstrip().startswith("at ") or bool(_ELIDED.match(line))
        if not is_frame and _TITLE.match(line):
            folds.append(Fold(line.strip()))
        elif is_frame:
            if not folds:
                folds.append(Fold(None))
            own = is_user_code(frame_name(line.strip().removeprefix("at ")))
            folds[-1].frames.append({"text": line.strip(), "own": own and not _ELIDED.match(line)})
        else:
            if not folds or folds[-1].frames:
                folds.append(Fold(None))
            folds[-1].lines.append(line)
    return folds
