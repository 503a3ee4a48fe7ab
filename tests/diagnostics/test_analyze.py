"""Limits and warnings of the pipeline."""

from diagnostics.analyze import _refusal
from diagnostics.evidence.subject import Subject
from diagnostics.measuring import MOST_SUBJECTS, _bounded
from diagnostics.signals.signal import Signal


def signals(count: int) -> list[Signal]:
    return [
        Signal("checkpoint_progress", Subject(job=f"{number:032x}"), {"completed": 1}, citation_count=number)
        for number in range(count)
    ]


def test_a_file_that_names_very_many_jobs_is_judged_by_those_with_most_evidence_and_says_so() -> None:
    warnings: list[str] = []
    kept = list(_bounded(signals(MOST_SUBJECTS + 5), warnings))
    assert (len(kept), min(each.citation_count for each in kept), len(warnings)) == (MOST_SUBJECTS, 5, 1)


def test_an_ordinary_number_of_jobs_is_kept_completely() -> None:
    warnings: list[str] = []
    assert (len(list(_bounded(signals(40), warnings))), warnings) == (40, [])


def test_a_refused_file_has_one_line_whatever_its_reason_quotes() -> None:
    entry = {"file": "config.yaml", "warnings": ["not valid YAML: while scanning\n  a simple key", "cut\r\noff"]}
    assert _refusal(entry) == "config.yaml: not valid YAML: while scanning a simple key; cut off"
