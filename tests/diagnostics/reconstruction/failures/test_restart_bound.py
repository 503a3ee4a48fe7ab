"""When a restart strategy ends a job that goes on to fail."""

from __future__ import annotations

from diagnostics.reconstruction.failures.restart_bound import gives_up_after_ms

RATE = "FailureRateRestartBackoffTimeStrategy(failuresIntervalMS=600000,backoffTimeMS=4000,maxFailuresPerInterval=10)"
FIXED = "FixedDelayRestartBackoffTimeStrategy(maxNumberRestartAttempts=3, backoffTimeMS=1000)"


def test_the_eleventh_failure_in_ten_minutes_ends_a_job_that_is_allowed_ten() -> None:
    assert gives_up_after_ms(RATE, 27_500) == 275_000


def test_failures_that_are_slower_than_the_rate_never_do() -> None:
    assert gives_up_after_ms(RATE, 61_000) is None
    assert gives_up_after_ms("ExponentialDelayRestartBackoffTimeStrategy(initialBackoffMS=1000)", 1_000) is None


def test_a_fixed_number_of_attempts_is_used_up_at_any_pace() -> None:
    assert gives_up_after_ms(FIXED, 3_600_000) == 10_800_000
