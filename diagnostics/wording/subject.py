"""The subject of a finding, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnostics.language import say


def subject_words(subject: Mapping[str, Any]) -> list[str]:
    """The known parts of a subject below its job, outermost first: task, subtask, TaskManager, host."""
    words = [subject.get("vertex") or subject.get("vertex_id")]
    if subject.get("subtask") is not None:
        words.append(say("subtask {number}", number=subject["subtask"]))
    if subject.get("task_manager"):
        words.append(f"TaskManager {subject['task_manager']}")
    if subject.get("host"):
        words.append(say("host {name}", name=subject["host"]))
    return [part for part in words if part]
