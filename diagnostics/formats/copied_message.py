"""A copied error message without a layout: what a person pastes of a shell, a client, an operator or a web page.

Lines that name a cause of the catalogues become records with that message; the others are not kept. Copied stack traces
are read as Flink's logs.
"""

from __future__ import annotations

from collections.abc import Iterator

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.stack_trace import bare_cause
from diagnostics.notation.text_lines import numbered_lines
from diagnostics.vocabulary.copied_error import names_cause

MOST_LINES = 40
"""Lines of a copied message. Our choice: more is a document that mentions an error."""
MOST_LINE = 2_000
"""Characters kept of a line. Our choice: that of a log record's message."""


def _recognise(head: Head) -> float:
    is_short = head.text.count("\n") <= MOST_LINES and len(head.text) <= MOST_LINES * MOST_LINE
    return 0.3 if is_short and names_cause(head.text) else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    rows = []
    for number, line in numbered_lines(part, MOST_LINE):
        cause = bare_cause(line) if names_cause(line) else None
        if cause:
            said = {"message": line.strip(), "line": number, "last_line": number}
            rows.append({**said, "exception_message": line.strip()[:500], "causes": cause.causes})
    if rows:
        yield Rows("log_record", rows)
    yield Coverage(records=len(rows))


FORMAT = Format(
    id="copied-message",
    title="Copied error message",
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
