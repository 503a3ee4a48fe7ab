"""Flink logs as a log store gives them out: answers of Loki, CloudWatch and Elasticsearch, and lines newest first.

Each entry holds one line of a log, or one record of several lines. Entries are put in the order of their times, since
stores answer with the newest first, and are then read like any log of Flink.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from diagnostics.errors import LimitExceeded
from diagnostics.format import Coverage, Format, Head, Range, Rows, Sample, open_range
from diagnostics.log_scan.json_lines import arrival_of, entry_text, object_of, one_line
from diagnostics.log_scan.layout import recognised_lines
from diagnostics.log_scan.prefixes import LOGCLI, cleaner_for
from diagnostics.log_scan.record_rows import TABLES, rows_of
from diagnostics.log_scan.stretch import stretch_of
from diagnostics.notation.json_document import MOST_DOCUMENT_BYTES, JsonDocument, Key, outline, read_json

LINES_LOOKED_AT = 50

_FLINK = "org.apache.flink"
_STREAMS = re.compile(r'"resultType"\s{0,20}:\s{0,20}"streams"')


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry of an answer: seconds since 1970 when it came, its text as one line, and the path or line it has."""

    arrived: float | None
    text: bytes
    place: tuple[Key, ...]


def _recognise(head: Head) -> float:
    told = outline(head)
    if told is None:
        return _newest_first_lines(head) if LOGCLI.match(head.content) else 0.0
    if told.several and not told.is_array:
        return _newest_first_lines(head)
    is_answer = (
        (told.has("", "status", "data") and _STREAMS.search(head.text) is not None)
        or told.has("*", "line", "timestamp")
        or told.has("*", "@message")
        or told.has("*", "textPayload", "timestamp")
        or told.has("*", "jsonPayload", "timestamp")
        or told.has("events/*", "message", "timestamp")
        or (told.has("results/*/*", "field", "value") and "@message" in head.text)
        or told.has("hits/hits/*", "_source")
    )
    return (0.97 if _FLINK in head.text else 0.4) if is_answer else 0.0


def _newest_first_lines(head: Head) -> float:
    """Lines with a time of arrival that go back in time; those that go forward are a log of Flink like any other."""
    lines = head.content.split(b"\n", LINES_LOOKED_AT)[:LINES_LOOKED_AT]
    known = [time for line in lines if (time := _line_entry(line, 1).arrived) is not None]
    if len(known) < 2 or known[0] <= known[-1]:
        return 0.0
    levelled, timed = recognised_lines(cleaner_for(head.content)(head.content))
    is_log = timed > 0 and levelled * 2 >= timed
    return (0.98 if _FLINK in head.text else 0.55) if is_log else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    if part.size > MOST_DOCUMENT_BYTES:
        raise LimitExceeded(f"entries are sorted in memory: {part.size:,} bytes, at most {MOST_DOCUMENT_BYTES:,}")
    document = _document(part)
    entries = list(_in_order(_lines(part) if document is None else list(_entries(document.value))))
    if not entries:
        yield Coverage()
        return
    stretch, layout = stretch_of(b"\n".join(entry.text for entry in entries) + b"\n")
    for given in rows_of(stretch, layout):
        if isinstance(given, Coverage):
            yield given
        elif given.batch is not None:
            yield Rows(given.table, batch=_placed(given.batch, entries, document))
        else:
            rows = [{**row, **_place(entries[row["line"] - 1], document)} for row in given.rows]
            yield Rows(given.table, rows)


def _document(part: Range) -> JsonDocument | None:
    """The answer as one document; None for a file of lines."""
    with open_range(part) as opened:
        first = next((line for line in opened if line.strip()), b"")
    value = object_of(first)
    if LOGCLI.match(first):
        return None
    is_answer = value is None or any(name in value for name in ("data", "events", "results", "hits"))
    return read_json(part) if is_answer else None


def _lines(part: Range) -> list[_Entry]:
    with open_range(part) as opened:
        return [_line_entry(line.rstrip(b"\n"), number) for number, line in enumerate(opened, 1)]


def _line_entry(line: bytes, number: int) -> _Entry:
    """An object, what `logcli` prints, or a line that tells nothing of when it came."""
    value = object_of(line)
    if value is not None:
        return _entry(value, (number,))
    printed = LOGCLI.match(line)
    if printed is None:
        return _Entry(None, line.rstrip(), (number,))
    return _Entry(arrival_of({"time": printed[1].decode()}), line[printed.end() :], (number,))


def _entries(answer: Any) -> Iterator[_Entry]:
    if isinstance(answer, list):
        yield from (_entry(each, (place,)) for place, each in enumerate(answer) if isinstance(each, dict))
        return
    for place, event in _items(answer, "events"):
        if isinstance(event, dict):
            yield _entry(event, ("events", place))
    for place, hit in _items(answer, "hits", "hits"):
        if isinstance(hit, dict) and isinstance(hit.get("_source"), dict):
            yield _entry(hit["_source"], ("hits", "hits", place))
    for place, fields in _items(answer, "results"):
        if isinstance(fields, list):
            told = {str(each.get("field")): each.get("value") for each in fields if isinstance(each, dict)}
            yield _entry(told, ("results", place))
    for place, stream in _items(answer, "data", "result"):
        for number, pair in _items(stream, "values"):
            if isinstance(pair, list) and len(pair) >= 2:
                path = ("data", "result", place, "values", number)
                yield _entry({"timestamp": pair[0], "line": pair[1]}, path)


def _items(value: Any, *names: str) -> Iterator[tuple[int, Any]]:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return iter(enumerate(value if isinstance(value, list) else ()))


def _entry(fields: Mapping[str, Any], place: tuple[Key, ...]) -> _Entry:
    return _Entry(arrival_of(fields), one_line(entry_text(fields) or ""), place)


def _in_order(entries: Sequence[_Entry]) -> Sequence[_Entry]:
    """Oldest first. Entries of the same moment keep their order, turned where the store went backwards."""
    times = [entry.arrived for entry in entries if entry.arrived is not None]
    if len(times) < len(entries) or not times:
        return entries
    backwards = times[0] > times[-1]
    return sorted(reversed(entries) if backwards else entries, key=lambda entry: entry.arrived or 0.0)


def _place(entry: _Entry, document: JsonDocument | None) -> dict[str, Any]:
    if document is None:
        return {"line": entry.place[0], "last_line": entry.place[0]}
    return document.at(*entry.place)


def _placed(batch: pa.RecordBatch, entries: Sequence[_Entry], document: JsonDocument | None) -> pa.RecordBatch:
    """The rows with the places of their entries instead of lines of the sorted text."""
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    places = [_place(entries[line - 1], document) for line in columns["line"].to_pylist()]
    for name, kind in (("line", pa.int64()), ("last_line", pa.int64()), ("pointer", pa.string())):
        columns[name] = pa.array([place.get(name) for place in places], kind)
    return pa.RecordBatch.from_pydict(columns)


_LOGGER = "org.apache.flink.runtime.checkpoint.CheckpointCoordinator"

FORMAT = Format(
    id="flink-log-export",
    title="Flink log from a log store",
    documentation="https://grafana.com/docs/loki/latest/reference/loki-http-api/",
    tables=TABLES,
    recognise=_recognise,
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
