"""Names of Flink's metrics with a value each, as people note them from a chart, the web UI or an answer of REST.

0.Source__orders.numRecordsOutPerSecond 12
lastCheckpointDuration: 120000
busyTimeMsPerSecond = 1,000

Names are those of REST: a number in front is the subtask, a name between is the operator. The job and the task are not
known; the task is named by the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.flink_values import duration_ms, size_bytes
from diagnostics.notation.metric_name import JOB_METRIC, JOBMANAGER_METRICS, from_rest
from diagnostics.notation.rest_document import number, whole
from diagnostics.notation.text_lines import numbered_lines
from diagnostics.vocabulary.followed_metrics import is_followed

MOST_LINES = 400
MOST_LINE = 600
"""Lines of a note, and characters of one. Our choice: what has more was written by a program."""
LEAST_SHARE = 0.5
"""Part of the lines that have to be metrics. Our choice: a note says something about them, too."""

_LINE = re.compile(
    r"\s{0,40}(?:[-*\u2022]\s{1,4})?[\"'`]?([A-Za-z0-9][\w.$/<>()-]{2,300})[\"'`]?"
    r"(?:\s{0,8}[:=]\s{0,8}|\s{1,40})[\"']?(-?[\dNt f][^\n\"']{0,40}?)[\"']?[,;]?\s*$"
)
_OF_FLINK = re.compile(
    r"(?:num(?:Records|Bytes|Buffers|Late|Restarts)\w*|(?:busy|idle|(?:soft|hard)?[bB]ackPressured)TimeMsPerSecond"
    r"|isBackPressured|checkpoint(?:StartDelay|Alignment)\w+|buffers\.\w+|Status\.[\w.]+|pending(?:Records|Bytes)"
    r"|current\w*Watermark|watermarkLag|sourceIdleTime|current\w+EventTimeLag|mailbox\w+)"
)
_OF_TIME = re.compile(r"Duration|Time(?!Ms)|Lag|Delay|Latency")
_OF_SIZE = re.compile(r"Size|Bytes|Used|Max|Committed")
_TRUTH = {"true": 1.0, "false": 0.0}


def _recognise(head: Head) -> float:
    if not head.complete:
        return 0.0
    lines = [line for line in head.text.splitlines() if line.strip()]
    found = sum(_metric(line[:MOST_LINE]) is not None for line in lines[:MOST_LINES])
    return 0.5 if found and len(lines) <= MOST_LINES and found >= LEAST_SHARE * len(lines) else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    rows, odd = [], 0
    ts_ms = whole(part.context.get("snapshot_ms"))
    for place, line in numbered_lines(part, MOST_LINE):
        found = _metric(line)
        if found:
            of_task = {"vertex_id": f"({part.name})"} if found["scope"] in ("task", "operator") else {}
            rows.append({"ts_ms": ts_ms, **found, **of_task, "line": place, "last_line": place})
        else:
            odd += bool(line.strip())
    yield Rows("metric_sample", rows)
    yield Coverage(records=len(rows), not_understood=odd)


def _metric(line: str) -> dict[str, Any] | None:
    """The columns of the metric in a line; None where it has none of Flink's."""
    match = _LINE.match(line)
    if match is None:
        return None
    name = from_rest(match[1], None)
    is_known = is_followed(name.metric) or name.metric in JOBMANAGER_METRICS or JOB_METRIC.match(name.metric)
    if not is_known and not _OF_FLINK.fullmatch(name.metric):
        return None
    stated = match[2].strip()
    value = _value(name.metric, stated)
    if value is None and stated != "NaN" and number(stated) is None and not stated.startswith("-"):
        return None
    labels = ",".join(f"{label}={each}" for label, each in sorted(name.labels.items()))
    return {
        "metric": name.metric,
        "scope": name.scope,
        "operator": name.operator,
        "subtask": name.subtask,
        "quantile": name.quantile,
        "labels": labels or None,
        "value": value,
    }


def _value(metric: str, stated: str) -> float | None:
    """The value in the metric's unit: a number, also with commas, or with the unit in which it is stated."""
    if stated in _TRUTH:
        return _TRUTH[stated]
    plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", stated)
    value = number(plain)
    if value is None and _OF_TIME.search(metric):
        value = duration_ms(plain)
    if value is None and _OF_SIZE.search(metric):
        value = size_bytes(plain)
    return value


FORMAT = Format(
    id="copied-metrics",
    title=to_say("Copied values of metrics"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/metrics/",
    tables=("metric_sample",),
    recognise=_recognise,
    read=_read,
    certainty=0.5,
    samples=(
        Sample(
            name="readings.txt",
            text="after the restart:\n0.Source__orders.numRecordsOutPerSecond 12\nlastCheckpointDuration: 2 min\n"
            "numberOfFailedCheckpoints = 1,200\nbusyTimeMsPerSecond\tNaN\n",
            rows={
                "metric_sample": [
                    {
                        "ts_ms": None,
                        "metric": "numRecordsOutPerSecond",
                        "scope": "operator",
                        "job_id": None,
                        "vertex_id": "(readings.txt)",
                        "operator": "Source__orders",
                        "subtask": 0,
                        "value": 12.0,
                        "line": 2,
                    },
                    {"metric": "lastCheckpointDuration", "scope": "job", "vertex_id": None, "value": 120000.0},
                    {"metric": "numberOfFailedCheckpoints", "scope": "job", "value": 1200.0, "line": 4},
                    {"metric": "busyTimeMsPerSecond", "scope": "task", "subtask": None, "value": None, "line": 5},
                ]
            },
        ),
    ),
)
