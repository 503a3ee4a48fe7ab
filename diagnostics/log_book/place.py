"""Origin of a log file's records: role of the process and its host or pod, from the file's name."""

from __future__ import annotations

import re
from typing import Any

from diagnostics.notation.process_name import process_of_name

_FLINK_NAME = re.compile(
    r"flink-[^/]{1,100}?-(?:taskexecutor|standalonesession|standalonejob|zookeeper|historyserver|sql-gateway|client|"
    r"kubernetes-session|kubernetes-application|kubernetes-taskmanager|yarn-session)-\d{1,6}-(?P<host>[^/]+?)"
    r"\.(?:log|out)(?:\.\d{1,4})?(?:\.(?:gz|bz2|xz|zst))?$"
)
"""File names of Flink's start scripts: `flink-<user>-<process>-<number>-<host>.log`. Source: flink-daemon.sh."""

_ENDING = re.compile(r"(?:\.(?:log|out|txt|json|jsonl|gz|bz2|xz|zst|\d{1,4}))+$")
_PROCESS = re.compile(r"(?i)(?:task|job)-?(?:manager|master|executor)")


def file_place(name: str, role: str | None) -> dict[str, Any]:
    """{name, role, host} of a file; host is null when unknown.

    The host is the end of Flink's own file names, else the file or folder named after a pod or process.
    """
    return {"name": name, "role": role or process_of_name(name), "host": _host(name)}


def _host(name: str) -> str | None:
    path = name.replace("!/", "/").replace("\\", "/")
    found = _FLINK_NAME.search(path.rpartition("/")[2])
    if found:
        return found["host"]
    parts = [_ENDING.sub("", part) for part in path.split("/")]
    named = [part for part in parts if _PROCESS.search(part)]
    return named[-1] if named else None
