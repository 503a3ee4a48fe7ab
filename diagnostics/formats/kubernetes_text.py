"""Output of `kubectl describe`, `get events` and `get pods` for Flink's pods and deployments: ends, limits, scheduling.

Ages of events (`3m12s`) are relative to an unknown time at which the command ran, so events have no time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.log_scan.known_messages import event_columns
from diagnostics.notation.file_range import Head, Range
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
)
from diagnostics.notation.printed_table import cells_at
from diagnostics.notation.tally import Tally
from diagnostics.notation.text_lines import numbered_lines

MOST_LINE = 8_000
MOST_VALUE = 4_000
MOST_ROWS = 50_000
LEFT_OUT = to_say("pods and events of other programs than Flink are left out")

_FIELD = re.compile(r"( {0,40})([A-Z][\w() -]{0,40}?|[\w.-]{1,63}):(?:\s(.*))?$")
_LABEL = re.compile(r"\s*([\w./-]{1,200})=([\w.-]{0,63})$")
_TABLE = re.compile(r"(?:NAMESPACE +)?LAST SEEN +(?:FIRST SEEN +)?(?:COUNT +)?(?:NAME +)?TYPE +REASON +OBJECT +")
_DESCRIBED = re.compile(
    r" {2,8}(Normal|Warning) +([A-Z]\w{1,60}) +(\S{1,20}(?: \(x\d{1,9} over \S{1,20}\))?) +(\S{1,100}) (.*)$"
)
_TIMES = re.compile(r"\(x(\d{1,9}) over")
_RESOURCE = re.compile(rf"Kind: +(?:{'|'.join(OPERATORS_KINDS)})\b")
_STATUS = {
    ("Status", "Error"): "Error",
    ("Status", "Job Manager Deployment Status"): "JobManager deployment",
    ("Status", "Lifecycle State"): "lifecycle",
    ("Status", "Job Status", "State"): "job",
}
"""Paths in the status of an operator resource -> the name in a record. Source: the operator's FlinkDeploymentStatus."""
_PODS = re.compile(r"(?:NAMESPACE +)?NAME +READY +STATUS +RESTARTS +AGE\b")
_OF_STATUS = {
    "CrashLoopBackOff": ("BackOff", "Back-off restarting failed container"),
    "Evicted": ("Evicted", "no reason given"),
    "ImagePullBackOff": ("Failed", "ImagePullBackOff"),
    "ErrImagePull": ("Failed", "ErrImagePull"),
}
"""Status of a pod in a list -> reason and message of the event that comes with it. Source: Kubernetes documentation,
Pod Lifecycle, and the kubelet's events.
"""
BELOW_TWO_MINUTES = re.compile(r"\d{1,3}s")
"""How kubectl prints an age below two minutes. A pod with a node is listed as `ContainerCreating` or `Init:0/1`: one
that is still `Pending` then has none. Source: Kubernetes, HumanDuration of k8s.io/apimachinery, printPod."""
_POD_FIELDS = ("Namespace:", "Node:", "Containers:", "Status:")


def _recognise(head: Head) -> float:
    text = head.text
    if _TABLE.match(text.lstrip("\ufeff")) or _PODS.match(text.lstrip("\ufeff")):
        return 0.9
    lines = text.split("\n")[:600]
    starts = {line.split(" ", 1)[0] for line in lines}
    is_pod = lines[0].startswith("Name:") and all(any(s.startswith(f) for s in starts) for f in _POD_FIELDS)
    is_resource = lines[0].startswith("Name:") and any(_RESOURCE.match(line) for line in lines)
    return 0.9 if is_pod or is_resource else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    _, first = next(numbered_lines(part, MOST_LINE), (0, ""))
    reading: _Reading = (
        _Events(first) if _TABLE.match(first) else _Pods(first) if _PODS.match(first) else _Description()
    )
    for number, line in numbered_lines(part, MOST_LINE):
        if len(reading.records) >= MOST_ROWS:
            reading.tally.warn(say("only the first {most_rows:,} records are kept", most_rows=MOST_ROWS))
            break
        reading.take(line, number)
    reading.close()
    known = event_columns([row["message"] for row in reading.records])
    # Values stated by the row take precedence over those that the catalogue parses from its message.
    rows = [
        columns | {name: value for name, value in row.items() if value is not None}
        for row, columns in zip(reading.records, known, strict=True)
    ]
    yield Rows("log_record", rows)
    yield Rows("config_option", reading.options)
    yield reading.tally.coverage()


class _Reading:
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
        if not concerns_flink(row):
            self.tally.warn(LEFT_OUT)
        else:
            self.records.append({**row, "line": number, "last_line": number})


class _Table(_Reading):
    """What `kubectl get` prints: columns begin where their titles begin."""

    def __init__(self, title: str) -> None:
        super().__init__()
        names = list(re.finditer(r"\S+(?: \S+)*", title.rstrip()))
        ends = [found.start() for found in names[1:]] + [None]
        self._columns = {found.group(): (found.start(), end) for found, end in zip(names, ends, strict=True)}

    def take(self, line: str, number: int) -> None:
        if number == 1 or not line.strip():
            return
        self._row(dict(zip(self._columns, cells_at(line, self._columns.values()), strict=True)), number)

    def _row(self, row: Mapping[str, str], number: int) -> None:
        raise NotImplementedError


class _Events(_Table):
    """`kubectl get events`."""

    def _row(self, row: Mapping[str, str], number: int) -> None:
        kind, reason, about = row.get("TYPE"), row.get("REASON"), row.get("OBJECT")
        if kind not in ("Normal", "Warning") or not reason or not about:
            self.tally.not_understood += 1
            return
        count = row.get("COUNT", "")
        message = row.get("MESSAGE", "")
        self._event(
            event_record(
                reason, kind, about, message, None, int(count) if count.isdecimal() and len(count) < 10 else None
            ),
            number,
        )


class _Pods(_Table):
    """`kubectl get pods`: the state of each pod and how often its containers were restarted."""

    def _row(self, row: Mapping[str, str], number: int) -> None:
        name, status = row.get("NAME", ""), row.get("STATUS", "")
        pod = Pod(name, number)
        if not name or not status:
            self.tally.not_understood += 1
            return
        self.tally.records += 1
        if not pod.is_flinks:
            self.tally.warn(LEFT_OUT)
            return
        restarts = row.get("RESTARTS", "").partition(" ")[0]
        pod.restarts = int(restarts) if restarts.isdecimal() and len(restarts) < 9 else 0
        age = row.get("AGE", "")
        if status == "Pending" and not BELOW_TWO_MINUTES.fullmatch(age):
            said = f"no node has taken the pod, which has been Pending for {age}"
            event = event_record("FailedScheduling", "Warning", f"pod/{name}", said)
            self.records.append({**event, "line": number, "last_line": number})
        elif status == "Pending":
            pod.reason, pod.message = status, f"for {age}"
        elif status == "OOMKilled":
            pod.ended.append(Ended("of the pod", reason=status, line=number))
        elif known := _OF_STATUS.get(status):
            said = f"{known[1]}, {pod.restarts} restarts" if pod.restarts else known[1]
            event = event_record(known[0], "Warning", f"pod/{name}", said)
            self.records.append({**event, "line": number, "last_line": number})
        self.records += pod_records(pod)
        self.options += pod_options(pod)


class _Description(_Reading):
    """`kubectl describe pod`: fields by indentation, one pod after the other."""

    def __init__(self) -> None:
        super().__init__()
        self._pod: Pod | None = None
        self._path: list[tuple[int, str]] = []
        self._ended: Ended | None = None

    def take(self, line: str, number: int) -> None:
        event = _DESCRIBED.match(line)
        if event and self._pod is not None:
            kind, reason, age, _, message = event.groups()
            message = message.strip()[:MOST_VALUE]
            times = _TIMES.search(age)
            about = f"{self._pod.kind.lower()}/{self._pod.name}"
            row = event_record(reason, kind, about, message, None, int(times.group(1)) if times else None)
            self._event({**row, "process": self._pod.process} if self._pod.is_flinks else row, number)
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
            self._pod = Pod(value, number)
            self._path = []
            return
        if self._pod is None:
            # Such lines are not quoted: they may be a container's environment, which holds secrets.
            self.tally.not_understood += 1
            return
        while self._path and self._path[-1][0] >= indent:
            self._path.pop()
        self._path.append((indent, name))
        self._field(self._pod, self._within(), value, number)

    def close(self) -> None:
        if self._pod is None:
            return
        self.tally.records += 1
        if self._pod.kind in OPERATORS_KINDS:
            self.records += resource_records(self._pod.kind, self._pod.name, self._pod.status)
        elif self._pod.is_flinks:
            self.records += pod_records(self._pod)
            self.options += pod_options(self._pod)
        else:
            self.tally.warn(LEFT_OUT)
        self._pod = self._ended = None

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

    def _container(self, pod: Pod, path: tuple[str, ...], value: str, number: int) -> None:
        container, names = path[0], path[1:]
        if not names:
            pod.containers.append(container)
        elif names in (("State",), ("Last State",)):
            self._ended = Ended(container, line=number) if value == "Terminated" else None
            if self._ended:
                pod.ended.append(self._ended)
        elif names[0] in ("State", "Last State") and self._ended and len(names) == 2:
            _take_end(self._ended, names[1], value)
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


_DESCRIPTION = """\
Name:             orders-taskmanager-1-1
Namespace:        flink
Node:             worker-3/10.0.0.3
Labels:           app=orders
                  component=taskmanager
Status:           Running
Containers:
  flink-main-container:
    Image:         flink:1.20
    State:          Running
      Started:      Sat, 21 Nov 2026 01:31:00 +0000
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
      Finished:     Sat, 21 Nov 2026 01:30:59 +0000
    Restart Count:  3
    Limits:
      memory:  1728Mi
Events:
  Type     Reason            Age                From               Message
  ----     ------            ----               ----               -------
  Warning  FailedScheduling  3m (x5 over 10m)   default-scheduler  0/3 nodes are available: 3 Insufficient memory.
"""

FORMAT = Format(
    id="kubernetes-text",
    title=to_say("Pods and events as kubectl prints them"),
    documentation="https://kubernetes.io/docs/reference/kubectl/generated/kubectl_describe/",
    tables=("log_record", "config_option"),
    recognise=_recognise,
    read=_read,
    samples=(
        Sample(
            name="describe.txt",
            text=_DESCRIPTION,
            rows={
                "log_record": [
                    {
                        "event": "k8s.event.unschedulable",
                        "level": "WARN",
                        "reason": "FailedScheduling",
                        "count": 5.0,
                        "process": "taskmanager",
                        "line": 22,
                    },
                    {
                        "event": "mem.killed.137",
                        "ts_ms": 1_795_224_659_000,
                        "level": "ERROR",
                        "message": "Pod orders-taskmanager-1-1: container flink-main-container ended: OOMKilled, "
                        "exit code 137",
                        "count": 137.0,
                        "process": "taskmanager",
                        "task_manager": "orders-taskmanager-1-1",
                        "line": 12,
                    },
                ],
                "config_option": [
                    {"scope": "environment", "key": "pod.limits.memory", "value": "1728Mi", "line": 18},
                    {"key": "pod.restarts", "value": "3", "process": "taskmanager"},
                ],
            },
        ),
        Sample(
            name="pods.txt",
            text="NAME                           READY   STATUS             RESTARTS        AGE\n"
            "orders-6b8c-jobmanager-x       0/1     CrashLoopBackOff   112 (3m ago)    43h\n"
            "orders-taskmanager-1-1         0/1     OOMKilled          2               5m\n"
            "orders-taskmanager-1-2         1/1     Running            0               5m\n"
            "orders-taskmanager-1-3         0/1     Pending            0               5m\n"
            "kafka-0                        0/1     CrashLoopBackOff   7               5m\n",
            rows={
                "log_record": [
                    {"event": "k8s.event.restarts", "process": "jobmanager", "reason": "BackOff", "line": 2},
                    {
                        "event": "mem.killed.137",
                        "message": "Pod orders-taskmanager-1-1: container of the pod ended: OOMKilled",
                        "process": "taskmanager",
                        "line": 3,
                    },
                    {"event": "k8s.event.unschedulable", "reason": "FailedScheduling", "level": "WARN", "line": 5},
                ],
                "config_option": [
                    {"key": "pod.restarts", "value": "112", "process": "jobmanager", "line": 2},
                    {"key": "pod.restarts", "value": "2", "process": "taskmanager", "line": 3},
                ],
            },
        ),
        Sample(
            name="events.txt",
            text="LAST SEEN   TYPE      REASON    OBJECT                       MESSAGE\n"
            "3m12s       Warning   Evicted   pod/orders-taskmanager-1-1   The node was low on resource: memory.\n"
            "2m          Warning   Evicted   pod/kafka-0                  The node was low on resource: memory.\n",
            rows={
                "log_record": [
                    {
                        "event": "k8s.event.evicted",
                        "message": "Evicted: The node was low on resource: memory. (pod/orders-taskmanager-1-1)",
                        "ts_ms": None,
                        "process": "taskmanager",
                        "line": 2,
                    }
                ]
            },
        ),
    ),
)
