"""What a restart repeats or loses, and how long catching up takes."""

from __future__ import annotations

import math

import pytest

from diagnostics.calculators import CALCULATORS
from tests.diagnostics.calculators.worked_example import outcome, shown


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


def test_a_source_that_makes_its_records_loses_nothing_that_exists_elsewhere() -> None:
    """40 s + 60 s at 500/s are 50,000 records of a real feed in its place."""
    facts = {"delivery_guarantee.source": "at most once", "job_code.makes_records": True}
    values = {"since_ms": 40_000.0, "down_ms": 60_000.0, "rate": 500.0, "capacity": 2000.0}
    found = outcome("restart", facts, **values)
    assert "nothing is lost that exists elsewhere" in found.headline
    assert "takes the state back 40 s" in found.headline
    assert "would lose about 50,000 records if the job is down for 60 s." in found.headline
    assert [line.label for line in found.lines] == ["A real feed would lose"]
    case = CALCULATORS["restart"].read(facts.get)
    assert case.question == "How far back does a restart go?"


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
    measured = outcome(
        "restart", {"delivery_guarantee.source": "at most once"}, **values | {"since_ms": 4e4, "rate": 512.3}
    )
    assert "while the job is down, 512.3/s: about 51,000 records" in measured.headline, (
        "measured, and the estimate of it"
    )


def test_what_was_held_back_since_the_checkpoint_was_not_read_and_is_not_lost_by_a_restart() -> None:
    """75 s x 680/s + 60 s x 2,600/s = 207,000 records."""
    held = {"delivery_guarantee.source": "at most once", "throughput.since_checkpoint_per_s": 680.0}
    found = outcome("restart", held, since_ms=75_000.0, down_ms=60_000.0, rate=2600.0)
    assert found.results == {"lost": 207_000, "lost_most": 351_000}, "no code decides which of them it is"
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


def test_where_the_code_shows_that_a_source_keeps_what_it_owes_in_memory_one_number_is_lost() -> None:
    """40,000 were due and not sent at the trigger: 40,000 + (75 s + 60 s) x 3,000/s = 445,000."""
    owes = {
        "delivery_guarantee.source": "at most once",
        "job_code.owes_by_clock": True,
        "job_code.sources_by_clock": ["Orders.sent (line 9)"],
        "throughput.since_checkpoint_per_s": 600.0,
        "throughput.held_at_checkpoint": 40_000.0,
        "throughput.held_at_end": 220_000.0,
    }
    found = outcome("restart", owes, since_ms=75_000.0, rate=3000.0)
    assert found.results == {"lost": 445_000}
    assert shown(found) == {"Records lost": "40,000 + (75 s + 60 s) x 3,000/s = 445,000"}
    assert "a count in memory is all that it keeps of what it cannot send: Orders.sent (line 9)." in found.headline
    assert "such as a generator" not in found.headline, "the code has decided"
    stopped = outcome("restart", owes, since_ms=0.0, rate=3000.0)
    assert stopped.results == {"lost": 400_000}, "a savepoint does not hold what waits in memory either"
    assert "the 220,000 records that are held back now" in stopped.headline
    free = {**owes, "throughput.held_at_checkpoint": 0.0, "throughput.held_at_end": 0.0}
    for since in (75_000.0, 0.0):
        assert "held back" not in outcome("restart", free, since_ms=since, rate=3000.0).headline


def test_what_is_not_caught_up_is_not_asked_for() -> None:
    forgets = {"delivery_guarantee.source": "at most once"}.get
    asked = CALCULATORS["restart"].read(forgets)
    assert [each.name for each in asked.inputs] == ["since_ms", "down_ms", "rate"]
    assert asked.question == "How many records does a restart lose?"
    assert not [each for each in asked.assumptions if "capacity" in each or "read again" in each]
    generated = CALCULATORS["restart"].read({"delivery_guarantee.generated": True}.get)
    assert [each.name for each in generated.inputs] == ["since_ms"]
    assert generated.question == "How far back does a restart go?"
    assert "catching up" in CALCULATORS["restart"].read({}.get).question


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
    """A source outside would have offered 60 s x 500/s meanwhile."""
    values = {"since_ms": 0.0, "down_ms": 60_000.0, "rate": 500.0, "capacity": 500.0}
    found = outcome("restart", {"delivery_guarantee.generated": True, "back_pressure.origin.level": "high"}, **values)
    assert (found.advice, found.results["backlog"]) == ("depends", 0)
    assert "nothing is to be caught up" in found.headline
    assert "counter" not in found.headline, "without a checkpoint it begins again, and random records have none"
    assert "behind" not in found.headline
    assert outcome("restart", {"delivery_guarantee.generated": False}, **values).results["backlog"] == 30_000


def test_a_checkpoint_that_flink_deletes_with_the_job_is_not_promised_to_a_restart() -> None:
    ended = {
        "restarts.final_state": "FAILED",
        "settings.retention": "NO_EXTERNALIZED_CHECKPOINTS",
        "delivery_guarantee.generated": True,
    }
    said = outcome("restart", ended, since_ms=69_000.0).headline
    assert "expect the last one to be gone, and all that the state held since the job was started to be lost" in said
    assert "Only where it is still there, a restart repeats the 69 s" in said
    kept = {**ended, "settings.retention": "DELETE_ON_CANCELLATION"}
    assert "gone" not in outcome("restart", kept, since_ms=69_000.0).headline
