"""One worked example of each calculator, its arithmetic visible; and when it says not to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest

from diagnostics.arithmetic.balance import salts_needed
from diagnostics.calculators import CALCULATORS
from diagnostics.calculators.calculator import Outcome, calculate, input_values
from diagnostics.signals import DEFINITIONS


def outcome(calculator: str, facts: Mapping[str, Any] | None = None, /, **values: float) -> Outcome:
    """What a calculator says on these facts with these values set."""
    lookup = (facts or {}).get
    chosen = CALCULATORS[calculator]
    return calculate(chosen, input_values(chosen, lookup, values), lookup)


def shown(found: Outcome) -> dict[str, str]:
    return {line.label: f"{line.arithmetic} = {line.result}" for line in found.lines}


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


def test_unaligned_checkpoints_promise_nothing_of_the_wait_of_a_source() -> None:
    late = outcome("unaligned-checkpoints", {"checkpoint_phases.source_delay_ms": 39_046}, **ALIGNED).headline
    assert late.startswith("A source reacted to the trigger of a checkpoint after 39 s: no barrier waits there")
    assert "A source reacted" not in outcome("unaligned-checkpoints", **ALIGNED).headline


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"checkpoint_phases.async_share_ratio": 0.9}, "the upload is the bottleneck"),
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
    assert "about 513 ms (513 ms to 667 ms) in place of 48.3 s, and writes about 819.9 kB more" in found.headline


def test_short_checkpoints_have_nothing_to_save() -> None:
    facts = {"checkpoint_phases.reference_ms": 290.0, "checkpoint_phases.sync_ms": 0.0, "in_flight_data.bytes": 3e6}
    found = outcome("unaligned-checkpoints", facts | {"checkpoint_phases.async_ms": 239.0})
    assert found.advice == "do not"
    assert found.headline == "A checkpoint takes 290 ms, and barriers travel for 51 ms of it: there is nothing to save."


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


def test_an_upload_is_bytes_over_bandwidth_against_half_of_the_timeout() -> None:
    values = {"state_bytes": 600e6, "new_bytes": 90e6, "bytes_per_s": 10e6, "timeout_ms": 30_000.0}
    found = outcome("upload", growth_bytes_per_s=5e6, **values)
    assert shown(found)["Full upload"] == "600 MB / 10 MB/s = 60 s"
    assert shown(found)["Incremental upload"] == "90 MB / 10 MB/s = 9 s"
    assert shown(found)["Bandwidth for a full upload within it"] == "600 MB / 15 s = 40 MB/s"
    assert found.advice == "do"
    assert outcome("upload", **values | {"new_bytes": 200e6}).advice == "do not"


def test_an_incremental_upload_is_that_of_the_interval_and_timeout_of_the_plan() -> None:
    """274.8 MB at 10.31 MB/s are 26.7 s; 835.9 MB in 15 s are 55.7 MB/s, as the runbook has them."""
    facts = {
        "checkpoint_sizes.max_state_bytes": 561.2e6,
        "checkpoint_sizes.needed_bytes": 835.9e6,
        "checkpoint_sizes.next_incremental_bytes": 274.8e6,
        "checkpoint_sizes.growth_by_checkpoint_bytes": 89.1e6,
        "checkpoint_sizes.growth_bytes_per_s": 4.58e6,
        "checkpoint_sizes.bytes_per_s_max": 10.31e6,
        "checkpoint_phases.upload_bytes_per_s_max": 10.61e6,
        "checkpoint_phases.largest_upload_bytes": 561.2e6,
        "checkpoint_phases.largest_upload_ms": 71_108.0,
        "checkpoint_progress.timeout_ms": 30_000.0,
        "checkpoint_progress.proposed_timeout_ms": 180_000.0,
    }
    found = outcome("upload", facts)
    assert found.advice == "do"
    assert "fit with a timeout of 3 min, as the plan has it: at least 26.7 s in place of 71.1 s." in found.headline
    assert "of 30 s that needs 55.7 MB/s." in found.headline
    assert shown(found)["Full upload, as measured"] == "561.2 MB = 71.1 s"
    assert "nearly everything is written again" in found.headline
    most = {"checkpoint_sizes.next_incremental_most_bytes": 836e6}
    slow = outcome("upload", facts | most | {"checkpoint_sizes.next_interval_ms": 60_000.0})
    assert slow.advice == "depends", "836 MB at 10.31 MB/s take 81 s, which the interval does not have"
    assert "longer than the interval of 60 s, so the storage must become faster too" in slow.headline
    compacted = outcome("upload", facts | most)
    assert "After a compaction up to 836 MB are written, in 81.1 s;" in compacted.headline
    without = {name: value for name, value in facts.items() if "proposed" not in name}
    assert outcome("upload", without).advice == "do not"
    faster = outcome("upload", facts, bytes_per_s=100e6)
    assert faster.headline == "Even a full upload fits into half of the timeout.", "what was measured was slower"


def test_the_time_until_a_growing_state_no_longer_fits() -> None:
    """10 MB/s x 60 s = 600 MB fit; 100 MB are there and 5 MB/s are added: (600 - 100) / 5 = 100 s."""
    values = {"state_bytes": 100e6, "new_bytes": 50e6, "bytes_per_s": 10e6, "timeout_ms": 60_000.0}
    lines = shown(outcome("upload", growth_bytes_per_s=5e6, **values))
    line = lines["A full upload reaches the timeout, if this growth lasts, in"]
    assert line.endswith("= 100 s")


def test_seventy_percent_less_of_fifteen_minutes_is_four_and_a_half() -> None:
    """The source document says 3 min; 0.3 x 15 min = 4.5 min."""
    values = {"state_bytes": 900e6, "new_bytes": 270e6, "bytes_per_s": 1e6, "timeout_ms": 1_200_000.0}
    assert outcome("upload", **values).results["incremental_ms"] == 4.5 * 60_000


def test_the_interval_weighs_overhead_against_what_a_failure_loses() -> None:
    """sqrt(2 x 5 % x 6 s x 86,400 s / 2) = sqrt(25,920) s = 161 s."""
    found = outcome("checkpoint-interval", interval_ms=60_000.0, duration_ms=6000.0, failures_per_day=2.0, cost=0.05)
    assert shown(found)["Time with a checkpoint under way"] == "6 s / 60 s = 10 %"
    assert shown(found)["Processed again after a failure, at most"] == "60 s + 6 s = 66 s"
    assert found.results["best_ms"] == pytest.approx(math.sqrt(25_920) * 1000)
    assert outcome("checkpoint-interval", interval_ms=10_000.0, duration_ms=12_000.0).advice == "do not"


def test_subtasks_are_rate_times_cost_over_the_target() -> None:
    """400/s x 32 ms = 12.8 busy subtasks; at 80 % busy 12.8 / 0.8 = 16.

    Of three subtasks the hottest has 2.7 / 3 = 90 % of the records: it is full at 1,000 / (0.9 x 32) = 34.7/s, and
    all three only at 3 x 1,000 / 32 = 93.75/s.
    """
    values = {"rate": 400.0, "ms_per_record": 32.0, "parallelism": 3.0, "target": 0.8}
    found = outcome("parallelism", skew_ratio=1.0, **values)
    assert found.results["needed"] == 16
    skewed = outcome("parallelism", skew_ratio=2.7, **values)
    assert (skewed.advice, "stays on one subtask" in skewed.refusals[0]) == ("do not", True)
    assert shown(skewed)["Passes until it is busy all the time"] == "1,000 ms / (90 % x 32 ms) = 34.7/s"
    assert shown(skewed)["Part of what comes in that passes"] == "34.7/s / 400/s = 8.7 %"
    assert shown(skewed)["Would pass evenly spread"] == "3 x 1,000 ms / 32 ms = 93.8/s"
    refused = outcome("parallelism", {"outside_system.refused": 14}, skew_ratio=1.0, **values)
    assert "more subtasks send it more" in refused.refusals[0]


def test_a_hot_subtask_passes_what_was_measured_and_the_mean_cost_of_a_record_is_not_its_own() -> None:
    """One key has 91 %; three idle subtasks pay 5 ms to wake up for a record, so that the mean says 262/s for 725/s."""
    facts = {"record_rate.offered_per_s": 2617.0, "record_rate.highest_per_s": 723.5}
    facts |= {"record_rate.ceiling_total_per_s": 725.0, "record_rate.ms_per_record": 4.19, "record_rate.slots_total": 4}
    facts |= {"record_rate.parallelism": 4, "load_balance.skew_ratio": 3.65}
    found = outcome("parallelism", facts)
    assert found.refusals == [found.headline]
    assert "the task passes at most 725/s of the 2,617/s that come in." in found.headline
    assert list(shown(found).values()) == ["3.65 / 4 = 91 %", "measured = 725/s", "725/s / 2,617/s = 28 %"]


LOOK_UP_OF_63 = {
    "blocking_calls.role": "look-up",
    "blocking_calls.call_ms": 47.31,
    "blocking_calls.async_capacity": 8,
    "record_rate.offered_per_s": 239.83,
    "record_rate.highest_per_s": 63.19,
    "record_rate.ms_per_record": 47.31,
    "record_rate.parallelism": 3,
    "record_rate.slots_total": 6,
}


def test_a_task_has_to_keep_up_with_what_is_offered_not_with_what_it_reads_while_it_holds_back() -> None:
    """239.83/s x 47.31 ms = 11.3 subtasks busy all the time, 17 at 70 %; of the slots there are 6."""
    found = outcome("parallelism", LOOK_UP_OF_63)
    assert found.advice == "do not"
    assert "239.8/s keep 12 subtasks busy all the time and need 17 at 70 % busy, and the cluster" in found.headline
    assert outcome("parallelism", LOOK_UP_OF_63 | {"record_rate.slots_total": 12}).advice == "do"
    calls = outcome("look-up", LOOK_UP_OF_63)
    assert calls.advice == "do"
    assert "One call at a time carries 63.4/s of 239.8/s." in calls.headline
    assert "4 in flight for each subtask, and up to 507.3/s with 8;" in calls.headline


def test_salts_leave_room_for_the_other_keys() -> None:
    """Four subtasks: 2 x 4 x ln 4 x (0.9 / 0.5)² = 35.9, so 36, as the runbook says by the same formula."""
    found = outcome("salting", share=0.9, parallelism=4.0, multiple=1.5)
    assert shown(found)["Room for the hot key on one subtask"] == "1.5 x 25 % - 2.5 % = 35 %"
    assert (found.results["salts"], salts_needed(0.9, 4)) == (36, 36)
    assert found.headline.startswith("Where partial results of a key can be merged")


def test_an_even_task_has_nothing_to_salt_and_the_share_of_a_subtask_is_not_called_that_of_a_key() -> None:
    """A quarter of the records and 1.3 % beyond it: 1.3 % + 98.7 % / 4 = 26 % of 25 %."""
    found = outcome("salting", {"load_balance.concentration_ratio": 0.0133, "load_balance.parallelism": 4})
    assert found.advice == "do not"
    assert "(26 % of the records; an even share is 25 %): there is nothing to salt." in found.headline
    assert "key" not in found.headline


def test_results_that_depend_on_the_one_before_are_not_salted() -> None:
    code = {"job_code.results_in_sequence": True, "job_code.previous_result": ["model.value (line 109)"]}
    found = outcome("salting", code, share=0.9, parallelism=4.0)
    assert found.advice == "do not"
    assert "depends on the one before (model.value (line 109))" in found.headline
    assert outcome("salting", {"job_code.results_in_sequence": False}, share=0.9, parallelism=4.0).advice == "depends"


def test_salts_are_counted_from_the_records_of_the_subtasks_as_in_the_runbook() -> None:
    """2 x 4 x ln 4 x (0.8836 / 0.5)² = 34.6; the sampled events would say 90 % and 36."""
    facts = {"load_balance.concentration_ratio": 0.8836, "load_balance.parallelism": 4}
    found = outcome("salting", facts | {"key_distribution.top_key_share_ratio": 0.8998})
    assert found.results["salts"] == salts_needed(0.8836, 4) == 35


def test_a_hot_key_of_ninety_percent_on_thirty_two_subtasks() -> None:
    """2 x 32 x ln 32 x (0.9 / 0.5)² = 718.7; with twice the even share allowed 2 x 32 x ln 32 x 0.9² = 179.7."""
    assert outcome("salting", share=0.9, parallelism=32.0, multiple=1.5).results["salts"] == 719
    assert outcome("salting", share=0.9, parallelism=32.0, multiple=2.0).results["salts"] == 180


@pytest.mark.parametrize("calculator", ["parallelism", "look-up"])
def test_what_a_task_that_holds_the_stream_back_has_read_is_not_what_comes_in(calculator: str) -> None:
    """It read 63.2/s and looked as if it kept up, while the sources had offered 239.8/s."""
    facts = {"record_rate.highest_per_s": 63.2, "record_rate.offered_per_s": 239.8, "record_rate.ms_per_record": 47.3}
    facts |= {"record_rate.parallelism": 3, "blocking_calls.async_capacity": 8, "blocking_calls.call_ms": 47.3}
    found = outcome(calculator, facts | LOOK_UP)
    assert found.advice == "do"
    assert "239.8/s" in found.headline
    assert found.results["needed"] == {"parallelism": 17, "look-up": 4}[calculator]


LOOK_UP = {"blocking_calls.role": "look-up"}


def test_asynchronous_calls_are_not_advised_without_a_look_up() -> None:
    found = outcome("look-up", rate=400.0, call_ms=30.0, parallelism=3.0, hits=0.0, capacity=100.0)
    assert found.advice == "not known"


def test_littles_law_shows_the_calls_in_flight() -> None:
    """400/s x 30 ms = 12 calls in flight, 4 for each of 3 subtasks; one at a time 3 / 30 ms = 100/s."""
    found = outcome("look-up", LOOK_UP, rate=400.0, call_ms=30.0, parallelism=3.0, hits=0.0, capacity=100.0)
    assert (found.results["in_flight"], found.results["needed"]) == (12, 4)
    assert (found.results["one_by_one_per_s"], found.advice) == (100, "do")


def test_a_cache_of_three_quarters_makes_four_times_as_many_records_pass() -> None:
    """3 / 30 ms / (1 - 75 %) = 400/s."""
    found = outcome("look-up", LOOK_UP, rate=400.0, call_ms=30.0, parallelism=3.0, hits=0.75, capacity=100.0)
    assert (found.results["one_by_one_per_s"], found.advice) == (400, "depends")
    refusing = {"outside_system.refused": 3}
    assert outcome("look-up", refusing, rate=400.0, call_ms=30.0, parallelism=3.0).advice == "do not"


CURVE = {
    "device_clocks.curve_bound_ms": [0.0, 500.0, 2_000.0, 10_000.0, 20_000.0, 40_000.0],
    "device_clocks.curve_late_ratio": [0.9, 0.5, 0.1, 0.01, 0.001, 0.0],
}


def test_a_bound_between_two_points_of_the_curve_is_on_the_line_between_them() -> None:
    """1 % are later than 10 s and 0.1 % later than 20 s; at 15 s half way: 0.55 %."""
    found = outcome("disorder-bound", CURVE, bound_ms=15_000.0, now_ms=10_000.0)
    assert (found.results["lost"], found.results["lost_now"]) == (pytest.approx(0.0055), pytest.approx(0.01))
    assert shown(found)["Results come later by"] == "15 s - 10 s = 5 s"
    assert found.advice == "do"


def test_the_share_of_late_events_never_rises_with_the_bound() -> None:
    shares = [
        outcome("disorder-bound", CURVE, bound_ms=float(bound), now_ms=1.0).results["lost"]
        for bound in range(0, 50_000, 250)
    ]
    assert shares == sorted(shares, reverse=True)
    assert (shares[0], shares[-1]) == (0.9, 0.0)


def test_a_chosen_share_has_the_bound_and_latency_of_the_curve() -> None:
    lines = shown(outcome("disorder-bound", CURVE, bound_ms=15_000.0, now_ms=5_000.0))
    assert lines["At most 1 % late"] == "1 % are later than 10 s = bound 10 s, results 5 s later"
    assert lines["At most 0.1 % late"] == "0.1 % are later than 20 s = bound 20 s, results 15 s later"


def test_a_fast_clock_takes_its_lead_from_the_bound() -> None:
    """Two seconds ahead leave 10 s of 12 s: 1 % late. Only a bound within the lead loses everything."""
    fast = {"device_clocks.fast_by_max_ms": 2_000, "device_clocks.fast_devices": 1}
    found = outcome("disorder-bound", {**CURVE, **fast}, bound_ms=12_000.0, now_ms=4_000.0)
    assert (found.advice, found.results["lost"]) == ("do", pytest.approx(0.01))
    within = outcome("disorder-bound", {**CURVE, **fast}, bound_ms=1_500.0, now_ms=1_000.0)
    assert (within.advice, within.results["lost"]) == ("do not", 1.0)


def test_without_a_sample_of_events_no_curve_is_assumed() -> None:
    assert outcome("disorder-bound", bound_ms=1.0, now_ms=1.0).advice == "not known"


def test_catching_up_needs_spare_capacity() -> None:
    """(120 s + 60 s) x 1,000/s = 180,000 records; at 500/s to spare 360 s."""
    values = {"since_ms": 120_000.0, "down_ms": 60_000.0, "rate": 1000.0}
    found = outcome("restart", capacity=1500.0, **values)
    assert (found.results["backlog"], found.results["catch_up_ms"]) == (180_000, 360_000)
    never = outcome("restart", capacity=1000.0, **values)
    assert (never.advice, never.results["catch_up_ms"]) == ("do not", math.inf)
    assert "does not catch up: 1,000/s come in" in never.headline


def test_a_job_that_is_down_repeats_what_it_did_and_is_behind_by_all_that_passed() -> None:
    """2 s of work, 90 s without any, 60 s more: 152 s x 1,000/s = 152,000 records; at 500/s to spare 304 s."""
    values = {"since_ms": 2_000.0, "down_ms": 60_000.0, "rate": 1000.0, "capacity": 1500.0}
    down = {"checkpoint_progress.not_run_ms": 90_000, "checkpoint_progress.down_since_ms": 90_000}
    found = outcome("restart", down, **values)
    assert (found.results["behind_ms"], found.results["catch_up_ms"]) == (152_000, 304_000)
    assert "repeats the 2 s from the last checkpoint to where the job stopped; it has not run" in found.headline
    generated = outcome("restart", {**down, "delivery_guarantee.generated": True}, since_ms=2_000.0)
    assert generated.headline.startswith("A restart repeats the 2 s from")


def test_a_job_that_is_held_back_has_no_spare_capacity() -> None:
    """What reached the bottleneck is less than what is offered, so that its rate says nothing about catching up."""
    values = {"since_ms": 0.0, "down_ms": 60_000.0, "rate": 500.0, "capacity": 600.0}
    assert outcome("restart", **values).headline.startswith("After a stop with a savepoint nothing is repeated.")
    held = outcome("restart", {"back_pressure.origin.level": "high"}, **values)
    assert held.advice == "do not"
    assert "more is offered than it takes" in held.headline
    ended = {"back_pressure.origin.level": "high", "restarts.final_state": "FAILED"}
    assert "held back" not in outcome("restart", ended, **values).headline


def test_a_source_without_a_position_loses_what_arrives_while_the_job_is_down() -> None:
    """60 s x 500/s = 30,000 records; from a checkpoint 40 s ago, 20,000 more."""
    values = {"since_ms": 0.0, "down_ms": 60_000.0, "rate": 500.0, "capacity": 2000.0}
    found = outcome("restart", {"delivery_guarantee.source": "at most once"}, **values)
    assert found.results == {"lost": 30_000}
    assert "the state is whole, but what comes while the job is down is lost: about 30,000 records" in found.headline
    older = outcome("restart", {"delivery_guarantee.source": "at most once"}, **values | {"since_ms": 40_000.0})
    assert older.results == {"lost": 50_000}
    assert "loses what came in the 40 s since then and what comes while the job is down, 500/s" in older.headline
    assert "each further minute without a completed checkpoint adds 30,000." in older.headline


def test_what_was_held_back_since_the_checkpoint_was_not_read_and_is_not_lost_by_a_restart() -> None:
    """75 s x 680/s + 60 s x 2,600/s = 207,000 records."""
    held = {"delivery_guarantee.source": "at most once", "throughput.since_checkpoint_per_s": 680.0}
    found = outcome("restart", held, since_ms=75_000.0, down_ms=60_000.0, rate=2600.0)
    assert found.results == {"lost": 207_000}
    assert found.formula is not None
    assert found.formula.startswith("lost = "), "nothing is caught up"
    assert "680/s, and what comes while the job is down, at least 2,600/s: about 210,000 records" in found.headline
    assert "adds about 41,000 that the job reads while it is held back" in found.headline
    assert "loses all that came: about 350,000 records, and 160,000 for each further minute" in found.headline
    assert shown(found)["Records lost with all that was held back"] == "(75 s + 60 s) x 2,600/s = 351,000"
    late = {**held, "throughput.unheld_per_s": 2600.0, "throughput.after_per_s": 100.0}
    slower = outcome("restart", late, since_ms=75_000.0, down_ms=60_000.0, rate=2600.0).headline
    assert "while the job is down, 2,600/s" in slower
    assert "adds about 6,000 that the job reads" in slower, "the rate of late, not the mean since the checkpoint"


def test_a_recovery_within_the_running_cluster_is_not_the_time_of_a_stop_and_a_start() -> None:
    """It took 10 s; a stop of the processes, their start and a restore take longer."""
    values = {"since_ms": 0.0, "rate": 1000.0}
    forgets = {"delivery_guarantee.source": "at most once"}
    assert outcome("restart", {**forgets, "recovery.median_ms": 10_000.0}, **values).results == {"lost": 60_000}
    assert outcome("restart", {**forgets, "recovery.median_ms": 90_000.0}, **values).results == {"lost": 90_000}


def test_records_that_a_sink_keeps_in_memory_are_lost_by_each_stop() -> None:
    values = {"since_ms": 0.0, "down_ms": 60_000.0, "rate": 500.0, "capacity": 2000.0}
    held = outcome("restart", {"job_code.unsaved_buffers": ["Out.buf (line 3)"]}, **values)
    assert held.headline.startswith("After a stop with a savepoint nothing is repeated.")
    assert "a sink keeps records in Out.buf (line 3): no checkpoint or savepoint holds them" in held.headline


def test_without_records_to_catch_up_no_catching_up_is_explained() -> None:
    assert outcome("restart", {"delivery_guarantee.generated": True}, since_ms=2_000.0).formula == ""
    assert outcome("restart", {"delivery_guarantee.source": "at most once"}, since_ms=0.0).formula == ""
    assert outcome("restart", since_ms=0.0, down_ms=60_000.0, rate=500.0, capacity=2000.0).formula is None


def test_the_upload_has_the_rate_and_the_growth_of_the_runbook() -> None:
    """It had the fastest slow checkpoint instead: 8.4 s beside the runbook's 8.6 s, and a growth of nothing."""
    facts = {
        "checkpoint_sizes.max_state_bytes": 561.2e6,
        "checkpoint_sizes.growth_by_checkpoint_bytes": 89.1e6,
        "checkpoint_sizes.bytes_per_s_max": 10.3e6,
        "checkpoint_sizes.growth_bytes_per_s": 4.6e6,
        "checkpoint_phases.upload_bytes_per_s_max": 10.6e6,
        "settings.timeout_ms": 180_000.0,
    }
    lines = shown(outcome("upload", facts))
    assert lines["Incremental upload"] == "89.1 MB / 10.3 MB/s = 8.7 s"
    assert "4.6 MB/s" in lines["A full upload reaches the timeout, if this growth lasts, in"]


def test_what_is_lost_at_a_source_without_a_position_depends_on_no_capacity() -> None:
    forgets = {"delivery_guarantee.source": "at most once"}
    assert outcome("restart", forgets, since_ms=0.0, rate=600.0).results["lost"] == 36_000
    unknown = outcome("restart", forgets, since_ms=0.0)
    assert unknown.advice == "depends"
    assert "what comes while the job is down is lost." in unknown.headline
    assert "since then" in outcome("restart", forgets, since_ms=1_800.0).headline


def test_records_that_are_generated_need_no_rate() -> None:
    assert outcome("restart", {"delivery_guarantee.generated": True}, since_ms=0.0).advice == "depends"
    assert outcome("restart", {}, since_ms=0.0).advice == "not known"


def test_what_is_lost_is_counted_by_what_the_sources_offer_not_by_what_a_bottleneck_reads() -> None:
    """(156.4 s + 60 s) x 240/s = 51,936; the bottleneck reads 62/s of them. An estimate has two digits."""
    facts = {
        "delivery_guarantee.source": "at most once",
        "checkpoint_progress.goes_back_ms": 156_400.0,
        "record_rate.usual_per_s": 62.0,
        "record_rate.emitted_per_s": 240.0,
        "record_rate.ceiling_total_per_s": 63.0,
    }
    found = outcome("restart", facts)
    assert found.results["lost"] == pytest.approx(51_936)
    assert "about 52,000 records if it is down for 60 s" in found.headline


def test_a_source_that_generates_its_records_has_nothing_to_catch_up() -> None:
    """It continues at its counter; a source outside would have offered 60 s x 500/s meanwhile."""
    values = {"since_ms": 0.0, "down_ms": 60_000.0, "rate": 500.0, "capacity": 500.0}
    found = outcome("restart", {"delivery_guarantee.generated": True, "back_pressure.origin.level": "high"}, **values)
    assert (found.advice, found.results["backlog"]) == ("depends", 0)
    assert "nothing is to be caught up" in found.headline
    assert "behind" not in found.headline
    assert outcome("restart", {"delivery_guarantee.generated": False}, **values).results["backlog"] == 30_000


def test_a_transaction_survives_what_the_timeout_leaves_beside_interval_and_checkpoint() -> None:
    """15 min - (10 min + 2 min) = 3 min; ten minutes down are 7 min too long."""
    values = {"timeout_ms": 900_000.0, "interval_ms": 600_000.0, "duration_ms": 120_000.0, "broker_max_ms": 900_000.0}
    found = outcome("kafka-transactions", down_ms=600_000.0, **values)
    assert shown(found)["Down time that it survives"] == "15 min - 12 min = 3 min"
    assert found.results["window_ms"] == 7 * 60_000
    assert "transaction.max.timeout.ms" in found.refusals[0]
    assert outcome("kafka-transactions", down_ms=0.0, **values | {"timeout_ms": 600_000.0}).advice == "do not"


@pytest.mark.parametrize("calculator", CALCULATORS.values(), ids=lambda each: each.id)
def test_inputs_are_read_from_facts_that_are_measured_and_nothing_is_assumed_without_a_reason(calculator: Any) -> None:
    named = [fact.rpartition(".") for each in calculator.inputs for fact in each.facts]
    assert [f"{key}.{fact}" for key, _, fact in named if fact not in DEFINITIONS[key].facts] == []
    assert [each.name for each in calculator.inputs if (each.assumed is not None) != bool(each.because)] == []
    assert calculator.assumptions


@pytest.mark.parametrize("calculator", CALCULATORS, ids=str)
def test_what_is_missing_is_named_and_never_zero(calculator: str) -> None:
    found = outcome(calculator)
    assert (found.advice, found.lines) == ("not known", ())
    assert found.headline.startswith("Not measured here")


@pytest.mark.parametrize("calculator", CALCULATORS.values(), ids=lambda each: each.id)
@pytest.mark.parametrize("extreme", [0.0, 1e15])
def test_no_value_of_a_slider_breaks_it(calculator: Any, extreme: float) -> None:
    assert outcome(calculator.id, **{each.name: extreme for each in calculator.inputs}).headline
