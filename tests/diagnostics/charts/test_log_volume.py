from __future__ import annotations

from typing import Any

from diagnostics.charting.chart import Theme
from diagnostics.charts.log_volume import CHART
from tests.diagnostics.hand_made import START, hand_made


def record(second: float | None, level: str | None = "INFO") -> dict[str, Any]:
    return {"ts_ms": None if second is None else START + round(second * 1000), "level": level, "message": "said"}


def test_records_are_counted_by_level_in_seconds_and_fatal_counts_as_error() -> None:
    rows = [record(0), record(0.4), record(2, "ERROR"), record(2, "FATAL"), record(None)]

    points = CHART.points(hand_made(log_record=rows))

    assert points is not None
    assert (points["slot_ms"], points["slots"], points["undated"]) == (1000, 3, 1)
    assert points["levels"] == {"ERROR": {"2": 2}, "INFO": {"0": 2}}


def test_eight_hours_fit_into_slots_of_one_minute() -> None:
    points = CHART.points(hand_made(log_record=[record(0), record(8 * 3600 - 1)]))

    assert points is not None
    assert points["slot_ms"] == 60_000  # 8 h = 480 min, the most slots there are


def test_errors_have_a_panel_of_their_own_so_that_nothing_hides_them() -> None:
    levels = {"ERROR": {"1": 3}, "INFO": {"0": 5000, "1": 4000}}
    points = {"from_ms": START, "to_ms": START + 1999, "slot_ms": 1000, "slots": 2, "undated": 0, "levels": levels}

    figure = CHART.figure(points, Theme("light"))

    above = [trace for trace in figure["data"] if trace["yaxis"] == "y"]
    assert [(trace["name"], trace["y"]) for trace in above] == [("ERROR", [3])]
    assert CHART.summary(points) == (
        "9,003 records: 3 ERROR, 9,000 INFO. Most ERROR records in 1 s, 3, came from 2026-11-21 00:46:41 UTC on."
    )
    assert CHART.table(points)[1:] == [[START, 0, 0, 5000, 0, 0], [START + 1000, 3, 0, 4000, 0, 0]]


def test_the_errors_that_are_harmless_are_counted_and_named_once() -> None:
    netty, remoting = "org.apache.pekko.remote.transport.netty.NettyTransport", "org.apache.pekko.remote.Remoting"
    rows = [
        record(0) | {"logger": "org.apache.flink.runtime.taskexecutor.TaskManagerRunner"},
        record(1, "ERROR") | {"logger": netty, "event": "noise.bind_port"},
        record(1, "ERROR") | {"logger": remoting, "event": "noise.remoting_ended"},
        record(2, "ERROR") | {"logger": "com.acme.Sink", "message": "Could not write."},
    ]

    points = CHART.points(hand_made(log_record=rows))

    assert points is not None
    assert points["harmless"] == {"port-taken": 2}
    assert CHART.summary(points).startswith(
        "4 records: 3 ERROR, 1 INFO. Of 3 ERROR, 2 are known to be harmless by themselves: a port of a range was "
        "taken, and the next one was tried. "
    )
