"""What-if answers with the values and the judgement of the case: its findings, its runbook and its rates."""

from __future__ import annotations

from typing import Any, cast

import pytest

from diagnostics.calculators import CALCULATORS
from diagnostics.calculators.calculator import InputValue, Outcome, calculate, input_values
from diagnostics.evidence.subject import Lookup
from tests.diagnosed_corpus import CASES, CorpusReport
from workbench.analyses.finding_facts import facts_of
from workbench.analyses.models import Analysis

WOULD_HELP = "warning.unaligned-would-help"


def answer(calculator: str, lookup: Lookup) -> tuple[dict[str, InputValue], Outcome]:
    """The values that a calculator takes, by their names, and its outcome."""
    chosen = CALCULATORS[calculator]
    values = input_values(chosen, lookup, {})
    return {each.input.name: each for each in values}, calculate(chosen, values, lookup)


@pytest.mark.spark
@pytest.mark.skipif(not CASES, reason="the corpus is not on this machine")
@pytest.mark.parametrize("case", CASES)
def test_what_if_repeats_the_values_and_the_judgement_of_the_case(case: str, corpus_report: CorpusReport) -> None:
    report = corpus_report(case)
    analysis = Analysis(signals=report.signals)
    found = report.document["findings"]
    for finding in (each for each in found if each["role"] == "root_cause"):
        lookup = facts_of(analysis, finding)
        _says_the_rate_of_the_runbook(lookup)
        _salts_as_the_runbook_does(lookup)
        _writes_what_the_runbook_expects(lookup)
        helped = {each["subject"]["job"] for each in found if each["rule"]["id"] == WOULD_HELP}
        if finding["subject"]["job"] in helped:
            _helps_with_the_wait_of_a_source_in_it(lookup)


def _helps_with_the_wait_of_a_source_in_it(lookup: Lookup) -> None:
    outcome = answer("unaligned-checkpoints", lookup)[1]
    wait = cast("float | None", lookup("checkpoint_phases.source_delay_ms")) or 0.0
    lasted = cast(
        "float",
        lookup("checkpoint_phases.source_delay_lasted_ms" if wait >= 1000 else "checkpoint_phases.reference_ms"),
    )
    assert outcome.advice == "do"
    assert (wait if wait >= 1000 else 0.0) < outcome.results["high_ms"] < lasted


def _says_the_rate_of_the_runbook(lookup: Lookup) -> None:
    offered: Any = lookup("record_rate.offered_per_s")
    if offered is not None:
        assert {answer(each, lookup)[0]["rate"].value for each in ("parallelism", "look-up")} == {offered}
    if lookup("record_rate.offered_lacks_slots") is True:
        assert answer("parallelism", lookup)[1].advice == "do not"


def _salts_as_the_runbook_does(lookup: Lookup) -> None:
    outcome = answer("salting", lookup)[1]
    if lookup("job_code.results_in_sequence") is True:
        assert outcome.advice != "depends"
    if outcome.advice == "depends":
        assert outcome.results["salts"] == lookup("load_balance.needed_salts")


def _writes_what_the_runbook_expects(lookup: Lookup) -> None:
    values, outcome = answer("upload", lookup)
    if values["new_bytes"].fact == "checkpoint_sizes.next_incremental_bytes" and outcome.results:
        expected = cast("float", lookup("checkpoint_sizes.next_incremental_ms"))
        assert outcome.results["incremental_ms"] == pytest.approx(expected)
        needed = cast("float", lookup("checkpoint_sizes.needed_bytes_per_s"))
        assert outcome.results["needed_bytes_per_s"] == pytest.approx(needed)
