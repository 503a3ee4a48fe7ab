"""The Flink process of a file, for files such as GC logs that only their name identifies."""

from __future__ import annotations

TASKMANAGER_NAMES = ("taskmanager", "taskexecutor")
JOBMANAGER_NAMES = ("jobmanager", "standalonesession", "standalonejob", "jobmaster")


def process_of_name(name: str) -> str | None:
    """taskmanager, jobmanager or None, from Flink's file names or the name of the folder."""
    folder, _, plain = name.replace("\\", "/").lower().rpartition("/")
    for told in (plain, folder):
        if any(word in told for word in TASKMANAGER_NAMES):
            return "taskmanager"
        if any(word in told for word in JOBMANAGER_NAMES):
            return "jobmanager"
    return None
