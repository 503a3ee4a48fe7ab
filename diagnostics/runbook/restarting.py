"""How to stop a job and start it again from its current state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from diagnostics.diagnosis.missing import REST
from diagnostics.evidence.subject import FactValue, Lookup, number_of
from diagnostics.language import say
from diagnostics.runbook.cluster_commands import NATIVE_SINCE, OPERATOR, STANDALONE, ClusterCommands
from diagnostics.runbook.copied_checkpoints import COMMENT, NEWEST_OF_COPY, UNTIL_ENDED, through_a_copy
from diagnostics.runbook.option_readers import (
    OF_ALL_PROCESSES,
    OF_PLUGIN,
    OF_STATE_BACKEND,
    OF_TASK_MANAGERS,
    kept_by_recovery,
)
from diagnostics.runbook.process_starts import jobmanager_restart, task_manager_restarts, without_collector
from diagnostics.runbook.program_paths import paths_at_risk, with_copies
from diagnostics.runbook.restart_sentences import (
    AS_LONG_AS_THEY_FAIL,
    BY_HIGH_AVAILABILITY,
    BY_OPERATOR,
    BY_OPERATOR_LAST_STATE,
    CANONICAL,
    DELETED,
    DELETED_BUT_SAVEPOINT,
    ELSEWHERE,
    FROM_COPY,
    FROM_LAST,
    FROM_RETAINED,
    FROM_STORAGE,
    IF_DECIDED,
    IN_NATIVE_FORMAT,
    KEPT_BY_RECOVERY,
    LATER_BY_OPERATOR,
    LISTED_FIRST,
    MEMORY_LIMIT,
    MEMORY_LIMIT_NEAR,
    NEW_CODE,
    NEWEST,
    NO_CHECKPOINT,
    NOT_RUNNING_NOW,
    ON_JOBMANAGER,
    OPTIONS_UNKNOWN,
    OTHER_PROCESSES,
    PROCESSES,
    SAVEPOINT,
    SLOW_UPLOADS,
    STARTED_WITH_IT,
    SUBMITTED_ANEW,
    SUPERVISED,
    TASK_MANAGERS_FIRST,
    TRIAL,
    about_plugin,
    later_or_now,
    text_before_commands,
)
from diagnostics.runbook.savepoint_duration import may_expire, savepoint_ms, slow_rate
from diagnostics.runbook.savepoint_obstacles import against_savepoint
from diagnostics.vocabulary.job_states import DELETED_WHEN_ENDED, ENDED, NOT_RUNNING, RETAINED
from diagnostics.vocabulary.settings import version_of
from diagnostics.wording import phrase
from diagnostics.wording.code import fill_code

HIGHLY_AVAILABLE = ("zookeeper", "kubernetes")
"""Values of `high-availability.type` with which a restarted JobManager recovers its jobs."""

NAMES = {
    "restart.savepoints": "<savepoint-directory>",
    "restart.checkpoint": "<path of the last completed checkpoint>",
    "restart.folder": "<checkpoint-directory>",
    "restart.rest": REST,
    "deployment.cluster_id": "<flink-deployment>",
    "subject.job": "<job-id>",
}


def stop_and_start(
    lookup: Lookup,
    changed: str = "",
    *,
    others: str = "",
    drops_state: bool = False,
    changes_code: bool = False,
    can_wait: bool = False,
) -> dict[str, Any]:
    """The beginning of a step that restarts the job: a `text`, a command to `look` with before its `command`s, one per
    line, whether the job `repeats` the work since its last checkpoint, and the same of the way `later`, when a
    savepoint can be taken; None where the job would not go back less.

    A savepoint is advised only when it can finish: not for a job that does not run, and not when the measured rate or
    the failures of the last checkpoints indicate that it would exceed the checkpoint timeout.

    changed       the lines of configuration that change; options of processes need their restart
    others        the lines that may change besides: alternatives to these, and what waits for an answer
    drops_state   whether the state of operators that the job no longer has is left out
    changes_code  whether a change is one of the job's code, which is built before a running job is stopped
    can_wait      whether it is not known that checkpoints fail until this change is made
    """
    restart = _Restart(lookup, changed, others, drops_state=drops_state, can_wait=can_wait)
    now = restart.way()
    later = restart.way_later() if now.is_better_later else None
    return restart.with_values(now, changes_code=changes_code) | {
        "repeats": not now.takes_savepoint,
        "later": restart.with_values(later, changes_code=changes_code) if later else None,
    }


@dataclass(frozen=True, slots=True)
class _Way:
    """The sentences and the commands of a restart, with placeholders.

    takes_savepoint  whether the job goes on from a savepoint of now
    is_listed_first  whether somebody else may have started the job since
    is_better_later  whether the job goes back less once checkpoints complete again
    """

    sentences: Sequence[str]
    commands: Sequence[str]
    takes_savepoint: bool = False
    is_listed_first: bool = False
    is_better_later: bool = False


class _Restart:
    """The facts of a case that determine how its job is stopped and started."""

    def __init__(self, lookup: Lookup, changed: str, others: str, *, drops_state: bool, can_wait: bool) -> None:
        self._lookup = lookup
        self._drops_state = drops_state
        self._can_wait = can_wait
        seen = lookup("job_overview.flink_version")
        self._cluster = ClusterCommands(lookup, version_of(seen if isinstance(seen, str) else None))
        own_cluster = self._cluster.text("deployment.mode") in ("application", "per-job")
        self._of_processes_before = without_collector(self.value, f"{changed}\n{others}")
        self._of_all = bool(OF_ALL_PROCESSES.search(changed)) and not own_cluster
        self._of_state_backend = bool(OF_STATE_BACKEND.search(changed))
        self._of_processes = self._of_all or (bool(OF_TASK_MANAGERS.search(changed)) and not own_cluster)
        self._others_of_all = bool(OF_ALL_PROCESSES.search(others)) and not (own_cluster or self._of_all)
        self._others_of_processes = self._others_of_all or (
            bool(OF_TASK_MANAGERS.search(others)) and not (own_cluster or self._of_processes)
        )
        self._of_plugin = bool(OF_PLUGIN.search(changed)) and not own_cluster
        self.paths = paths_at_risk(lookup)
        self._derived: dict[str, FactValue] = {
            "restart.paths": [each.words for each in self.paths],
            "restart.savepoint_ms": savepoint_ms(
                self._lookup, number_of(self._lookup, "checkpoint_sizes.bytes_per_s_max")
            ),
            "restart.slow_savepoint_ms": savepoint_ms(self._lookup, slow_rate(self._lookup)),
            "restart.slow_bytes_per_s": slow_rate(self._lookup),
            "restart.checkpoint": self._cluster.last_checkpoint,
            "restart.savepoints": self._cluster.savepoint_folder,
            "restart.last_savepoint": self._cluster.text("checkpoint_progress.last_savepoint_path"),
            "restart.folder": self._folder(),
            "restart.state": lookup("restarts.final_state") or lookup("job_overview.state"),
            "restart.rest": self._cluster.rest,
            "restart.job_options": kept_by_recovery(changed, lookup),
        }

    @property
    def program(self) -> str:
        return self._cluster.program

    def value(self, reference: str) -> FactValue:
        return self._derived[reference] if reference in self._derived else self._lookup(reference)

    def with_values(self, way: _Way, *, changes_code: bool) -> dict[str, Any]:
        """The way with its values, as `stop_and_start` gives it."""
        builds = changes_code and self.value("restart.state") not in ENDED
        sentences = (NEW_CODE, *way.sentences) if builds else way.sentences
        sentences, commands = with_copies(self.paths, sentences, way.commands)
        unknown = {**NAMES, "restart.program": self.program}
        return {
            "text": phrase.fill_or_name(text_before_commands(sentences), self.value),
            "look": self.listing if way.is_listed_first else "",
            "command": "\n".join(fill_code(each, self.value, unknown) for each in commands),
            "repeats": False,
            "later": None,
        }

    def way_later(self) -> _Way:
        """The way when checkpoints complete well within the timeout again."""
        return self._suspended_by_operator() if self._cluster.kind == OPERATOR else self._by_savepoint(SAVEPOINT)

    def way(self) -> _Way:
        """The way now."""
        if self._cluster.kind == OPERATOR:
            return self._by_operator()
        newest = (NEWEST,) if self.value("restart.checkpoint") else ()
        state = self.value("restart.state")
        if self._of_state_backend and not self._has_no_checkpoint():
            down = NOT_RUNNING_NOW if state in (*ENDED, *NOT_RUNNING) else self._against_savepoint()
            return self._by_savepoint(*((down, CANONICAL) if down else (SAVEPOINT,)))
        if state in ENDED:
            return self._restart_of_ended(str(state), newest)
        if self._of_all and self.value("settings.ha_type") in HIGHLY_AVAILABLE:
            kept = (KEPT_BY_RECOVERY,) if self._derived["restart.job_options"] else ()
            started = (STARTED_WITH_IT,) if self.value("task_manager_loss.all.registered_end") == 0 else ()
            return _Way((*kept, *started, BY_HIGH_AVAILABILITY), self._processes())
        if state in NOT_RUNNING:
            return self._without_savepoint(NOT_RUNNING_NOW, newest)
        reason = self._against_savepoint()
        if reason == TASK_MANAGERS_FIRST:
            return self._after_the_task_managers()
        if reason:
            return self._without_savepoint(reason, newest)
        if may_expire(self._lookup):
            return self._by_savepoint(TRIAL, SAVEPOINT, trial=True)
        if self.value("settings.storage") != "jobmanager":
            return self._by_savepoint(SAVEPOINT)
        fits = (number_of(self._lookup, "state_limit.room_bytes") or 0) > 0
        size = (IN_NATIVE_FORMAT,) if self._has_native_format() else ()
        return self._by_savepoint(MEMORY_LIMIT_NEAR if fits else MEMORY_LIMIT, *size, SAVEPOINT)

    def _after_the_task_managers(self) -> _Way:
        """The way of a change that starts no TaskManager, while none is registered."""
        recovers = self.value("settings.ha_type") in HIGHLY_AVAILABLE
        if not (recovers and self._derived["restart.job_options"]):
            return _Way((TASK_MANAGERS_FIRST,), ())
        anew = self._by_savepoint()
        return replace(anew, sentences=(SUBMITTED_ANEW,), commands=_after_hash(anew.commands))

    def _by_savepoint(self, *sentences: str, trial: bool = False) -> _Way:
        action = self._stop()
        first = [
            f"{self._cluster.flink(action.replace('stop', 'savepoint', 1))} {{subject.job}} {{restart.savepoints}}"
        ]
        commands = [*(first if trial else []), self._stop_command, *self._again(self._start("<savepoint-path>"))]
        return _Way(self._said(*sentences, saves=True), commands, takes_savepoint=True)

    @property
    def _stop_command(self) -> str:
        return f"{self._cluster.flink(self._stop())} --savepointPath {{restart.savepoints}} {{subject.job}}"

    def _stop(self) -> str:
        """The action that stops the job with a savepoint that its new configuration can read."""
        if self._of_state_backend:
            return self._cluster.canonical_stop_action
        return "stop --type native" if self._has_native_format() else "stop"

    def _said(self, *sentences: str, saves: bool = False) -> Sequence[str]:
        """The sentences, and the one about the restart of processes.

        saves  whether the job is stopped with a savepoint
        """
        others = (OTHER_PROCESSES,) if self._others_of_processes else ()
        if self._of_processes:
            return (*sentences, PROCESSES, *((OPTIONS_UNKNOWN,) if self._waits else ()), *others)
        return (*sentences, *(about_plugin(self.value, saves=saves) if self._of_plugin else others))

    def _start(self, checkpoint: str) -> str:
        return self._cluster.start(checkpoint, drops_state=self._drops_state)

    def _processes(self) -> list[str]:
        """Restarts of the processes of a standalone cluster; comments where a plugin or an open change needs them."""
        if not self._cluster.is_standalone:
            return []
        of_all = self._jobmanager_restart if self._of_plugin or self._others_of_all else []
        if not self._of_processes:
            restarts = [*of_all, *self._task_manager_restarts] if of_all or self._others_of_processes else []
            return _after_hash(restarts)
        return [*([] if self._of_all else _after_hash(of_all)), *self._own_processes]

    @property
    def _own_processes(self) -> list[str]:
        """The restarts that the change itself needs."""
        if not self._of_processes or not self._cluster.is_standalone:
            return []
        return [*(self._jobmanager_restart if self._of_all else []), *self._task_manager_restarts]

    @property
    def _jobmanager_restart(self) -> list[str]:
        script = self._cluster.script("jobmanager.sh")
        if self._of_all and number_of(self._lookup, "high_availability.jobmanager_restarts"):
            return [f"{script} stop   # {say(SUPERVISED)}"]
        return jobmanager_restart(self._of_processes_before, script)

    @property
    def _task_manager_restarts(self) -> list[str]:
        return task_manager_restarts(self._of_processes_before, self._cluster.script("taskmanager.sh"))

    @property
    def _waits(self) -> bool:
        """Whether somebody has to complete the options of a process before the job can start on it."""
        return any(each.startswith(COMMENT) for each in self._own_processes)

    def _again(self, start: str) -> list[str]:
        """The restarts of processes, and the start of the job after them."""
        return [*self._processes(), *(_after_hash([start]) if self._waits else [start])]

    def _restart_of_ended(self, state: str, newest: Sequence[str]) -> _Way:
        sentences, commands = self._start_of_ended(state, newest)
        return _Way(self._said(*sentences), commands, is_listed_first=True)

    def _start_of_ended(self, state: str, newest: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
        if self._has_no_checkpoint():
            return (NOT_RUNNING_NOW, LISTED_FIRST, NO_CHECKPOINT), self._start_anew()
        start = self._start("{restart.checkpoint}")
        if state not in DELETED_WHEN_ENDED.get(str(self.value("settings.retention")), ()):
            return (NOT_RUNNING_NOW, LISTED_FIRST, *newest, FROM_LAST), self._again(start)
        if self.value("restart.last_savepoint"):
            return (LISTED_FIRST, DELETED_BUT_SAVEPOINT), self._again(self._start("{restart.last_savepoint}"))
        listing = self._cluster.checkpoint_listing
        where = f"   # {say(ON_JOBMANAGER)}" if self.value("restart.folder") else ""
        found = self._again(f"{listing} && {start}{where}" if listing else start)
        [without_state] = _after_hash([f"{self._start_anew()[-1]}   # {say(IF_DECIDED)}"])
        return (NOT_RUNNING_NOW, LISTED_FIRST, DELETED), [*found, without_state]

    @property
    def listing(self) -> str:
        """The command that shows whether the job has been started since: a second start would run it twice."""
        return self._cluster.flink("list")

    def _has_no_checkpoint(self) -> bool:
        return number_of(self._lookup, "checkpoint_progress.completed") == 0 and not self.value("restart.checkpoint")

    def _start_anew(self) -> list[str]:
        return self._again(" ".join(self._cluster.start("").replace(" -s ", " ", 1).split()))

    def _without_savepoint(self, reason: str, newest: Sequence[str]) -> _Way:
        sentences, commands = self._by_checkpoint(reason, newest)
        if self._can_wait and reason in AS_LONG_AS_THEY_FAIL:
            goes_back = self.value("checkpoint_progress.goes_back_ms") is not None and not self._has_no_checkpoint()
            later = _after_hash([self._stop_command, *self._again(self._start("<savepoint-path>"))])
            waits = later_or_now(self._lookup, goes_back=goes_back)
            return _Way((reason, *waits, *sentences[1:]), [*later, *commands], is_better_later=True)
        savepoint = self._cluster.flink(self._stop().replace("stop", "savepoint", 1))
        trial = f"{COMMENT}{savepoint} {{subject.job}} <directory-on-another-volume>   # {say(ELSEWHERE)}"
        return _Way(sentences, [*([trial] if reason in SLOW_UPLOADS else []), *commands])

    def _by_checkpoint(self, reason: str, newest: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
        cancel = [f"{self._cluster.flink('cancel')} {{subject.job}}", UNTIL_ENDED]
        if self._has_no_checkpoint():
            return self._said(reason, NO_CHECKPOINT), [*cancel, *self._start_anew()]
        start_again = self._again(self._start("{restart.checkpoint}"))
        if self.value("settings.retention") == RETAINED:
            return self._said(reason, *newest, FROM_RETAINED), [*cancel, *start_again]
        if self.value("restart.folder"):
            return self._said(reason, FROM_COPY), through_a_copy(cancel, self._again(self._start(NEWEST_OF_COPY)))
        return self._said(reason, *newest, FROM_STORAGE), [*cancel, *start_again]

    def _by_operator(self) -> _Way:
        state = self.value("restart.state")
        reason = NOT_RUNNING_NOW if state in (*ENDED, *NOT_RUNNING) else self._against_savepoint()
        waits = bool(reason) and self._of_state_backend and not self._has_no_checkpoint()
        if reason and not waits:
            mode = """'{"spec":{"job":{"upgradeMode":"last-state"}}}'"""
            is_better_later = self._can_wait and reason in AS_LONG_AS_THEY_FAIL
            sentences = (reason, *((LATER_BY_OPERATOR,) if is_better_later else ()), BY_OPERATOR_LAST_STATE)
            return _Way(sentences, [f"{self._patch} {mode}", self._edit], is_better_later=is_better_later)
        return self._suspended_by_operator(*((reason, CANONICAL) if reason else ()))

    def _suspended_by_operator(self, *sentences: str) -> _Way:
        """The way by a savepoint that the operator takes when it suspends the job."""
        suspended = """'{"spec":{"job":{"state":"suspended","upgradeMode":"savepoint"}}}'"""
        running = """'{"spec":{"job":{"state":"running"}}}'"""
        commands = [f"{self._patch} {suspended}", self._edit, f"{self._patch} {running}"]
        return _Way(sentences or (BY_OPERATOR,), commands, takes_savepoint=True)

    @property
    def _patch(self) -> str:
        return f"{self._cluster.kubectl} patch flinkdeployment {{deployment.cluster_id}} --type merge -p"

    @property
    def _edit(self) -> str:
        return f"{self._cluster.kubectl} edit flinkdeployment {{deployment.cluster_id}}"

    def _against_savepoint(self) -> str | None:
        starts_none = self._cluster.kind in (STANDALONE, None) and not self._of_processes
        return against_savepoint(self._lookup, starts_none=starts_none)

    def _has_native_format(self) -> bool:
        """Whether the job needs a savepoint in the state backend's own format, and this version supports it: RocksDB
        writes it quicker, and in the JobManager's memory it alone is as small as a checkpoint.
        """
        version = self._cluster.version
        if version is None or version < NATIVE_SINCE:
            return False
        return self._lookup("settings.state_backend") == "rocksdb" or self._lookup("settings.storage") == "jobmanager"

    def _folder(self) -> str | None:
        """The folder of the job's checkpoints as a shell path, when they are in a file system."""
        stated = self._lookup("checkpoint_progress.last_path")
        directory = stated.rpartition("/")[0] if isinstance(stated, str) else self._cluster.job_folder
        if directory is None or not directory.startswith(("file:/", "/")):
            return None
        return "/" + directory.removeprefix("file:").lstrip("/")


def _after_hash(commands: Sequence[str]) -> list[str]:
    return [each if each.startswith(COMMENT) else f"{COMMENT}{each}" for each in commands]
