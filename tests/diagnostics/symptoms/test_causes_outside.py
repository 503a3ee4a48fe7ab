"""A shortage outside the job goes before the symptom inside that follows from it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.diagnostics.symptoms.judged import VERTEX, judged

HELD_BACK = {
    "position": "middle",
    "graph_known": True,
    "busy_known": True,
    "busy_median_ratio": 1.0,
    "busy_min_ratio": 0.98,
    "busy_max_ratio": 1.0,
    "back_pressured_ratio": 0.0,
    "upstream_ratio": 0.97,
    "upstream_max_ratio": 1.0,
    "upstream_vertices": ["Source: orders"],
    "lasted_ms": 200_000,
}
COMPUTING = {
    "sees_all": True,
    "working_samples": 400,
    "computing_ratio": 0.97,
    "hot_share_ratio": 0.8,
    "hot_frame": "java.util.regex.Matcher.find",
}
WAITING = {"role": "sink", "role_ratio": 0.97, "waiting_ratio": 0.97, "sees_all": True, "working_samples": 400}
THROTTLED = {"samples": 40, "throttled_ratio": 0.93, "throttled_group": "flink"}


def verdict(**facts: dict[str, Any]) -> str:
    return str(judged(**facts)["verdict"]["symptom_class"])


def test_a_throttled_container_goes_before_the_function_that_it_makes_hot() -> None:
    assert verdict(back_pressure_origin=HELD_BACK, hot_frames=COMPUTING) == "cpu_hotspot"
    document = judged(back_pressure_origin=HELD_BACK, hot_frames=COMPUTING, host_load=THROTTLED)
    assert document["verdict"]["symptom_class"] == "resource_shortage"
    hot = next(each for each in document["findings"] if each["symptom_class"] == "cpu_hotspot")
    assert hot["role"] == "consequence"


@pytest.mark.parametrize("share_of_the_limit", [0.3, 0.99])
def test_a_jvm_that_uses_all_that_its_limit_leaves_is_throttled_and_not_short_of_cores(
    share_of_the_limit: float,
) -> None:
    facts = {"cpu_load": {"median_ratio": share_of_the_limit, "task_manager": "tm-0"}, "host_load": THROTTLED}
    document = judged(back_pressure_origin=HELD_BACK, hot_frames=COMPUTING, **facts)
    assert document["verdict"]["symptom_class"] == "resource_shortage"
    assert document["findings"][0]["rule"]["id"] == "resource.cpu-taken"


def test_a_sink_without_the_cpu_is_not_a_slow_outside_system_unless_its_threads_wait_for_one() -> None:
    sink = HELD_BACK | {"position": "sink"}
    cpu = {"median_ratio": 0.2, "cpu_to_busy_ratio": 0.2, "task_manager": "tm-0"}
    assert verdict(back_pressure_origin=sink, cpu_load=cpu) == "slow_sink"
    assert verdict(back_pressure_origin=sink, cpu_load=cpu, host_load=THROTTLED) == "resource_shortage"
    assert verdict(back_pressure_origin=sink, cpu_load=cpu, host_load=THROTTLED, blocking_calls=WAITING) == "slow_sink"


def test_a_sink_behind_an_operator_with_its_own_state_is_no_cause_until_threads_or_refusals_show_it() -> None:
    """One task holds both: its busy time does not tell which of them takes it."""
    chain = HELD_BACK | {"position": "sink", "chained_sink": True}
    rocksdb = {"instances": 2, "stops": 0}
    assert verdict(back_pressure_origin=chain) == "slow_sink"
    assert verdict(back_pressure_origin=chain, rocksdb_writes=rocksdb) == "inconclusive"
    assert verdict(back_pressure_origin=HELD_BACK | {"position": "sink"}, rocksdb_writes=rocksdb) == "slow_sink"
    assert verdict(back_pressure_origin=chain, rocksdb_writes=rocksdb, blocking_calls=WAITING) == "slow_sink"
    refusals = {"refused": 3, "refused_text": "429"}
    assert verdict(back_pressure_origin=chain, rocksdb_writes=rocksdb, outside_system=refusals) == "slow_sink"


def test_the_finding_names_the_task_that_lacks_the_cpu() -> None:
    document = judged(back_pressure_origin=HELD_BACK, hot_frames=COMPUTING, host_load=THROTTLED)
    assert document["findings"][0]["subject"]["vertex_id"] == VERTEX


NO_SLOTS = {"refused": 12, "replaced": 0}
NOTHING_LOST = {"lost": 0, "lived_on": 0, "ended": 0, "without_jobmanager": 0}


def test_a_job_that_never_had_its_slots_is_short_of_them() -> None:
    assert verdict(slots=NO_SLOTS, task_manager_loss_all=NOTHING_LOST) == "resource_shortage"


def test_a_job_that_took_checkpoints_had_its_slots_and_lost_them() -> None:
    facts = {"checkpoint_progress": {"completed": 8, "failed": 0}, "task_manager_loss_all": NOTHING_LOST}
    assert verdict(slots=NO_SLOTS | {"from_start": False}, **facts) == "inconclusive"
    assert verdict(slots=NO_SLOTS | {"from_start": True}, **facts) == "resource_shortage", "and no TaskManager was lost"


def test_slots_of_a_taskmanager_that_lost_the_jobmanager_are_no_shortage() -> None:
    cut_off = NOTHING_LOST | {"without_jobmanager": 1}
    assert verdict(slots=NO_SLOTS, task_manager_loss_all=cut_off) == "inconclusive"


@pytest.mark.parametrize(("used_of_busy", "expected"), [(0.4, "resource_shortage"), (0.95, "inconclusive")])
def test_metrics_alone_tell_a_lack_of_cores_by_busy_subtasks_that_share_them(
    used_of_busy: float, expected: str
) -> None:
    """A hot function on as many threads as there are cores looks the same, but each of them has a core."""
    busy = {"direction": "in", "skew_ratio": 1.0, "busy_min_ratio": 0.95, "upstream_back_pressured_ratio": 0.8}
    cpu = {"median_ratio": 0.95, "cpu_to_busy_ratio": used_of_busy, "task_manager": "tm-0"}
    assert verdict(load_balance=busy, cpu_load=cpu) == expected
