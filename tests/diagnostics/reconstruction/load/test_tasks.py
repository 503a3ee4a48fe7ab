from __future__ import annotations

from diagnostics.reconstruction.load.tasks import least_idle
from diagnostics.reconstruction.load.timeline import Moment


def test_a_task_is_as_idle_as_the_subtask_that_rests_least() -> None:
    hot_and_resting = Moment(0, busy=(1.0, 0.05), back_pressured=(0.0, 0.0))
    assert least_idle([hot_and_resting]) == 0.0
