"""Connections to the coordination service over time, leadership, and the sequence of what happened."""

from __future__ import annotations

from typing import Any

from diagnostics.charting.chart import Theme
from diagnostics.charts.leadership import CHART
from tests.diagnostics.hand_made import START, hand_made

OLD, WORKER, NEW = range(3)
FILES = ("jm-1.log", "tm-1.log", "jm-2.log")


def record(second: float, event: str, message: str = "", file_id: int = OLD, **rest: Any) -> dict[str, Any]:
    return {
        "ts_ms": START + round(second * 1000),
        "event": event,
        "message": message or event,
        "process": "taskmanager" if file_id == WORKER else "jobmanager",
        "file_id": file_id,
        **rest,
    }


def changed(second: float, state: str, file_id: int = OLD) -> dict[str, Any]:
    return record(second, "zk.curator.state", f"State change: {state}", file_id, state_to=state)


def incident() -> Any:
    """The leader loses ZooKeeper and its leadership, cannot complete a checkpoint and ends; another one takes over."""
    return hand_made(
        files=FILES,
        log_record=[
            changed(0, "CONNECTED"),
            changed(0, "CONNECTED", WORKER),
            record(1, "ha.dispatcher.granted"),
            record(1, "ha.rm.granted"),
            changed(60, "SUSPENDED"),
            record(60.1, "zk.leader.suspended"),
            record(60.2, "ha.dispatcher.revoked"),
            record(60.2, "ha.rm.revoked"),
            changed(61, "SUSPENDED", WORKER),
            changed(72, "LOST"),
            record(73, "res.jm.entry.fatal"),
            changed(90, "RECONNECTED", WORKER),
            changed(80, "CONNECTED", NEW),
            record(82, "ha.dispatcher.granted", file_id=NEW),
        ],
    )


def test_each_process_has_a_timeline_of_its_connection_with_three_states() -> None:
    points = CHART.points(incident())

    assert points is not None
    first, other, worker = points["processes"]
    assert [[state, begin - START, end - START] for state, begin, end in first["stretches"]] == [
        ["connected", 0, 60_000],
        ["suspended", 60_000, 72_000],
        ["lost", 72_000, 73_000],
    ]
    assert [state for state, _, _ in worker["stretches"]] == ["connected", "suspended", "connected"]
    assert [[begin - START, end - START] for begin, end in first["leads"]] == [[1_000, 60_200]]
    assert [begin - START for begin, _ in other["leads"]] == [82_000]
    names = {trace["name"] for trace in CHART.figure(points, Theme("light"))["data"]}
    assert {"Connected", "SUSPENDED", "LOST", "Leads", "Leadership revoked", "Process ended"} <= names


def test_a_process_of_which_only_the_leadership_is_known_has_no_connection() -> None:
    """As on Kubernetes, or in a log of a few lines."""
    log = [record(1, "ha.dispatcher.granted"), record(60, "ha.dispatcher.revoked")]
    points = CHART.points(hand_made(files=FILES, log_record=log))

    assert points is not None
    (process,) = points["processes"]
    assert process["stretches"] == []
    assert [[begin - START, end - START] for begin, end in process["leads"]] == [[1_000, 60_000]]
    assert CHART.figure(points, Theme("light"))["data"]


def test_the_sequence_lists_what_changed_in_the_order_of_time_with_file_and_line() -> None:
    points = CHART.points(incident())

    assert points is not None
    rows = CHART.table(points)
    assert [(row[2], row[3]) for row in rows[1:]] == [
        ("JobManager jm-1.log", "connected"),
        ("TaskManager tm-1.log", "connected"),
        ("JobManager jm-1.log", "granted"),
        ("JobManager jm-1.log", "suspended"),
        ("JobManager jm-1.log", "revoked"),
        ("TaskManager tm-1.log", "suspended"),
        ("JobManager jm-1.log", "lost"),
        ("JobManager jm-1.log", "process ended"),
        ("JobManager jm-2.log", "connected"),
        ("JobManager jm-2.log", "granted"),
        ("TaskManager tm-1.log", "connected"),
    ]
    assert rows[4][4:] == ["State change: SUSPENDED", "jm-1.log", 5]


def test_the_summary_counts_processes_and_changes_of_the_leader() -> None:
    points = CHART.points(incident())

    assert points is not None
    assert CHART.summary(points) == (
        "2 of 3 processes lost the connection, the longest for 29 s in total; in 1 of them the session was LOST. "
        "Leadership granted: 2, leadership revoked: 1, process ended: 1."
    )


def test_a_leadership_that_is_granted_once_at_the_start_is_no_course() -> None:
    quiet = [changed(0, "CONNECTED"), record(1, "ha.dispatcher.granted")]

    assert CHART.points(hand_made(log_record=quiet)) is None


def test_two_reports_of_one_end_are_one_step() -> None:
    log = [changed(0, "SUSPENDED"), record(5, "res.tm.runner.fatal"), changed(6, "CONNECTED"), record(9, "res.tm.exit")]
    points = CHART.points(hand_made(log_record=log))

    assert points is not None
    assert [row[3] for row in CHART.table(points)[1:]].count("process ended") == 1


def test_the_summary_counts_only_processes_that_had_a_connection_to_lose() -> None:
    """One starts during the outage and finds no server; another one connects when it is over."""
    lost = [["connected", 0, 60], ["suspended", 60, 72], ["lost", 72, 80]]
    found_none, later = [["suspended", 70, 75], ["lost", 75, 78]], [["connected", 90, 120]]
    processes = [{"name": str(place), "stretches": each} for place, each in enumerate((lost, found_none, later))]

    told = CHART.summary({"processes": processes, "steps": []})
    assert told.startswith("1 of 1 processes lost the connection")
