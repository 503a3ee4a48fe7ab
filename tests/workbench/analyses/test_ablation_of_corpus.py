"""Cases of real clusters, diagnosed by their metrics alone and by their logs alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from diagnostics.symptoms import INCONCLUSIVE
from tests.diagnosed_corpus import CASES, CORPUS, CorpusReport
from workbench.analyses.ablation import HIDDEN, LOGS_ALONE, METRICS_ALONE, subsets
from workbench.analyses.scoring import outcome_of, truths_below

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(not CASES, reason="the corpus is not on this machine"),
]

UNDECIDED = {
    LOGS_ALONE: {
        "gc_pressure": "the collector's log of its own has the pauses, and is not one of these",
        "rocksdb_slow_upload-a-after": "no log has back pressure, so that nothing speaks for health",
        "two-jobs-a": "no log has the thread that waits for the look-up",
    },
    METRICS_ALONE: {"rocksdb_slow_upload-a-after": "a task was busy nearly all the time until shortly before the end"},
}
"""Cases whose cause this evidence might show and which it leaves open, with the reason."""


@pytest.mark.parametrize("part", [METRICS_ALONE, LOGS_ALONE])
@pytest.mark.parametrize("case", CASES)
def test_one_kind_of_evidence_shows_the_cause_or_leaves_it_open(
    case: str, part: str, corpus_report: CorpusReport, spark: SparkSession
) -> None:
    (truth,) = [each for each in truths_below(CORPUS) if each.name == case]
    inputs = corpus_report(case).document["inputs"]
    (subset,) = [each for each in subsets(truth.sources(), inputs) if each.name == part]
    outcome = outcome_of(truth, subset.sources, spark)
    if case in UNDECIDED[part]:
        assert outcome.verdict == INCONCLUSIVE, "it is decided now: take it off the list"
    elif set(truth.accepted) <= HIDDEN[part].keys():
        assert outcome.verdict in (*truth.accepted, INCONCLUSIVE)
    else:
        assert outcome.right, outcome.verdict
