"""Broken connections between processes, what the kernels sent again, and which ends of processes explain them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from diagnostics.signals import connections, task_manager_loss, tcp_loss
from tests.diagnostics.hand_made import START, hand_made, needs, only

if TYPE_CHECKING:
    from collections.abc import Mapping

    from diagnostics.evidence.subject import FactValue

REMOTE = "org.apache.flink.runtime.io.network.netty.exception.RemoteTransportException"
CLOSED = "Connection unexpectedly closed by remote task manager '10.0.0.3/10.0.0.3:6121'."
LOST = "Heartbeat of TaskManager with id tm-1:6122-aa timed out."


def record(second: float, message: str, process: str = "jobmanager", **rest: Any) -> dict[str, Any]:
    file_id = 0 if process == "jobmanager" else 1
    return {
        "ts_ms": START + round(second * 1000),
        "message": message,
        "process": process,
        "file_id": file_id,
        **rest,
    }


def failed(second: float, name: str, message: str, **rest: Any) -> dict[str, Any]:
    texts = {"exception_class": name, "exception_message": message}
    return record(second, "enrich (1/2) (0_1_0_0) switched from RUNNING to FAILED on tm-2 @ host.", **texts, **rest)


def broken(log: list[dict[str, Any]]) -> Mapping[str, FactValue]:
    return only(connections.measure(hand_made(log_record=log)), "connections").facts


def lost(log: list[dict[str, Any]], **tables: Any) -> Mapping[str, FactValue]:
    evidence = hand_made(log_record=log, **tables)
    return only(task_manager_loss.measure_all(evidence), "task_manager_loss.all").facts


def test_a_connection_that_broke_with_a_known_message_comes_with_its_repair() -> None:
    assert "taskmanager" in str(broken([failed(5, REMOTE, CLOSED)])["first_remedy"])


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Association with remote system [akka.tcp://flink@tm-1:6122] has failed. Connection refused", "refused"),
        (
            "Remote connection to [tm-1/10.0.0.7:6122] failed with java.net.NoRouteToHostException: No route to host",
            "no_route",
        ),
        ("Association with remote system [pekko.tcp://flink@tm-1:6122] has failed. connection timed out", "timed_out"),
        ("Remote connection to [null] failed with java.net.UnknownHostException: tm-1", "unknown_host"),
        (
            "Tried to associate with unreachable remote address [akka.tcp://flink@jm:6123]. Address is"
            " now gated for 50 ms. Reason: [The remote system has quarantined this system. No further associations",
            "quarantined",
        ),
        ("dropping message [x] for non-local recipient [Actor[akka.tcp://flink@192.168.0.2:1]]", "wrong_address"),
    ],
)
def test_a_broken_connection_says_why(message: str, kind: str) -> None:
    facts = broken([record(60, message, level="WARN")])
    assert (facts["broken"], facts[kind]) == (1, 1)


def test_a_connection_to_an_outside_system_is_not_the_clusters() -> None:
    assert broken([failed(60, "java.net.ConnectException", "Connection timed out: postgres:5432")])["broken"] == 0


def test_a_first_failure_that_is_a_broken_connection_is_reported_with_its_peer() -> None:
    facts = broken([failed(60, REMOTE, CLOSED), failed(62, REMOTE, CLOSED, file_id=3)])
    assert (facts["is_first_fault"], facts["first_fault_kind"]) == (True, "closed")
    assert (facts["peer"], facts["peer_victims"]) == ("10.0.0.3", 2)


def test_a_process_that_started_before_the_job_manager_and_was_refused_is_no_trouble() -> None:
    refused = "Association with remote system [pekko.tcp://flink@jm:6123] has failed. Connection refused"
    registered = record(60, "Registering TaskManager with ResourceID tm-1:6122-aa (x) at ResourceManager")
    assert broken([record(10, refused, "taskmanager"), registered])["refused"] == 0


@pytest.mark.parametrize(("process", "times"), [("taskmanager", 1), ("jobmanager", 0)])
def test_a_task_manager_that_does_not_reach_the_job_manager_says_where_it_looked(process: str, times: int) -> None:
    text = "Association with remote system [pekko.tcp://flink@3f2c1d:6123] has failed. Connection refused: 3f2c1d"

    facts = broken([record(1, text, process)])

    assert facts["to_jobmanager"] == times
    assert facts.get("jobmanager") == ("3f2c1d:6123" if times else None)


def test_an_out_of_memory_error_before_explains_the_broken_connection() -> None:
    out_of_memory = record(
        50, "Encountered fatal error java.lang.OutOfMemoryError - terminating the JVM", "taskmanager"
    )
    facts = broken([out_of_memory, failed(60, REMOTE, CLOSED)])
    assert (facts["ends"], facts["ends_how"]) == (1, ["OutOfMemoryError"])


def test_both_sides_that_lose_each_other_together_are_reported() -> None:
    facts = lost(
        [
            record(0, "Starting TaskManager with ResourceID: tm-1:6122-aa", "taskmanager"),
            record(60, LOST),
            record(60.2, "The heartbeat of JobManager with id 7c timed out.", "taskmanager", event="hb.jm"),
        ],
    )
    assert (facts["both_sides"], facts["noticed_apart_ms"], facts["without_jobmanager_silent"]) == (1, 200, 1)


def test_a_task_manager_that_registers_again_under_its_id_lived_on() -> None:
    again = record(90, "Registering TaskManager with ResourceID tm-1:6122-aa (x) at ResourceManager")
    assert lost([record(60, LOST), again])["lived_on"] == 1


def test_whether_a_lost_process_lived_on_stays_unknown_without_its_files() -> None:
    facts = lost([record(60, LOST)])
    assert "lived_on" not in facts
    assert "both_sides" not in facts


def test_the_end_of_a_lost_process_is_reported() -> None:
    killed = record(55, "Worker tm-1:6122-aa is terminated. Diagnostics: OOMKilled", event="res.worker.terminated")
    facts = lost([{**killed, "task_manager": "tm-1:6122-aa"}, record(60, LOST)])
    assert (facts["ended"], facts["ended_how"]) == (1, ["container ended"])


def test_a_loss_only_in_rest_counts() -> None:
    failure = {"ts_ms": START, "exception_class": "java.util.concurrent.TimeoutException", "exception_message": LOST}
    evidence = hand_made(failure=[failure])
    assert only(task_manager_loss.measure_all(evidence), "task_manager_loss.all").facts["lost"] == 1


def test_pauses_before_a_loss_are_taken_from_the_collectors_times_where_there_is_no_gc_log() -> None:
    reported = [
        {
            "metric": "Status.JVM.GarbageCollector.G1_Old_Generation.Time",
            "task_manager": "tm-1:6122-aa",
            "ts_ms": START + second * 1000,
            "value": float(max(0, second - 30) * 900),
        }
        for second in range(0, 65, 5)
    ]
    share = lost([record(60, LOST)], metric_sample=reported)["gc_ratio_before"]
    assert share == pytest.approx(0.9)


def test_a_paused_job_manager_is_reported_although_its_gc_log_names_no_process() -> None:
    pauses = [
        {"file_id": 4, "ts_ms": START + at * 1000, "uptime_ms": at * 1000.0, "kind": "full", "pause_ms": 900.0}
        for at in range(30, 60)
    ]
    facts = lost([record(60, LOST)], gc_pause=pauses)
    assert "gc_ratio_before" not in facts
    assert facts["any_pause_ratio_before"] == pytest.approx(0.9)


def connection(second: int, peer: str, sent: int, again: int, **rest: Any) -> dict[str, Any]:
    return {
        "ts_ms": START + second * 1000,
        "local_address": "10.0.0.1",
        "local_port": 6123,
        "peer_address": peer,
        "peer_port": 50_000,
        "segments_out": sent,
        "segments_retransmitted": again,
        "rto_ms": 204.0,
        **rest,
    }


def tcp(*rows: dict[str, Any], **tables: Any) -> Mapping[str, FactValue]:
    return only(tcp_loss.measure(hand_made(tcp_sample=list(rows), **tables)), "tcp_loss").facts


def test_what_was_sent_again_is_counted_between_two_readings() -> None:
    facts = tcp(connection(0, "10.0.0.3", 1000, 1), connection(60, "10.0.0.3", 1200, 41))
    assert (facts["connection_sent"], facts["connection_again"], facts["connection_ratio"]) == (200, 40, 0.2)


def test_the_loss_of_segments_begins_where_it_is_first_seen_and_not_with_a_lost_taskmanager() -> None:
    counted = (connection(0, "10.0.0.3", 1000, 1), connection(60, "10.0.0.3", 1200, 41))
    silent = connection(30, "10.0.0.2", 500, 30, backoff=6, rto_ms=14_336.0, silent_ms=15_736.0)
    assert tcp(*counted)["onset_ms"] == START + 60_000
    assert tcp(*counted, silent)["onset_ms"] == START + 30_000
    assert "onset_ms" not in tcp(connection(0, "10.0.0.3", 1000, 1), connection(60, "10.0.0.3", 1200, 1))


def test_a_connection_that_sends_little_while_it_is_cut_off_counts_with_what_it_sends_then() -> None:
    readings = ((0, 294, 0), (60, 439, 18), (75, 479, 30), (92, 489, 37), (137, 491, 39), (185, 499, 39))
    facts = tcp(*(connection(second, "10.0.0.3", sent, again) for second, sent, again in readings))
    assert (facts["connection_sent"], facts["connection_again"]) == (60, 21)
    assert facts["connection_since_ms"] == START + 60_000
    assert facts["connection_until_ms"] == START + 185_000
    few = tcp(connection(0, "10.0.0.3", 1000, 0), connection(60, "10.0.0.3", 1049, 20))
    assert "connection_ratio" not in few


def test_a_counter_that_fell_belongs_to_a_new_connection() -> None:
    facts = tcp(connection(0, "10.0.0.3", 1000, 100), connection(60, "10.0.0.3", 100, 6))
    assert (facts["connection_sent"], facts["connection_again"]) == (100, 6)


def test_connections_without_an_answer_name_the_host_they_share() -> None:
    stalled = {"backoff": 6, "rto_ms": 14_336.0, "silent_ms": 15_736.0}
    other = {"local_address": "10.0.0.2"}
    facts = tcp(
        connection(0, "10.0.0.2", 500, 0),
        connection(0, "10.0.0.3", 500, 30, **stalled),
        connection(0, "10.0.0.3", 500, 30, **stalled, **other),
    )
    assert (facts["stalled"], facts["host"], facts["host_peers"]) == (2, "10.0.0.3", 2)
    assert (facts["backoff"], facts["longest_rto_ms"]) == (6, 14_336)


def test_a_connection_that_both_its_ends_show_is_one() -> None:
    here = connection(0, "10.0.0.3", 500, 30, backoff=6, rto_ms=14_336.0)
    there = {"local_address": "10.0.0.3", "local_port": 50_000, "peer_port": 6123}
    captured = {"seen_by": "capture", "backoff": 9, "rto_ms": 12_000.0}
    facts = tcp(here, here | captured, connection(0, "10.0.0.1", 500, 20, backoff=4, rto_ms=8_000.0, **there))
    assert facts["stalled"] == 1


def test_what_is_said_of_the_longest_timeout_is_of_one_connection() -> None:
    """Another one has more bytes waiting, a capture counts the early probe as one more repetition, and its pauses are
    longer than the timeout that the kernel states.
    """
    longest = {"rto_ms": 57_344.0, "backoff": 8, "waiting_bytes": 109_750}
    captured = {"seen_by": "capture", "rto_ms": 59_400.0, "backoff": 10}
    facts = tcp(
        connection(0, "10.0.0.3", 500, 30, **longest),
        connection(30, "10.0.0.3", 500, 30, **captured),
        connection(0, "10.0.0.2", 500, 30, rto_ms=43_520.0, backoff=4, waiting_bytes=962_033),
    )
    assert (facts["longest_from"], facts["longest_to"]) == ("10.0.0.1:6123", "10.0.0.3:50000")
    assert (facts["longest_rto_ms"], facts["backoff"], facts["waiting_bytes"]) == (57_344, 8, 109_750)
    assert tcp(connection(30, "10.0.0.3", 500, 30, **captured))["longest_rto_ms"] == 59_400


def test_timeouts_until_the_loss_are_not_those_of_the_end() -> None:
    counters = [
        {
            "ts_ms": START + 1000 * second,
            "host": host,
            "segments_out": 9 + second,
            "segments_retransmitted": 0,
            "timeouts": many,
        }
        for host in ("aa", "bb")
        for second, many in ((0, 0), (50, 20), (120, 50))
    ]
    facts = tcp(*counters, log_record=[record(60, LOST)])
    assert (facts["timeouts_first"], facts["timeouts_before_loss"], facts["timeouts_last"]) == (0, 40, 100)


def test_an_idle_connection_is_not_one_without_an_answer() -> None:
    assert tcp(connection(0, "10.0.0.3", 500, 0, silent_ms=60_000.0))["stalled"] == 0


def test_timeouts_of_a_host_grow_between_its_readings() -> None:
    counters = [
        {"ts_ms": START + 1000 * second, "host": "aa", "segments_out": 9, "segments_retransmitted": 0, "timeouts": many}
        for second, many in ((0, 2), (60, 20))
    ]
    facts = tcp(*counters)
    assert (facts["timeouts_first"], facts["timeouts_last"], facts["timeouts_grown"]) == (2, 20, 18)


def test_retransmissions_before_the_loss_are_separate() -> None:
    readings = [
        connection(0, "10.0.0.3", 100, 0),
        connection(50, "10.0.0.3", 200, 9),
        connection(90, "10.0.0.3", 300, 50),
    ]
    assert tcp(*readings, log_record=[record(60, LOST)])["again_before_loss"] == 9


def test_without_readings_the_kernels_counters_are_asked_for() -> None:
    assert needs(tcp_loss.measure(hand_made())) == {"tcp_loss": "tcp-counters"}


SEEKS = "Could not resolve ResourceManager address pekko.tcp://flink@jm:6123/user/rpc/resourcemanager_*, retrying"


def test_a_task_manager_that_looks_for_the_job_manager_until_its_log_ends_has_not_found_it() -> None:
    refused = "Remote connection to [null] failed with java.net.ConnectException: Connection refused: jm/10.0.0.1:6123"
    facts = broken([record(1, refused, "taskmanager"), record(2, SEEKS, "taskmanager")])
    assert (facts["search"], facts["search_refused"], facts["search_local"]) == (2, True, False)


@pytest.mark.parametrize(("process", "search"), [("taskmanager", 1), (None, 1), ("jobmanager", None)])
def test_a_line_of_the_rpc_system_alone_tells_of_a_task_manager(process: str | None, search: int | None) -> None:
    refused = "Association with remote system [pekko.tcp://flink@3f9d2c71ab04:6123] has failed. Connection refused"
    facts = broken([record(1, refused) | {"process": process}])
    assert (facts.get("search"), facts.get("search_id")) == (search, None if search is None else True)


def test_a_job_that_fails_for_want_of_slots_later_hides_no_search_for_the_job_manager() -> None:
    seeking = [record(second, SEEKS, "taskmanager") for second in (1, 11)]
    job = "Job totals (0123456789abcdef0123456789abcdef) switched from state RUNNING to FAILING."
    assert broken([*seeking, record(120, job)])["search"] == 2
    registered = (
        "Registering TaskManager with ResourceID tm-1 (pekko.tcp://flink@tm-1:6122/user/rpc/t_0) at ResourceManager"
    )
    assert "search" not in broken([*seeking, record(60, registered), record(120, job)])


@pytest.mark.parametrize(
    "after",
    [
        record(12, "Successful registration at resource manager pekko.tcp://flink@jm:6123/user/rpc/r", "taskmanager"),
        record(90, "Some other record a minute later", "taskmanager"),
    ],
)
def test_a_task_manager_that_goes_on_has_found_the_job_manager(after: dict[str, Any]) -> None:
    assert "search" not in broken([record(1, SEEKS, "taskmanager"), record(11, SEEKS, "taskmanager"), after])


def test_a_job_manager_that_listens_at_another_port_says_which() -> None:
    listens = record(0, "Remoting started; listening on addresses :[pekko.tcp://flink@jm:42353]")
    assert broken([listens, record(1, SEEKS, "taskmanager")])["jobmanager_port"] == 42353
