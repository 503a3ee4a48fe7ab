"""Placeholders in a runbook's commands and settings for values without evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from workbench.languages.sentences import to_say

PLACEHOLDER = re.compile(r"<([a-z][a-zA-Z0-9' -]{1,60})>")
"""Placeholders in texts of runbooks; names of Java's types begin with a capital letter."""

IN_CODE = (
    to_say("agreed requests per second"),
    to_say("look-up key"),
    to_say("type of the answer"),
    to_say("type of the key"),
)
"""Placeholders that are one number or one name in code."""

LABELS = (
    *IN_CODE,
    to_say("application-id"),
    to_say("bound"),
    to_say("broker"),
    to_say("bucket"),
    to_say("checkpoint-directory"),
    to_say("class"),
    to_say("cluster-id"),
    to_say("cores for each slot"),
    to_say("database-host"),
    to_say("database-port"),
    to_say("dimension table"),
    to_say("flink-deployment"),
    to_say("gc-log"),
    to_say("jar"),
    to_say("job-id"),
    to_say("jobmanager"),
    to_say("key"),
    to_say("key-field"),
    to_say("log of PostgreSQL"),
    to_say("lower-parallelism"),
    to_say("name"),
    to_say("older-complete-checkpoint"),
    to_say("other-host"),
    to_say("package"),
    to_say("path"),
    to_say("path of the last completed checkpoint"),
    to_say("port"),
    to_say("savepoint-directory"),
    to_say("savepoint-path"),
    to_say("second-zookeeper-host"),
    to_say("secret"),
    to_say("shared"),
    to_say("table"),
    to_say("source-vertex-id"),
    to_say("taskmanager-id"),
    to_say("taskmanager-pod"),
    to_say("taskmanagers"),
    to_say("third-zookeeper-host"),
    to_say("topic"),
    to_say("vertex-id"),
    to_say("window-vertex-id"),
    to_say("zookeeper-host"),
    to_say("zookeeper-log-directory"),
)
"""Placeholders of the shipped runbooks as labels of fields; within a command they are never translated."""


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
