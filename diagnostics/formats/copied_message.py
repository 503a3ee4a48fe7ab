"""A copied error message without a layout: what a person pastes of a shell, a client, an operator or a web page.

Lines that name a cause of the catalogues, are a known event, begin with the word error or with an exception of Java
become records with that message; the others are not kept. Frames and causes below an exception belong to its record,
as in the end of an output that YARN shows. A line that ends with a colon only announces the next one. Of a traceback
of Python the last line says what was thrown. Copied stack traces alone are read as Flink's logs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.log_scan.known_messages import event_columns
from diagnostics.notation.exception_name import BARE, is_qualifiable
from diagnostics.notation.file_range import Head, Range, open_text
from diagnostics.notation.go_log_line import error_line
from diagnostics.notation.listed_options import is_listed
from diagnostics.notation.log_event import alarming_events, harmless_events
from diagnostics.notation.printed_options import MOST_CHARACTERS, options_of_text
from diagnostics.notation.stack_trace import bare_cause, stack_trace
from diagnostics.notation.text_lines import numbered_lines
from diagnostics.vocabulary.copied_error import is_error_line, is_logged, names_cause

MOST_LINES = 40
"""Lines of a copied message, without the frames and causes below its exceptions. Our choice: more is a document that
mentions an error.
"""
MOST_LINE = 2_000
"""Characters kept of a line. Our choice: that of a log record's message."""


TRACEBACK = "Traceback (most recent call last)"
"""The first line of what Python prints of an exception."""

Line = tuple[int, str]
Statement = list[Line]
_THROWN = re.compile(
    r"\s{0,8}(?:Caused by: )?(?:[a-z_]\w{0,60}\.){1,12}[A-Z][\w$]{0,100}(?:Exception|Error|Throwable)(?:: |\s*$)"
)
_BARE_THROWN = re.compile(rf"\s{{0,8}}(?:Caused by: )?({BARE})(?:: |\s*$)")
_BELOW = re.compile(
    r"\s{1,16}at [\w$<]|\s{0,16}Caused by: |\s{0,16}\.\.\. \d+ |\s{0,16}(?:Cause|Query schema|Sink schema): "
    r"|[\s:|+-]{0,60}(?:Flink)?(?:Logical|Stream|Batch|Legacy)\w{1,60}\(|\}\)[,)]"
    r"|\s{0,16}(?:This exception indicates that|Please check the documentation|Missing conversions? (?:is|are) )"
)
"""What belongs to the exception above: frames, causes, and lines of its message as Flink's planner writes them, such as
the nodes of a plan.
"""
_ANSWER = re.compile(r'\s{0,16}(?:responseBody: |errorLog: |\{"error"|"[\w -]{1,60}"\s{0,4}:|[\]}],?\s{0,16}$)')
"""The lines of an answer in JSON that an exception quotes; below none they are a document. Source of their beginnings:
StarRocks's TransactionStreamLoader, Elasticsearch's ResponseException.
"""
_STAMP = re.compile(
    r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}(?:Z|[+-]\d\d:\d\d) "
    r"(?=\s{0,16}(?:at [\w$<]|Caused by: |\.\.\. \d"
    r"|(?:[a-z_]\w{0,60}\.){1,12}[A-Z][\w$]{0,100}(?:Exception|Error|Throwable)\b))"
)
"""The time that `kubectl logs --timestamps` and `docker logs --timestamps` print before each line, here of a trace."""
_DATED = re.compile(r"\W?\d{1,4}([./-])\d{1,2}\1\d{1,4}[T ]\d\d:\d\d:\d\d")
"""How a record begins: several of them are a log, whose layout can be described, and no copied message."""


def _recognise(head: Head) -> float:
    lines = [_without_stamp(line) for line in head.text.splitlines()]
    said = sum(_BELOW.match(line) is None for line in lines)
    if said > MOST_LINES + 1 or len(head.text) > MOST_LINES * MOST_LINE:
        return 0.0
    events = {each["event"] for each in _events(lines) if each}
    # A document in JSON may quote such a line in passing.
    is_known = names_cause("\n".join(lines)) or bool(events - harmless_events() if head.starts_as_json else events)
    is_log = sum(_DATED.match(line) is not None for line in lines) > 1
    return 0.3 if is_known or any(map(is_error_line, lines)) or (_holds_trace(lines) and not is_log) else 0.0


def _without_stamp(line: str) -> str:
    """The line as its program wrote it, an error of Go as one of Java, without the time of a container's runtime."""
    return error_line(_STAMP.sub(" ", line))


def _holds_trace(lines: Sequence[str]) -> bool:
    """Whether one of the lines begins with an exception of Java and the next one with a frame or a cause."""
    return any(
        (_THROWN.match(line) or _BARE_THROWN.match(line)) and _BELOW.match(below) for line, below in pairwise(lines)
    )


def _is_thrown(line: str) -> bool:
    """Whether a line begins with an exception of Java, by its package or by a name that is Java's alone."""
    bare = _BARE_THROWN.match(line)
    return _THROWN.match(line) is not None or (bare is not None and is_qualifiable(bare[1]))


def _read(part: Range) -> Iterator[Rows | Coverage]:
    lines = ((number, _without_stamp(line)) for number, line in numbered_lines(part, MOST_LINE))
    statements = list(_statements(lines))
    rows = []
    for each, known in zip(statements, _events([each[0][1] for each in statements]), strict=True):
        (number, line), (last, _) = each[0], each[-1]
        is_thrown = _is_thrown(line) or (len(each) > 1 and (_BARE_THROWN.match(line) is not None or is_logged(line)))
        thrown = (_trace(each) if is_thrown else None) or _bare(line)
        is_error = is_error_line(line) and not line.rstrip().endswith(":")
        if thrown and (is_thrown or known or names_cause(line) or is_error):
            rows.append({**known, "message": line.strip(), "line": number, "last_line": last, **thrown})
    if rows:
        yield Rows("log_record", rows)
    with open_text(part) as opened:
        options = list(options_of_text(opened.read(MOST_CHARACTERS)))
    if options:
        yield Rows("config_option", options)
    yield Coverage(records=len(rows) + len(options))


def _trace(statement: Statement) -> dict[str, Any] | None:
    """The columns of an exception of Java with the frames and causes below it."""
    if len(statement) > 1 and is_logged(statement[0][1]):
        statement = statement[1:]
    (_, head), *below = statement
    trace = stack_trace([head.strip().removeprefix("Caused by: "), *(line for _, line in below)])
    return asdict(trace) if trace else None


def _bare(line: str) -> dict[str, Any] | None:
    """The columns of a line that says what is wrong without an exception of Java; None for an empty one."""
    cause = bare_cause(line)
    return {"exception_message": line.strip()[:500], "causes": cause.causes} if cause else None


def _statements(lines: Iterator[Line]) -> Iterator[Statement]:
    """The lines, an exception with its frames and causes together, also below the record that logs it, and a traceback
    of Python as one line: its first line, and what was thrown.
    """
    is_within, is_listing, thrown, logged = False, False, list[Line](), list[Line]()
    for number, line in lines:
        if thrown and not line.strip():
            continue
        is_listing = bool(thrown) and is_listed(line, is_listing)
        if thrown and (is_listing or _BELOW.match(line) or _ANSWER.match(line)):
            thrown.append((number, line))
            continue
        if thrown:
            yield thrown
            thrown = []
        if TRACEBACK in line:
            is_within = True
        elif is_within and line.strip() and not line[:1].isspace():
            is_within = False
            yield [(number, f"{TRACEBACK}: {line.strip()}")]
        elif not is_within and (_THROWN.match(line) or _BARE_THROWN.match(line)):
            thrown, logged = [*logged, (number, line)], []
        elif not is_within:
            if logged:
                yield logged
            logged = [(number, line)] if is_logged(line) else []
            if not logged:
                yield [(number, line)]
    if logged or thrown:
        yield [*logged, *thrown]


def _events(lines: Sequence[str]) -> list[dict[str, Any]]:
    """The columns of the event that a line is; empty for the others, and for events that say nothing alone."""
    telling = alarming_events() | harmless_events()
    return [each if each.get("event") in telling else {} for each in event_columns([*map(str.strip, lines)])]


FORMAT = Format(
    id="copied-message",
    title=to_say("Copied error message"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/advanced/logging/",
    tables=("log_record", "config_option"),
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
