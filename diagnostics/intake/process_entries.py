"""The entries of each process, from an answer or a table of a log store that holds those of several.

Each is of the same form as the whole, so the same format reads it.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from diagnostics.intake.limits import MIB
from diagnostics.intake.process_logs import FLINK, MOST_PROCESSES, file_name
from diagnostics.log_scan.line_process import process_of_json, process_of_labels

MOST_BYTES = 8 * MIB
"""Larger answers and tables stay one file. Our choice: parsed, they take up to twenty times their text in memory."""

FORMS: Sequence[tuple[str, ...]] = (("data", "result"), ("hits", "hits"), ("events",), ())
"""Where the entries are in answers of Loki, of Elasticsearch, of CloudWatch, and in a list as Grafana saves it."""

COLUMNS = (
    "kubernetes.pod.name",
    "kubernetes.pod_name",
    "k8s.pod.name",
    "pod_name",
    "pod",
    "@logStream",
    "logStreamName",
)
"""Columns that name a process, the surest first: fields of Filebeat, Fluent Bit, OpenTelemetry, Loki and CloudWatch."""

_ANSWER = re.compile(rb'"(?:resultType"\s{0,9}:\s{0,9}"streams|hits|events|labels|logStreamName|_source)"')
_JSON_BEGINS = (b"{", b"[")


def may_be_of_several(head: bytes) -> bool:
    """Whether a file with this beginning may be an answer or a table of a log store about Flink."""
    if FLINK not in head:
        return False
    if head.lstrip()[:1] in _JSON_BEGINS:
        return _ANSWER.search(head) is not None
    return any(each.encode() in head.partition(b"\n")[0] for each in COLUMNS)


def entries_of_processes(content: bytes) -> Mapping[str, bytes]:
    """Name of a file -> the entries of one process; empty where not every entry names its process.

    content  the whole file, or its beginning when it has more than MOST_BYTES; of more than MOST_PROCESSES, too, it
             stays one file
    """
    if len(content) > MOST_BYTES:
        return {}
    try:
        return _answers(json.loads(content)) if content.lstrip()[:1] in _JSON_BEGINS else _tables(content)
    except (ValueError, RecursionError, csv.Error):
        return {}


def _answers(answer: Any) -> Mapping[str, bytes]:
    form = next((each for each in FORMS if isinstance(_at(answer, each), list)), None)
    if form is None:
        return {}
    entries_of: dict[bytes | None, list[Any]] = defaultdict(list)
    for entry in _at(answer, form):
        entries_of[_process_of(entry)].append(entry)
        if len(entries_of) > MOST_PROCESSES:
            return {}
    answers = {process: _with(answer, form, entries) for process, entries in entries_of.items()}
    return {f"{name}.json": json.dumps(each, indent=0).encode() for name, each in _files(answers).items()}


def _tables(content: bytes) -> Mapping[str, bytes]:
    rows = csv.reader(io.StringIO(content.decode("utf-8-sig", "replace"), newline=""))
    header = next(rows, [])
    place = next((header.index(each) for each in COLUMNS if each in header), None)
    if place is None:
        return {}
    tables: dict[bytes | None, io.StringIO] = {}
    for row in rows:
        process = row[place].encode() if len(row) > place and row[place] else None
        if process not in tables:
            if len(tables) == MOST_PROCESSES:
                return {}
            tables[process] = io.StringIO(newline="")
            csv.writer(tables[process]).writerow(header)
        csv.writer(tables[process]).writerow(row)
    return {f"{name}.csv": each.getvalue().encode() for name, each in _files(tables).items()}


def _files(parts: Mapping[bytes | None, Any]) -> Mapping[str, Any]:
    """The parts by the names of their files; none where an entry names no process, or all name the same one."""
    if None in parts or len(parts) < 2:
        return {}
    return {file_name(process): part for process, part in parts.items() if process is not None}


def _at(answer: Any, form: Sequence[str]) -> Any:
    for name in form:
        answer = answer.get(name) if isinstance(answer, dict) else None
    return answer


def _process_of(entry: Any) -> bytes | None:
    if not isinstance(entry, dict):
        return None
    labels = entry.get("stream", entry.get("labels"))
    named = process_of_labels(labels) if isinstance(labels, dict) else None
    return named or process_of_json(json.dumps(entry).encode())


def _with(answer: Any, form: Sequence[str], entries: Sequence[Any]) -> Any:
    """The answer with these entries only."""
    return {**answer, form[0]: _with(answer[form[0]], form[1:], entries)} if form else entries
