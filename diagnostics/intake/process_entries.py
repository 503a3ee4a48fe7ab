"""The answer about each process, from an answer of a log store about several.

Each is of the same form as the whole, so the same format reads it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from diagnostics.intake.limits import MIB
from diagnostics.intake.process_logs import FLINK, MOST_PROCESSES, file_name
from diagnostics.log_scan.line_process import process_of_json, process_of_labels

MOST_ANSWER_BYTES = 8 * MIB
"""Larger answers stay one file. Our choice: parsed JSON takes up to twenty times its text in memory."""

FORMS: Sequence[tuple[str, ...]] = (("data", "result"), ("hits", "hits"), ("events",), ())
"""Where the entries are in answers of Loki, of Elasticsearch, of CloudWatch, and in a list as Grafana saves it."""

_ANSWER = re.compile(rb'"(?:resultType"\s{0,9}:\s{0,9}"streams|hits|events|labels|logStreamName|_source)"')


def may_be_answer(head: bytes) -> bool:
    """Whether a file with this beginning may be an answer about logs of Flink."""
    return head.lstrip()[:1] in (b"{", b"[") and FLINK in head and _ANSWER.search(head) is not None


def process_answers(content: bytes) -> Mapping[str, bytes]:
    """Name of a file -> the answer about one process; empty where the entries do not all name theirs.

    content  the whole file, or its beginning when it has more than MOST_ANSWER_BYTES
    """
    if len(content) > MOST_ANSWER_BYTES:
        return {}
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    form = next((each for each in FORMS if isinstance(_at(answer, each), list)), None)
    if form is None:
        return {}
    entries_of: dict[bytes | None, list[Any]] = {}
    for entry in _at(answer, form):
        entries_of.setdefault(_process_of(entry), []).append(entry)
    if None in entries_of or not 1 < len(entries_of) <= MOST_PROCESSES:
        return {}
    return {
        f"{file_name(process)}.json": json.dumps(_with(answer, form, entries), indent=0).encode()
        for process, entries in entries_of.items()
        if process is not None
    }


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
