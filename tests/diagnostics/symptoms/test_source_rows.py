"""Every row of the documents behind the product is answered by a rule or a runbook, or left to another part of it."""

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from diagnostics.rules.shipped import shipped_rules
from diagnostics.runbook import runbooks

SHARED = Path(__file__).parents[4] / "shared"
ROWS = SHARED / "reference" / "source-document-rows.csv"


def rows(*spans: tuple[int, int] | int) -> frozenset[str]:
    """The ids of these rows; a pair is a span with both ends."""
    pairs = [span if isinstance(span, tuple) else (span, span) for span in spans]
    return frozenset(f"S{number:03d}" for first, last in pairs for number in range(first, last + 1))


LEFT_TO_OTHERS: Mapping[str, frozenset[str]] = {
    "statistics, goals and the workflow of cases": rows(1, 2, 20, 86, 90, 93, 95, 96),
    "comparison of two analyses, before and after": rows(4, 26, 53, 62, 65, 70, 75, 80, 92),
    "calculators and generators": rows(67),
    "charts and views of the evidence": rows(38, 39, 76, 85, 98, 101),
    "formats that are read": rows(47, 48, 129),
    "export of alerts and dashboards": rows(21, 87),
    "drills and demonstration cases": rows(94, 109),
    "walk-throughs and concept pages": rows(99, 100, 102, 103, (111, 116), 118),
    "glossary": rows((125, 128), 130),
    "languages of the pages": rows(163),
    "reading of pasted articles": rows(164),
}
"""Rows that no rule answers: another part of the product does, or will."""

MUST_BE_ANSWERED = rows(22, 32, 45, 56, 57, 60, 61, 71, 91, 140, 156, 158)
"""Rows with a claim that does not hold (vocabulary/disputed_claims.yaml) and that a user would meet in a diagnosis."""


def answered() -> Iterator[str]:
    for rule in shipped_rules():
        yield from rule.docs
    for runbook in runbooks().values():
        for step in runbook.steps:
            yield from step.docs


@pytest.fixture(scope="module")
def known_rows() -> frozenset[str]:
    if not ROWS.is_file():
        pytest.skip("the reference is not on this machine")
    with ROWS.open(encoding="utf-8", newline="") as lines:
        return frozenset(row["id"] for row in csv.DictReader(lines))


def left() -> frozenset[str]:
    return frozenset().union(*LEFT_TO_OTHERS.values())


def test_every_row_is_answered_or_left_to_others(known_rows: frozenset[str]) -> None:
    assert sorted(known_rows - set(answered()) - left()) == []


def test_no_row_is_left_to_others_that_is_answered() -> None:
    assert sorted(left() & set(answered())) == []


def test_rules_and_runbooks_name_only_rows_that_exist(known_rows: frozenset[str]) -> None:
    assert sorted(set(answered()) - known_rows) == []


def test_every_disputed_claim_that_a_diagnosis_meets_is_answered() -> None:
    assert sorted(MUST_BE_ANSWERED - set(answered())) == []
