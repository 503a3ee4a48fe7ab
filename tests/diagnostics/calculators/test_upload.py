"""The upload of a checkpoint against its timeout, whole and incremental, and as the state grows."""

from __future__ import annotations

from tests.diagnostics.calculators.worked_example import outcome, shown


def test_an_upload_is_bytes_over_bandwidth_against_half_of_the_timeout() -> None:
    values = {"state_bytes": 600e6, "new_bytes": 90e6, "bytes_per_s": 10e6, "timeout_ms": 30_000.0}
    found = outcome("upload", growth_bytes_per_s=5e6, **values)
    assert shown(found)["Full upload"] == "600 MB / 10 MB/s = 60 s"
    assert shown(found)["Incremental upload"] == "90 MB / 10 MB/s = 9 s"
    assert shown(found)["Bandwidth for a full upload within it"] == "600 MB / 15 s = 40 MB/s"
    assert found.advice == "do"
    assert outcome("upload", **values | {"new_bytes": 200e6}).advice == "do not"


def test_an_incremental_upload_is_that_of_the_interval_and_timeout_of_the_plan() -> None:
    """274.8 MB at 10.31 MB/s are 26.7 s; 835.9 MB in half of 3 min are 9.3 MB/s, as the runbook has them."""
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
    assert "fit with a timeout of 3 min, as the plan has it: one takes at least 26.7 s, a full one 71.1 s. " in (
        found.headline
    )
    assert "half of the timeout of 3 min asks for 9.3 MB/s." in found.headline
    assert shown(found)["Bandwidth for a full upload within it"] == "835.9 MB / 15 s = 55.7 MB/s", "as it is now"
    assert shown(found)["Full upload, as measured"] == "561.2 MB = 71.1 s"
    assert "nearly everything is written again" in found.headline
    most = {"checkpoint_sizes.next_incremental_most_bytes": 836e6}
    slow = outcome("upload", facts | most | {"checkpoint_sizes.next_interval_ms": 60_000.0})
    assert slow.advice == "depends", "836 MB at 10.31 MB/s take 81 s, which the interval does not have"
    assert "After a compaction up to 836 MB are written, in 81.1 s, longer than the interval of 60 s." in slow.headline
    assert "must become faster too: 13.9 MB/s end such an upload within the interval." in slow.headline, "836 / 60"
    compacted = outcome("upload", facts | most)
    assert "After a compaction up to 836 MB are written, in 81.1 s;" in compacted.headline
    without = {name: value for name, value in facts.items() if "proposed" not in name}
    assert outcome("upload", without).advice == "do not"
    faster = outcome("upload", facts, bytes_per_s=100e6)
    assert faster.headline.startswith("Even a full upload fits into half of the timeout"), (
        "what was measured was slower"
    )


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


def test_a_state_that_grows_fits_only_for_a_while() -> None:
    """(31.8 MB/s x 10 s - 68.6 MB) / 637.9 kB/s = 391 s."""
    values = {"state_bytes": 68.6e6, "new_bytes": 6.4e6, "bytes_per_s": 31.8e6, "timeout_ms": 20_000.0}
    grows, stays = (
        outcome("upload", **values, later_bytes=0.0, growth_bytes_per_s=growth) for growth in (637_900.0, 0.0)
    )
    now = "Even a full upload fits into half of the timeout"
    assert grows.headline == f"{now} by what was measured; while the state grows by 637.9 kB/s, for 6 min 31 s more."
    assert stays.headline == f"{now}."


def test_a_state_that_has_stopped_growing_fits_for_good() -> None:
    """It grew by 17.3 kB/s over the whole time, and no more in its last 14 checkpoints."""
    facts = {
        "checkpoint_sizes.max_state_bytes": 109.1e6,
        "checkpoint_sizes.growth_by_checkpoint_bytes": 0.14e6,
        "checkpoint_sizes.bytes_per_s_max": 162.8e6,
        "checkpoint_sizes.growth_bytes_per_s": 17_300.0,
        "checkpoint_progress.timeout_ms": 40_000.0,
    }
    assert "while the state grows by 17.3 kB/s" in outcome("upload", facts).headline
    settled = outcome("upload", facts | {"checkpoint_sizes.settled_growth_bytes_per_s": 0.0})
    assert settled.headline == "Even a full upload fits into half of the timeout."


def test_what_a_full_upload_took_tells_how_long_it_still_fits() -> None:
    """68.6 MB took 4.1 s, not the 2.2 s of the best rate: 68.6 MB x (10 s / 4.1 s - 1) / 637.9 kB/s = 155 s."""
    facts = {
        "checkpoint_sizes.max_state_bytes": 68.6e6,
        "checkpoint_sizes.growth_by_checkpoint_bytes": 6.4e6,
        "checkpoint_sizes.bytes_per_s_max": 31.8e6,
        "checkpoint_sizes.state_growth_bytes_per_s": 637_900.0,
        "checkpoint_phases.largest_upload_bytes": 68.6e6,
        "checkpoint_phases.largest_upload_ms": 4_100.0,
        "checkpoint_progress.timeout_ms": 20_000.0,
    }
    assert outcome("upload", facts).headline.endswith("for 2 min 35 s more.")


def test_an_upload_that_fits_at_the_fastest_rate_alone_is_not_said_to_fit() -> None:
    """824.3 MB take 14 s at 58.9 MB/s and 46.8 s at 17.6 MB/s, of a timeout of 30 s."""
    facts = {
        "checkpoint_sizes.max_state_bytes": 824.3e6,
        "checkpoint_sizes.growth_by_checkpoint_bytes": 45.9e6,
        "checkpoint_sizes.bytes_per_s_max": 58.9e6,
        "checkpoint_phases.upload_bytes_per_s_max": 17.6e6,
        "checkpoint_progress.timeout_ms": 30_000.0,
    }
    slow = "at the slowest upload, 17.6 MB/s, it takes 46.8 s, longer than the timeout."
    assert outcome("upload", facts).headline.endswith(slow)
    longer = outcome("upload", facts, timeout_ms=60_000.0)
    assert longer.headline.endswith("it takes 46.8 s, more than half of it.")
    assert "slowest" not in outcome("upload", facts, bytes_per_s=80e6).headline, "a bandwidth that somebody tries"
    assert "slowest" not in outcome("upload", facts | {"checkpoint_phases.upload_bytes_per_s_max": 60e6}).headline


def test_a_backend_without_incremental_checkpoints_is_named_and_asks_for_nothing() -> None:
    hashmap = {"settings.state_backend": "hashmap"}
    found = outcome("upload", hashmap)
    assert found.advice == "do not", "and not the request for a bandwidth that would change nothing"
    assert "The state backend is hashmap: it writes the whole state with every checkpoint" in found.headline
    values = {"state_bytes": 600e6, "new_bytes": 90e6, "bytes_per_s": 10e6, "timeout_ms": 30_000.0}
    assert outcome("upload", hashmap, **values).advice == "do not", "RocksDB could write the 90 MB alone, this cannot"
    assert shown(outcome("upload", hashmap, **values))["Full upload"] == "600 MB / 10 MB/s = 60 s"
    small = outcome("upload", hashmap, **values | {"state_bytes": 60e6})
    assert small.headline == "Even a full upload fits into half of the timeout."


def test_no_upload_is_promised_to_a_storage_that_refuses_the_state_for_its_size() -> None:
    values = {"state_bytes": 10.4e6, "new_bytes": 40e3, "bytes_per_s": 100e6, "timeout_ms": 10_000.0}
    found = outcome("upload", {"settings.storage": "jobmanager"}, **values)
    assert found.advice == "do not", "the whole state would fit into half of the timeout many times"
    assert "it refuses the state of a subtask that is larger than its limit" in found.headline
    assert outcome("upload", {"settings.storage": "filesystem"}, **values).advice == "depends"


def test_an_increment_names_the_interval_that_it_is_of() -> None:
    """Those measured took 4 s to 13 s at 10 s; what the runbook proposes is an interval of 40 s."""
    facts = {
        "checkpoint_sizes.max_state_bytes": 469.6e6,
        "checkpoint_sizes.next_interval_ms": 40_000.0,
        "checkpoint_sizes.next_incremental_bytes": 183.4e6,
        "checkpoint_sizes.bytes_per_s_max": 11e6,
        "checkpoint_progress.timeout_ms": 30_000.0,
        "checkpoint_progress.proposed_timeout_ms": 120_000.0,
        "settings.incremental": True,
    }
    on = "Incremental checkpoints are on already: "
    assert outcome("upload", facts).headline.startswith(f"{on}at an interval of 40 s one takes at least 16.7 s")
    other = outcome("upload", facts, new_bytes=110e6)
    assert other.headline.startswith(f"{on}one takes at least 10 s"), "what the user tries is of no interval"
