"""Kubernetes pods and events as objects: `kubectl get pod|events -o yaml` or `-o json`, single or in a list."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from diagnostics.errors import LimitExceeded, UnreadableInput
from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.log_scan.known_messages import event_columns
from diagnostics.notation.file_range import Head, Range, open_text
from diagnostics.notation.json_document import read_json
from diagnostics.notation.kubernetes import (
    RESOURCES,
    Ended,
    Pod,
    component_of,
    concerns_flink,
    event_record,
    moment_ms,
    pod_options,
    pod_records,
)

MOST_YAML_BYTES = 8 * 1024 * 1024
"""Our choice: a pod has 10 KB, and reading YAML takes a second for each MB."""
MOST_DEPTH = 60
MOST_OBJECTS = 20_000
LEFT_OUT = to_say("pods and events of other programs than Flink are left out")

_KIND = re.compile(r'"?\bkind"?\s{0,8}:\s{0,8}"?(Pod|PodList|Event|EventList|List)\b')
_VERSION = re.compile(r'"?\bapiVersion"?\s{0,8}:\s{0,8}"?(?:v1|events\.k8s\.io/v1)\b')
_OF_INTEREST = re.compile(r'"?\b(?:containerStatuses|involvedObject|regarding|containers)"?\s{0,8}:')
_OPENING = (
    yaml.FlowMappingStartToken,
    yaml.FlowSequenceStartToken,
    yaml.BlockMappingStartToken,
    yaml.BlockSequenceStartToken,
)
_CLOSING = (yaml.FlowMappingEndToken, yaml.FlowSequenceEndToken, yaml.BlockEndToken)

Placed = tuple[Any, dict[str, Any]]
"""An object and the columns with its position in the file."""


def _recognise(head: Head) -> float:
    """The beginning of a pod is enough: its status follows its spec, often beyond the head."""
    if "apiVersion" not in head.text:
        return 0.0
    is_one = _VERSION.search(head.text) and _KIND.search(head.text) and _OF_INTEREST.search(head.text)
    return 0.9 if is_one else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    records: list[dict[str, Any]] = []
    options: list[dict[str, Any]] = []
    count = odd = others = 0
    for thing, place in _objects(part):
        count += 1
        if count > MOST_OBJECTS:
            break
        kind = thing.get("kind")
        if kind == "Event" or "involvedObject" in thing or "regarding" in thing:
            row = _event(thing)
            if row is None:
                odd += 1
            elif not concerns_flink(row):
                others += 1
            else:
                records.append(row | place)
        elif kind == "Pod" or ("spec" in thing and "status" in thing and kind is None):
            pod = _pod(thing)
            if pod.is_flinks:
                records += [row | place for row in pod_records(pod)]
                options += [row | place for row in pod_options(pod)]
            else:
                others += 1
        else:
            odd += 1
    known = event_columns([row["message"] for row in records])
    told = [{name: value for name, value in row.items() if value is not None} for row in records]
    yield Rows("log_record", [columns | row for columns, row in zip(known, told, strict=True)])
    yield Rows("config_option", options)
    yield Coverage(records=min(count, MOST_OBJECTS), not_understood=odd, warnings=(LEFT_OUT,) if others else ())


def _objects(part: Range) -> Iterator[tuple[Mapping[str, Any], dict[str, Any]]]:
    """The objects, and those of a list one by one."""
    with open_text(part) as opened:
        is_json = opened.read(4_096).lstrip()[:1] == "{"
    if is_json:
        document = read_json(part)
        items = document.value.get("items") if isinstance(document.value, dict) else None
        for number, item in enumerate(items if isinstance(items, list) else ()):
            if isinstance(item, dict):
                yield item, document.at("items", number)
        if not isinstance(items, list) and isinstance(document.value, dict):
            yield document.value, document.at()
        return
    for root in _yaml_roots(part):
        items = next((value for key, value in root.value if key.value == "items"), None)
        nodes = items.value if isinstance(items, yaml.SequenceNode) else [root]
        for node in nodes:
            value = _plain(node)
            if isinstance(value, dict):
                line = node.start_mark.line + 1
                yield value, {"line": line, "last_line": max(line, node.end_mark.line)}


def _yaml_roots(part: Range) -> Iterator[yaml.MappingNode]:
    if part.size > MOST_YAML_BYTES:
        raise LimitExceeded(
            say("YAML of {size:,} bytes; at most {bound:,} are read", size=part.size, bound=MOST_YAML_BYTES)
        )
    with open_text(part) as opened:
        text = opened.read()
    try:
        _refuse_bombs(text)
        for root in yaml.compose_all(text, Loader=yaml.CSafeLoader):
            if isinstance(root, yaml.MappingNode):
                yield root
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise UnreadableInput(
            say("not valid YAML: {problem} at line {line}", problem=error.problem, line=line)
        ) from None
    except yaml.YAMLError as error:
        raise UnreadableInput(say("not valid YAML: {error}", error=error)) from None


def _refuse_bombs(text: str) -> None:
    depth = 0
    for token in yaml.scan(text, Loader=yaml.CSafeLoader):
        if isinstance(token, yaml.AliasToken):
            raise UnreadableInput(say("YAML with aliases (*name), which kubectl does not print"))
        depth += isinstance(token, _OPENING) - isinstance(token, _CLOSING)
        if depth > MOST_DEPTH:
            raise LimitExceeded(
                say("YAML nested more than {bound} levels deep, which no object of Kubernetes is", bound=MOST_DEPTH)
            )


def _plain(node: yaml.Node) -> Any:
    """A value as mappings, lists and texts: numbers and times stay as printed."""
    if isinstance(node, yaml.MappingNode):
        return {str(key.value): _plain(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item) for item in node.value]
    return node.value


def _at(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _text(value: Any, *names: str) -> str | None:
    found = _at(value, *names)
    return found[:2_000] if isinstance(found, str) and found else None


def _number(value: Any) -> int | None:
    return int(value) if str(value).isdecimal() and len(str(value)) < 10 else None


def _event(thing: Mapping[str, Any]) -> dict[str, Any] | None:
    about = _at(thing, "involvedObject") or _at(thing, "regarding")
    reason, name = _text(thing, "reason"), _text(about, "name")
    if reason is None or name is None:
        return None
    times = (_text(thing, key) for key in ("lastTimestamp", "eventTime", "deprecatedLastTimestamp", "firstTimestamp"))
    moment = next((found for time in times if (found := moment_ms(time)) is not None), None)
    count = _number(_at(thing, "count")) or _number(_at(thing, "series", "count"))
    message = _text(thing, "message") or _text(thing, "note") or ""
    kind = (_text(about, "kind") or "object").lower()
    row = event_record(reason, _text(thing, "type") or "Normal", f"{kind}/{name}", message, moment, count)
    return row | {"process": component_of(name), "host": _text(thing, "source", "host")}


def _pod(thing: Mapping[str, Any]) -> Pod:
    labels = _at(thing, "metadata", "labels")
    pod = Pod(
        name=_text(thing, "metadata", "name") or "?",
        labels={str(key): str(value) for key, value in labels.items()} if isinstance(labels, Mapping) else {},
        reason=_text(thing, "status", "reason"),
        message=_text(thing, "status", "message"),
    )
    for container in _list(_at(thing, "spec", "containers")):
        pod.containers.append(_text(container, "name") or "?")
        for kind in ("limits", "requests"):
            for resource in RESOURCES:
                value = _at(container, "resources", kind, resource)
                if isinstance(value, (str, int, float)):
                    pod.limits.setdefault((kind, resource), (str(value), None))
    for status in _list(_at(thing, "status", "containerStatuses")):
        pod.restarts = max(pod.restarts, _number(_at(status, "restartCount")) or 0)
        for state in ("lastState", "state"):
            ended = _at(status, state, "terminated")
            if isinstance(ended, Mapping):
                pod.ended.append(_ended(_text(status, "name") or "?", ended))
    return pod


def _ended(container: str, state: Mapping[str, Any]) -> Ended:
    return Ended(
        container,
        reason=_text(state, "reason"),
        exit_code=_number(_at(state, "exitCode")),
        message=_text(state, "message"),
        finished_ms=moment_ms(_text(state, "finishedAt")),
    )


def _list(value: Any) -> list[Any]:
    return value[:100] if isinstance(value, list) else []


FORMAT = Format(
    id="kubernetes-objects",
    title=to_say("Pods and events of Kubernetes as YAML or JSON"),
    documentation="https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/",
    tables=("log_record", "config_option"),
    recognise=_recognise,
    read=_read,
    samples=(
        Sample(
            name="pods.yaml",
            text="""\
apiVersion: v1
items:
- apiVersion: v1
  kind: Pod
  metadata:
    labels:
      component: taskmanager
    name: orders-taskmanager-1-1
  spec:
    containers:
    - name: flink-main-container
      resources:
        limits:
          memory: 1728Mi
  status:
    containerStatuses:
    - name: flink-main-container
      restartCount: 2
      lastState:
        terminated:
          exitCode: 137
          finishedAt: "2026-11-21T01:30:59Z"
          reason: OOMKilled
kind: List
""",
            rows={
                "log_record": [
                    {
                        "event": "mem.killed.137",
                        "ts_ms": 1_795_224_659_000,
                        "reason": "OOMKilled",
                        "count": 137.0,
                        "process": "taskmanager",
                        "task_manager": "orders-taskmanager-1-1",
                        "line": 3,
                    }
                ],
                "config_option": [
                    {"scope": "environment", "key": "pod.limits.memory", "value": "1728Mi", "process": "taskmanager"},
                    {"key": "pod.restarts", "value": "2"},
                ],
            },
        ),
        Sample(
            name="events.json",
            text='{"apiVersion": "v1", "kind": "List", "items": [\n'
            '{"apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": "FailedScheduling", "count": 4,\n'
            '"involvedObject": {"kind": "Pod", "name": "orders-taskmanager-1-2"},\n'
            '"lastTimestamp": "2026-11-21T01:30:59Z", "message": "0/3 nodes are available: 3 Insufficient cpu."},\n'
            '{"kind": "Event", "reason": "Killing", "involvedObject": {"kind": "Pod", "name": "kafka-0"}}]}\n',
            rows={
                "log_record": [
                    {
                        "event": "k8s.event.unschedulable",
                        "ts_ms": 1_795_224_659_000,
                        "level": "WARN",
                        "count": 4.0,
                        "task_manager": "orders-taskmanager-1-2",
                        "line": 2,
                        "pointer": "/items/0",
                    }
                ]
            },
        ),
    ),
)
