"""Two real runs of one job, aligned, then unaligned: no checkpoint expires any more, the sink is slow as before."""

from __future__ import annotations

import pytest

from diagnostics.calculators import CALCULATORS
from diagnostics.calculators.calculator import calculate, input_values
from diagnostics.diagnosis.counterpart import level_of
from diagnostics.diagnosis.fact_view import SignalIndex
from diagnostics.evidence.subject import Subject
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


def test_the_second_run_is_estimated_from_the_first_within_a_quarter(corpus_report: CorpusReport) -> None:
    """The calculator of unaligned checkpoints on what the aligned run measured, and what the unaligned run measured.

    Both runs met the same slow sink (Flink 1.20.5, 0.5 to 0.7 MB/s); the medians of the checkpoints while the queues
    were filled are compared, and the most in-flight data that a checkpoint wrote. Estimated are 1.55 s where 1.58 s
    were measured (2 % less), and 19.7 MB where 23.6 MB were (17 % less).
    """
    aligned, unaligned = (corpus_report(case) for case in (ALIGNED, UNALIGNED))
    (cause,) = [each for each in aligned.document["findings"] if each["role"] == "root_cause"]
    subject = Subject(**cause["subject"])
    lookup = SignalIndex.from_stored(aligned.signals).view(subject, level_of(subject), reach_down=True)
    calculator = CALCULATORS["unaligned-checkpoints"]
    values = input_values(calculator, lookup, {})
    measured = ("end_to_end_ms", "sync_ms", "async_ms", "in_flight_bytes", "written_bytes_per_s", "record_ms")
    assert {each.input.name for each in values if each.source == "measured"} >= set(measured)

    estimate = calculate(calculator, values, lookup)
    seen = {each["key"]: each["facts"] for each in unaligned.signals if each.get("facts")}
    took_ms = seen["in_flight_data"]["duration_since_ms"]
    written = seen["checkpoint_phases"]["persisted_bytes"]

    assert estimate.results["expected_ms"] == pytest.approx(took_ms, rel=0.25)
    assert estimate.results["persisted_bytes"] == pytest.approx(written, rel=0.25)
    assert estimate.results["low_ms"] <= estimate.results["expected_ms"] <= estimate.results["high_ms"]
