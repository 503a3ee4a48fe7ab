"""Where checkpoints and savepoints of a job lie, as log records about restores and stops with a savepoint state it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from diagnostics.aggregators import restore_records
from diagnostics.evidence import Evidence, read_once
from diagnostics.reconstruction.checkpoints.history import History

RESTORED_FROM = re.compile(
    r"(?:from savepoint|located at|from latest valid checkpoint:|from) (\S{1,400}?)[.]?(?: \(|$)"
)
"""The path of a restored checkpoint or savepoint. Source: Flink's own log statements (jm.ckpt.restore_from)."""
STORED = re.compile(r"^Savepoint stored in (\S{1,400})\. Now cancelling ")
"""The path of a savepoint with which a job was stopped. Source: Flink's own log statements (jm.savepoint.stored)."""
OF_A_CHECKPOINT = re.compile(r"^(?P<directory>.{1,400})/chk-(?P<number>\d{1,12})$")
"""The directory that Flink gives a checkpoint, below one with the id of its job. Source: Flink documentation,
Checkpoints, Directory Structure."""


@dataclass(frozen=True, slots=True)
class Located:
    """The paths that the logs state for one job; None where none does.

    checkpoint  the checkpoint that the job was last restored from
    directory   the directory of the job's own checkpoints
    savepoint   the savepoint that it was last started from or stopped with
    """

    checkpoint: str | None = None
    directory: str | None = None
    savepoint: str | None = None


@read_once
def located_checkpoints(evidence: Evidence) -> Mapping[str | None, Located]:
    """Job -> the paths of its checkpoints and savepoints, computed once for each Evidence.

    Reads   log_record (restores, and stops with a savepoint).
    """
    by_job: dict[str | None, list[dict[str, Any]]] = defaultdict(list)
    for row in evidence.answer(restore_records.AGGREGATOR).to_pylist():
        by_job[row["job_id"]].append(row)
    return {job_id: _located(job_id, rows) for job_id, rows in by_job.items()}


def _located(job_id: str | None, rows: Iterable[Mapping[str, Any]]) -> Located:
    checkpoint = directory = savepoint = None
    for row in sorted(rows, key=lambda row: row["ts_ms"] or 0):
        path = _path(row["message"])
        if path is None:
            continue
        numbered = OF_A_CHECKPOINT.match(path)
        if numbered is None:
            savepoint = path
            continue
        checkpoint = path
        if job_id and numbered["directory"].endswith(f"/{job_id}"):
            directory = numbered["directory"]
    return Located(checkpoint, directory, savepoint)


def _path(message: str) -> str | None:
    """The path that a record states; None for `<checkpoint-not-externally-addressable>` and for no path."""
    stated = STORED.search(message) or RESTORED_FROM.search(message)
    return stated[1] if stated and "/" in stated[1] else None


def last_paths(history: History, located: Located) -> dict[str, str | None]:
    """The paths of the last completed checkpoint and savepoint as REST or the log state them: `last_path`,
    `last_savepoint_path`.

    The last checkpoint lies beside one of the same job whose path is stated.
    """
    completed = history.select_statuses("completed")
    stated = [each.path for each in completed if each.path and each.path.endswith(f"/chk-{each.number}")]
    directory = stated[-1].rpartition("/")[0] if stated else located.directory
    beside = f"{directory}/chk-{completed[-1].number}" if directory and completed else None
    savepoints = [each.path for each in history.checkpoints if each.is_savepoint and each.status == "completed"]
    return {
        "last_path": beside or (None if completed else located.checkpoint),
        "last_savepoint_path": savepoints[-1] if savepoints and savepoints[-1] else located.savepoint,
    }
