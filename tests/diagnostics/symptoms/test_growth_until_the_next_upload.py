"""What the runbook of a slow upload says of the bytes that an incremental checkpoint writes at another interval."""

from __future__ import annotations

from diagnostics.runbook import fill, runbooks

JOB = "a" * 32


def test_the_growth_is_stated_for_the_interval_to_come_beside_the_median_of_the_steps() -> None:
    """The median was 89.1 MB at intervals of 10 s to 30 s, while the plan proposed 55 s at 4.6 MB/s: some 250 MB."""
    facts = {
        "growth_by_checkpoint_bytes": 89_100_000,
        "expected_incremental_ms": 8_600,
        "bytes_per_s_max": 10_300_000,
        "growth_bytes_per_s": 4_580_000,
        "next_interval_ms": 55_000,
        "next_incremental_bytes": 251_900_000,
        "next_incremental_ms": 24_460,
        "compacted_bytes": 690_000_000,
        "next_incremental_most_bytes": 836_000_000,
        "next_incremental_most_ms": 81_200,
        "next_incremental_interval_ratio": 1.48,
    }
    sizes = {"key": "checkpoint_sizes", "subject": {"job": JOB}, "level": "job", "facts": facts}
    filled = fill(
        runbooks()["rocksdb-slow-upload"], {"subject": {"job": JOB}}, [{**sizes, "citations": [], "citation_count": 0}]
    )
    step = next(each for each in filled["steps"] if each["id"] == "incremental")
    measured = " ".join(step["measured"])

    assert "grew by 89.1 MB, the median of all of them" in measured
    assert "interval of 55 s, an incremental checkpoint writes at least 251.9 MB, in 24.5 s at that rate" in measured
    assert "compaction wrote up to 690 MB within 55 s" in measured
    assert "after a compaction up to 836 MB, in 81.2 s at that rate" in measured
    answer = next(each for each in step["answers"] if each["if"].startswith("after a compaction"))
    assert answer["taken"]
    assert "the next step is part of the repair" in answer["then"]


def test_incremental_checkpoints_that_are_on_are_not_to_be_switched_on() -> None:
    facts = {"next_interval_ms": 40_000, "next_incremental_interval_ratio": 1.48, "full_again": 2}
    for incremental, start in ((True, "Leave them on."), (False, "Switch them on all the same.")):
        signals = [
            {"key": key, "subject": {"job": JOB}, "level": "job", "facts": known, "citations": [], "citation_count": 0}
            for key, known in {"checkpoint_sizes": facts, "settings": {"incremental": incremental}}.items()
        ]
        filled = fill(runbooks()["rocksdb-slow-upload"], {"subject": {"job": JOB}}, signals)
        step = next(each for each in filled["steps"] if each["id"] == "incremental")
        taken = [each for each in step["answers"] if each["taken"] and "after a compaction" in each["if"]]
        assert [each["then"].startswith(start) for each in taken] == [True]
