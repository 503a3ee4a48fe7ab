"""Rows of `log_record` and `config_option` from Kubernetes' pods, events and resources, for every printed form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from diagnostics.notation.stack_trace import stack_trace

MAIN_CONTAINER = "flink-main-container"
"""Name of Flink's container. Source: Flink, `org.apache.flink.kubernetes.utils.Constants.MAIN_CONTAINER_NAME`; the
operator uses it too.
"""

COMPONENTS = ("jobmanager", "taskmanager")
RESOURCES = ("cpu", "memory", "ephemeral-storage")
MOST_MESSAGE = 1_000
MOST_EVENT = 700
"""Characters kept of an event's message, so that its subject still fits after it. Our choice."""

OPERATORS_KINDS = ("FlinkDeployment", "FlinkSessionJob", "FlinkStateSnapshot")
"""Resource kinds of Flink's Kubernetes operator. Source: its custom resource definitions."""

OF_STATUS = {
    "CrashLoopBackOff": ("BackOff", "Back-off restarting failed container"),
    "Evicted": ("Evicted", "no reason given"),
    "ImagePullBackOff": ("Failed", "ImagePullBackOff"),
    "ErrImagePull": ("Failed", "ErrImagePull"),
    "ErrImageNeverPull": ("Failed", "ErrImageNeverPull"),
    "InvalidImageName": ("Failed", "InvalidImageName"),
    "CreateContainerConfigError": ("Failed", "CreateContainerConfigError"),
    "CreateContainerError": ("Failed", "CreateContainerError"),
    "RunContainerError": ("Failed", "RunContainerError"),
}
WAITING = ("ContainerCreating", "PodInitializing")
"""Statuses of a pod that a node has taken, before its containers are there."""
"""Status of a pod in a list, or reason for which a container waits -> reason and message of the event that comes with
it. Source: Kubernetes documentation, Pod Lifecycle, and the kubelet's events (pkg/kubelet/images, kuberuntime).
"""

MOST_IN_STATUS = 12
"""Exceptions read of a status. Our choice: as many as are kept of a trace."""
_STATUS_EXCEPTION = re.compile(r'"type": ?"([\w.$]{1,200})", ?"message": ?"((?:[^"\\]|\\.){0,2000})')
_ABOUT_FLINK = re.compile(
    r"\((?:(?:flinkdeployment|flinksessionjob|flinkstatesnapshot|node)/[^)\s]{1,300}"
    r"|pod/(?:flink-?(?:kubernetes-|k8s-?)?operator|flink[\w-]{0,40}-controller-manager)[^)\s]{0,80})\)$",
    re.IGNORECASE,
)
_DEPLOYMENTS_POD = re.compile(
    r"(?P<named>.{1,63}?)-(?:taskmanager-\d{1,6}-\d{1,6}"
    r"|(?:(?:job|task)manager-)?[0-9a-z]{6,10}-[0-9a-z]{5}|(?:job|task)manager(?:-\d{1,4})?)"
)
"""Pods of native TaskManagers, of Deployments, and of StatefulSets. Source: Flink, KubernetesResourceManagerDriver and
KubernetesUtils.getDeploymentName, and the operator's StandaloneKubernetesUtils.
"""
_COMPONENT_IN_NAME = re.compile(r"(?:^|[-/.])(jobmanager|taskmanager)(?:[-.]|$)")


OPERATOR_POD = re.compile(
    r"(?:^|/)(?:flink-?(?:kubernetes-|k8s-?)?operator|flink[\w-]{0,40}-controller-manager|flinkk8soperator)[\w.-]{0,80}$"
)
"""Name of a pod of an operator of Flink: of Apache's, of GoogleCloudPlatform's and Spotify's, and of Lyft's. Source:
their charts and manifests."""


@dataclass(slots=True)
class Ended:
    """How a container of a pod ended, in its current (`State`) or previous run (`Last State`)."""

    container: str
    reason: str | None = None
    exit_code: int | None = None
    message: str | None = None
    finished_ms: int | None = None
    line: int | None = None


@dataclass(slots=True)
class Pod:
    """A pod, or a resource of Flink's operator.

    limits  (`limits` or `requests`, resource) -> (value as printed, line), of Flink's container or the first
    kind    Pod, or the kind of an operator resource, which `kubectl describe` prints in the same layout
    status  of an operator resource: field -> (value as printed, line)
    """

    name: str
    line: int | None = None
    labels: dict[str, str] = field(default_factory=dict)
    containers: list[str] = field(default_factory=list)
    reason: str | None = None
    message: str | None = None
    node: str | None = None
    kind: str = "Pod"
    status: dict[str, tuple[str, int | None]] = field(default_factory=dict)
    ended: list[Ended] = field(default_factory=list)
    restarts: int = 0
    limits: dict[tuple[str, str], tuple[str, int | None]] = field(default_factory=dict)

    @property
    def process(self) -> str | None:
        """The Flink process that runs in it; None for pods of other programs."""
        component = self.labels.get("component")
        if component in COMPONENTS:
            return component
        return component_of(self.name) or next(filter(None, map(component_of, self.containers)), None)

    @property
    def is_flinks(self) -> bool:
        """Whether Flink runs in it, by its labels, container or name; one without a name was chosen by a person."""
        return (
            self.kind in OPERATORS_KINDS
            or self.process is not None
            or MAIN_CONTAINER in self.containers
            or OPERATOR_POD.search(self.name) is not None
            or not self.name
        )


def component_of(name: str) -> str | None:
    """jobmanager or taskmanager, from the pod names of Flink and its operator."""
    found = _COMPONENT_IN_NAME.search(name.lower())
    return found.group(1) if found else None


def flinks_deployment(about: str) -> str | None:
    """The deployment of a pod, or of a resource `kind/name` of the operator; None for an operator's pod and others."""
    kind, _, name = about.rpartition("/")
    if kind.lower() == "flinkdeployment":
        return name
    is_pod = kind.lower() in ("", "pod") and not OPERATOR_POD.search(name)
    found = _DEPLOYMENTS_POD.fullmatch(name) if is_pod else None
    return found["named"] if found else None


def record(
    name: str, message: str, level: str, ts_ms: int | None, process: str | None, reason: str | None
) -> dict[str, Any]:
    """A row of log_record about a pod, without its line. A TaskManager's resource id is the name of its pod."""
    return {
        "ts_ms": ts_ms,
        "level": level,
        "logger": "kubernetes",
        "message": message[:MOST_MESSAGE],
        "process": process,
        "task_manager": name if process == "taskmanager" else None,
        "reason": reason,
        "deployment": flinks_deployment(name),
    }


def pod_records(pod: Pod) -> Iterable[dict[str, Any]]:
    """Rows of log_record: an eviction, and each ended container."""
    if pod.reason:
        said = f"{_named(pod)}: {pod.reason}: {pod.message or ''}".rstrip(": ")
        yield record(pod.name, said, "WARN", None, pod.process, pod.reason) | _place(pod.line)
    for ended in pod.ended:
        of = f"container {ended.container}" if ended.container else "a container"
        text = f"{_named(pod)}: {of} ended: {ended.reason or 'no reason given'}"
        if ended.exit_code is not None:
            text += f", exit code {ended.exit_code}"
        if ended.message:
            text += f": {ended.message}"
        level = "INFO" if ended.exit_code == 0 else "ERROR"
        row = record(pod.name, text, level, ended.finished_ms, pod.process, ended.reason)
        yield row | {"count": None if ended.exit_code is None else float(ended.exit_code)} | _place(ended.line)


def waiting_records(pod: Pod, waits: Mapping[tuple[str, str], int], events: Set[str]) -> Iterable[dict[str, Any]]:
    """Rows of log_record for containers that wait because they cannot start, that no event of the pod reports.

    waits   (container, reason) -> line of the reason
    events  reasons of the pod's events
    """
    about = f"pod/{pod.name}" if pod.name else "a pod"
    for (_, reason), line in waits.items():
        known = OF_STATUS.get(reason)
        if known and known[0] not in events:
            yield event_record(known[0], "Warning", about, known[1]) | {"process": pod.process} | _place(line)


def _named(pod: Pod) -> str:
    return f"Pod {pod.name}" if pod.name else "A pod"


def pod_options(pod: Pod) -> Iterable[dict[str, Any]]:
    """Rows of config_option: the container's limits, and its restart count."""
    options = {f"pod.{kind}.{resource}": told for (kind, resource), told in pod.limits.items()}
    for key, (value, line) in options.items():
        yield _option(pod, key, value, line)
    if pod.restarts:
        yield _option(pod, "pod.restarts", str(pod.restarts), pod.line)


def _option(pod: Pod, key: str, value: str, line: int | None) -> dict[str, Any]:
    return {"scope": "environment", "process": pod.process, "key": key, "value": value, **_place(line)}


def event_record(
    reason: str, kind: str, about: str, message: str, ts_ms: int | None = None, count: int | None = None
) -> dict[str, Any]:
    """A row of log_record for a Kubernetes event, without its line.

    kind   Normal or Warning
    about  the object, e.g. `pod/orders-taskmanager-1-1`
    """
    name = about.rpartition("/")[2]
    level = "WARN" if kind == "Warning" else "INFO"
    row = record(name, f"{reason}: {message[:MOST_EVENT]} ({about})", level, ts_ms, component_of(name), reason)
    return row | {"count": None if count is None else float(count), "deployment": flinks_deployment(about)}


def concerns_flink(row: Mapping[str, Any]) -> bool:
    """Whether an event is about one of Flink's pods, an operator resource, or a node."""
    return row["process"] is not None or _ABOUT_FLINK.search(row["message"]) is not None


def resource_records(kind: str, name: str, status: Mapping[str, tuple[str, int | None]]) -> Iterable[dict[str, Any]]:
    """Rows of log_record for the status of an operator resource.

    status  field -> (value as printed, line): `Error` and the states
    """
    about = {"deployment": flinks_deployment(f"{kind}/{name}")}
    if error := status.get("Error"):
        said = f"{kind} {name}: error: {error[0]}"
        yield record(name, said, "ERROR", None, None, None) | about | _thrown(error[0]) | _place(error[1])
    states = {field: told for field, told in status.items() if field != "Error"}
    if states:
        said = ", ".join(f"{field} {value}" for field, (value, _) in states.items())
        line = next(line for _, line in states.values())
        yield record(name, f"{kind} {name}: {said}", "INFO", None, None, None) | about | _place(line)


def _thrown(error: str) -> dict[str, Any]:
    """The columns of a trace of the exceptions that the operator writes into a status; empty where it names none.

    Source: FlinkResourceException of the operator, `{"type":…,"message":…,"throwableList":[{"type":…,"message":…}]}`.
    """
    chain = [f"{name}: {message}" for name, message in _STATUS_EXCEPTION.findall(error)] or [error]
    trace = stack_trace([chain[0], *(f"Caused by: {each}" for each in chain[1:MOST_IN_STATUS])])
    return asdict(trace) if trace else {}


def _place(line: int | None) -> dict[str, Any]:
    return {"line": line, "last_line": line}


def moment_ms(told: str | None) -> int | None:
    """Epoch ms of a time as Kubernetes prints it: RFC 3339 in objects, RFC 2822 in descriptions."""
    if not told:
        return None
    try:
        moment = datetime.fromisoformat(told) if told[:1].isdigit() else parsedate_to_datetime(told)
    except (ValueError, TypeError, OverflowError):
        return None
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
