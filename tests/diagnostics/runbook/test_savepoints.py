"""Whether a savepoint of the running job can complete, and in which format."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.runbook import fill, runbooks
from diagnostics.runbook.restarting import stop_and_start
from tests.diagnostics.runbook.clusters import JOB, STANDALONE, commands_of

IN_JOBMANAGER = {"settings.storage": "jobmanager", "state_limit.limit_bytes": 5_242_880, "state_limit.last_id": 397}
"""Facts of a job whose checkpoints are in the JobManager's memory."""


def test_state_below_the_limit_of_the_jobmanagers_memory_is_saved_before_it_grows() -> None:
    known = {**STANDALONE, **IN_JOBMANAGER, "subject.job": JOB}
    fits = stop_and_start({**known, "state_limit.room_bytes": 4_053.0}.get)["text"]
    assert "In checkpoint 397 the largest was 4.1 kB below that: stop the job before" in fits
    larger = stop_and_start(known.get)["text"]
    for text in (fits, larger):
        assert "the stop fails, and with it the job, whatever number of failed checkpoints is tolerated" in text
        assert "runs on" not in text, "a savepoint that stops the job fails it where a task declines it"


def test_a_savepoint_through_the_jobmanagers_memory_is_no_larger_than_a_checkpoint() -> None:
    """The canonical format writes more bytes for each entry: it is refused where a checkpoint just fits."""
    assert " stop --type native " in commands_of(STANDALONE, **IN_JOBMANAGER)[0]
    assert " stop -m " in commands_of(STANDALONE, **IN_JOBMANAGER, **{"job_overview.flink_version": "1.14.6"})[0]
    assert " stop -m " in commands_of(STANDALONE, **{"settings.storage": "filesystem"})[0]


def test_a_directory_in_an_object_store_needs_processes_that_have_loaded_its_file_system() -> None:
    """After the stop: restarting the JobManager before would end the job, with the checkpoints in its memory."""
    known = {**STANDALONE, **IN_JOBMANAGER, "subject.job": JOB}
    restart = stop_and_start(known.get, "execution.checkpointing.dir: s3://<bucket>/<path>")
    stop, jobmanager, task_managers, start = restart["command"].splitlines()
    assert (" stop " in stop, " run " in start) == (True, True)
    assert jobmanager == (
        "# /opt/flink/bin/jobmanager.sh stop && /opt/flink/bin/jobmanager.sh start   # on the JobManager's host"
    )
    assert task_managers.startswith("# /opt/flink/bin/taskmanager.sh stop ")
    assert "plugins/ of every process and restart the processes while the job is stopped" in restart["text"]
    assert "as one file: a directory of its host will do, but not that object store" in restart["text"], (
        "an engineer would name the new bucket, which the running processes cannot write to yet"
    )
    in_files = {**known, "settings.storage": "filesystem"}
    to_s3 = stop_and_start(in_files.get, "execution.checkpointing.dir: s3://<bucket>/<path>")
    assert "a directory that the running processes reach: not to that object store" in to_s3["text"]
    stated = {**in_files, "settings.savepoint_dir": "file:///mnt/savepoints"}
    to_s3 = stop_and_start(stated.get, "execution.checkpointing.dir: s3://<bucket>/<path>")
    assert "not to that object store" not in to_s3["text"], "it is where savepoints go already"
    shared = stop_and_start(known.get, "execution.checkpointing.dir: file:///mnt/checkpoints")
    assert len(shared["command"].splitlines()) == 2


def test_where_barriers_wait_no_rate_of_an_upload_is_stated() -> None:
    waiting = {
        "checkpoint_phases.barrier_share_ratio": 0.97,
        "checkpoint_progress.max_duration_ms": 27_300.0,
        "checkpoint_sizes.max_state_bytes": 4.3e6,
        "checkpoint_sizes.bytes_per_s_max": 73_800.0,
        "settings.timeout_ms": 30_000.0,
        "settings.retention": "RETAIN_ON_CANCELLATION",
    }
    text = stop_and_start({**STANDALONE, **waiting, "subject.job": JOB}.get)["text"]
    assert "took 27.3 s" in text
    assert "per second" not in text
    roomy = stop_and_start({**STANDALONE, **waiting, "settings.timeout_ms": 600_000.0}.get)["text"]
    assert roomy.startswith("The job restarts. Stop it with a savepoint")


def test_a_checkpoint_that_wrote_as_much_tells_how_long_a_savepoint_takes() -> None:
    """The fastest rate of all checkpoints would promise less than the same bytes took."""
    sizes = {
        "settings.timeout_ms": 60_000.0,
        "checkpoint_sizes.max_state_bytes": 561.2e6,
        "checkpoint_sizes.bytes_per_s_max": 10.3e6,
        "checkpoint_phases.largest_upload_bytes": 561.2e6,
        "checkpoint_phases.largest_upload_ms": 71_100.0,
        "checkpoint_phases.largest_upload_id": 7,
        "settings.retention": "RETAIN_ON_CANCELLATION",
    }
    text = stop_and_start({**STANDALONE, **sizes, "subject.job": JOB}.get)["text"]
    assert "561.2 MB took 71.1 s in checkpoint 7" in text
    assert "per second" not in text


def test_a_savepoint_that_only_the_fastest_upload_finishes_in_time_is_tried_while_the_job_runs() -> None:
    sizes = {
        "settings.timeout_ms": 30_000.0,
        "settings.state_backend": "rocksdb",
        "checkpoint_sizes.max_state_bytes": 824.3e6,
        "checkpoint_sizes.bytes_per_s_max": 58.9e6,
    }
    slow = {"checkpoint_phases.upload_bytes_per_s_max": 17.6e6}
    trial, stop, _ = commands_of(STANDALONE, **sizes, **slow)
    assert f"flink savepoint --type native -m 10.0.0.1:18081 {JOB} <savepoint-directory>" in trial
    assert "flink stop --type native " in stop
    text = stop_and_start({**STANDALONE, **sizes, **slow, "job_overview.flink_version": "1.20.1"}.get)["text"]
    assert "need 14 s at the fastest upload that was measured, 58.9 MB per second, but 46.8 s at the slowest" in text

    fast = {"checkpoint_phases.upload_bytes_per_s_max": 40e6}
    assert len(commands_of(STANDALONE, **sizes, **fast)) == 2


@pytest.mark.parametrize(
    ("took", "said"),
    [(71_100.0, "took 71.1 s in checkpoint 7, so that it would expire."), (25_000.0, "which leaves too little room.")],
)
def test_an_upload_that_took_longer_than_the_timeout_would_expire(took: float, said: str) -> None:
    facts = {
        "settings.timeout_ms": 30_000.0,
        "checkpoint_sizes.max_state_bytes": 561.2e6,
        "checkpoint_sizes.bytes_per_s_max": 10.3e6,
        "checkpoint_phases.largest_upload_bytes": 561.2e6,
        "checkpoint_phases.largest_upload_ms": took,
        "checkpoint_phases.largest_upload_id": 7,
    }
    text = stop_and_start({**STANDALONE, **facts}.get)["text"]
    assert said in text
    assert "faster volume, take a savepoint to it for a trial first, while the job runs on" in text


@pytest.mark.parametrize(
    ("checkpoints", "savepoints"),
    [
        ("s3://bucket/flink/checkpoints", "s3://bucket/flink/savepoints"),
        ("file:///data/ckpt/", "file:///data/savepoints"),
        ("s3://bucket", "<savepoint-directory>"),
    ],
)
def test_a_savepoint_goes_beside_the_checkpoints_where_no_other_place_is_known(
    checkpoints: str, savepoints: str
) -> None:
    stop, *_ = commands_of(STANDALONE, **{"settings.checkpoint_dir": checkpoints})
    assert f" {savepoints} " in stop


FAILED_TWICE = {
    "checkpoint_progress.consecutive_failed": 2,
    "checkpoint_progress.goes_back_ms": 193_000.0,
    "checkpoint_progress.completed": 1,
    "checkpoint_progress.last_path": f"file:/c/{JOB}/chk-1",
    "settings.retention": "RETAIN_ON_CANCELLATION",
}
"""Facts of a job whose last checkpoints failed."""


def test_a_change_that_can_wait_names_the_later_stop_with_a_savepoint_before_the_cancellation() -> None:
    """A cancellation now loses or repeats what came since the last checkpoint, for a setting that repairs nothing."""
    known = {**STANDALONE, **FAILED_TWICE, "subject.job": JOB, "job_overview.flink_version": "1.20.1"}
    way = stop_and_start(known.get, can_wait=True)
    stop, start, cancel, *_ = way["command"].splitlines()
    assert stop.startswith("# /opt/flink/bin/flink stop ")
    assert (start.startswith("# "), " -s <savepoint-path> " in start) == (True, True)
    assert " cancel " in cancel
    assert "make it when checkpoints complete well within the timeout again" in way["text"]
    assert "the work of the last 3 min 13 s or more is repeated then, or lost where the source" in way["text"]
    assert way["later"]["command"].splitlines() == [stop.removeprefix("# "), start.removeprefix("# ")]
    assert way["later"]["text"].startswith("The job restarts. Stop it with a savepoint, make the change")
    assert (way["repeats"], way["later"]["repeats"]) == (True, False)


@pytest.mark.parametrize(
    ("known", "cost"),
    [
        ({"delivery_guarantee.source": "exactly once"}, "the work of the last 3 min 13 s or more is repeated then."),
        ({"delivery_guarantee.source": "at most once"}, "what came in the last 3 min 13 s or more is lost then"),
        (
            {"delivery_guarantee.source": "at most once", "job_code.makes_records": True},
            "the state is taken back 3 min 13 s or more then, and the source, which makes its records itself",
        ),
    ],
)
def test_what_it_costs_now_is_said_by_what_is_known_of_the_source(known: dict[str, Any], cost: str) -> None:
    text = stop_and_start({**STANDALONE, **FAILED_TWICE, **known}.get, can_wait=True)["text"]
    assert f"If it cannot wait, use the lines below them: {cost}" in text
    assert ", or lost" not in text


def test_a_way_through_a_copy_says_when_the_change_is_made_and_not_that_it_is_made_now() -> None:
    """After "If this change can wait" a "Make the change now" would speak against it."""
    deleted = {"settings.retention": None, "checkpoint_progress.last_path": "file:/ckpt/job/chk-7"}
    text = stop_and_start({**STANDALONE, **FAILED_TWICE, **deleted}.get, can_wait=True)["text"]
    assert "If this change can wait" in text
    assert "Make the change before you run the commands: the running job does not read it." in text


def test_the_change_that_lets_checkpoints_complete_again_does_not_wait_for_them() -> None:
    known = {**STANDALONE, **FAILED_TWICE, "subject.job": JOB}
    way = stop_and_start(known.get)
    assert ("can wait" in way["text"], way["later"], "flink stop" in way["command"]) == (False, None, False)


def test_a_change_beside_a_repair_outside_can_wait_for_it_and_one_in_its_place_cannot() -> None:
    """When the store takes more, the back pressure ends, and a stop with a savepoint works again."""
    of_job = {"subject": {"job": JOB}, "level": "job", "citations": [], "citation_count": 0}
    facts: dict[str, dict[str, Any]] = {
        "settings": {"mode": "EXACTLY_ONCE", "max_concurrent": 1, "timeout_ms": 30_000.0},
        "checkpoint_progress": {"consecutive_failed": 2, "goes_back_ms": 90_000.0, "completed": 3},
        "outside_system": {"refused": 14},
        "deployment": {"kind": "standalone"},
    }
    signals = [{"key": key, "facts": known, **of_job} for key, known in facts.items()]
    finding = {"subject": {"job": JOB}, "role": "root_cause"}
    steps = {each["id"]: each for each in fill(runbooks()["slow-sink"], finding, signals)["steps"]}
    assert steps["parallelism"]["savepoint"]["later"], "only if the store has room"
    assert not steps["limit-rate"]["savepoint"]["later"], "the limit stays where the job has to keep to it"


def test_a_job_without_a_checkpoint_keeps_its_state_only_with_a_later_savepoint() -> None:
    none = {"checkpoint_progress.completed": 0, "checkpoint_progress.last_path": None}
    text = stop_and_start({**STANDALONE, **FAILED_TWICE, **none}.get, can_wait=True)["text"]
    assert "a savepoint, which keeps all of its state" in text
    assert "repeated" not in text


def test_a_savepoint_that_is_too_large_for_its_timeout_is_no_better_later() -> None:
    sizes = {
        "settings.timeout_ms": 30_000.0,
        "checkpoint_sizes.max_state_bytes": 561.2e6,
        "checkpoint_sizes.bytes_per_s_max": 10.3e6,
    }
    assert not stop_and_start({**STANDALONE, **FAILED_TWICE, **sizes}.get, can_wait=True)["later"]
