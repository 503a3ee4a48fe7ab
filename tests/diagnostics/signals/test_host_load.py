"""Load of hosts from operating system tools: the worst host, the worst disk, and throttling limits."""

from __future__ import annotations

from typing import Any

from diagnostics.signals import host_load
from tests.diagnostics.hand_made import START, hand_made, needs, only


def course(part: str, metric: str, values: list[float], **rest: Any) -> list[dict[str, Any]]:
    return [
        {"ts_ms": START + moment * 1_000, "part": part, "metric": metric, "value": value, **rest}
        for moment, value in enumerate(values)
    ]


def test_the_worst_host_disk_and_limit_are_identified_by_their_usual_level() -> None:
    rows = [
        *course("cpu", "iowait_percent", [2.0, 1, 3, 90, 2], host="calm"),
        *course("cpu", "iowait_percent", [60.0, 70, 61, 65, 3], host="busy"),
        *course("cpu", "steal_percent", [99.0, 99, 99], host="seen three times only"),
        *course("device", "busy_percent", [99.0, 100, 98, 99], host="busy", name="sdb"),
        *course("device", "write_await_ms", [400.0, 500, 450, 420], host="busy", name="sdb"),
        *course("device", "write_await_ms", [9_000.0] * 4, host="busy", name="sdc"),
        *course("control group", "periods", [1_000.0, 1_200], name="/pod"),
        *course("control group", "throttled_periods", [10.0, 160], name="/pod"),
    ]
    meter = [
        {"ts_ms": START + moment, "metric": "System.CPU.Steal", "value": value, "task_manager": "tm-1"}
        for moment, value in enumerate([12.0, 14, 13, 11])
    ]
    facts = only(host_load.measure(hand_made(host_sample=rows, metric_sample=meter)), "host_load").facts
    assert (facts["iowait_host"], facts["iowait_ratio"]) == ("busy", 0.61)
    assert (facts["disk"], facts["disk_busy_ratio"], facts["disk_await_ms"]) == ("sdb", 0.99, 420.0)
    assert facts["throttled_ratio"] == (160 - 10) / (1_200 - 1_000)
    assert (facts["steal_host"], facts["steal_ratio"]) == ("tm-1", 0.125), "Flink's own metric counts as well"


def test_a_control_group_shows_how_fast_it_wrote_and_whether_the_kernel_killed_in_it() -> None:
    rows = [
        *course("control group", "written_bytes", [1e6, 2e6, 61e6], name="7:0"),
        *course("control group", "written_bytes", [5e9], name="8:0"),
        *course("control group", "oom_kills", [0.0, 2.0, 2.0], name="/pod"),
        *course("control group", "memory_limit_hits", [7.0], name="/pod"),
    ]
    facts = only(host_load.measure(hand_made(host_sample=rows)), "host_load").facts
    assert (facts["written_bytes_per_s"], facts["written_device"]) == (30e6, "7:0"), "one reading is no rate"
    assert facts["written_most_per_s"] == 59e6, "61 MB less 2 MB, in the second of three seconds"
    assert (facts["oom_kills"], facts["oom_kills_group"], facts["memory_limit_hits"]) == (2.0, "/pod", 7.0)


def test_the_highest_rate_of_a_counter_is_that_of_one_device_in_one_file() -> None:
    other = [{**row, "host": "other"} for row in course("control group", "written_bytes", [90e6, 91e6], name="7:0")]
    rows = [*course("control group", "written_bytes", [0.0, 0.0, 15e6, 29e6], name="7:0"), *other]
    facts = only(host_load.measure(hand_made(host_sample=rows)), "host_load").facts
    assert facts["written_most_per_s"] == 15e6, "and no step from one host's counter to the other's"

    two = course("control group", "written_bytes", [1e6, 31e6], name="7:0")
    assert "written_most_per_s" not in only(host_load.measure(hand_made(host_sample=two)), "host_load").facts


def test_a_host_without_idle_cpu_is_seen_in_its_own_tools_and_in_flinks_metrics() -> None:
    rows = [
        *course("cpu", "idle_percent", [0.2, 0.0, 3.0, 0.2], host="full"),
        *course("cpu", "idle_percent", [64.0, 60, 70, 0], host="calm"),
    ]
    facts = only(host_load.measure(hand_made(host_sample=rows)), "host_load").facts
    assert (facts["idle_host"], facts["idle_ratio"]) == ("full", 0.002)

    meter = [
        {"ts_ms": START + moment, "metric": "System.CPU.Idle", "value": value, "task_manager": "tm-1"}
        for moment, value in enumerate([2.0, 1, 4, 1])
    ]
    assert only(host_load.measure(hand_made(metric_sample=meter)), "host_load").facts["idle_ratio"] == 0.015


def test_the_counters_of_a_container_count_while_they_were_read() -> None:
    def counter(metric: str, pod: str, values: list[float], file_id: int) -> list[dict[str, Any]]:
        labels = f"container=flink-main-container,pod={pod}"
        whole = {"metric": f"container_cpu_cfs_{metric}_total", "labels": labels, "file_id": file_id}
        return [{"ts_ms": START + at * 15_000, "value": value, **whole} for at, value in enumerate(values)]

    rows = [
        *counter("periods", "tm-1", [90_000.0, 90_150, 90_300], 1),
        *counter("throttled_periods", "tm-1", [100.0, 190, 280], 2),
        *counter("periods", "tm-2", [1_000.0, 1_150, 1_300], 1),
        *counter("throttled_periods", "tm-2", [900.0, 900, 903], 2),
    ]
    facts = only(host_load.measure(hand_made(metric_sample=rows)), "host_load").facts
    assert (facts["throttled_group"], facts["throttled_ratio"]) == ("tm-1", 0.6), "180 of 300, not 280 of 90,300"


def test_without_statistics_of_hosts_nothing_is_measured() -> None:
    assert needs(host_load.measure(hand_made())) == {"host_load": "host-statistics"}
