"""A copied error message without a layout: what a person pastes of a shell, a client, an operator or a web page.

Lines that name a cause of the catalogues, are a known event, or begin with the word error, become records with that
message; the others are not kept. Of a traceback of Python the last line says what was thrown. Copied stack traces are
read as Flink's logs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.log_scan.known_messages import event_columns
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.log_event import alarming_events
from diagnostics.notation.stack_trace import bare_cause
from diagnostics.notation.text_lines import numbered_lines
from diagnostics.vocabulary.copied_error import is_error_line, names_cause

MOST_LINES = 40
"""Lines of a copied message. Our choice: more is a document that mentions an error."""
MOST_LINE = 2_000
"""Characters kept of a line. Our choice: that of a log record's message."""


TRACEBACK = "Traceback (most recent call last)"
"""The first line of what Python prints of an exception."""

Line = tuple[int, str]


def _recognise(head: Head) -> float:
    is_short = head.text.count("\n") <= MOST_LINES and len(head.text) <= MOST_LINES * MOST_LINE
    if not is_short:
        return 0.0
    lines = head.text.splitlines()
    return 0.3 if names_cause(head.text) or any(_events(lines)) or any(map(is_error_line, lines)) else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    lines = list(_statements(numbered_lines(part, MOST_LINE)))
    rows = []
    for (number, line), known in zip(lines, _events([line for _, line in lines]), strict=True):
        cause = bare_cause(line) if known or names_cause(line) or is_error_line(line) else None
        if cause:
            said = {"message": line.strip(), "line": number, "last_line": number}
            rows.append({**known, **said, "exception_message": line.strip()[:500], "causes": cause.causes})
    if rows:
        yield Rows("log_record", rows)
    yield Coverage(records=len(rows))


def _statements(lines: Iterator[Line]) -> Iterator[Line]:
    """The lines, a traceback of Python as one: its first line, and what was thrown."""
    is_within = False
    for number, line in lines:
        if TRACEBACK in line:
            is_within = True
        elif not is_within:
            yield number, line
        elif line.strip() and not line[:1].isspace():
            is_within = False
            yield number, f"{TRACEBACK}: {line.strip()}"


def _events(lines: Sequence[str]) -> list[dict[str, Any]]:
    """The columns of the event that a line is; empty for lines that are none, and for events that alarm nobody."""
    return [each if each.get("event") in alarming_events() else {} for each in event_columns([*map(str.strip, lines)])]


FORMAT = Format(
    id="copied-message",
    title=to_say("Copied error message"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/advanced/logging/",
    tables=("log_record",),
    recognise=_recognise,
    read=_read,
    is_log=True,
    certainty=0.3,
    samples=(
        Sample(
            name="message.txt",
            text="Waiting...\ntee: job_check_log: Permission denied\n",
            rows={
                "log_record": (
                    {
                        "message": "tee: job_check_log: Permission denied",
                        "exception_message": "tee: job_check_log: Permission denied",
                        "line": 2,
                        "last_line": 2,
                    },
                )
            },
        ),
    ),
)
