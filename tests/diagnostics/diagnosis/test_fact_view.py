"""The facts that a subject sees of itself, of what contains it, and of what it contains."""

from __future__ import annotations

import pytest

from diagnostics.diagnosis.fact_view import SignalIndex
from diagnostics.evidence.subject import Level, Subject
from diagnostics.signals.signal import Signal

JOB = Subject(job="a")


def _watermarks(vertex: str, ahead_ms: int, *, first: bool) -> Signal:
    return Signal("watermarks", Subject(job="a", vertex=vertex), {"ahead_max_ms": ahead_ms, "first_in_graph": first})


def test_a_job_sees_the_watermark_of_the_task_that_comes_first_in_its_graph() -> None:
    """The tasks behind a source only receive its watermark, some later than others."""
    sink, source, window = (
        _watermarks("Sink: db", 33_842, first=False),
        _watermarks("Source: readings", 33_951, first=True),
        _watermarks("window", 33_900, first=False),
    )
    index = SignalIndex([sink, window, source], {"watermarks": "vertex"})
    assert index.view(JOB, "job", reach_down=True)("watermarks.ahead_max_ms") == 33_951
    assert index.view(JOB, "job")("watermarks.ahead_max_ms") is None
    assert index.view(window.subject, "vertex", reach_down=True)("watermarks.ahead_max_ms") == 33_900


def test_without_a_first_task_the_first_by_name_is_taken() -> None:
    index = SignalIndex([_watermarks("b", 2, first=False), _watermarks("a", 1, first=False)], {"watermarks": "vertex"})
    assert index.view(JOB, "job", reach_down=True)("watermarks.ahead_max_ms") == 1


def _lost(window: tuple[int, int] | None = (1_000, 2_000)) -> Signal:
    return Signal("task_manager_loss.all", Subject(), {"lost": 1}, window=window)


LEVELS: dict[str, Level] = {"task_manager_loss.all": "case", "job_overview": "job"}


def test_a_job_sees_what_is_said_of_its_own_cluster_instead_of_what_is_said_of_all() -> None:
    own = Signal("task_manager_loss.all", Subject(job="b"), {"lost": 0})
    index = SignalIndex([_lost(None), own, _job("a"), _job("b")], LEVELS)
    seen = {job: index.view(Subject(job=job), "job")("task_manager_loss.all.lost") for job in "ab"}
    assert seen == {"a": 1, "b": 0}


def test_what_is_said_of_each_cluster_is_judged_for_each_job() -> None:
    """A rule of the case that spoke of all files would tell a healthy job of the losses of another cluster."""
    own = [Signal("task_manager_loss.all", Subject(job=job), {"lost": lost}) for job, lost in (("a", 1), ("b", 0))]
    index = SignalIndex([_lost(None), *own], LEVELS)
    subjects = index.subjects("case", ["task_manager_loss.all"])
    assert {each.job: index.view(each, "case")("task_manager_loss.all.lost") for each in subjects} == {"a": 1, "b": 0}


def _job(job: str, **facts: int) -> Signal:
    return Signal("job_overview", Subject(job=job), facts)


def test_of_several_jobs_none_sees_what_was_over_before_it_was_submitted() -> None:
    """Two clusters in one upload: the healthy job of the second one lost no TaskManager."""
    index = SignalIndex([_lost(), _job("a", submitted_ms=500), _job("b", submitted_ms=3_000)], LEVELS)
    seen = {job: index.view(Subject(job=job), "job")("task_manager_loss.all.lost") for job in "ab"}
    assert seen == {"a": 1, "b": None}


@pytest.mark.parametrize(
    "signals",
    [
        [_lost(), _job("b", submitted_ms=3_000)],
        [_lost(), _job("a"), _job("b")],
        [_lost(None), _job("a", submitted_ms=500), _job("b", submitted_ms=3_000)],
    ],
    ids=["the only job", "no log shows the submission", "no time"],
)
def test_otherwise_each_job_sees_what_concerns_the_whole_case(signals: list[Signal]) -> None:
    assert SignalIndex(signals, LEVELS).view(Subject(job="b"), "job")("task_manager_loss.all.lost") == 1
