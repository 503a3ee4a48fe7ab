"""Settings that let records wait until a batch is full or its time is over."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from diagnostics.vocabulary.held_records import longest_hold

BATCHES = ("table.exec.mini-batch.allow-latency", "5 s")


@pytest.mark.parametrize(
    ("options", "held"),
    [
        ([("python.fn-execution.bundle.size", "100000")], ("python.fn-execution.bundle.time", 1000.0)),
        ([BATCHES, ("table.exec.mini-batch.enabled", "true")], (BATCHES[0], 5000.0)),
        ([BATCHES], None),
        ([("execution.buffer-timeout", "1000")], ("execution.buffer-timeout.interval", 1000.0)),
        ([("execution.buffer-timeout.interval", "100 ms")], None),
        ([], None),
    ],
)
def test_the_setting_that_holds_records_longest_is_found(
    options: Sequence[tuple[str, str]], held: tuple[str, float] | None
) -> None:
    found = longest_hold(options)
    assert (found and (found[0].option, found[1])) == held


def test_of_two_statements_the_latest_counts() -> None:
    name = "python.fn-execution.bundle.time"
    found = longest_hold([(name, "20"), (name, "1000")])
    assert found
    assert found[1] == 20.0
