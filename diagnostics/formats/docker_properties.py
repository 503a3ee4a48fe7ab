"""Compose files and manifests that hand Flink's Docker image its options as the variable FLINK_PROPERTIES.

Source: Flink documentation, "Docker Setup": the image's entry point appends the variable's lines to the configuration.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.kubernetes import component_of
from diagnostics.notation.secret_option import masked
from diagnostics.notation.text_lines import numbered_lines

MOST_LINE = 4_000
MOST_OPTIONS = 2_000
"""Our choice: a cluster states some dozens."""

_VARIABLE = re.compile(r"^ {0,40}(?:- )?(?:name: {1,4})?[\"']?FLINK_PROPERTIES\b[\"']?")
_AROUND = re.compile(r"(?m)^(?:services|version|kind|apiVersion|spec) {0,4}:|^ {0,20}(?:- )?image {0,4}:")
_OPENING = re.compile(r"^ {0,40}value {0,4}:")
_OPTION = re.compile(r"^\s{0,60}[\"']?([a-z][\w-]{0,60}(?:\.[\w-]{1,60}){1,10}) {0,4}: {1,8}(\S.{0,1999}?)[\"']?\s*$")
_NAMED = re.compile(r"^ {0,8}(?:- )?(?:name: {1,4})?([\w.-]{1,80}) {0,4}:? {0,4}$")
_IMAGE = re.compile(
    r"^ {0,20}(?:- )?image {0,4}: {1,4}[\"']?(?:[\w.:/-]{1,100}/)?flink:(\d{1,2}\.\d{1,3}(?:\.\d{1,3})?)"
)


def _recognise(head: Head) -> float:
    is_one = any(_VARIABLE.match(line) for line in head.text.splitlines()) and _AROUND.search(head.text)
    return 0.93 if is_one else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    rows: list[dict[str, Any]] = []
    process, version, is_inside = None, None, False
    for number, line in numbered_lines(part, MOST_LINE):
        if found := _IMAGE.match(line):
            version = version or found[1]
        if named := _NAMED.match(line):
            process = component_of(named[1]) or process
        if _VARIABLE.match(line):
            is_inside = True
            continue
        option = _OPTION.match(line) if is_inside else None
        if option and len(rows) < MOST_OPTIONS:
            place = {"line": number, "last_line": number, "process": process}
            rows.append({"scope": "cluster", "key": option[1], "value": masked(option[1], option[2]), **place})
        is_inside = is_inside and (option is not None or not line.strip() or _OPENING.match(line) is not None)
    yield Rows("config_option", rows)
    yield Coverage(records=len(rows), flink_version=version)


FORMAT = Format(
    id="docker-properties",
    title=to_say("Options for Flink's Docker image (FLINK_PROPERTIES)"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/standalone/docker/",
    tables=("config_option",),
    recognise=_recognise,
    read=_read,
    samples=(
        Sample(
            name="docker-compose.yml",
            text="services:\n"
            "  jobmanager:\n"
            "    image: flink:1.17.1-scala_2.12\n"
            "    command: jobmanager\n"
            "    environment:\n"
            "      - |\n"
            "        FLINK_PROPERTIES=\n"
            "        jobmanager.rpc.address: jobmanager\n"
            "        execution.checkpointing.interval: 10s\n"
            "    ports:\n"
            "      - 8081:8081\n"
            "  taskmanager:\n"
            "    image: flink:1.17.1-scala_2.12\n"
            "    environment:\n"
            "      FLINK_PROPERTIES: |\n"
            "        taskmanager.numberOfTaskSlots: 2\n",
            rows={
                "config_option": [
                    {"scope": "cluster", "key": "jobmanager.rpc.address", "value": "jobmanager", "line": 8},
                    {"key": "execution.checkpointing.interval", "value": "10s", "process": "jobmanager", "line": 9},
                    {"key": "taskmanager.numberOfTaskSlots", "value": "2", "process": "taskmanager", "line": 16},
                ]
            },
        ),
        Sample(
            name="taskmanager-deployment.yaml",
            text="apiVersion: apps/v1\n"
            "kind: Deployment\n"
            "spec:\n"
            "  containers:\n"
            "    - name: taskmanager\n"
            "      image: apache/flink:1.20\n"
            "      env:\n"
            "        - name: FLINK_PROPERTIES\n"
            "          value: |\n"
            "            taskmanager.memory.process.size: 2g\n",
            rows={
                "config_option": [
                    {"scope": "cluster", "key": "taskmanager.memory.process.size", "value": "2g", "line": 10}
                ]
            },
        ),
    ),
)
