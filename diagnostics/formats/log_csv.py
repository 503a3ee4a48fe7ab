"""Flink logs saved as CSV from a log store's page: CloudWatch Logs Insights, Kibana, Grafana, Datadog.

A quoted field may span lines: a record with its stack trace is one row, or one row per line.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from diagnostics.errors import LimitExceeded, UnreadableInput
from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.log_scan.json_lines import arrival_of, entry_text, one_line
from diagnostics.log_scan.layout import recognised_lines
from diagnostics.log_scan.prefixes import cleaner_for
from diagnostics.log_scan.record_rows import TABLES
from diagnostics.log_scan.store_entries import StoreEntry, rows_of_entries
from diagnostics.notation.file_range import Head, Range, open_text
from diagnostics.notation.json_document import MOST_DOCUMENT_BYTES

ROWS_LOOKED_AT = 50
MOST_COLUMNS = 500

_MESSAGES = frozenset(("@message", "message", "msg", "log", "line", "content", "_raw", "textpayload"))
_FLINK = "org.apache.flink"
_KIBANA_TIME = re.compile(r"[A-Z][a-z]{2} \d{1,2}, \d{4} @ \d\d:\d\d:\d\d\.\d{3}$")


def _recognise(head: Head) -> float:
    first = head.text.lstrip("\ufeff").partition("\n")[0]
    if head.starts_as_json or not any(name in first.lower() for name in _MESSAGES):
        return 0.0
    texts = []
    try:
        for number, fields in _rows(io.StringIO(head.text.lstrip("\ufeff"), newline="")):
            texts.append(entry_text(fields) or "")
            if number > ROWS_LOOKED_AT:
                break
    except (csv.Error, UnreadableInput):
        pass  # the head may end within a field
    content = "\n".join(texts).encode("utf-8", "replace")
    levelled, timed = recognised_lines(cleaner_for(content)(content))
    return (0.98 if _FLINK in head.text else 0.5) if timed and levelled * 2 >= timed else 0.0


def _rows(opened: io.TextIOBase) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Each row by column name, with the number of its last line. Raises csv.Error, UnreadableInput."""
    reader = csv.reader(opened)
    names = [name.strip() for name in next(reader, [])]
    told = next((name for name in names if name.lower() in _MESSAGES), None)
    if told is None or len(names) > MOST_COLUMNS:
        raise UnreadableInput(say("a CSV file without a column of messages: {names}", names=", ".join(names)[:200]))
    plain = ["message" if name == told else name for name in names]
    for row in reader:
        yield reader.line_num, dict(zip(plain, row, strict=False))


def _read(part: Range) -> Iterator[Rows | Coverage]:
    if part.size > MOST_DOCUMENT_BYTES:
        raise LimitExceeded(
            say(
                "entries are sorted in memory: {size:,} bytes, at most {bound:,}",
                size=part.size,
                bound=MOST_DOCUMENT_BYTES,
            )
        )
    entries: list[StoreEntry] = []
    before, fault = 1, None
    with open_text(part, newline="") as opened:
        try:
            for last, fields in _rows(opened):
                text = entry_text(fields) if fields else ""
                if text:
                    entries.append(
                        StoreEntry(_arrived(fields), one_line(text), {"line": before + 1, "last_line": last})
                    )
                before = last
        except csv.Error as error:
            fault = say("from line {line:,} on it is no CSV that can be read: {error}", line=before + 1, error=error)
    yield from rows_of_entries(entries)
    if fault:
        yield Coverage(warnings=(fault,))


def _arrived(fields: Mapping[str, str]) -> float | None:
    """Arrival time of an entry in epoch seconds; Kibana prints it in its user's zone, which is sufficient for
    ordering.
    """
    known = arrival_of(fields)
    if known is not None:
        return known
    printed = next((told for told in fields.values() if told and _KIBANA_TIME.match(told)), None)
    try:
        moment = datetime.strptime(printed, "%b %d, %Y @ %H:%M:%S.%f") if printed else None  # noqa: DTZ007
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC).timestamp() if moment else None


_LOGGER = "org.apache.flink.runtime.taskmanager.Task"

FORMAT = Format(
    id="flink-log-csv",
    title=to_say("Flink log saved as CSV from a log store"),
    documentation="https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_AnalyzeLogData_RunSampleQuery.html",
    tables=TABLES,
    recognise=_recognise,
    certainty=0.98,
    read=_read,
    is_log=True,
    samples=(
        Sample(
            name="logs-insights-results.csv",
            text="@timestamp,@message\n"
            f'2026-11-21 01:31:40.000,"2026-11-21 01:31:40,000 INFO  {_LOGGER} [] - two"\n'
            f'2026-11-21 01:31:39.000,"2026-11-21 01:31:39,633 WARN  {_LOGGER} [] - it failed\n'
            "java.io.IOException: gone\n"
            '\tat com.acme.A.b(A.java:1)"\n',
            rows={
                "log_record": [
                    {
                        "ts_ms": 1_795_224_699_633,
                        "level": "WARN",
                        "message": "it failed",
                        "exception_class": "java.io.IOException",
                        "user_frame": "com.acme.A.b",
                        "line": 3,
                        "last_line": 5,
                    },
                    {"message": "two", "line": 2, "last_line": 2},
                ]
            },
        ),
        Sample(
            name="kibana.csv",
            text='"@timestamp",message,"kubernetes.pod.name"\n'
            f'"Nov 21, 2026 @ 01:31:40.100","2026-11-21 01:31:40,000 INFO  {_LOGGER} [] - two","tm-1"\n'
            f'"Nov 21, 2026 @ 01:31:39.100","2026-11-21 01:31:39,000 INFO  {_LOGGER} [] - one","tm-1"\n',
            rows={"log_record": [{"message": "one", "line": 3}, {"message": "two", "line": 2}]},
        ),
    ),
)
