"""Resources of Flink's Kubernetes operators as people paste them: an object as YAML or indented JSON, or a piece of it.

A piece has no `kind`, and often neither `status` nor `spec` above it; its lines are read by their indentation, so that
other lines, and a value that is cut, cost nothing else. Only fields that say what was asked for and what
became of it are kept, and the options of `flinkConfiguration`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from diagnostics.notation.secret_option import masked

KINDS = ("FlinkDeployment", "FlinkSessionJob", "FlinkStateSnapshot", "FlinkBlueGreenDeployment")
"""Of Apache Flink's operator. Source: its custom resource definitions."""
OTHER_KINDS = ("FlinkCluster", "FlinkApplication")
"""Of the operators that GoogleCloudPlatform and Spotify (FlinkCluster), and Lyft (FlinkApplication) published."""
SCOPE = "resource"
"""Scope of the rows of `config_option` with a field; their key is `name/path`, the name empty where none is given."""
CONFIGURATION = ("spec", "flinkConfiguration")
MOST_VALUE = 4_000
MOST_FIELDS = 5_000
"""Fields kept of a text. Our choice: a hundred resources with all theirs."""
MOST_DEPTH = 40

STATUS_FIELDS = (
    "clusterInfo",
    "error",
    "jobManagerDeploymentStatus",
    "jobStatus",
    "lifecycleState",
    "observedGeneration",
    "reconciliationStatus",
)
SPEC_FIELDS = (
    "deploymentName",
    "flinkConfiguration",
    "flinkVersion",
    "ingress",
    "job",
    "jobManager",
    "podTemplate",
    "restartNonce",
    "serviceAccount",
    "taskManager",
)
JOB_FIELDS = ("allowNonRestoredState", "initialSavepointPath", "jarURI", "savepointRedeployNonce", "upgradeMode")
OF_JOB_STATUS = ("checkpointInfo", "savepointInfo", "upgradeSavepointPath", "upgradeSnapshotReference")
ABOVE: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(STATUS_FIELDS, ("status",)),
    **dict.fromkeys(SPEC_FIELDS, ("spec",)),
    **dict.fromkeys(JOB_FIELDS, ("spec", "job")),
    **dict.fromkeys(OF_JOB_STATUS, ("status", "jobStatus")),
}
"""First field of a piece -> what stands above it in the object. Source: FlinkDeploymentSpec, JobSpec and CommonStatus
of the operator 1.0 to 1.15."""

FIELDS = frozenset(
    (
        "metadata.deletionTimestamp",
        "metadata.generation",
        "spec.deploymentName",
        "spec.flinkVersion",
        "spec.image",
        "spec.job.allowNonRestoredState",
        "spec.job.initialSavepointPath",
        "spec.job.parallelism",
        "spec.job.savepointRedeployNonce",
        "spec.job.savepointTriggerNonce",
        "spec.job.state",
        "spec.job.upgradeMode",
        "spec.jobManager.replicas",
        "spec.mode",
        "spec.taskManager.replicas",
        "spec.restartNonce",
        "spec.savepoint.path",
        "spec.serviceAccount",
        "status.components.job.state",
        "status.error",
        "status.failures",
        "status.jobManagerDeploymentStatus",
        "status.jobStatus.savepointInfo.lastSavepoint.location",
        "status.jobStatus.savepointInfo.lastSavepoint.triggerType",
        "status.jobStatus.savepointInfo.triggerId",
        "status.jobStatus.state",
        "status.jobStatus.upgradeSavepointPath",
        "status.jobStatus.upgradeSnapshotReference",
        "status.lifecycleState",
        "status.observedGeneration",
        "status.phase",
        "status.reconciliationStatus.state",
        "status.state",
    )
)
"""Paths of the fields that are kept."""
NULL = "null"
"""The value of a field that is there and holds nothing."""

RECONCILED = "status.reconciliationStatus.lastReconciledSpec"
OF_RECONCILED = {
    "state": re.compile(r'\\?"state\\?" ?: ?\\?"(running|suspended)\\?"'),
    "upgradeMode": re.compile(r'\\?"upgradeMode\\?" ?: ?\\?"(stateless|savepoint|last-state)\\?"'),
}
"""What is read of the last specification that the operator carried out, which it keeps as JSON in one field."""

_LINE = re.compile(r"((?: |- ){0,80})[\"']?([A-Za-z$][\w$./-]{0,199})[\"']?[ \t]{0,8}:(?:[ \t]+(.*)|[ \t]*)$")
_KIND = re.compile(
    rf"(?m)^[ \t]{{0,12}}(?:- )?[\"']?kind[\"']?[ \t]{{0,4}}:[ \t]{{1,8}}[\"']?(?:{'|'.join((*KINDS, *OTHER_KINDS))})\b"
)
_PIECE = re.compile(
    r"(?m)^[ \t]{0,12}[\"']?(?:"
    r"jobManagerDeploymentStatus[\"']?[ \t]{0,4}:[ \t]{1,8}[\"']?(?:READY|DEPLOYED_NOT_READY|DEPLOYING|MISSING|ERROR)\b"
    r"|lifecycleState[\"']?[ \t]{0,4}:[ \t]{1,8}[\"']?[A-Z_]{5,12}\b"
    r"|upgradeMode[\"']?[ \t]{0,4}:[ \t]{1,8}[\"']?(?:stateless|savepoint|last-state)\b"
    r"|(?:upgradeSnapshotReference|upgradeSavepointPath|reconciliationStatus|jobStatus)[\"']?[ \t]{0,4}:)"
)
_AUDIT = re.compile(
    r"\s{0,8}(?:>>> )?(?:(?:Event|Status)(?:\[\w{1,20}\])?\s{0,20}\|)?\s{0,8}(Warning|Error)\s{0,12}\|\s{0,8}"
    r"([A-Z_]{3,40})\s{0,20}\|\s{0,8}(\S.{0,3999})$"
)
"""A line of the operator's audit, also without its head. Source: AuditUtils of the operator."""


@dataclass(slots=True)
class Resource:
    """One object, or the pieces of one.

    fields   path -> (value, line)
    options  option of `flinkConfiguration` -> (value, line)
    """

    line: int
    kind: str | None = None
    name: str = ""
    fields: dict[str, tuple[str, int]] = field(default_factory=dict)
    options: dict[str, tuple[str, int]] = field(default_factory=dict)

    def put(self, path: tuple[str, ...], value: str, number: int) -> None:
        """Keeps the field if it is one that is read."""
        dotted = ".".join(path)
        if path == ("kind",):
            self.kind = self.kind or value
        elif path == ("metadata", "name"):
            self.name = value[:253]
        elif path[:2] == CONFIGURATION and len(path) > 2 and value:
            self.options.setdefault(".".join(path[2:]), (value, number))
        elif dotted == RECONCILED:
            for name, pattern in OF_RECONCILED.items():
                if found := pattern.search(value):
                    self.fields.setdefault(f"{RECONCILED}.{name}", (found[1], number))
        elif dotted in FIELDS:
            self.fields.setdefault(dotted, (value or NULL, number))

    def add_to(self, path: tuple[str, ...], more: str) -> None:
        """Continues a value that goes on in the next line."""
        dotted = ".".join(path)
        if known := self.fields.get(dotted):
            value = more if known[0] == NULL else f"{known[0]} {more}"
            self.fields[dotted] = (value[:MOST_VALUE], known[1])

    @property
    def rows(self) -> Iterator[dict[str, Any]]:
        """Rows of `config_option`."""
        for path, (value, number) in self.fields.items():
            yield resource_row(self.name, path, value, number)
        for key, (value, number) in self.options.items():
            yield {"scope": "cluster", "key": key, "value": masked(key, value), **_place(number)}


def resource_row(name: str, path: str, value: str, number: int | None) -> dict[str, Any]:
    """A row of `config_option` for a field of a resource."""
    return {"scope": SCOPE, "key": f"{name}/{path}", "value": value[:MOST_VALUE], **_place(number)}


def _place(number: int | None) -> dict[str, Any]:
    return {"line": number, "last_line": number}


def is_resource(text: str) -> bool:
    """Whether the text holds a resource of an operator of Flink, by its kind."""
    return _KIND.search(text) is not None


def is_piece(text: str) -> bool:
    """Whether the text holds a piece of one: fields that no other object has."""
    return _PIECE.search(text) is not None


def field_of_title(title: str) -> str:
    """The name of a field as `kubectl describe` titles it: `Job Manager Deployment Status`."""
    first, *others = title.split(" ")
    return first[:1].lower() + first[1:] + "".join(others)


def audit_line(line: str) -> tuple[str, str, str] | None:
    """Kind, reason and message of a line of the operator's audit."""
    found = _AUDIT.match(line)
    return (found[1], found[2], found[3].strip()) if found else None


class ResourceReading:
    """Reads lines one after the other into resources."""

    def __init__(self) -> None:
        self.resources: list[Resource] = []
        self.fields = 0
        self._path: list[tuple[int, str]] = []
        self._open: tuple[str, ...] | None = None
        self._opened_at = 0

    def take(self, line: str, number: int) -> None:
        """The next line; one that is no field continues the field before, or is passed over."""
        if self.fields >= MOST_FIELDS:
            return
        if line.startswith("---"):
            self._path, self._open = [], None
            self.resources.append(Resource(number))
            return
        found = _LINE.match(line.split(" #", 1)[0].rstrip())
        if found is None:
            self._continue(line)
            return
        indent, name, value = len(found[1]), found[2], _plain(found[3] or "")
        if name in ("apiVersion", "kind") and self._begins(found[1], name):
            self.resources.append(Resource(number))
            self._path = []
        while self._path and self._path[-1][0] >= indent:
            self._path.pop()
        if len(self._path) >= MOST_DEPTH:
            return
        self._path.append((indent, name))
        if not self.resources:
            self.resources.append(Resource(number))
        path = self._placed()
        self.fields += 1
        self.resources[-1].put(path, value, number)
        self._open, self._opened_at = path, indent

    def close(self) -> list[Resource]:
        """The resources that hold something."""
        return [each for each in self.resources if each.fields or each.options]

    def _begins(self, before: str, name: str) -> bool:
        """Whether `apiVersion` or `kind` opens a further object: an item of a list, or the next one of a text.

        before  what stands before the name in its line
        """
        if "- " in before:
            return not any(each in ("metadata", "spec", "status") for each in self._names_above(len(before)))
        last = self.resources[-1] if self.resources else None
        is_filled = last is not None and bool(last.fields or last.options or last.name)
        return not before and is_filled and name == "apiVersion"

    def _names_above(self, indent: int) -> tuple[str, ...]:
        return tuple(name for at, name in self._path if at < indent)

    def _names(self) -> tuple[str, ...]:
        return tuple(name for _, name in self._path)

    def _placed(self) -> tuple[str, ...]:
        names = self._names()
        if names[0] == "items" and len(names) > 1:
            names = names[1:]
        return (*ABOVE.get(names[0], ()), *names)

    def _continue(self, line: str) -> None:
        text = line.strip()
        indent = len(line) - len(line.lstrip())
        if self._open and self.resources and text and indent > self._opened_at and text[0] not in "-#{}[]":
            self.resources[-1].add_to(self._open, _plain(text))


def _plain(value: str) -> str:
    """A value without the marks of YAML and JSON around it."""
    value = value.strip().removesuffix(",")
    if value in ("{", "[", "{}", "[]", "|", ">", ">-", "|-", "null", "~"):
        return ""
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1][:MOST_VALUE]
    return value.lstrip("'\"")[:MOST_VALUE]
