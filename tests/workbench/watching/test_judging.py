"""What a job's checks say: wrong now, coming by its trend, or nothing alarming."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Sequence
from typing import Any

import pytest

from workbench.watching.asking import JobSeen, ask_for_jobs
from workbench.watching.judging import Looks, judge
from workbench.watching.models import JobCheck, Level

NOW = dt.datetime(2026, 11, 24, 12, tzinfo=dt.UTC)
MINUTE = 60_000.0


def seen(**more: Any) -> JobSeen:
    """A job that runs for two days and completed a checkpoint a minute ago, with a timeout of ten minutes."""
    values: dict[str, Any] = {
        "deployed_ms": 1_000_000_000_000,
        "running_ms": 2 * 24 * 60 * MINUTE,
        "completed_ms": int(1_000_000_000_000 + 2 * 24 * 60 * MINUTE - MINUTE),
        "known": {"timeout_ms": 10 * MINUTE, "interval_ms": MINUTE},
        "checkpoint_ms": 2_000.0,
        "checkpoint_bytes": 1e9,
        "failed_in_a_row": 0,
        "backlog": 100.0,
        "restarts": 0,
    }
    job = JobSeen("orders", "a" * 32, "RUNNING", 0)
    for name, value in (values | more).items():
        setattr(job, name, value)
    return job


def looks(job: JobSeen, every: float = 15, limit: float | None = None, **earlier: Sequence[float]) -> Looks:
    """Earlier checks at that distance, min, from the values of each measure, the oldest first."""
    count = max((len(values) for values in earlier.values()), default=0)
    checks = [
        JobCheck(
            at=NOW - dt.timedelta(minutes=every * (count - place)),
            **{name: values[place] for name, values in earlier.items()},
        )
        for place in range(count)
    ]
    return Looks(job, checks, NOW.timestamp() * 1000, limit)


def texts(of: Looks) -> list[str]:
    return [sign.text for sign in judge(of).signs]


def test_a_job_that_runs_and_checkpoints_has_nothing_alarming() -> None:
    judgement = judge(looks(seen(), checkpoint_ms=[2_000.0] * 20, backlog=[90.0] * 20, restarts=[0] * 20))
    assert (judgement.level, list(judgement.signs)) == (Level.QUIET, [])
    assert list(judgement.looked_at) == ["state", "checkpoints", "restarts", "backlog of the sources"]


def test_what_was_not_measured_is_not_looked_at() -> None:
    judgement = judge(looks(seen(failed_in_a_row=None, restarts=None, backlog=None)))
    assert (judgement.level, list(judgement.looked_at)) == (Level.QUIET, ["state"])


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"state": "FAILED"}, "The job is FAILED."),
        ({"state": "RESTARTING"}, "The job was restarting at the check."),
        (
            {"waiting": 4, "waiting_ms": 3 * MINUTE},
            "No task of the job runs: all have waited for a slot for 3 min.",
        ),
        ({"failed_in_a_row": 2}, "The last 2 checkpoints failed."),
        (
            {"completed_ms": None, "running_ms": 16 * MINUTE},
            "No checkpoint completed in the last 16 min; the interval is 60 s.",
        ),
    ],
)
def test_what_is_wrong_now_makes_a_job_ill(changed: dict[str, Any], text: str) -> None:
    judgement = judge(looks(seen(**changed)))
    assert (judgement.level, [sign.text for sign in judgement.signs]) == (Level.ILL, [text])


def test_the_cluster_s_clock_may_differ_from_this_machine_s() -> None:
    shifted = 5 * 3_600_000
    job = seen()
    assert job.completed_ms is not None
    job.deployed_ms, job.completed_ms = job.deployed_ms + shifted, job.completed_ms + shifted
    assert judge(looks(job)).level == Level.QUIET


def test_a_job_without_periodic_checkpoints_owes_none() -> None:
    job = seen(completed_ms=None, known={"timeout_ms": 10 * MINUTE, "interval_ms": 9.2e18})
    assert judge(looks(job)).level == Level.QUIET


def test_a_cancelled_job_has_ended() -> None:
    assert judge(looks(seen(state="CANCELED"))).level == Level.ENDED


def test_checkpoints_that_get_slower_reach_their_timeout_in_a_stated_time() -> None:
    slower = [60_000.0 + 10_000 * place for place in range(20)]
    of = looks(seen(checkpoint_ms=260_000.0), checkpoint_ms=slower)
    [text] = texts(of)
    assert judge(of).level == Level.WARNING
    assert text == (
        "Checkpoints take longer and longer, 4 min 20 s now: at this pace they reach the timeout of 10 min in "
        "8 h 30 min (8 h 30 min to 8 h 30 min)."
    )


def test_a_state_that_grows_fills_its_disk_in_a_stated_time() -> None:
    growing = [1e9 + 1e7 * place for place in range(40)]
    [text] = texts(looks(seen(checkpoint_bytes=1.4e9), limit=2e9, checkpoint_bytes=growing))
    assert text.startswith("The state grows, 1.4 GB now: at this pace it fills the 2 GB for it in 15 h")
    assert texts(looks(seen(checkpoint_bytes=1.4e9), checkpoint_bytes=growing)) == [], "its size is not known"


def test_a_backlog_that_grows_is_said_with_its_pace() -> None:
    growing = [1_000.0 + 9_000 * place for place in range(20)]
    [text] = texts(looks(seen(backlog=181_000.0), backlog=growing))
    assert text.startswith("The backlog grows by 10 records a second (10 to 10): 181,000 records wait now")


def test_restarts_that_recur_are_a_warning_and_many_within_an_hour_an_illness() -> None:
    over_a_day = [place // 20 for place in range(80)]
    of = looks(seen(restarts=4), restarts=over_a_day)
    assert (judge(of).level, texts(of)) == (Level.WARNING, ["The job restarted 4 times within the last 24 h."])
    of = looks(seen(restarts=5), restarts=[0, 1, 2, 3])
    assert (judge(of).level, texts(of)) == (Level.ILL, ["The job restarted 5 times within the last hour."])


def test_a_cluster_that_is_checked_each_hour_shows_an_illness_too() -> None:
    of = looks(seen(restarts=9), every=60.5, restarts=[0, 0])
    assert (judge(of).level, texts(of)) == (Level.ILL, ["The job restarted 9 times within the last hour."])
    assert judge(looks(seen(restarts=9), every=120, restarts=[0, 0])).level == Level.WARNING


def test_noise_foresees_nothing() -> None:
    """Of 200 healthy jobs with scattered checkpoints, state and backlog hardly one has a warning."""
    chance = random.Random(7)
    warned = 0
    for _ in range(200):
        values = {
            "checkpoint_ms": [chance.lognormvariate(10, 0.5) for _ in range(60)],
            "checkpoint_bytes": [chance.gauss(1e9, 5e7) for _ in range(60)],
            "backlog": [chance.lognormvariate(9, 1.5) for _ in range(60)],
        }
        job = seen(**{name: series.pop() for name, series in values.items()})
        warned += judge(looks(job, limit=2e9, **values)).level != Level.QUIET
    assert warned <= 1


def test_a_daily_wave_of_the_backlog_is_no_growth() -> None:
    wave = [50_000.0 * abs((place % 96) - 48) / 48 for place in range(3 * 96)]
    assert texts(looks(seen(backlog=wave[-1]), backlog=wave[:-1])) == []


class Overview:
    """A cluster that answers its list of jobs."""

    def __init__(self, **tasks: int) -> None:
        states = {"running": 0, "scheduled": 0, "created": 0, "deploying": 0, "initializing": 0, "finished": 0} | tasks
        job = {"jid": "a" * 32, "name": "orders", "state": "RUNNING", "start-time": 1_000_000, "duration": 300_000}
        self.job = {**job, "last-modification": 1_060_000, "tasks": {**states, "total": sum(states.values())}}

    def json(self, _: str) -> tuple[str, dict[str, Any]]:
        return "", {"jobs": [self.job]}


@pytest.mark.parametrize(
    ("tasks", "waiting"),
    [
        ({"scheduled": 4}, 4),
        ({"created": 1, "scheduled": 3}, 4),
        ({"scheduled": 3, "running": 1}, 0),
        ({"scheduled": 1, "deploying": 3}, 0),
        ({"running": 4}, 0),
    ],
)
def test_a_running_job_without_a_slot_has_no_task_that_runs(tasks: dict[str, int], waiting: int) -> None:
    """Flink calls a job RUNNING whose tasks all wait for slots; the fleet showed nothing alarming of it."""
    [job] = ask_for_jobs(Overview(**tasks))  # type: ignore[arg-type]
    assert (job.waiting, job.waiting_ms) == (waiting, 240_000)
    expected = ["No task of the job runs: all have waited for a slot for 4 min."] if waiting else []
    assert texts(looks(job)) == expected


def test_a_job_that_was_just_deployed_may_wait_for_its_slots() -> None:
    assert texts(looks(seen(waiting=4, waiting_ms=MINUTE))) == []


def test_an_answer_without_tasks_says_nothing_of_slots() -> None:
    overview = Overview()
    del overview.job["tasks"]
    [job] = ask_for_jobs(overview)  # type: ignore[arg-type]
    assert job.waiting is None
