"""Placeholders in a runbook's commands and settings for values without evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from diagnostics.wording.phrase import sentence_start
from workbench.languages.sentences import say_stored, to_say

PLACEHOLDER = re.compile(r"<([a-z][a-zA-Z0-9' -]{1,60})>")
"""Placeholders in texts of runbooks; names of Java's types begin with a capital letter."""

IN_CODE = (
    to_say("agreed requests per second"),
    to_say("look-up key"),
    to_say("type of the answer"),
    to_say("type of the key"),
)
"""Placeholders that are one number or one name in code."""

IN_WORDS = (
    *IN_CODE,
    to_say("cores for each slot"),
    to_say("dimension table"),
    to_say("log of PostgreSQL"),
    to_say("path of the last completed checkpoint"),
)
"""Placeholders that are words, which the label of their field repeats."""

LABELS: Mapping[str, str] = {
    "application-id": to_say("Application ID"),
    "bound": to_say("Bound"),
    "broker": to_say("Broker"),
    "bucket": to_say("Bucket"),
    "checkpoint-directory": to_say("Checkpoint directory"),
    "class": to_say("Class"),
    "cluster-id": to_say("Cluster ID"),
    "database-host": to_say("Database host"),
    "database-port": to_say("Database port"),
    "flink-deployment": to_say("FlinkDeployment"),
    "gc-log": to_say("GC log"),
    "jar": to_say("JAR file"),
    "job-id": to_say("Job ID"),
    "jobmanager": to_say("JobManager"),
    "key": to_say("Key"),
    "key-field": to_say("Key field"),
    "lower-parallelism": to_say("Lower parallelism"),
    "name": to_say("Name"),
    "older-complete-checkpoint": to_say("Older complete checkpoint"),
    "other-host": to_say("Other host"),
    "package": to_say("Package"),
    "path": to_say("Path"),
    "port": to_say("Port"),
    "savepoint-directory": to_say("Savepoint directory"),
    "savepoint-path": to_say("Savepoint path"),
    "second-zookeeper-host": to_say("Second ZooKeeper host"),
    "secret": to_say("Secret"),
    "shared": to_say("Shared"),
    "table": to_say("Table"),
    "source-vertex-id": to_say("Vertex ID of the source"),
    "taskmanager-id": to_say("TaskManager ID"),
    "taskmanager-pod": to_say("Pod of the TaskManager"),
    "taskmanagers": to_say("TaskManagers"),
    "third-zookeeper-host": to_say("Third ZooKeeper host"),
    "topic": to_say("Topic"),
    "vertex-id": to_say("Vertex ID"),
    "window-vertex-id": to_say("Vertex ID of the window"),
    "zookeeper-host": to_say("ZooKeeper host"),
    "zookeeper-log-directory": to_say("Log directory of ZooKeeper"),
}
"""Other placeholder of the shipped runbooks -> the label of its field; within a command it is never translated."""


@dataclass(frozen=True, slots=True)
class ValueField:
    """The field in which the value of a placeholder is filled in once for all commands.

    label  in the reader's language
    """

    name: str
    label: str

    @property
    def is_same(self) -> bool:
        """Whether the label has the very words of the placeholder."""
        return self.label.lower() == self.name.lower()


def value_fields(names: Iterable[str]) -> list[ValueField]:
    """The field of each placeholder; one of another runbook has its words as a label."""
    return [ValueField(name, sentence_start(say_stored(LABELS.get(name, name.replace("-", " "))))) for name in names]


def placeholders(steps: Iterable[Mapping[str, Any]]) -> list[str]:
    """Distinct placeholders in the commands and settings of the filled steps, in order."""
    return list(dict.fromkeys(name for step in steps for text in _texts(step) for name in PLACEHOLDER.findall(text)))


def plan_placeholders(plans: Iterable[Mapping[str, Any]]) -> list[str]:
    """Distinct placeholders in the commands and settings of merged plans, in order."""
    texts = (text for plan in plans for text in _plan_texts(plan))
    return list(dict.fromkeys(name for text in texts for name in PLACEHOLDER.findall(text)))


def _plan_texts(plan: Mapping[str, Any]) -> Iterator[str]:
    offered = (change for look in plan["open"] for change in look["changes"])
    yield from map(_text, (*plan["changes"], *offered))
    if plan["restart"]:
        yield from (plan["restart"]["look"], plan["restart"]["command"])


def _texts(step: Mapping[str, Any]) -> Iterator[str]:
    yield from (each["command"] for each in step["look"])
    if step["savepoint"]:
        yield from (step["savepoint"]["look"], step["savepoint"]["command"])
    yield from map(_text, step["change"])


def _text(change: Mapping[str, Any]) -> str:
    """The new text; of code only the values that a field is for: `<key>` may be a type or a gap for an expression."""
    if change["kind"] != "code":
        return str(change["to"])
    return " ".join(f"<{name}>" for name in PLACEHOLDER.findall(change["to"]) if name in IN_CODE)
