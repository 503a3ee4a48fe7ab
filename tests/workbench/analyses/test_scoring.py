"""Diagnoses compared with truths, and the evidence that an ablation removes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from diagnostics.intake import SourceFile
from workbench.analyses.ablation import HIDDEN, LOGS_ALONE, METRICS_ALONE, shown_lines, subsets
from workbench.analyses.scoring import Outcome, Truth, brier_score, compared, reliability, tally_lines

TRUTH = Truth("a", Path("a"), ("data_skew",), ("subtask 3 takes 91 % of 107804 records", "no number here"))


def document(verdict: str, confidence: float, *findings: tuple[str, str]) -> dict[str, Any]:
    told = [{"symptom_class": name, "statement": statement, "facts": {}} for name, statement in findings]
    return {"verdict": {"symptom_class": verdict, "confidence": confidence}, "findings": told}


def outcome(verdict: str, confidence: float) -> Outcome:
    return compared(TRUTH, document(verdict, confidence), 1.0)


@pytest.mark.parametrize(
    ("verdict", "right", "wrong"),
    [("data_skew", True, False), ("slow_sink", False, True), ("healthy", False, True), ("inconclusive", False, False)],
)
def test_only_a_claim_that_is_not_so_is_wrong(verdict: str, right: bool, wrong: bool) -> None:
    given = outcome(verdict, 0.9)
    assert (given.right, given.wrong) == (right, wrong)


def test_a_fact_is_found_by_its_numbers_however_they_are_written() -> None:
    said = document("data_skew", 0.9, ("data_skew", "Subtask 3 receives 91 % of the records (98,392 of 107,804)."))
    given = compared(TRUTH, said, 1.0)
    assert (given.stated, given.findable) == (1, 1)


def test_the_rank_of_the_truth_counts_classes() -> None:
    said = document("slow_sink", 0.9, ("slow_sink", ""), ("slow_sink", ""), ("data_skew", ""))
    assert compared(TRUTH, said, 1.0).rank == 2


def test_the_brier_score_is_the_mean_squared_distance_of_what_was_concluded() -> None:
    given = [outcome("data_skew", 0.9), outcome("slow_sink", 0.6), outcome("inconclusive", 0.5)]
    assert brier_score(given) == pytest.approx((0.1**2 + 0.6**2) / 2)


def test_without_a_conclusion_there_is_no_brier_score() -> None:
    assert brier_score([outcome("inconclusive", 0.5)]) is None


def test_reliability_holds_confidence_against_the_share_that_was_right() -> None:
    given = [outcome("data_skew", 0.92), outcome("data_skew", 0.94), outcome("slow_sink", 0.55)]
    assert [(each.verdicts, each.mean_confidence, each.share_right) for each in reliability(given)] == [
        (1, pytest.approx(0.55), 0.0),
        (2, pytest.approx(0.93), 1.0),
    ]


INPUTS = [
    {"file": "jm.log", "format": "flink-log", "role": "jobmanager"},
    {"file": "tm.log", "format": "flink-log", "role": "taskmanager"},
    {"file": "job.json", "format": "flink-rest-job", "role": None},
    {"file": "letter.txt", "format": None, "role": None},
    {"file": "postgresql.log", "format": "postgresql-log", "role": None},
    {"file": "top.txt", "format": "top", "role": None},
]


def test_an_ablation_takes_each_kind_alone_and_each_kind_away() -> None:
    sources = [SourceFile(Path(each["file"]), str(each["file"])) for each in INPUTS]
    taken = {subset.name: sorted(source.name for source in subset.sources) for subset in subsets(sources, INPUTS)}
    assert taken == {
        "only JobManager log": ["jm.log"],
        "only REST": ["job.json"],
        "only TaskManager logs": ["tm.log"],
        "only hosts": ["top.txt"],
        "only other logs": ["postgresql.log"],
        "only logs": ["jm.log", "postgresql.log", "tm.log"],
        "without JobManager log": ["job.json", "postgresql.log", "tm.log", "top.txt"],
        "without REST": ["jm.log", "postgresql.log", "tm.log", "top.txt"],
        "without TaskManager logs": ["jm.log", "job.json", "postgresql.log", "top.txt"],
        "without hosts": ["jm.log", "job.json", "postgresql.log", "tm.log"],
        "without other logs": ["jm.log", "job.json", "tm.log", "top.txt"],
    }


def test_the_table_counts_right_less_sure_and_wrong_verdicts_of_each_part() -> None:
    metrics = [outcome("data_skew", 0.8), outcome("inconclusive", 0.5), outcome("healthy", 0.7)]
    lines = tally_lines({"everything": [outcome("data_skew", 0.9)], "only metrics": metrics})
    assert [line.split() for line in lines[1:]] == [
        ["everything", "1", "1", "0", "0"],
        ["only", "metrics", "3", "1", "1", "1"],
        ["together", "4", "2", "1", "1"],
    ]


def test_a_case_that_a_kind_of_evidence_cannot_show_is_named_with_its_reason_and_not_counted() -> None:
    metrics = [outcome("data_skew", 0.8), outcome("inconclusive", 0.5)]
    lines = list(shown_lines({METRICS_ALONE: metrics, LOGS_ALONE: [outcome("inconclusive", 0.5)]}))
    assert lines[0] == "only metrics: 1 of 2 right that it can show (50%); cannot show:"
    assert lines[1:] == [f"  missed: {'a':30} inconclusive instead of data_skew"], "no log counts records by subtask"
    truth = Truth("b", Path("b"), ("data_skew", "slow_sink"), ())
    either = compared(truth, document("slow_sink", 0.7), 1.0)
    skew = outcome("inconclusive", 0.5)
    lines = list(shown_lines({LOGS_ALONE: [either, skew]}))
    assert lines[0].startswith("only logs: 1 of 1 right")
    assert lines[1].endswith(f"data_skew: {HIDDEN[LOGS_ALONE]['data_skew']}")
