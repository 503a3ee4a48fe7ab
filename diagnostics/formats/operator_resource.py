"""Resources of Flink's Kubernetes operators: YAML or JSON, whole or in pieces, and lists of `kubectl get`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.log_scan.known_messages import event_columns
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.kubernetes import record, resource_records
from diagnostics.notation.operator_resource import (
    NULL,
    Resource,
    ResourceReading,
    audit_line,
    is_piece,
    is_resource,
    resource_row,
)
from diagnostics.notation.printed_table import cells_at
from diagnostics.notation.text_lines import numbered_lines

MOST_LINE = 16_000
"""Characters read of a line: the last specification and an error fill a line each."""
MOST_LISTED = 5_000
"""Resources read of a list. Our choice: more are several clusters."""

_POD = re.compile(r"(?m)^ {0,8}(?:- )?\"?kind\"?: {0,4}\"?(?:Pod|Event)\b")
_LIST = re.compile(r"(?:NAMESPACE +)?NAME +JOB STATUS +(?:RECONCILIATION STATUS +)?(?:LIFECYCLE STATE)?")
_COLUMNS = {
    "JOB STATUS": "status.jobStatus.state",
    "LIFECYCLE STATE": "status.lifecycleState",
    "RECONCILIATION STATUS": "status.reconciliationStatus.state",
}
"""Title of a column -> the field it prints. Source: the additional printer columns of the operator's definitions."""


def _recognise(head: Head) -> float:
    text = head.text
    if _LIST.match(text.lstrip("\ufeff")):
        return 0.9
    if is_resource(text):
        return 0.0 if _POD.search(text) else 0.92
    return 0.85 if is_piece(text) else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    _, first = next(numbered_lines(part, MOST_LINE), (0, ""))
    if _LIST.match(first.lstrip("\ufeff")):
        rows = list(_listed(part, first))
        yield Rows("config_option", rows)
        yield Coverage(records=len(rows))
        return
    reading, records = ResourceReading(), list[dict[str, Any]]()
    for number, line in numbered_lines(part, MOST_LINE):
        if said := audit_line(line):
            kind, reason, message = said
            row = record("", f">>> Event | {kind} | {reason} | {message}", "WARN", None, None, reason)
            records.append({**row, "line": number, "last_line": number})
            continue
        reading.take(line, number)
    resources = reading.close()
    records += [row for each in resources for row in _records(each)]
    known = event_columns([row["message"] for row in records])
    told = [{name: value for name, value in row.items() if value is not None} for row in records]
    yield Rows("log_record", [columns | row for columns, row in zip(known, told, strict=True)])
    yield Rows("config_option", [row for each in resources for row in each.rows])
    yield Coverage(records=len(resources) + len(records))


def _records(resource: Resource) -> Iterator[dict[str, Any]]:
    """The error of its status, as `kubectl describe` has it."""
    error = resource.fields.get("status.error")
    if error and error[0] != NULL:
        yield from resource_records(resource.kind or "FlinkDeployment", resource.name or "-", {"Error": error})


def _listed(part: Range, title: str) -> Iterator[dict[str, Any]]:
    names = list(re.finditer(r"\S+(?: \S+)*", title.rstrip()))
    ends = [found.start() for found in names[1:]] + [None]
    columns = {found.group(): (found.start(), end) for found, end in zip(names, ends, strict=True)}
    for number, line in numbered_lines(part, MOST_LINE):
        if number == 1 or not line.strip() or number > MOST_LISTED:
            continue
        row = dict(zip(columns, cells_at(line, columns.values()), strict=True))
        for name, path in _COLUMNS.items():
            if value := row.get(name):
                yield resource_row(row.get("NAME", "")[:253], path, value, number)


FORMAT = Format(
    id="operator-resource",
    title=to_say("Resources of Flink's Kubernetes operator"),
    documentation="https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-stable/docs/custom-resource/reference/",
    tables=("log_record", "config_option"),
    recognise=_recognise,
    read=_read,
    samples=(
        Sample(
            name="orders.yaml",
            text="apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  flinkConfiguration:\n"
            '    taskmanager.numberOfTaskSlots: "2"\n'
            "  job:\n"
            "    upgradeMode: last-state\n"
            "status:\n"
            "  error: cannot upgrade\n"
            "  jobManagerDeploymentStatus: MISSING\n",
            rows={
                "log_record": [
                    {
                        "event": "op.resource.error",
                        "message": "FlinkDeployment orders: error: cannot upgrade",
                        "line": 11,
                    }
                ],
                "config_option": [
                    {"scope": "resource", "key": "orders/spec.job.upgradeMode", "value": "last-state", "line": 9},
                    {"key": "orders/status.error", "value": "cannot upgrade", "line": 11},
                    {"key": "orders/status.jobManagerDeploymentStatus", "value": "MISSING", "line": 12},
                    {"scope": "cluster", "key": "taskmanager.numberOfTaskSlots", "value": "2", "line": 7},
                ],
            },
        ),
        Sample(
            name="piece.txt",
            text="Warning | MISSING | Job Not Found\n"
            "status:\n"
            "  jobManagerDeploymentStatus: READY\n"
            "  jobStatus:\n"
            "    state: RECONCILING\n",
            rows={
                "log_record": [
                    {"event": "op.event.warning", "message": ">>> Event | Warning | MISSING | Job Not Found", "line": 1}
                ],
                "config_option": [
                    {"scope": "resource", "key": "/status.jobManagerDeploymentStatus", "value": "READY", "line": 3},
                    {"key": "/status.jobStatus.state", "value": "RECONCILING", "line": 5},
                ],
            },
        ),
        Sample(
            name="list.txt",
            text="NAME     JOB STATUS    LIFECYCLE STATE\norders   RECONCILING   DEPLOYED\n",
            rows={
                "config_option": [
                    {"scope": "resource", "key": "orders/status.jobStatus.state", "value": "RECONCILING", "line": 2},
                    {"key": "orders/status.lifecycleState", "value": "DEPLOYED", "line": 2},
                ]
            },
        ),
    ),
)
