"""The lists of files that test processes share are the files that use what is shared, and the longest begin first."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest
from xdist.remote import Producer

from tests import sharing_out
from tests.running_workbench import PROJECT
from tests.sharing_out import CORPUS, JOURNEYS, SPARK_SERVER, WORKER, LongestFirst, known_seconds


def test_every_journey_belongs_to_one_of_the_two_shares() -> None:
    there = {str(path.relative_to(PROJECT)) for path in (PROJECT / "tests" / "journeys").glob("test_*.py")}
    assert there == {file for file in JOURNEYS if file.startswith("tests/journeys/")}


def test_every_file_that_reads_reports_on_the_corpus_belongs_to_its_share() -> None:
    tests = (PROJECT / "tests").rglob("test_*.py")
    there = {str(path.relative_to(PROJECT)) for path in tests if "corpus_report" in path.read_text("utf-8")}
    assert there - {"tests/architecture/test_sharing_out.py"} == set(CORPUS)


def test_every_file_that_uses_the_workbench_with_its_own_spark_server_belongs_to_its_share() -> None:
    texts = {path: path.read_text("utf-8") for path in (PROJECT / "tests/workbench/analyses").glob("test_*.py")}
    users = [path for path, text in texts.items() if "stack: Stack" in text and "def stack(" not in text]
    assert {str(path.relative_to(PROJECT)) for path in users} == set(WORKER)


def test_the_kept_seconds_are_of_shares_that_there_are() -> None:
    shares = {"corpus", "worker", SPARK_SERVER, *JOURNEYS.values()}
    assert [share for share in known_seconds() if share not in shares and not (PROJECT / share).is_file()] == []


class Process:
    """One that is told which tests to run, by their places in the collection."""

    def __init__(self) -> None:
        self.gateway = SimpleNamespace(id="one")
        self.shutting_down = False
        self.told: list[int] = []

    def send_runtest_some(self, places: Sequence[int]) -> None:
        self.told += places

    def shutdown(self) -> None:
        self.shutting_down = True


def test_a_process_gets_no_long_share_behind_a_long_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing_out, "known_seconds", lambda: {"a.py": 200.0, "b.py": 150.0, "c.py": 90.0})
    collected = ["a.py::one", "a.py::two", "b.py::one", "b.py::two", "c.py::one", "d.py::one", "e.py::one"]
    config = SimpleNamespace(getvalue=lambda _: ["2*popen"], option=SimpleNamespace(loadscopereorder=False))
    schedule = LongestFirst(cast(pytest.Config, config), Producer("sharing", enabled=False))
    first, second = cast(Any, Process()), cast(Any, Process())
    for process in (first, second):
        schedule.add_node(process)
        schedule.add_node_collection(process, collected)
    schedule.schedule()
    assert [collected[place] for place in first.told] == ["a.py::one", "a.py::two", "e.py::one"]
    assert [collected[place] for place in second.told] == ["b.py::one", "b.py::two", "d.py::one"]
