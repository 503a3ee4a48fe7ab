"""Output of `kubectl describe`, `get events` and `get pods` for Flink's pods and deployments: ends, limits, scheduling.

Ages of events (`3m12s`) are relative to an unknown time at which the command ran, so events have no time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.log_scan.known_messages import event_columns
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.kubectl_description import LEFT_OUT, Description, Reading, is_part, starts_part
from diagnostics.notation.kubectl_events import Table, deployment_of, events_of
from diagnostics.notation.kubernetes import (
    OF_STATUS,
    OPERATORS_KINDS,
    WAITING,
    Ended,
    Pod,
    event_record,
    pod_options,
    pod_records,
)
from diagnostics.notation.text_lines import numbered_lines

MOST_LINE = 8_000
MOST_ROWS = 50_000

_RESOURCE = re.compile(rf"Kind: +(?:{'|'.join(OPERATORS_KINDS)})\b")
_PODS = re.compile(r"(?:NAMESPACE +)?NAME +READY +STATUS +RESTARTS(?: +AGE\b|\s*?$)", re.MULTILINE)
_COMMAND = re.compile(r"(?:[^\n]{0,60}?[$#%>] {0,4})?(?:kubectl|oc) [^\n]{1,400}")
"""The command that printed it, with the prompt of a shell: people copy both."""
BELOW_TWO_MINUTES = re.compile(r"\d{1,3}s")
"""How kubectl prints an age below two minutes. A pod with a node is listed as `ContainerCreating` or `Init:0/1`: one
that is still `Pending` then has none. Source: Kubernetes, HumanDuration of k8s.io/apimachinery, printPod."""
_NATIVE_TASK_MANAGER = re.compile(r"(.{1,63})-taskmanager-\d{1,6}-\d{1,6}")
_INITIALISING = re.compile(r"\d{1,3}/\d{1,3}")
"""How many of the init containers have ended, behind `Init:`."""
MOST_ASKED_ABOUT = 5
"""Pods of a list without one of Flink's that somebody copied for what they are. Our choice: more are a namespace."""
MOST_OTHERS = 200
"""Pods of other names that are kept until the list ends. Our choice: a large namespace."""
_CONTAINERS = "Containers:"
_POD_FIELDS = ("Namespace:", "Node:", "Status:", "Labels:")
"""Fields of a pod. A copied part may lack some of them, but not its containers."""


def _recognise(head: Head) -> float:
    text = head.text.lstrip("\ufeff")
    command, _, below = text.partition("\n")
    text = below.lstrip("\n") if _COMMAND.fullmatch(command.rstrip()) else text
    if events_of(text.partition("\n")[0], 0) or _PODS.match(text):
        return 0.9
    lines = text.split("\n")[:600]
    starts = {line.split(" ", 1)[0] for line in lines}
    is_pod = lines[0].startswith("Name:") and _CONTAINERS in starts and any(f in starts for f in _POD_FIELDS)
    is_resource = lines[0].startswith("Name:") and any(_RESOURCE.match(line) for line in lines)
    return 0.9 if is_pod or is_resource else 0.8 if is_part(text) else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    lines = numbered_lines(part, MOST_LINE)
    title, first = next(lines, (0, ""))
    if _COMMAND.fullmatch(first):
        title, first = next(((number, line) for number, line in lines if line), (0, ""))
    reading: Reading = events_of(first, title) or (
        _Pods(first, title) if _PODS.match(first) else Description(is_part=not first.startswith("Name:"))
    )
    for number, line in numbered_lines(part, MOST_LINE):
        if number < title:
            continue
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


class _Pods(Table):
    """`kubectl get pods`: the state of each pod and how often its containers were restarted.

    People copy a part of `kubectl describe` below it: that describes the pod of the list, where the list has only one.
    """

    def __init__(self, title: str, at: int) -> None:
        super().__init__(title, at)
        self._others: list[tuple[Pod, Mapping[str, str]]] = []
        self._clusters: set[str] = set()
        self._pods = 0
        self._only: str | None = None
        self._below: Description | None = None

    def take(self, line: str, number: int) -> None:
        if self._below is None and number > self._at and starts_part(line):
            self._below = Description(is_part=True, name=(self._only or "") if self._pods == 1 else "")
        if self._below is not None:
            self._below.take(line, number)
        else:
            super().take(line, number)

    def _row(self, row: Mapping[str, str], number: int) -> None:
        name, status = row.get("NAME", "").removeprefix("pod/"), row.get("STATUS", "")
        if not name or not status:
            self.tally.not_understood += 1
            return
        self.tally.records += 1
        self._pods += 1
        self._only = name
        pod = Pod(name, number)
        if pod.is_flinks:
            self._clusters |= {found[1]} if (found := _NATIVE_TASK_MANAGER.fullmatch(name)) else set()
            self._take(pod, row)
        elif len(self._others) < MOST_OTHERS:
            self._others.append((pod, row))

    def close(self) -> None:
        """Adds the pods that only the rest of the list shows to be Flink's."""
        super().close()
        are_asked_about = self._pods == len(self._others) <= MOST_ASKED_ABOUT
        taken = [
            (pod, row) for pod, row in self._others if are_asked_about or deployment_of(pod.name) in self._clusters
        ]
        for pod, row in taken:
            self._take(pod, row)
        if self._below is not None:
            self._below.close()
            self.records += self._below.records
            self.options += self._below.options
        if self._pods and len(taken) < len(self._others):
            self.tally.warn(LEFT_OUT)

    def _take(self, pod: Pod, row: Mapping[str, str]) -> None:
        status = row.get("STATUS", "").removeprefix("Init:")
        restarts = row.get("RESTARTS", "").partition(" ")[0]
        pod.restarts = int(restarts) if restarts.isdecimal() and len(restarts) < 9 else 0
        age = row.get("AGE", "")
        is_long = bool(age) and not BELOW_TWO_MINUTES.fullmatch(age)
        if status == "Pending" and is_long:
            self._add("FailedScheduling", f"no node has taken the pod, which has been Pending for {age}", pod)
        elif status in WAITING and is_long:
            self._add("FailedMount", f"no container of the pod has been created for {age}: {status}", pod)
        elif is_long and _INITIALISING.fullmatch(status):
            self._add("FailedMount", f"an init container of the pod has not ended for {age}", pod)
        elif status == "Pending":
            pod.reason, pod.message = status, f"for {age}"
        elif status == "OOMKilled":
            pod.ended.append(Ended("of the pod", reason=status, line=pod.line))
        elif known := OF_STATUS.get(status):
            self._add(known[0], f"{known[1]}, {pod.restarts} restarts" if pod.restarts else known[1], pod)
        self.records += pod_records(pod)
        self.options += pod_options(pod)

    def _add(self, reason: str, said: str, pod: Pod) -> None:
        event = event_record(reason, "Warning", f"pod/{pod.name}", said)
        self.records.append({**event, "line": pod.line, "last_line": pod.line})


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

_PART = """\
Containers:
  taskmanager:
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       Error
      Exit Code:    137
    Ready:          False
    Restart Count:  4
Events:
  Type     Reason  Age                From     Message
  ----     ------  ----               ----     -------
  Warning  Failed  12s (x3 over 40s)  kubelet  Error: ErrImageNeverPull
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
            name="part.txt",
            text=_PART,
            rows={
                "log_record": [
                    {
                        "event": "k8s.event.image",
                        "message": "Failed: Error: ErrImageNeverPull (a pod)",
                        "process": "taskmanager",
                        "count": 3.0,
                        "line": 13,
                    },
                    {
                        "event": "mem.killed.137",
                        "message": "A pod: container taskmanager ended: Error, exit code 137",
                        "process": "taskmanager",
                        "line": 5,
                    },
                    {"event": "k8s.event.restarts", "reason": "BackOff", "line": 4},
                ],
                "config_option": [{"key": "pod.restarts", "value": "4", "process": "taskmanager"}],
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
            name="pod.txt",
            text="NAME                      READY   STATUS              RESTARTS   AGE\n"
            "orders-7c9f6d8b7-x2x4p    0/1     ContainerCreating   0          10m\n",
            rows={"log_record": [{"event": "k8s.event.mount", "reason": "FailedMount", "line": 2}]},
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
