"""Barriers by channel from DEBUG logs."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.log_scan.known_messages import event_columns
from diagnostics.signals.channel_barriers import measure
from tests.diagnostics.hand_made import JOB, START, hand_made, line_of_jobs, needs, only


def logged(ms: int, message: str, level: str = "DEBUG") -> dict[str, Any]:
    """A record of a TaskManager as the scan of logs reads it."""
    (known,) = event_columns([message])
    about = {"ts_ms": START + ms, "process": "taskmanager", "level": level, "job_id": JOB}
    return {**about, **{name: value for name, value in known.items() if value is not None}, "message": message}


def received(ms: int, checkpoint: int, channel: int, *, subtask: int = 2, gate: int = 0) -> dict[str, Any]:
    place = f"InputChannelInfo{{gateIdx={gate}, inputChannelIdx={channel}}}"
    return logged(ms, f"Sink: documents ({subtask}/2)#0: Received barrier from channel {place} @ {checkpoint}.")


def facts_of(records: list[dict[str, Any]]) -> dict[str, Any]:
    return dict(only(measure(hand_made(**line_of_jobs(), log_record=records)), "channel_barriers").facts)


def test_the_channel_that_comes_last_and_how_long_the_others_wait() -> None:
    records = [
        received(base + delay, checkpoint, channel)
        for checkpoint, base in ((1, 0), (2, 60_000), (3, 120_000))
        for channel, delay in ((0, 100), (1, 4_100 + checkpoint * 100))
    ]
    quick = [received(base, number, channel, subtask=1) for number, base in ((1, 5), (2, 60_005)) for channel in (0, 1)]
    facts = facts_of([*records, *quick])
    assert (facts["task"], facts["subtask"], facts["channels"]) == ("Sink: documents", 1, 2)
    assert (facts["spread_ms"], facts["spread_max_ms"], facts["spread_checkpoint"]) == (4_200, 4_300, 3)
    assert (facts["last_input"], facts["last_channel"], facts["last_share_ratio"]) == (0, 1, 1.0)
    assert (facts["last_upstream_vertex"], facts["last_upstream_subtask"]) == ("enrich", 1)


def test_a_second_input_has_no_subtask_of_the_first_task_upstream() -> None:
    records = [received(at, 1, channel, gate=gate) for at, (gate, channel) in enumerate([(0, 0), (0, 1), (1, 0)])]
    facts = facts_of(records)
    assert (facts["last_input"], facts["channels"]) == (1, 3)
    assert "last_upstream_vertex" not in facts


def test_before_1_12_a_barrier_belongs_to_the_alignment_that_its_task_began() -> None:
    task = "Sink: documents (1/2)"
    records = [
        logged(0, f"{task}: Starting stream alignment for checkpoint 7."),
        logged(10, f"{task}: Received barrier from channel 0."),
        logged(2_010, f"{task}: Received barrier from channel 1."),
    ]
    facts = facts_of(records)
    assert (facts["spread_checkpoint"], facts["spread_ms"], facts["last_channel"]) == (7, 2_000, 1)


@pytest.mark.parametrize("records", [[], [received(0, 1, 0)]], ids=["at level INFO", "one channel"])
def test_without_records_of_channels_the_debug_logs_are_asked_for(records: list[dict[str, Any]]) -> None:
    info = logged(0, "Job switched", level="INFO")
    assert needs(measure(hand_made(log_record=[info, *records]))) == {"channel_barriers": "barrier-logs"}
