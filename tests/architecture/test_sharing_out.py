"""The list of journeys that test processes share is the folder of journeys."""

from __future__ import annotations

from tests.running_workbench import PROJECT
from tests.sharing_out import JOURNEYS


def test_every_journey_belongs_to_one_of_the_two_shares() -> None:
    there = {str(path.relative_to(PROJECT)) for path in (PROJECT / "tests" / "journeys").glob("test_*.py")}
    assert there == {file for file in JOURNEYS if file.startswith("tests/journeys/")}
