"""How to stop a job and start it again from its current state."""

from __future__ import annotations

from diagnostics.evidence.subject import FactValue, Lookup
from diagnostics.vocabulary.settings import Version, version_of
from diagnostics.wording import phrase

NOT_RUNNING = ("FAILED", "FAILING", "CANCELED", "CANCELLING", "FINISHED", "RESTARTING", "SUSPENDED")
"""States of a job in which Flink takes no savepoint (`JobStatus`)."""

RETAINED = "RETAIN_ON_CANCELLATION"

HEAD_ROOM = 2.0
"""How many times a savepoint's duration must fit into its timeout. Our choice: as for checkpoints."""

NATIVE_SINCE: Version = (1, 15)
"""First version with savepoints in the native format. Source: Flink 1.15 release notes, FLIP-203."""

SAVEPOINT = (
    "The job restarts. Stop it with a savepoint, make the change, and start it from the savepoint, whose path the "
    "first command prints:"
)
TOO_SLOW = (
    "Do not stop this job with a savepoint. A savepoint writes the whole state and has to finish within the "
    "checkpoint timeout of {settings.timeout_ms|duration}; {checkpoint_sizes.max_state_bytes|bytes} at the "
    "measured {checkpoint_sizes.bytes_per_s_max|bytes} per second need {restart.savepoint_ms|duration}, which "
    "leaves too little room."
)
FAILING = (
    "A savepoint would probably fail, as the last {checkpoint_progress.consecutive_failed} "
    "[checkpoint|checkpoints] did: it has the same timeout and passes through the same tasks."
)
FROM_RETAINED = (
    " Cancel the job, make the change, and start it from its last completed checkpoint, which is kept after a "
    "cancellation:"
)
FROM_COPY = (
    " Flink deletes the checkpoints of this job when it is cancelled. Copy them first, cancel the job, put the "
    "copy back, make the change, and start the job from its last completed checkpoint:"
)
FROM_STORAGE = (
    " Flink deletes the checkpoints of this job when it is cancelled. Copy the directory of the last completed "
    "checkpoint and the directories `shared` and `taskowned` beside it with the storage's own client, cancel the "
    "job, put them back, make the change, and start the job:"
)
NEWEST = " The path is that of the newest completed checkpoint in this evidence; take a newer one if there is one."
NOT_RUNNING_NOW = "The job was {job_overview.state} when last seen, so no savepoint can be taken."

STOP = "flink stop --savepointPath {settings.savepoint_dir} {subject.job}"
STOP_NATIVE = "flink stop --type native --savepointPath {settings.savepoint_dir} {subject.job}"
CANCEL = "flink cancel {subject.job}"
COPY = "cp -a {restart.folder} {restart.folder}.copy"
PUT_BACK = "mkdir -p {restart.folder} && cp -a {restart.folder}.copy/. {restart.folder}/"
START = "flink run -d -s {restart.checkpoint} <jar>"
START_FROM_SAVEPOINT = "flink run -d -s <savepoint-path> <jar>"
FROM_LAST = " Keep the last completed checkpoint, make the change, and start the job from it:"
NAMES = {
    "settings.savepoint_dir": "<savepoint-directory>",
    "restart.checkpoint": "<path of the last completed checkpoint>",
    "restart.folder": "<checkpoint-directory>",
}


def stop_and_start(lookup: Lookup) -> dict[str, str]:
    """The beginning of a step that restarts the job: a text, and the commands, one per line.

    A savepoint is advised only when it can finish: not for a job that does not run, and not when the measured rate or
    the failures of the last checkpoints indicate that it would exceed the checkpoint timeout.
    """
    restart = _Restart(lookup)
    sentence, commands = restart.way()
    return {
        "text": phrase.fill_or_name(sentence, restart.value),
        "command": "\n".join(phrase.fill_code(each, restart.value, NAMES) for each in commands),
    }


class _Restart:
    """The facts of a case that determine how its job is stopped and started."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._derived: dict[str, FactValue] = {
            "restart.savepoint_ms": self._savepoint_ms(),
            "restart.checkpoint": self._last_checkpoint(),
            "restart.folder": self._folder(),
        }

    def value(self, reference: str) -> FactValue:
        return self._derived[reference] if reference in self._derived else self._lookup(reference)

    def way(self) -> tuple[str, tuple[str, ...]]:
        """The text and the commands, with placeholders."""
        newest = NEWEST if self.value("restart.checkpoint") else ""
        if self.value("job_overview.state") in NOT_RUNNING:
            return NOT_RUNNING_NOW + newest + FROM_LAST, (START,)
        if self._is_too_slow():
            return self._without_savepoint(TOO_SLOW, newest)
        if self._number("checkpoint_progress.consecutive_failed"):
            return self._without_savepoint(FAILING, newest)
        return SAVEPOINT, (STOP_NATIVE if self._has_native_format() else STOP, START_FROM_SAVEPOINT)

    def _without_savepoint(self, reason: str, newest: str) -> tuple[str, tuple[str, ...]]:
        if self.value("settings.retention") == RETAINED:
            return reason + newest + FROM_RETAINED, (CANCEL, START)
        if self.value("restart.folder"):
            return reason + newest + FROM_COPY, (COPY, CANCEL, PUT_BACK, START)
        return reason + newest + FROM_STORAGE, (CANCEL, START)

    def _is_too_slow(self) -> bool:
        needed, timeout = self.value("restart.savepoint_ms"), self._number("settings.timeout_ms")
        return isinstance(needed, float) and timeout is not None and needed * HEAD_ROOM > timeout

    def _has_native_format(self) -> bool:
        """Whether the state is RocksDB's and this version supports savepoints in RocksDB's own file format."""
        seen = self._lookup("job_overview.flink_version")
        version = version_of(seen if isinstance(seen, str) else None)
        return self._lookup("settings.state_backend") == "rocksdb" and version is not None and version >= NATIVE_SINCE

    def _number(self, reference: str) -> float | None:
        value = self._lookup(reference)
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None

    def _savepoint_ms(self) -> float | None:
        size, rate = self._number("checkpoint_sizes.max_state_bytes"), self._number("checkpoint_sizes.bytes_per_s_max")
        return size / rate * 1000 if size is not None and rate else None

    def _job_directory(self) -> str | None:
        folder, job = self._lookup("settings.checkpoint_dir"), self._lookup("subject.job")
        return f"{folder.rstrip('/')}/{job}" if isinstance(folder, str) and isinstance(job, str) else None

    def _last_checkpoint(self) -> str | None:
        directory, completed = self._job_directory(), self._lookup("checkpoint_progress.completed_ids")
        if directory is None or not isinstance(completed, list) or not completed:
            return None
        return f"{directory}/chk-{completed[-1]}"

    def _folder(self) -> str | None:
        """The folder of the job's checkpoints as a shell path, when they are in a file system."""
        directory = self._job_directory()
        if directory is None or not directory.startswith(("file:/", "/")):
            return None
        return "/" + directory.removeprefix("file:").lstrip("/")
