"""Which of Flink's processes a file belongs to, where only its name can tell: GC logs and the like."""

from __future__ import annotations

TASKMANAGER_NAMES = ("taskmanager", "taskexecutor")
JOBMANAGER_NAMES = ("jobmanager", "standalonesession", "standalonejob", "jobmaster")


def process_of_name(name: str) -> str | None:
    """taskmanager, jobmanager or None. Flink's file names tell it, or the folder that somebody made for the file."""
    folder, _, plain = name.replace("\\", "/").lower().rpartition("/")
    for told in (plain, folder):
        if any(word in told for word in TASKMANAGER_NAMES):
            return "taskmanager"
        if any(word in told for word in JOBMANAGER_NAMES):
            return "jobmanager"
    return None
