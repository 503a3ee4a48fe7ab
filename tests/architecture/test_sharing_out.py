"""The lists of files that test processes share are the files that use what is shared."""

from __future__ import annotations

from tests.running_workbench import PROJECT
from tests.sharing_out import CORPUS, JOURNEYS


def test_every_journey_belongs_to_one_of_the_two_shares() -> None:
    there = {str(path.relative_to(PROJECT)) for path in (PROJECT / "tests" / "journeys").glob("test_*.py")}
    assert there == {file for file in JOURNEYS if file.startswith("tests/journeys/")}


def test_every_file_that_reads_reports_on_the_corpus_belongs_to_its_share() -> None:
    tests = (PROJECT / "tests").rglob("test_*.py")
    there = {str(path.relative_to(PROJECT)) for path in tests if "corpus_report" in path.read_text("utf-8")}
    assert there - {"tests/architecture/test_sharing_out.py"} == set(CORPUS)
