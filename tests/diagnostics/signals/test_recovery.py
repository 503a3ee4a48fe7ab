"""How long a job needed to run again after a failure."""

from __future__ import annotations

from typing import Any

from diagnostics.signals import recovery
from tests.diagnostics.hand_made import JOB, START, hand_made, line_of_jobs, needs, only

OTHER = "f" * 32


def switched(second: float, before: str, after: str, job: str = JOB) -> dict[str, Any]:
    message = f"Job orders ({job}) switched from state {before} to {after}."
    return {
        "ts_ms": START + round(second * 1000),
        "level": "INFO",
        "process": "jobmanager",
        "message": message,
        "event": "job.state",
        "job_id": job,
        "state_from": before,
        "state_to": after,
    }


def task(second: float, before: str, after: str, subtask: int = 0, vertex: str = "enrich") -> dict[str, Any]:
    return {
        "ts_ms": START + round(second * 1000),
        "level": "INFO",
        "process": "taskmanager",
        "message": f"{vertex} ({subtask + 1}/2)#1 switched from {before} to {after}.",
        "event": "task.state",
        "job_id": JOB,
        "vertex": vertex,
        "subtask": subtask,
        "state_from": before,
        "state_to": after,
    }


FAILURE = (switched(10, "RUNNING", "RESTARTING"), switched(22, "RESTARTING", "RUNNING"))


def facts(*records: dict[str, Any]) -> Any:
    return only(recovery.measure(hand_made(log_record=list(records))), "recovery").facts


def test_a_recovery_lasts_from_the_end_of_running_until_the_job_runs_again_s121() -> None:
    found = facts(
        *FAILURE,
        switched(100, "RUNNING", "FAILING"),
        switched(104, "FAILING", "RESTARTING"),
        switched(130, "RESTARTING", "RUNNING"),
    )

    assert (found["recoveries"], found["durations_ms"]) == (2, [12_000.0, 30_000.0])
    assert (found["median_ms"], found["longest_ms"]) == (21_000.0, 30_000.0)


def restored(second: float, taken: float) -> dict[str, Any]:
    text = (
        f"Restoring job {JOB} from Checkpoint 13 @ {START + round(taken * 1000)} for {JOB} located at file:/c/chk-13."
    )
    return {
        "ts_ms": START + round(second * 1000),
        "level": "INFO",
        "process": "jobmanager",
        "message": text,
        "event": "jm.ckpt.restore_from",
        "job_id": JOB,
    }


def test_what_came_since_the_restored_checkpoint_counts_once_over_all_restarts() -> None:
    again = (switched(30, "RUNNING", "RESTARTING"), switched(42, "RESTARTING", "RUNNING"))
    found = facts(*FAILURE, restored(14, taken=5), *again, restored(34, taken=5))
    assert (found["undone_ms"], found["undone_from_ms"], found["undone_to_ms"]) == (
        37_000,
        START + 5_000,
        START + 42_000,
    )
    assert "undone_ms" not in facts(*FAILURE)


def test_a_restore_is_logged_just_after_the_job_runs_again() -> None:
    again = (switched(30, "RUNNING", "RESTARTING"), switched(42, "RESTARTING", "RUNNING"))
    found = facts(*FAILURE, restored(22.1, taken=5), *again, restored(42.1, taken=25))
    assert (found["undone_ms"], found["undone_from_ms"]) == (34_000, START + 5_000)


def test_what_a_source_reads_while_the_tasks_behind_it_start_is_not_lost() -> None:
    """It waits in the buffers, and is processed once they run: the gap ends when the sources run again."""
    starts = [
        each
        for subtask, reads, runs in ((0, 22.2, 33.5), (1, 22.4, 34.9))
        for each in (
            task(22.1, "DEPLOYING", "INITIALIZING", subtask, "Source: orders"),
            task(reads, "INITIALIZING", "RUNNING", subtask, "Source: orders"),
            task(22.1, "DEPLOYING", "INITIALIZING", subtask),
            task(runs, "INITIALIZING", "RUNNING", subtask),
        )
    ]
    found = facts(*FAILURE, restored(22, taken=5), *starts)
    assert (found["undone_ms"], found["undone_to_ms"]) == (17_400, START + 22_400)
    assert (found["unread_longest_ms"], found["longest_ms"]) == (12_400, 24_900)

    graph = line_of_jobs()
    named = [{**each, "vertex": "table scan"} if each.get("vertex") == "Source: orders" else each for each in starts]
    vertices = [{**each, "name": name} for each, name in zip(graph["vertex"], ("table scan", "enrich"), strict=False)]
    evidence = hand_made(**{**graph, "vertex": vertices}, log_record=[*FAILURE, restored(22, taken=5), *named])
    assert only(recovery.measure(evidence), "recovery").facts["undone_ms"] == 17_400, "the job graph tells the source"


def test_restoring_the_state_of_the_last_subtask_belongs_to_it() -> None:
    restoring = [task(22.5, "DEPLOYING", "INITIALIZING", n) for n in (0, 1)]
    running = [task(24, "INITIALIZING", "RUNNING", 0), task(40, "INITIALIZING", "RUNNING", 1)]

    found = facts(*FAILURE, *restoring, *running)

    assert found["durations_ms"] == [30_000.0]
    assert found["restore_median_ms"] == 18_000.0


def test_a_job_that_never_ran_again_has_no_recovery() -> None:
    log = [switched(10, "RUNNING", "FAILING"), switched(11, "FAILING", "FAILED"), switched(60, "CREATED", "RUNNING")]
    assert list(recovery.measure(hand_made(log_record=log))) == []
    assert needs(recovery.measure(hand_made())) == {"recovery": "jobmanager-log"}


def test_each_job_has_its_own() -> None:
    other = [switched(11, "RUNNING", "RESTARTING", OTHER), switched(12, "RESTARTING", "RUNNING", OTHER)]
    found = [each for each in recovery.measure(hand_made(log_record=[*FAILURE, *other])) if hasattr(each, "facts")]
    assert {each.subject.job: each.facts["median_ms"] for each in found} == {JOB: 12_000, OTHER: 1_000}
