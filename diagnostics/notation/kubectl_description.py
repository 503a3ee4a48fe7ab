"""What `kubectl describe` prints of pods and of resources of Flink's operator, whole or a part without its head.

People paste the containers, a state or the events of one pod. Such a part names no pod: it is taken for one of Flink's,
since its reader chose it, and its process is known where the container is called after it.
"""

from __future__ import annotations

import re
from typing import Any

from diagnostics.language import to_say
from diagnostics.notation.kubernetes import (
    OPERATORS_KINDS,
    Ended,
    Pod,
    concerns_flink,
    event_record,
    moment_ms,
    pod_options,
    pod_records,
    resource_records,
    waiting_records,
)
from diagnostics.notation.operator_resource import Resource, field_of_title
from diagnostics.notation.tally import Tally

MOST_VALUE = 4_000
MOST_LINES = 200
"""Lines in which a part shows what it is. Our choice: what is pasted is shorter."""
LEFT_OUT = to_say("pods and events of other programs than Flink are left out")

_FIELD = re.compile(r"( {0,40})([A-Z][\w() -]{0,40}?|[\w.-]{1,63}):(?:\s(.*))?$")
_LABEL = re.compile(r"\s*([\w./-]{1,200})=([\w.-]{0,63})$")
_EVENT = re.compile(
    r" {0,8}(Normal|Warning) +([A-Z]\w{1,60}) +(\S{1,20}(?: \(x\d{1,9} over \S{1,20}\))?) +(\S{1,100}) (.*)$"
)
_SHORT_EVENT = re.compile(
    r" {0,8}(Normal|Warning) {1,40}(Failed(?:[A-Z][A-Za-z]{2,40})?|BackOff|Unhealthy|Evicted) {2,40}(\S.{5}.*)$"
)
"""An event of a pod without its age and its reporter, which people leave out. Source: Kubernetes, kubelet's events."""
_AGE = re.compile(r"(?:\d{1,4}[smhdy]){1,3}|<unknown>|<invalid>")
"""How kubectl prints an age. Source: Kubernetes, HumanDuration of k8s.io/apimachinery."""
_TIMES = re.compile(r"\(x(\d{1,9}) over")
_STATUS = {
    ("Status", "Error"): "Error",
    ("Status", "Job Manager Deployment Status"): "JobManager deployment",
    ("Status", "Lifecycle State"): "lifecycle",
    ("Status", "Job Status", "State"): "job",
}
"""Paths in the status of an operator resource -> the name in a record. Source: the operator's FlinkDeploymentStatus."""
_STATES = ("State", "Last State")
_OF_CONTAINER = (*_STATES, "Ready", "Restart Count", "Limits", "Requests")
"""Fields of a container that a part without its head may begin with."""
_SHOWS_PART = re.compile(r"(?m)^ {0,8}(?:Last State|State): +(?:Waiting|Terminated|Running)\s*$")
_STARTS_PART = re.compile(r"\s*(?:(?:Init )?Containers:|Events:|(?:Last )?State: |Type +Reason +Age +From +Message)")


def is_part(text: str) -> bool:
    """Whether the text is a part of a description without its head: states of containers, or events."""
    if text.startswith("Name:"):
        return False
    if any(is_event(line) for line in text.split("\n")[:MOST_LINES]):
        return True
    return _STARTS_PART.match(text) is not None and _SHOWS_PART.search(text) is not None


def starts_part(line: str) -> bool:
    """Whether a part of a description may begin with the line: its containers, a state of one, or its events."""
    return _STARTS_PART.match(line) is not None


def is_event(line: str) -> bool:
    """Whether the line is an event as `kubectl describe` prints it."""
    found = _EVENT.match(line)
    return _is_aged(found) or _SHORT_EVENT.match(line) is not None


def _is_aged(found: re.Match[str] | None) -> bool:
    return found is not None and _AGE.fullmatch(found.group(3).partition(" ")[0]) is not None


def _printed_event(line: str) -> tuple[str, str, str, str] | None:
    """Kind, reason, age and message of an event; the age is empty where it is left out."""
    found = _EVENT.match(line)
    if not _is_aged(found) and (short := _SHORT_EVENT.match(line)):
        return short.group(1), short.group(2), "", short.group(3)
    return found and (found.group(1), found.group(2), found.group(3), found.group(5))


class Reading:
    """Rows, and the counts of pods and events."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self.options: list[dict[str, Any]] = []
        self.tally = Tally()

    def take(self, line: str, number: int) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """End of the text."""

    def _event(self, row: dict[str, Any], number: int) -> None:
        self.tally.records += 1
        if not (concerns_flink(row) or row["message"].endswith("(a pod)")):
            self.tally.warn(LEFT_OUT)
        else:
            self.records.append({**row, "line": number, "last_line": number})


class Description(Reading):
    """`kubectl describe pod`: fields by indentation, one pod after the other.

    is_part  whether its first lines are a part without its head
    name     of the pod that such a part describes; empty where nothing names it
    """

    def __init__(self, is_part: bool = False, name: str = "") -> None:
        super().__init__()
        self._pod: Pod | None = Pod(name, 1) if is_part else None
        self._is_headless = is_part
        self._path: list[tuple[int, str]] = []
        self._ended: Ended | None = None
        self._waits: dict[tuple[str, str], int] = {}
        self._reasons: set[str] = set()
        self._ran = False
        self._resource = Resource(1)

    def take(self, line: str, number: int) -> None:
        event = _printed_event(line)
        if event and self._pod is not None:
            kind, reason, age, message = event
            message = message.strip()[:MOST_VALUE]
            times = _TIMES.search(age)
            about = f"{self._pod.kind.lower()}/{self._pod.name}" if self._pod.name else "a pod"
            row = event_record(reason, kind, about, message, None, int(times.group(1)) if times else None)
            self._event({**row, "process": self._pod.process} if self._pod.is_flinks else row, number)
            self._reasons.add(reason)
            return
        label = _LABEL.match(line)
        if label and self._pod is not None and self._within() == ("Labels",):
            self._pod.labels[label.group(1)] = label.group(2)
        found = _FIELD.match(line)
        if not found:
            return
        indent, name, value = len(found.group(1)), found.group(2), (found.group(3) or "").strip()[:MOST_VALUE]
        if indent == 0 and name == "Name":
            self.close()
            self._pod, self._is_headless = Pod(value, number), False
            self._path = []
            return
        if self._pod is None:
            # Such lines are not quoted: they may be a container's environment, which holds secrets.
            self.tally.not_understood += 1
            return
        while self._path and (self._path[-1][0] >= indent or self._is_beside(name)):
            self._path.pop()
        self._path.append((indent, name))
        self._field(self._pod, self._within(), value, number)

    def close(self) -> None:
        if self._pod is None:
            return
        self.tally.records += 1
        if self._pod.kind in OPERATORS_KINDS:
            self.records += resource_records(self._pod.kind, self._pod.name, self._pod.status)
            self._resource.name = self._pod.name
            self.options += self._resource.rows
        elif self._pod.is_flinks:
            self.records += pod_records(self._pod)
            self.records += waiting_records(self._pod, self._waits, self._reasons)
            if "FailedScheduling" in self._reasons and not self._has_node(self._pod):
                about = f"pod/{self._pod.name}" if self._pod.name else "a pod"
                row = event_record("FailedScheduling", "Warning", about, "no node has taken the pod yet")
                self.records.append(row | {"process": self._pod.process, "line": self._pod.line})
            self.options += pod_options(self._pod)
        else:
            self.tally.warn(LEFT_OUT)
        self._pod = self._ended = None
        self._waits, self._reasons, self._ran = {}, set(), False
        self._resource = Resource(1)

    def _has_node(self, pod: Pod) -> bool:
        """Whether the pod runs on a node, by its head, its containers or a later event."""
        return bool({"Scheduled", "Pulling", "Pulled", "Created", "Started"} & self._reasons) or (
            pod.node not in (None, "", "<none>") or bool(pod.ended) or self._ran
        )

    def _is_beside(self, name: str) -> bool:
        """Whether a field belongs to the same container as the one before, whatever their indentation: a part that
        begins in the middle of a line has lost that of its first line.
        """
        return name in _OF_CONTAINER and self._path[-1][1] in _OF_CONTAINER

    def _within(self) -> tuple[str, ...]:
        return tuple(name for _, name in self._path)

    def _field(self, pod: Pod, path: tuple[str, ...], value: str, number: int) -> None:
        if path == ("Labels",):
            label = _LABEL.match(value)
            if label:
                pod.labels[label.group(1)] = label.group(2)
        elif path == ("Kind",) and value in OPERATORS_KINDS:
            pod.kind = value
        elif pod.kind in OPERATORS_KINDS:
            self._resource.put(tuple(map(field_of_title, path)), value, number)
            if path in _STATUS and value:
                pod.status[_STATUS[path]] = (value, number)
        elif path == ("Reason",):
            pod.reason = value
        elif path == ("Message",):
            pod.message = value
        elif path == ("Node",):
            pod.node = value.partition("/")[0]
        elif path[:1] in (("Containers",), ("Init Containers",)) and len(path) >= 2:
            self._container(pod, path[1:], value, number)
        elif self._is_headless and path[0] in _OF_CONTAINER:
            self._container(pod, ("", *path), value, number)

    def _container(self, pod: Pod, path: tuple[str, ...], value: str, number: int) -> None:
        container, names = path[0], path[1:]
        if not names:
            pod.containers.append(container)
        elif names in (("State",), ("Last State",)):
            self._ran = self._ran or value in ("Running", "Terminated")
            self._ended = Ended(container, line=number) if value == "Terminated" else None
            if self._ended:
                pod.ended.append(self._ended)
        elif names[0] in _STATES and self._ended and len(names) == 2:
            _take_end(self._ended, names[1], value)
        elif names == ("State", "Reason"):
            self._waits[container, value] = number
        elif names == ("Restart Count",) and value.isdecimal() and len(value) < 9:
            pod.restarts = max(pod.restarts, int(value))
        elif names[0] in ("Limits", "Requests") and len(names) == 2 and value:
            pod.limits.setdefault((names[0].lower(), names[1]), (value, number))


def _take_end(ended: Ended, name: str, value: str) -> None:
    if name == "Reason":
        ended.reason = value
    elif name == "Exit Code" and value.isdecimal() and len(value) < 9:
        ended.exit_code = int(value)
    elif name == "Message":
        ended.message = value[:500]
    elif name == "Finished":
        ended.finished_ms = moment_ms(value)
