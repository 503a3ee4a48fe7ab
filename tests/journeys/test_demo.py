"""`make demo`: the incidents that ship with the project become cases, once, and are diagnosed."""

from __future__ import annotations

from tests.running_workbench import RunningWorkbench


def test_demo_cases_that_are_not_there_yet_are_opened_and_diagnosed(demo_said: str) -> None:
    assert demo_said.count("Opened #") == 2
    assert ", done: Slow upload of RocksDB state" in demo_said


def test_the_demo_cases_are_loaded_once(workbench: RunningWorkbench, demo_said: str) -> None:
    assert workbench.manage("demo_cases") == "The demo cases are there already."
