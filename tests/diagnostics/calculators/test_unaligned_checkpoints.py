"""Unaligned checkpoints: what they save and what they write, the arithmetic visible."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.calculators.calculator import Outcome
from tests.diagnostics.calculators.worked_example import outcome, shown

ALIGNED = {
    "end_to_end_ms": 27_000.0,
    "sync_ms": 200.0,
    "async_ms": 300.0,
    "bytes_per_s": 1e6,
    "upload_bytes_per_s": 10e6,
    "record_ms": 1500.0,
    "timeout_ms": 0.0,
}


def test_unaligned_checkpoints_save_the_travel_and_write_the_queued_data() -> None:
    found = outcome("unaligned-checkpoints", **ALIGNED)
    assert shown(found)["Travel of the barriers, aligned"] == "27 s - 200 ms - 300 ms = 26.5 s"
    assert shown(found)["In-flight data before the barriers"] == "26.5 s x 1 MB/s = 26.5 MB"
    assert shown(found)["Upload of it"] == "26.5 MB / 10 MB/s = 2.6 s"
    assert shown(found)["Checkpoint, unaligned, at best"] == "0 ms + 200 ms + 300 ms + 1.5 s = 2 s"
    assert found.results["expected_ms"] == pytest.approx(500 + 26.5 / 10 * 1000)
    assert found.results["high_ms"] == pytest.approx(2000 + 26.5 / 10 * 1000)
    assert found.advice == "do"


def test_an_aligned_timeout_waits_first_and_then_persists_what_is_left() -> None:
    """26.5 s of travel, 10 s of them aligned: 26.5 MB x 16.5 / 26.5 = 16.5 MB are left to persist."""
    found = outcome("unaligned-checkpoints", **ALIGNED | {"timeout_ms": 10_000.0})
    assert found.results["persisted_bytes"] == pytest.approx(16.5e6)
    assert found.results["low_ms"] == 12_000


def test_a_timeout_that_is_not_reached_changes_nothing() -> None:
    found = outcome("unaligned-checkpoints", **ALIGNED | {"timeout_ms": 60_000.0})
    assert found.results["saved_ms"] == 0
    assert found.headline.startswith("Nothing changes")


def _waiting(ms: float, **facts: float) -> Outcome:
    """The outcome where a source reacted to the trigger of one checkpoint after `ms`, of another at once."""
    phases = {"source_delay_ms": ms, "source_delay_least_ms": 30.0, **facts}
    progress = {"checkpoint_progress.timeout_ms": 60_000.0}
    return outcome(
        "unaligned-checkpoints",
        {f"checkpoint_phases.{name}": value for name, value in phases.items()} | progress,
        **ALIGNED,
    )


def test_the_wait_of_a_source_is_part_of_one_range_for_what_a_checkpoint_takes() -> None:
    """2 s to 4.6 s of an unaligned checkpoint come on top of that wait."""
    calm, wait = _waiting(0), _waiting(39_046, source_delay_lasted_ms=60_000.0, longest_ms=149_089.0)
    assert (calm.advice, wait.advice) == ("do", "do")
    assert wait.results["low_ms"] == calm.results["low_ms"] + 30
    assert wait.results["high_ms"] == calm.results["high_ms"] + 39_046
    assert wait.headline.startswith("A checkpoint takes 2 s to 43.7 s in place of 27 s to 2 min 29 s")
    assert wait.headline.endswith("None would exceed the timeout of 60 s.")
    assert "of a source" not in calm.headline
    assert shown(wait)["Saved where a source reacted latest"] == "60 s - 42.2 s = 17.8 s"


def test_what_a_waiting_source_leaves_is_compared_with_the_same_checkpoint() -> None:
    """27 s took the longest that completed; the checkpoint with that wait took 42 s, or 60 s."""
    assert _waiting(10_000, source_delay_lasted_ms=12_000.0).advice == "depends"
    expired = _waiting(39_046, source_delay_lasted_ms=60_000.0)
    assert expired.advice == "do"
    assert "in place of 27 s to 60 s or more" in expired.headline


def test_a_source_that_waits_for_most_of_a_checkpoint_leaves_little_to_save() -> None:
    found = _waiting(39_046, source_delay_lasted_ms=42_000.0)
    assert (found.advice, found.refusals) == ("depends", ())
    assert found.headline == (
        "A source reacted to the trigger of a checkpoint only after 39 s: no barrier waits there, so this time stays. "
        "That checkpoint would take 42.2 s to 43.7 s; it took 42 s."
    )
    assert _waiting(39_046).advice == "depends", "27 s are all that is known of it"


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"checkpoint_phases.async_share_ratio": 0.9}, "in which the state is written, is 90 % of slow checkpoints"),
        ({"settings.mode": "AT_LEAST_ONCE"}, "at-least-once"),
        ({"settings.max_concurrent": 2}, "max-concurrent-checkpoints is 2"),
        ({"job_overview.flink_version": "1.10.3"}, "Flink 1.10.3 has no unaligned checkpoints"),
        ({"checkpoint_progress.unaligned_count": 12}, "unaligned already"),
    ],
)
def test_unaligned_checkpoints_are_refused_where_they_hurt_or_do_nothing(facts: dict[str, Any], expected: str) -> None:
    found = outcome("unaligned-checkpoints", facts, **ALIGNED)
    assert found.advice == "do not"
    assert expected in found.refusals[0]
    assert found.lines != []


def test_a_storage_that_was_never_the_limit_counts_only_at_worst() -> None:
    """26.5 MB at 10 MB/s at least: 2.65 s beside the record at worst, none expected."""
    found = outcome("unaligned-checkpoints", **ALIGNED | {"upload_bytes_per_s": 0.0, "written_bytes_per_s": 10e6})
    assert found.results["expected_ms"] == found.results["low_ms"] == 2_000
    assert found.results["high_ms"] == pytest.approx(2_000 + 2_650)
    assert shown(found)["Upload of it"].endswith("= not counted")


def test_the_time_in_which_barriers_wait_writes_nothing_and_is_no_upload() -> None:
    """820 kB at 69 kB in 13 ms are 154 ms beside the record, where the whole of the 48 s would say minutes."""
    facts = {"checkpoint_phases.reference_ms": 48_312.0, "checkpoint_phases.sync_ms": 0.0}
    facts |= {"checkpoint_phases.async_ms": 13.0, "checkpoint_phases.written_bytes_per_s": 69_196 / 0.013}
    found = outcome("unaligned-checkpoints", facts | {"in_flight_data.bytes": 819_945.0})
    assert found.advice == "do"
    assert "takes 513 ms to 667 ms in place of 48.3 s, and writes about 819.9 kB more" in found.headline


def test_short_checkpoints_have_nothing_to_save() -> None:
    facts = {"checkpoint_phases.reference_ms": 290.0, "checkpoint_phases.sync_ms": 0.0, "in_flight_data.bytes": 3e6}
    facts |= {"checkpoint_phases.async_share_ratio": 0.62}
    found = outcome("unaligned-checkpoints", facts | {"checkpoint_phases.async_ms": 239.0})
    assert found.advice == "do not"
    assert found.headline == "A checkpoint takes only 290 ms: there is nothing to save."
    longer = {"checkpoint_progress.max_duration_ms": 1_277.0}
    assert outcome("unaligned-checkpoints", facts | longer | {"checkpoint_phases.async_ms": 239.0}).headline == (
        "The slowest checkpoint whose subtasks are in the files takes only 290 ms: there is nothing to save."
    )


def test_measured_queues_take_the_place_of_a_rate_that_holds_other_minutes_too() -> None:
    found = outcome("unaligned-checkpoints", **ALIGNED | {"in_flight_bytes": 19e6})
    assert shown(found)["In-flight data before the barriers"] == "measured = 19 MB"
    assert found.results["persisted_bytes"] == 19e6


def test_without_queues_and_rate_nothing_is_estimated() -> None:
    facts = {"checkpoint_phases.reference_ms": 27_000, "checkpoint_phases.sync_ms": 1, "checkpoint_phases.async_ms": 1}
    found = outcome("unaligned-checkpoints", facts)
    assert found.advice == "not known"


def test_each_subtask_gains_its_start_delay_and_alignment_less_one_record() -> None:
    waits = {
        "in_flight_data.waiting_subtasks": ["Sink (2)", "Window (1)", "Map (1)"],
        "in_flight_data.waiting_start_delay_ms": [21_500, 11_900, 300],
        "in_flight_data.waiting_alignment_ms": [4_600, 4_600, 100],
    }
    lines = shown(outcome("unaligned-checkpoints", waits, **ALIGNED))
    assert lines["Earlier at Sink (2)"] == "21.5 s start delay + 4.6 s alignment - 1.5 s = 24.6 s"
    assert lines["Earlier at Window (1)"] == "11.9 s start delay + 4.6 s alignment - 1.5 s = 15 s"
    assert "Earlier at Map (1)" not in lines
