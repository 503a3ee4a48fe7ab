"""What the runbook of a slow upload says of the bytes that an incremental checkpoint writes at another interval."""

from __future__ import annotations

from diagnostics.runbook import fill, runbooks

JOB = "a" * 32


def test_the_growth_is_stated_by_time_beside_the_median_of_the_steps() -> None:
    """The median was 89.1 MB at an interval of 30 s, while the plan proposed 55 s at 4.5 MB/s: some 250 MB."""
    facts = {
        "growth_by_checkpoint_bytes": 89_100_000,
        "state_growth_bytes_per_s": 4_500_000,
        "expected_incremental_ms": 8_600,
        "bytes_per_s_max": 10_300_000,
    }
    sizes = {"key": "checkpoint_sizes", "subject": {"job": JOB}, "level": "job", "facts": facts}
    filled = fill(
        runbooks()["rocksdb-slow-upload"], {"subject": {"job": JOB}}, [{**sizes, "citations": [], "citation_count": 0}]
    )
    measured = " ".join(next(each for each in filled["steps"] if each["id"] == "incremental")["measured"])

    assert "grew by 89.1 MB, the median of all of them" in measured
    assert "grows by 4.5 MB per second: multiply that by the interval" in measured
