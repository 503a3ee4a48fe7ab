"""Traps of the job's SQL as a signal."""

from __future__ import annotations

import pytest

from diagnostics.signals import statement_traps
from tests.diagnostics.hand_made import JOB, START, hand_made, needs, only, signals_of_key


def test_the_certain_trap_is_named_and_the_others_listed() -> None:
    rows = [
        {"kind": "statement-trap", "name": "rows-without-key o", "line": 3},
        {"kind": "statement-trap", "name": "equals-null ts = NULL", "line": 9},
    ]
    facts = only(statement_traps.measure(hand_made(code_call=rows)), "statement_traps").facts
    assert (facts["trap"], facts["words"], facts["line"], facts["certain"]) == ("equals-null", "ts = NULL", 9, True)
    assert len(list(facts["others"] or ())) == 1  # type: ignore[call-overload]
    assert "JDBC" in str(facts["second_what"])
    assert str(facts["second_advice"]).startswith("Declare PRIMARY KEY")
    assert "third_what" not in facts


def test_files_need_no_more_than_a_stated_interval() -> None:
    rows = [{"kind": "statement-trap", "name": "shown-by-checkpoints f", "line": 3}]
    assert signals_of_key(statement_traps.measure(hand_made(code_call=rows)), "statement_traps")
    stated = [{"scope": "cluster", "key": "execution.checkpointing.interval", "value": "10 s", "line": 1}]
    with_interval = hand_made(code_call=rows, config_option=stated)
    assert not signals_of_key(statement_traps.measure(with_interval), "statement_traps")


OFF = {"scope": "job", "key": "execution.checkpointing.interval", "value": "disabled", "line": 1}


def test_a_table_that_needs_checkpoints_is_a_cause_where_flink_answers_that_there_are_none() -> None:
    rows = [{"kind": "statement-trap", "name": "shown-by-checkpoints f", "line": 3}]
    stated = [OFF, {"scope": "cluster", "key": "execution.checkpointing.interval", "value": "10 s", "line": 1}]
    for options in ([OFF], stated):
        found = only(statement_traps.measure(hand_made(code_call=rows, config_option=options)), "statement_traps")
        assert found.facts["certain"] is True
    unasked = only(statement_traps.measure(hand_made(code_call=rows)), "statement_traps")
    assert unasked.facts["certain"] is False


def test_a_bounded_job_needs_no_checkpoints() -> None:
    rows = [{"kind": "statement-trap", "name": "shown-by-checkpoints f", "line": 3}]
    batch = [OFF, {"scope": "cluster", "key": "execution.runtime-mode", "value": "BATCH", "line": 1}]
    ended = [{"job_id": JOB, "state": "FINISHED"}]
    for evidence in (
        hand_made(code_call=rows, config_option=batch),
        hand_made(code_call=rows, config_option=[OFF], job=ended),
    ):
        assert only(statement_traps.measure(evidence), "statement_traps").facts["certain"] is False


def test_an_answer_about_a_job_whose_checkpoints_complete_does_not_count() -> None:
    rows = [{"kind": "statement-trap", "name": "shown-by-checkpoints f", "line": 3}]
    done = [{"job_id": JOB, "checkpoint_id": 1, "status": "COMPLETED", "trigger_ms": START}]
    measured = statement_traps.measure(
        hand_made(code_call=rows, config_option=[OFF | {"job_id": JOB}], checkpoint=done)
    )
    assert not signals_of_key(measured, "statement_traps")


def test_a_fault_of_a_release_counts_with_that_release_only() -> None:
    rows = [{"kind": "statement-trap", "name": "left-join-of-a-release LEFT JOIN", "line": 3}]
    assert not signals_of_key(statement_traps.measure(hand_made(code_call=rows)), "statement_traps")
    for release, counts in (("1.16.1", True), ("1.16.2", False), ("1.17.0", True)):
        stated = [{"scope": "cluster", "key": "flink.version", "value": release, "line": 1}]
        measured = statement_traps.measure(hand_made(code_call=rows, config_option=stated))
        assert bool(signals_of_key(measured, "statement_traps")) is counts


def test_without_source_code_nothing_is_measured() -> None:
    assert needs(statement_traps.measure(hand_made())) == {"statement_traps": "configuration"}


@pytest.mark.parametrize(("failed", "is_shown"), [(0.0, True), (12.0, False)])
def test_an_interval_counts_while_checkpoints_are_taken(failed: float, is_shown: bool) -> None:
    rows = [{"kind": "statement-trap", "name": "changes-after-a-checkpoint orders", "line": 3}]
    stated = [{"scope": "cluster", "key": "execution.checkpointing.interval", "value": "10 s", "line": 1}]
    read = {"numberOfCompletedCheckpoints": 0.0, "numberOfFailedCheckpoints": failed}
    counts = [{"metric": metric, "job_id": JOB, "ts_ms": START, "value": value} for metric, value in read.items()]
    measured = statement_traps.measure(hand_made(code_call=rows, config_option=stated, metric_sample=counts))
    assert bool(signals_of_key(measured, "statement_traps")) is is_shown
