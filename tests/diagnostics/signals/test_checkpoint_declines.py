"""Checkpoints that fail before their timeout: who declined them, why, and what only looks like it."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals.checkpoint_declines import measure
from tests.diagnostics.hand_made import JOB, MIDDLE, START, hand_made, line_of_jobs, needs, only

GRAPH = "000000000000000000000000000000ff"
KEY = "org.acme.Sealed.key"
OWN = {"user_frame": KEY, "thrown_in": KEY, "own_frames": f"{KEY}\norg.acme.Sealed.write"}


def record(second: float, event: str | None, message: str, **rest: Any) -> dict[str, Any]:
    told = {"ts_ms": START + int(second * 1000), "process": "jobmanager", "event": event, "message": message}
    return {**told, "job_id": JOB, **rest}


def completed(second: float, number: int) -> dict[str, Any]:
    return record(second, "jm.ckpt.completed", f"Completed checkpoint {number}", checkpoint_id=number, duration_ms=90.0)


def declined(second: float, number: int, subtask: int = 0, **rest: Any) -> list[dict[str, Any]]:
    chain = {
        "exception_class": "org.apache.flink.runtime.checkpoint.CheckpointException",
        "exception_message": "Asynchronous task checkpoint failed.",
        "root_cause_class": "java.io.IOException",
        "root_cause_message": "the key is not mounted",
        "root_cause_frame": "org.acme.Sealed.key",
        "causes": "x: Asynchronous task checkpoint failed.\njava.io.IOException: the key is not mounted",
        **OWN,
        **rest,
    }
    execution = f"{GRAPH}_{MIDDLE}_{subtask}_0"
    message = f"Decline checkpoint {number} by task {execution} of job {JOB} at tm-1 @ host (dataPort=1)."
    return [
        record(second, "jm.ckpt.trigger", f"Triggering checkpoint {number}", checkpoint_id=number),
        record(second + 0.1, "jm.ckpt.decline", message, checkpoint_id=number, task_manager="tm-1", **chain),
        record(second + 0.2, "jm.ckpt.failed", f"Failed to complete {number}", checkpoint_id=number, **chain),
    ]


def test_declines_come_with_operator_exception_and_own_frame() -> None:
    log = [completed(1, 1), *declined(10, 2), *declined(20, 3, subtask=1), completed(30, 4)]
    facts = only(measure(hand_made(**line_of_jobs(), log_record=log)), "checkpoint_declines").facts
    assert (facts["failures"], facts["ids"], facts["reasons"]) == (2, [2, 3], ["asynchronous part failed (2)"])
    assert (facts["vertex"], facts["subtasks"], facts["task_managers"]) == ("enrich", [0, 1], ["tm-1"])
    assert (facts["said"], facts["origin"]) == ("IOException: the key is not mounted", "own_code")
    assert facts["own_frames"] == ["org.acme.Sealed.key", "org.acme.Sealed.write"]
    assert (facts["first_id"], facts["last_good_id"], facts["completed_after"]) == (2, 1, 1)
    assert facts["longest_ms"] == pytest.approx(200, abs=101)


@pytest.mark.parametrize(
    ("thrown", "refuses"),
    [
        ({}, True),
        ({"root_cause_class": "java.lang.NullPointerException"}, False),
        ({"root_cause_frame": "java.nio.file.Files.newByteChannel"}, False),
    ],
)
def test_own_code_that_throws_with_a_message_of_its_own_refuses_on_purpose(
    thrown: dict[str, str], refuses: bool
) -> None:
    log = [completed(1, 1), *declined(10, 2, **thrown)]
    facts = only(measure(hand_made(**line_of_jobs(), log_record=log)), "checkpoint_declines").facts
    assert facts["refuses"] is refuses


def test_the_operator_is_known_without_rest_from_the_states_of_its_executions() -> None:
    attempt = f"{GRAPH}_{MIDDLE}_0_0"
    switched = f"enrich (1/2) ({attempt}) switched from DEPLOYING to INITIALIZING."
    state = {"vertex": "enrich", "subtask": 0, "state_to": "INITIALIZING", "execution": attempt}
    log = [record(1, "task.state", switched, **state), *declined(10, 2)]
    facts = only(measure(hand_made(log_record=log)), "checkpoint_declines").facts
    assert (facts["vertex"], facts["subtasks"]) == ("enrich", [0])


def test_the_failure_of_the_job_is_counted_apart() -> None:
    text = "Exceeded checkpoint tolerable failure threshold. The latest checkpoint failed due to Asynchronous task"
    threshold = {"exception_message": text, "causes": f"FlinkRuntimeException: {text}"}
    log = [
        *declined(10, 2),
        record(11, None, "Trying to recover from a global failure.", **threshold),
        record(11.1, "job.state", f"Job orders ({JOB}) switched from state RUNNING to RESTARTING.", **threshold),
    ]
    facts = only(measure(hand_made(log_record=log)), "checkpoint_declines").facts
    assert (facts["failures"], facts["thresholds"]) == (1, 1)


def test_a_state_that_outgrew_its_storage_is_not_over_when_smaller_ones_are_stored_again() -> None:
    """After a restart the state was 4 kB below the limit, and the next growth fails again."""
    text = "Size of the state is larger than the maximum permitted memory-backed state. Size=2, maxSize=1"
    outgrown = {"root_cause_message": text, "causes": f"java.io.IOException: {text}", **dict.fromkeys(OWN)}
    after = [completed(10 + 10 * number, 2 + number) for number in range(1, 30)]

    other, limit = (
        only(measure(hand_made(log_record=[completed(1, 1), *failed, *after])), "checkpoint_declines").facts
        for failed in (declined(10, 2), declined(10, 2, **outgrown))
    )

    assert (other["origin"], "ended_ms" in other) == ("own_code", True)
    assert (limit["origin"], "ended_ms" in limit) == ("state_limit", False)


def test_rest_alone_gives_the_reason_and_asks_for_the_log() -> None:
    failed = {"job_id": JOB, "status": "FAILED", "failure_message": "Asynchronous task checkpoint failed."}
    rows = [{**failed, "checkpoint_id": number, "trigger_ms": START, "failure_ms": START + 50} for number in (5, 6, 7)]
    parts = [
        {"job_id": JOB, "checkpoint_id": number, "vertex_id": MIDDLE, "subtask": 0, "status": "pending_or_failed"}
        for number in (5, 6, 7)
    ]
    measured = list(measure(hand_made(**line_of_jobs(), checkpoint=rows, subtask_checkpoint=parts)))
    facts = only(measured, "checkpoint_declines").facts
    assert (facts["failures"], facts["unacknowledged"], "exception" in facts) == (3, ["enrich"], False)
    assert needs(measured) == {"checkpoint_declines": "jobmanager-log"}


def test_a_task_that_fails_in_its_synchronous_part_is_identified_by_its_own_failure() -> None:
    failed = record(
        5,
        "task.failed.jm",
        "enrich (1/2) (x) switched from RUNNING to FAILED on tm-1 @ host.",
        vertex="enrich",
        subtask=0,
        exception_class="java.io.IOException",
        exception_message="Could not perform checkpoint 7 for operator enrich (1/2)#0.",
        root_cause_class="java.lang.NullPointerException",
        root_cause_frame="org.acme.Buffer.flush",
        user_frame="org.acme.Buffer.flush",
        causes="java.io.IOException: Could not perform checkpoint 7 for operator enrich (1/2)#0.\nNullPointerException",
    )
    facts = only(measure(hand_made(log_record=[failed])), "checkpoint_declines").facts
    assert (facts["ids"], facts["synchronous"], facts["vertex"]) == ([7], 1, "enrich")


def test_triggers_before_all_tasks_ran_are_harmless() -> None:
    reason = "Checkpoint triggering task enrich (1/2) is not being executed at the moment. Aborting checkpoint."
    log = [record(second, "jm.ckpt.preflight_failed", "Failed", reason=reason) for second in (1, 6)]
    log += [
        record(0, "task.state", "x", vertex="enrich", subtask=0, state_to="INITIALIZING"),
        record(12, "task.state", "x", vertex="enrich", subtask=0, state_to="RUNNING"),
        completed(20, 1),
    ]
    facts = only(measure(hand_made(log_record=log)), "checkpoint_declines").facts
    assert (facts["failures"], facts["not_ready"]) == (0, 2)
    assert (facts["slowest_start_vertex"], facts["slowest_start_ms"]) == ("enrich", 12_000)


def test_refusals_because_tasks_have_finished_are_no_early_triggers() -> None:
    text = f"Checkpoint triggering task Source: a (1/1) of job {JOB} is not in state RUNNING but FINISHED instead."
    log = [completed(1, 1)] + [record(second, "jm.ckpt.task_not_running", text) for second in (10, 20, 30)]
    facts = only(measure(hand_made(log_record=log)), "checkpoint_declines").facts
    assert (facts["finished_refusals"], facts["finished_is_last"], facts["not_ready"]) == (3, True, 0)


def test_a_trigger_that_failed_before_it_had_a_number_is_a_failure_each_time() -> None:
    text = "Failed to trigger checkpoint for job {} ({} consecutive failed attempts so far)."
    chain = {"exception_class": "java.io.IOException", "exception_message": "Mkdirs failed to create /ckpt/a"}
    log = [completed(1, 1)]
    log += [
        record(10 * each, "jm.ckpt.trigger_failed.v110", text.format(JOB, each), causes="Mkdirs failed", **chain)
        for each in (1, 2, 3)
    ]
    facts = only(measure(hand_made(log_record=log)), "checkpoint_declines").facts
    assert (facts["failures"], facts["reasons"]) == (3, ["could not be triggered (3)"])
    assert (facts["origin"], facts["said"]) == ("storage", "IOException: Mkdirs failed to create /ckpt/a")


@pytest.mark.parametrize(("times", "failures"), [(2, 0), (3, 3)])
def test_cancelled_triggers_are_failures_where_they_come_again_and_again(times: int, failures: int) -> None:
    text = f"Failed to trigger checkpoint for job {JOB} (0 consecutive failed attempts so far)."
    chain = {"exception_class": "java.util.concurrent.CancellationException", "causes": "CancellationException"}
    log = [record(10 * each, "jm.ckpt.trigger_failed.v110", text, **chain) for each in range(1, times + 1)]
    facts = only(measure(hand_made(log_record=[completed(1, 1), *log])), "checkpoint_declines").facts
    assert facts["failures"] == failures


def test_triggers_that_wait_for_the_minimum_pause_are_neither_refused_nor_failed() -> None:
    reason = (
        "The minimum time between checkpoints is still pending. Checkpoint will be triggered after the minimum time."
    )
    log = [record(each, "jm.ckpt.preflight_failed", "Failed", reason=reason) for each in (1, 6, 9)]
    facts = only(measure(hand_made(log_record=log)), "checkpoint_declines").facts
    assert (facts["waiting"], facts["refused"], facts["failures"]) == (3, 0, 0)


def test_triggers_refused_for_their_storage_are_counted_with_the_last_reason() -> None:
    reason = "An Exception occurred while triggering the checkpoint. IO-problem detected."
    log = [completed(1, 1), *(record(each, "jm.ckpt.preflight_failed", "x", reason=reason) for each in (10, 20, 30))]
    facts = only(measure(hand_made(log_record=log)), "checkpoint_declines").facts
    assert (facts["refused"], facts["refused_reason"], facts["refused_is_last"]) == (3, reason, True)


def test_a_job_that_ends_refuses_no_trigger() -> None:
    log = [record(5, "jm.ckpt.preflight_failed", "x", reason="Periodic checkpoint scheduler is shut down.")]
    facts = only(measure(hand_made(log_record=log)), "checkpoint_declines").facts
    assert (facts["refused"], facts["waiting"]) == (0, 0)


def test_a_task_that_was_not_ready_in_1_8_declined_without_a_failure() -> None:
    chain = {
        "exception_class": "org.apache.flink.runtime.checkpoint.decline.CheckpointDeclineTaskNotReadyException",
        "exception_message": "Task enrich (1/2) was not running",
        "causes": "CheckpointDeclineTaskNotReadyException: Task enrich (1/2) was not running",
    }
    log = [record(5, "jm.ckpt.discarding.v110", f"Discarding checkpoint 4 of job {JOB}.", checkpoint_id=4, **chain)]
    facts = only(measure(hand_made(log_record=log)), "checkpoint_declines").facts
    assert (facts["declined_not_ready"], facts["failures"]) == (1, 0)


def test_an_expiry_and_what_follows_from_something_else_is_no_decline() -> None:
    chain = {"exception_class": "x.CheckpointException", "exception_message": "Checkpoint expired before completing."}
    log = [
        record(1, "jm.ckpt.expired", "Checkpoint 1 expired", checkpoint_id=1),
        record(
            1, "jm.ckpt.failed", "Failed", checkpoint_id=1, causes="x: Checkpoint expired before completing.", **chain
        ),
        record(
            2,
            "tm.ckpt.async.failed",
            "enrich (1/2)#0 - asynchronous part of checkpoint 2 could not be completed.",
            checkpoint_id=2,
            exception_class="java.util.concurrent.CancellationException",
        ),
        record(3, "jm.ckpt.failed", "Failed", checkpoint_id=3, causes="x: Checkpoint Coordinator is suspending."),
    ]
    facts = only(measure(hand_made(log_record=log)), "checkpoint_declines").facts
    assert facts["failures"] == 0


def test_a_snapshot_in_a_task_that_is_being_closed_is_no_decline() -> None:
    closed = {"root_cause_message": "Cannot register Closeable, registry is already closed. Closing argument."}
    closed["causes"] = f"x: Asynchronous task checkpoint failed.\njava.io.IOException: {closed['root_cause_message']}"
    log = [completed(1, 1), *declined(10, 2, **closed)]
    facts = only(measure(hand_made(**line_of_jobs(), log_record=log)), "checkpoint_declines").facts
    assert (facts["failures"], facts["consequences"]) == (0, 1)


def test_nothing_is_measured_without_logs_and_checkpoints() -> None:
    assert needs(measure(hand_made())) == {"checkpoint_declines": "jobmanager-log"}


WRAPPED = {
    "root_cause_class": None,
    "root_cause_message": None,
    "root_cause_frame": None,
    "user_frame": None,
    "thrown_in": None,
    "own_frames": None,
}


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("Checkpoint was declined (Barrier alignment timed out)", "alignment limit"),
        ("Checkpoint was declined (task's operators partially closed)", "closing"),
        ("Asynchronous task checkpoint failed.", None),
    ],
)
def test_flinks_own_exception_is_no_cause_and_some_reasons_have_none(reason: str, kind: str | None) -> None:
    stated = {**WRAPPED, "exception_message": f"Failure reason: {reason}", "causes": f"Failure reason: {reason}"}
    log = [completed(1, 1), *declined(10, 2, **stated), *declined(20, 3, **stated)]
    measured = list(measure(hand_made(**line_of_jobs(), log_record=log)))
    facts = only(measured, "checkpoint_declines").facts
    assert facts["failures"] == 2
    assert "exception" not in facts
    assert facts.get("whole_reason") == kind
    assert ("checkpoint_declines" in needs(measured)) == (kind is None)


def test_a_decline_with_a_reason_of_another_release_counts() -> None:
    stated = {**WRAPPED, "exception_message": "Failure reason: a new one", "causes": "Failure reason: a new one"}
    log = [completed(1, 1), *declined(10, 2, **stated)]
    facts = only(measure(hand_made(**line_of_jobs(), log_record=log)), "checkpoint_declines").facts
    assert (facts["failures"], facts["reasons"]) == (1, ["a reason that is not known (1)"])


def test_what_only_follows_states_why_it_did() -> None:
    text = "Failure reason: Checkpoint was canceled because a barrier from newer checkpoint was received."
    stated = {**WRAPPED, "exception_message": text, "causes": text}
    log = [completed(1, 1), *declined(10, 2, **stated), *declined(20, 3, **stated)]
    facts = only(measure(hand_made(**line_of_jobs(), log_record=log)), "checkpoint_declines").facts
    assert (facts["failures"], facts["consequences"], facts["overtaken"]) == (0, 2, 2)
    assert facts["consequence_reasons"] == ["overtaken by a newer checkpoint (2)"]


def test_a_trigger_that_failed_tells_its_exception_in_its_reason() -> None:
    said = "Invocation of [RemoteRpcInvocation(TaskExecutorGateway.triggerCheckpoint(x))] at recipient [y] timed out."
    reason = f"java.util.concurrent.CompletionException: java.util.concurrent.TimeoutException: {said}"
    text = f"Triggering Checkpoint 2 for job {JOB} failed due to {reason}"
    failed = record(10, "jm.ckpt.triggering_failed", text, checkpoint_id=2, job_id=JOB, reason=reason)
    facts = only(measure(hand_made(log_record=[completed(1, 1), failed])), "checkpoint_declines").facts
    assert (facts["ids"], facts["exception"], facts["only_untriggered"]) == ([2], "TimeoutException", True)
    assert said.startswith(facts["message"][:40])


@pytest.mark.parametrize(
    ("silence", "address"),
    [
        (
            "Invocation of [RemoteRpcInvocation(TaskExecutorGateway.triggerCheckpoint(ExecutionAttemptID, long, long, "
            "CheckpointOptions))] at recipient [pekko.tcp://flink@10.0.0.7:37923/user/rpc/taskmanager_0] timed out.",
            "10.0.0.7:37923",
        ),
        (
            "Ask timed out on [Actor[akka.tcp://flink@worker-3:40123/user/taskmanager_0#-680102764]] after [10000 ms].",
            "worker-3:40123",
        ),
        ("Ask timed out on [Actor[akka.tcp://flink@master:6123/user/rpc/dispatcher_0#-1]] after [10000 ms].", None),
    ],
)
def test_a_trigger_that_a_task_manager_does_not_answer_names_it(silence: str, address: str | None) -> None:
    chain = {
        "exception_class": "org.apache.flink.runtime.checkpoint.CheckpointException",
        "exception_message": "Trigger checkpoint failure.",
        "root_cause_class": "java.util.concurrent.TimeoutException",
        "root_cause_message": silence,
        "causes": f"x: Trigger checkpoint failure.\njava.util.concurrent.TimeoutException: {silence}",
    }
    log = [completed(1, 1), record(20, "jm.ckpt.failed", "Failed to trigger checkpoint 2", checkpoint_id=2, **chain)]
    facts = only(measure(hand_made(**line_of_jobs(), log_record=log)), "checkpoint_declines").facts
    assert (facts["unanswered"], facts.get("unanswered_by")) == ((1, [address]) if address else (0, None))


def test_the_task_for_which_a_trigger_was_refused_is_named_with_its_state() -> None:
    said = (
        f"Checkpoint triggering task Source: orders (1/2) of job {JOB} is not in state RUNNING but SCHEDULED instead."
    )
    log = [record(second, "jm.ckpt.task_not_running", f"{said} Aborting checkpoint.") for second in (1, 2, 3)]
    facts = only(measure(hand_made(log_record=log)), "checkpoint_declines").facts
    assert (facts["not_ready_task"], facts["not_ready_state"]) == ("Source: orders (1/2)", "SCHEDULED")
