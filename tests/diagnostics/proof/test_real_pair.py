"""Two real runs of one job, aligned, then unaligned: no checkpoint expires any more, the sink is slow as before."""

from __future__ import annotations

import pytest

from diagnostics.proof.proving import Proof, SnapshotData, prove
from tests.diagnosed_corpus import CASES, CorpusReport

ALIGNED, UNALIGNED = "slow_sink_backpressure", "slow_sink_backpressure-unaligned"

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(not {ALIGNED, UNALIGNED} <= set(CASES), reason="the corpus is not on this machine"),
]


@pytest.fixture(scope="module")
def proof(corpus_report: CorpusReport) -> Proof:
    """What the second run proves of the first."""
    reports = [corpus_report(case) for case in (ALIGNED, UNALIGNED)]
    return prove(*(SnapshotData(each.document, each.signals, each.charts) for each in reports))


def test_what_is_mended_what_is_not_and_the_price_are_all_said(proof: Proof) -> None:
    """Unaligned checkpoints end in time, and write the in-flight data of the job: 1 MB before, 22 MB after."""
    assert proof.judgement == "traded"
    assert proof.headline.startswith("Fixed: ")
    assert "The cause remains: " in proof.headline
    assert "Traded for: bytes that a checkpoint writes from 1.1 MB to 21.9 MB" in proof.headline


def test_every_judgement_agrees_with_its_noise_band(proof: Proof) -> None:
    for effects in proof.effects.values():
        for each in effects:
            if each.band is None:
                assert each.judgement == "cannot tell", each.quantity.id
            else:
                assert each.after
                assert each.band.holds(each.after.value) == (each.judgement == "unchanged"), each.quantity.id


def test_the_cause_is_the_slow_sink(proof: Proof) -> None:
    (cause,) = [each for each in proof.problems if each.before and each.before["role"] == "root_cause"]
    assert cause.before
    assert cause.before["symptom_class"] == "slow_sink"
    assert cause.judgement in ("unchanged", "better")
