"""Flink logs from a log store: answers of Loki, CloudWatch and Elasticsearch, and lines newest first.

Each entry holds one line of a log, or one record of several lines. Entries are sorted by time, because stores answer
with the newest first, and then read like any Flink log.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from diagnostics.errors import LimitExceeded
from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.log_scan.json_lines import arrival_of, entry_text, object_of, one_line
from diagnostics.log_scan.layout import recognised_lines
from diagnostics.log_scan.prefixes import LOGCLI, cleaner_for
from diagnostics.log_scan.record_rows import TABLES
from diagnostics.log_scan.store_entries import StoreEntry, rows_of_entries
from diagnostics.notation.file_range import Head, Range, open_range
from diagnostics.notation.json_document import MOST_DOCUMENT_BYTES, JsonDocument, Key, outline, read_json

LINES_LOOKED_AT = 50

_FLINK = "org.apache.flink"
_STREAMS = re.compile(r'"resultType"\s{0,20}:\s{0,20}"streams"')


def _recognise(head: Head) -> float:
    layout = outline(head)
    if layout is None:
        return _newest_first_lines(head) if LOGCLI.match(head.content) else 0.0
    if layout.several and not layout.is_array:
        return _newest_first_lines(head)
    is_answer = (
        (layout.has("", "status", "data") and _STREAMS.search(head.text) is not None)
        or layout.has("*", "line", "timestamp")
        or layout.has("*", "@message")
        or layout.has("*", "textPayload", "timestamp")
        or layout.has("*", "jsonPayload", "timestamp")
        or layout.has("events/*", "message", "timestamp")
        or (layout.has("results/*/*", "field", "value") and "@message" in head.text)
        or layout.has("hits/hits/*", "_source")
    )
    return (0.97 if _FLINK in head.text else 0.4) if is_answer else 0.0


def _newest_first_lines(head: Head) -> float:
    """Confidence for lines with an arrival time in descending order; ascending lines are an ordinary Flink log."""
    lines = head.content.split(b"\n", LINES_LOOKED_AT)[:LINES_LOOKED_AT]
    known = [time for line in lines if (time := _line_entry(line, 1).arrived) is not None]
    if len(known) < 2 or known[0] <= known[-1]:
        return 0.0
    levelled, timed = recognised_lines(cleaner_for(head.content)(head.content))
    is_log = timed > 0 and levelled * 2 >= timed
    return (0.98 if _FLINK in head.text else 0.55) if is_log else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    if part.size > MOST_DOCUMENT_BYTES:
        raise LimitExceeded(
            say(
                "entries are sorted in memory: {size:,} bytes, at most {bound:,}",
                size=part.size,
                bound=MOST_DOCUMENT_BYTES,
            )
        )
    document = _document(part)
    yield from rows_of_entries(_lines(part) if document is None else list(_entries(document)))


def _document(part: Range) -> JsonDocument | None:
    """The answer as one document; None for a file of lines."""
    with open_range(part) as opened:
        first = next((line for line in opened if line.strip()), b"")
    value = object_of(first)
    if LOGCLI.match(first):
        return None
    is_answer = value is None or any(name in value for name in ("data", "events", "results", "hits"))
    return read_json(part) if is_answer else None


def _lines(part: Range) -> list[StoreEntry]:
    with open_range(part) as opened:
        return [_line_entry(line.rstrip(b"\n"), number) for number, line in enumerate(opened, 1)]


def _line_entry(line: bytes, number: int) -> StoreEntry:
    """The entry in a line: a JSON object, output of `logcli`, or a line without an arrival time."""
    value, place = object_of(line), {"line": number, "last_line": number}
    if value is not None:
        return _entry(value, place)
    printed = LOGCLI.match(line)
    if printed is None:
        return StoreEntry(None, line.rstrip(), place)
    return StoreEntry(arrival_of({"time": printed[1].decode()}), line[printed.end() :], place)


def _entries(document: JsonDocument) -> Iterator[StoreEntry]:
    for path, fields in _entries_of_answer(document.value):
        yield _entry(fields, document.at(*path))


def _entries_of_answer(answer: Any) -> Iterator[tuple[tuple[Key, ...], Mapping[str, Any]]]:
    """Fields of each entry of an answer, with their path."""
    if isinstance(answer, list):
        yield from (((place,), each) for place, each in enumerate(answer) if isinstance(each, dict))
        return
    for place, event in _items(answer, "events"):
        if isinstance(event, dict):
            yield ("events", place), event
    for place, hit in _items(answer, "hits", "hits"):
        if isinstance(hit, dict) and isinstance(hit.get("_source"), dict):
            yield ("hits", "hits", place), hit["_source"]
    for place, fields in _items(answer, "results"):
        if isinstance(fields, list):
            told = {str(each.get("field")): each.get("value") for each in fields if isinstance(each, dict)}
            yield ("results", place), told
    for place, stream in _items(answer, "data", "result"):
        for number, pair in _items(stream, "values"):
            if isinstance(pair, list) and len(pair) >= 2:
                path = ("data", "result", place, "values", number)
                yield path, {"timestamp": pair[0], "line": pair[1]}


def _items(value: Any, *names: str) -> Iterator[tuple[int, Any]]:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return iter(enumerate(value if isinstance(value, list) else ()))


def _entry(fields: Mapping[str, Any], place: dict[str, Any]) -> StoreEntry:
    return StoreEntry(arrival_of(fields), one_line(entry_text(fields) or ""), place)


_LOGGER = "org.apache.flink.runtime.checkpoint.CheckpointCoordinator"

FORMAT = Format(
    id="flink-log-export",
    title=to_say("Flink log from a log store"),
    documentation="https://grafana.com/docs/loki/latest/reference/loki-http-api/",
    tables=TABLES,
    recognise=_recognise,
    certainty=0.98,
    read=_read,
    is_log=True,
    samples=(
        Sample(
            name="loki.json",
            text='{"status":"success","data":{"resultType":"streams","result":[{"stream":{"app":"flink"},"values":[\n'
            '["1795224699640000000","\\tat com.acme.A.b(A.java:1)"],\n'
            '["1795224699640000000","java.io.IOException: gone"],\n'
            f'["1795224699633000000","2026-11-21 01:31:39,633 WARN  {_LOGGER} [] - it failed"]\n'
            "]}]}}\n",
            rows={
                "log_record": [
                    {
                        "ts_ms": 1_795_224_699_633,
                        "level": "WARN",
                        "logger": _LOGGER,
                        "message": "it failed",
                        "exception_class": "java.io.IOException",
                        "user_frame": "com.acme.A.b",
                        "line": 4,
                        "pointer": "/data/result/0/values/2",
                    }
                ]
            },
        ),
        Sample(
            name="get-log-events.json",
            text='{"events": [\n{"timestamp": 1795224699700, "message": "2026-11-21 01:31:39,633 INFO  '
            f'{_LOGGER} [] - one", "ingestionTime": 1795224699900}}\n], "nextForwardToken": "f/1"}}\n',
            rows={"log_record": [{"ts_ms": 1_795_224_699_633, "message": "one", "line": 2, "pointer": "/events/0"}]},
        ),
        Sample(
            name="logcli.jsonl",
            text=f'{{"labels":{{}},"line":"2026-11-21 01:31:40,000 INFO  {_LOGGER} [] - two",'
            '"timestamp":"2026-11-21T01:31:40Z"}\n'
            f'{{"labels":{{}},"line":"2026-11-21 01:31:39,000 INFO  {_LOGGER} [] - one",'
            '"timestamp":"2026-11-21T01:31:39Z"}\n',
            rows={"log_record": [{"message": "one", "line": 2}, {"message": "two", "line": 1}]},
        ),
        Sample(
            name="logcli.txt",
            text='2026-11-21T01:31:40Z {app="flink"} \tat com.acme.A.b(A.java:1)\n'
            '2026-11-21T01:31:40Z {app="flink"} java.io.IOException: gone\n'
            f'2026-11-21T01:31:39Z {{app="flink"}} 2026-11-21 01:31:39,633 WARN  {_LOGGER} [] - it failed\n',
            rows={"log_record": [{"message": "it failed", "user_frame": "com.acme.A.b", "line": 3}]},
        ),
        Sample(
            name="gcloud-logging-read.json",
            text=f'[{{"insertId": "b", "textPayload": "2026-11-21 01:31:40,000 INFO  {_LOGGER} [] - two\\n",\n'
            '"timestamp": "2026-11-21T01:31:40.1Z"},\n'
            f'{{"insertId": "a", "textPayload": "2026-11-21 01:31:39,000 INFO  {_LOGGER} [] - one\\n",\n'
            '"timestamp": "2026-11-21T01:31:39.1Z"}]\n',
            rows={"log_record": [{"message": "one", "line": 3}, {"message": "two", "line": 1}]},
        ),
    ),
)
