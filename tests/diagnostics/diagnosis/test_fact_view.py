"""The facts that a subject sees of itself, of what contains it, and of what it contains."""

from __future__ import annotations

from diagnostics.diagnosis.fact_view import SignalIndex
from diagnostics.evidence.subject import Subject
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
