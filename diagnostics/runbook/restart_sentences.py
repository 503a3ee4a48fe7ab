"""What a step that restarts the job says about the way to stop and to start it; each before the next one."""

from __future__ import annotations

from collections.abc import Sequence

from diagnostics.evidence.subject import Lookup
from diagnostics.language import joined_sentences, reads_chinese, say, to_say

SAVEPOINT = to_say(
    "The job restarts. Stop it with a savepoint, make the change, and start it from the savepoint, whose path the "
    "stop command prints:"
)
NEW_CODE = to_say(
    "The job's code changes: build the new JAR or image before the job is stopped, so that it is down only for the "
    "exchange."
)
OVERWRITTEN = to_say(
    "The start repeats the job's arguments, and {restart.paths|list} [is a path|are paths]. Where the job writes "
    "there, it may overwrite what it wrote before."
)
COPIED = to_say("The commands copy what is there before the start; leave the copy out where the job only reads.")
COPY_FIRST = to_say("Copy what is there before the start.")
ON_HOST = to_say("on {host}")
ON_TASK_MANAGERS = to_say("on each TaskManager's host")
ELSEWHERE = to_say("a trial, if there is a faster volume; if it completes, start from its path")
"""Comments behind commands."""
MEMORY_LIMIT = to_say(
    "The savepoint passes through the JobManager's memory like the checkpoints, which refuses more than 5 MiB of one "
    "subtask. While the state is larger the stop fails, and with it the job, whatever number of failed checkpoints is "
    "tolerated: the restart strategy starts it again from its last completed checkpoint, if it has a restart left. Try "
    "it again when the state is smaller, or cancel the job and start it without its state."
)
"""Sources: Flink's MemoryBackendCheckpointStorageAccess, resolveCheckpointStorageLocation; CheckpointFailureManager,
handleTaskLevelCheckpointException, of a savepoint that stops the job."""
MEMORY_LIMIT_NEAR = to_say(
    "The savepoint passes through the JobManager's memory like the checkpoints, which takes at most "
    "{state_limit.limit_bytes|memory} of one subtask. In checkpoint {state_limit.last_id} the largest was "
    "{state_limit.room_bytes|bytes} below that: stop the job before its state grows by as much. If the savepoint is "
    "refused for its size, the stop fails, and with it the job, whatever number of failed checkpoints is tolerated: "
    "the restart strategy starts it again from its last completed checkpoint, if it has a restart left. Try it again "
    "when the state is smaller, or cancel the job and start it without its state."
)
IN_NATIVE_FORMAT = to_say(
    "In native format the savepoint is as large as a checkpoint; the canonical format would write some bytes more for "
    "each entry."
)
"""Source: Flink's FullSnapshotAsyncWriter, writeKeyValuePair, against CopyOnWriteStateMapSnapshot, writeState."""
TOO_SLOW = to_say(
    "Do not stop this job with a savepoint. A savepoint writes the whole state and has to finish within the "
    "checkpoint timeout of {settings.timeout_ms|duration}; {checkpoint_sizes.max_state_bytes|bytes} at the "
    "measured {checkpoint_sizes.bytes_per_s_max|bytes} per second need {restart.savepoint_ms|duration}, which "
    "leaves too little room."
    " If there is another, faster volume, take a savepoint to it for a trial first, while the job runs on."
)
TOO_SLOW_SEEN = to_say(
    "Do not stop this job with a savepoint. A savepoint writes the whole state and has to finish within the "
    "checkpoint timeout of {settings.timeout_ms|duration}; {checkpoint_phases.largest_upload_bytes|bytes} took "
    "{checkpoint_phases.largest_upload_ms|duration} in checkpoint {checkpoint_phases.largest_upload_id}, which leaves "
    "too little room."
    " If there is another, faster volume, take a savepoint to it for a trial first, while the job runs on."
)
TOO_LONG = to_say(
    "Do not stop this job with a savepoint. A savepoint writes the whole state and has to finish within the "
    "checkpoint timeout of {settings.timeout_ms|duration}; {checkpoint_sizes.max_state_bytes|bytes} at the "
    "measured {checkpoint_sizes.bytes_per_s_max|bytes} per second need {restart.savepoint_ms|duration}, so that it "
    "would expire."
    " If there is another, faster volume, take a savepoint to it for a trial first, while the job runs on."
)
TOO_LONG_SEEN = to_say(
    "Do not stop this job with a savepoint. A savepoint writes the whole state and has to finish within the "
    "checkpoint timeout of {settings.timeout_ms|duration}; {checkpoint_phases.largest_upload_bytes|bytes} took "
    "{checkpoint_phases.largest_upload_ms|duration} in checkpoint {checkpoint_phases.largest_upload_id}, so that it "
    "would expire."
    " If there is another, faster volume, take a savepoint to it for a trial first, while the job runs on."
)
SLOW_UPLOADS = (TOO_SLOW, TOO_SLOW_SEEN, TOO_LONG, TOO_LONG_SEEN)
"""Reasons against a savepoint that do not hold on a faster volume."""
BARRIERS_TOO_LONG = to_say(
    "Do not stop this job with a savepoint while it is back-pressured. Its barriers wait behind records like those of "
    "checkpoints, and all subtasks acknowledged checkpoint {checkpoint_phases.late_complete_id} only "
    "{checkpoint_phases.late_complete_ms|duration} after its trigger: within the timeout of "
    "{settings.timeout_ms|duration} a savepoint would expire."
)
TRIAL = to_say(
    "A savepoint writes the whole state and has to finish within the checkpoint timeout of "
    "{settings.timeout_ms|duration}. {checkpoint_sizes.max_state_bytes|bytes} need {restart.savepoint_ms|duration} at "
    "the fastest upload that was measured, {checkpoint_sizes.bytes_per_s_max|bytes} per second, but "
    "{restart.slow_savepoint_ms|duration} at the slowest, {restart.slow_bytes_per_s|bytes} per second. Take a "
    "savepoint for a trial first, while the job runs on; stop the job only when it has completed:"
)
CANONICAL = to_say(
    "A checkpoint cannot be restored by another state backend. Leave this change until the job runs and its "
    "checkpoints complete; then stop it with a savepoint in canonical format, make the change, and start it from the "
    "savepoint:"
)
BARRIERS = to_say(
    "Do not stop this job with a savepoint while it is back-pressured. Its barriers wait behind records like those of "
    "checkpoints, the longest of which took {checkpoint_progress.max_duration_ms|duration}; the timeout of "
    "{settings.timeout_ms|duration} leaves too little room."
)
WITHOUT_TASK_MANAGERS = to_say("No TaskManager is registered, so no savepoint can be taken.")
TASK_MANAGERS_FIRST = to_say(
    "No TaskManager is registered, so no savepoint can be taken, and a job that is started now finds no slots. Make "
    "this change in the restart that starts the TaskManagers again: the plan on the page of the case and the runbook "
    "of its root cause have the commands. Alone it can wait until the job runs again."
)
SUBMITTED_ANEW = to_say(
    "No TaskManager is registered, so no savepoint can be taken. The restart that starts the TaskManagers again "
    "does not "
    "bring {restart.job_options|list} into effect: high availability recovers the job with the options that it was "
    "submitted with. Write the change into the file, and submit the job anew at a planned time, when it completes "
    "checkpoints again: the commands after `#` stop it with a savepoint and start it from that, whose path the stop "
    "command prints."
)
BY_HIGH_AVAILABILITY = to_say(
    "High availability is on: make the change and restart the JobManagers and TaskManagers. The job recovers from its "
    "last checkpoint by itself, without a savepoint and without another start:"
)
STARTED_WITH_IT = to_say(
    "No TaskManager was registered at the end of the evidence: where TaskManagers were started with this change since, "
    "leave out their restart."
)
KEPT_BY_RECOVERY = to_say(
    "A recovered job keeps the options that it was submitted with: {restart.job_options|list} will take effect only "
    "when the job is submitted anew."
)
FAILING = to_say(
    "A savepoint would probably fail, as the last {checkpoint_progress.consecutive_failed} "
    "[checkpoint|checkpoints] did: it has the same timeout and passes through the same tasks."
)
LATER = to_say(
    "If this change can wait, make it when checkpoints complete well within the timeout again: the first lines, after "
    "`#`, then stop the job with a savepoint, after which nothing is repeated."
)
LATER_THAN_NOTHING = to_say(
    "If this change can wait, make it when checkpoints complete: the first lines, after `#`, then stop the job with a "
    "savepoint, which keeps all of its state. If it cannot wait, use the lines below them."
)
NOW_REPEATS = to_say(
    "If it cannot wait, use the lines below them: the work of the last {checkpoint_progress.goes_back_ms|duration} or "
    "more is repeated then."
)
NOW_LOSES = to_say(
    "If it cannot wait, use the lines below them: what came in the last {checkpoint_progress.goes_back_ms|duration} or "
    "more is lost then, because the source keeps no position in checkpoints."
)
NOW_GOES_BACK = to_say(
    "If it cannot wait, use the lines below them: the state is taken back {checkpoint_progress.goes_back_ms|duration} "
    "or more then, and the source, which makes its records itself, begins anew."
)
NOW = to_say(
    "If it cannot wait, use the lines below them: the work of the last {checkpoint_progress.goes_back_ms|duration} or "
    "more is repeated then, or lost where the source cannot be read again."
)
NOW_BY_SOURCE = {"at most once": NOW_LOSES, "at least once": NOW, "exactly once": NOW_REPEATS}
"""What `delivery_guarantee.source` is -> what a restart from the last checkpoint costs; NOW where it is not known."""
LATER_BY_OPERATOR = to_say(
    "If this change can wait, make it when checkpoints complete well within the timeout again: with the upgrade mode "
    "savepoint nothing is repeated then."
)
AS_LONG_AS_THEY_FAIL = (FAILING, BARRIERS, BARRIERS_TOO_LONG)
"""Reasons against a savepoint that are over when checkpoints complete well within the timeout again; behind records
that are held back they may complete now, but only just."""
NO_CHECKPOINT = to_say(
    "No checkpoint of this job has completed, so there is no state to start from: make the change and start the job "
    "without one:"
)
FROM_RETAINED = to_say(
    "Cancel the job, wait until it has ended, make the change, and start it from its last completed checkpoint, which "
    "is kept after a cancellation:"
)
FROM_COPY = to_say(
    "Make the change before you run the commands: the running job does not read it. Flink deletes the checkpoints of "
    "this job when it is cancelled. Copy them first (as hard links, which writes no data), cancel the job, wait until "
    "it has ended, put the copy back, and start the job from the newest checkpoint of the copy. Without a checkpoint "
    "in the copy the commands do not cancel the job. The last line, behind `#`, removes the copy and what was put "
    "back: run it when the started job has completed a checkpoint of its own:"
)
FROM_STORAGE = to_say(
    "Flink deletes the checkpoints of this job when it is cancelled. Copy the directory of the last completed "
    "checkpoint and the directories `shared` and `taskowned` beside it with the storage's own client, cancel the "
    "job, wait until it has ended, put them back, make the change, and start the job:"
)
NEWEST = to_say(
    "The path is that of the newest completed checkpoint in this evidence; take a newer one if there is one."
)
NOT_RUNNING_NOW = to_say("The job was {restart.state} when last seen, so no savepoint can be taken.")
LISTED_FIRST = to_say(
    "The first command lists the jobs that run. Go on only when this job is not among them: where an earlier step or "
    "somebody else has started it, stop it with a savepoint first, and start it from that."
)
FROM_LAST = to_say("Make the change, and start the job from its last completed checkpoint:")
DELETED = to_say(
    "With the retention {settings.retention} Flink deletes the job's checkpoints when it ends: expect this one to be "
    "gone, and with it all that the state held since the job was started. The job starts only where the listing finds "
    "the checkpoint; one that fails for another reason (wrong host, no permission) does not show that it is gone. The "
    "start without state is written after `#`; run it only when somebody has decided so. Make the change, and start "
    "the job from the checkpoint, if it is there:"
)
DELETED_BUT_SAVEPOINT = to_say(
    "With the retention {settings.retention} Flink deletes the job's checkpoints when it ends: make the change, and "
    "start the job from its last savepoint:"
)
PROCESSES = to_say("The change is one of the processes: restart them while the job is stopped.")
OPTIONS_UNKNOWN = to_say(
    "The logs show that processes were started with options (-D) or JVM options of their own, but not which one had "
    "which: complete the starts after `#` with them, and start the job when all processes run."
)
REACHED_NOW = to_say(
    "The savepoint goes to a directory that the running processes reach: not to that object store while they lack its "
    "file system."
)
REACHED_BY_JOBMANAGER = to_say(
    "The JobManager alone writes the savepoint, as one file: a directory of its host will do, but not that object "
    "store while the JobManager lacks its file system."
)
"""Source: Flink's MemoryBackendCheckpointStorageAccess, createSavepointLocation."""
PLUGIN = to_say(
    "The file system of an object store is a plugin, which a process loads only when it starts. If this cluster has "
    "none, put it into a folder of its own in plugins/ of every process and restart the processes while the job is "
    "stopped, which stops every job of the cluster: the commands after `#`."
)
OTHER_PROCESSES = to_say(
    "The commands after `#` restart processes of Flink, which read their settings only when they start. Run them, "
    "while the job is stopped, only if you make a change that is not decided here: an alternative, or one that waits "
    "for an answer."
)
ON_JOBMANAGER = to_say("on the JobManager's host")
SUPERVISED = to_say(
    "on the JobManager's host; it was started again by itself before: run `start` only if it stays away"
)
ON_JOBMANAGER_AGAIN = to_say("on the JobManager's host, with the arguments (-D) and JVM options that it had")
ON_TASK_MANAGERS_AGAIN = to_say("on each TaskManager's host, with the arguments (-D) and JVM options that each had")
STOPS_ALL = to_say(
    "stop-all also ends TaskManagers of other clusters that this user runs there: if there are any, "
    "stop this cluster's by their process ids"
)
FOR_EACH = to_say("there, once for each of its TaskManagers, with the arguments (-D) and JVM options that it had")
KEEPS_GC_LOG = to_say("{place}: keeps the GC log, which the new process begins anew")
IF_DECIDED = to_say("gives up the state: only when somebody has decided so")
"""Comments behind commands."""
BY_OPERATOR = to_say(
    "The operator restarts the job with the change. Suspend it with a savepoint, make the change in the "
    "FlinkDeployment, and let it run again; the operator starts it from the savepoint:"
)
BY_OPERATOR_LAST_STATE = to_say(
    "Let the operator restart it from the last checkpoint (upgrade mode last-state, which needs high availability): "
    "make the change in the FlinkDeployment:"
)

FULL_WIDTH_COLON = "\uff1a"


def about_plugin(value: Lookup, *, saves: bool) -> Sequence[str]:
    """What the file system of an object store asks for; a savepoint is taken before the processes can have loaded it.

    saves  whether the job is stopped with a savepoint; where its directory is stated, the processes reach it
    """
    if not saves or value("restart.savepoints"):
        return (PLUGIN,)
    return (REACHED_BY_JOBMANAGER if value("settings.storage") == "jobmanager" else REACHED_NOW, PLUGIN)


def later_or_now(lookup: Lookup, *, goes_back: bool) -> Sequence[str]:
    """When a change is better made, and what it costs now.

    goes_back  whether a completed checkpoint is known, and how old it is
    """
    if not goes_back:
        return (LATER_THAN_NOTHING,)
    source = lookup("delivery_guarantee.source")
    now = NOW_BY_SOURCE.get(str(source), NOW)
    return LATER, NOW_GOES_BACK if now == NOW_LOSES and lookup("job_code.makes_records") is True else now


def text_before_commands(sentences: Sequence[str]) -> str:
    """The sentences in the reader's language; only the last one leads to the commands by a colon."""
    *before, last = map(say, sentences)
    return joined_sentences([*map(_closed, before), last])


def _closed(sentence: str) -> str:
    if not sentence.endswith((":", FULL_WIDTH_COLON)):
        return sentence
    return sentence[:-1] + ("。" if reads_chinese() else ".")
