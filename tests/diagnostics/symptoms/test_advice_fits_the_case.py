"""Answers, warnings and commands of runbooks that hold only for some cases are shown only there."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.rules.shipped import shipped_rules
from diagnostics.runbook import fill, runbooks
from tests.diagnostics.runbook.test_runbook import stored
from tests.diagnostics.symptoms.judged import judged

JOB = {"job": "a" * 32}


def steps_of(runbook: str, **facts: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The steps of a runbook by their id."""
    signals = [stored(key, "job", JOB, **known) for key, known in facts.items()]
    return {step["id"]: step for step in fill(runbooks()[runbook], {"subject": JOB}, signals)["steps"]}


@pytest.mark.parametrize(
    ("to_the_end", "taken"),
    [
        (True, "triggers are refused up to the end, because tasks do not run"),
        (False, "only triggers at the start of the job were refused"),
    ],
)
def test_triggers_that_are_refused_to_the_end_are_no_slow_start(to_the_end: bool, taken: str) -> None:
    facts = {"failures": 0, "not_ready": 9, "not_ready_is_last": to_the_end, "finished_is_last": False}
    answers = steps_of("checkpoint-declined", checkpoint_declines=facts)["harmless-or-not"]["answers"]

    assert [each["condition"] for each in answers if each["taken"]] == [taken]


@pytest.mark.parametrize(("ratio", "is_said"), [(0.09, False), (0.8, True)])
def test_slow_checkpoints_are_explained_by_pauses_only_where_they_are_slow(ratio: float, is_said: bool) -> None:
    progress = {"expired": 0, "max_duration_to_interval_ratio": ratio}
    step = steps_of("resource-shortage", checkpoint_progress=progress)["enlarge-or-move-the-state"]

    assert any("checkpoints are slow" in each for each in step["wont_help"]) == is_said


def test_a_server_that_accepts_connections_and_never_answers_does_not_hold_up_the_question_to_the_others() -> None:
    [look] = [each for each in steps_of("zookeeper-ha")["why-silent"]["look"] if "srvr" in each["command"]]

    assert "timeout 5 nc" in look["command"]


def test_rocksdb_takes_back_the_larger_heap_and_counts_from_it() -> None:
    """It is proposed to a job that runs with the larger heap: the file then no longer states the heap of the case."""
    heap = {"live_ratio": 0.9, "needed_heap_mib": 448, "needed_process_mib": 992, "needed_task_heap_mib": 384}
    heap |= {"process_mib": 798, "rocksdb_process_mib": 1069, "rocksdb_managed_mib": 287, "task_heap_mib": 190}
    settings = {"state_backend": "hashmap", "task_heap_bytes": 190 * 1024 * 1024}
    step = steps_of("resource-shortage", heap_pressure=heap, settings=settings)["enlarge-or-move-the-state"]
    [rocksdb] = [each["to"] for each in step["change"] if "state.backend.type: rocksdb" in each["to"]]

    assert "1069 MiB for a TaskManager instead of 992" in rocksdb
    assert "taskmanager.memory.task.heap.size: 190m" in rocksdb


def test_what_is_now_in_the_file_is_what_the_change_before_has_written() -> None:
    """The file of the case states 190 MiB of heap; when RocksDB's lines are put in, the larger heap stands there."""
    heap = {"live_ratio": 0.9, "needed_heap_mib": 448, "needed_process_mib": 992, "needed_task_heap_mib": 384}
    heap |= {"process_mib": 798, "managed_mib": 16, "rocksdb_process_mib": 1069, "rocksdb_managed_mib": 287}
    in_file = ["state.backend.type: hashmap", "taskmanager.memory.task.heap.size: 190m"]
    settings = {"state_backend": "hashmap", "task_heap_bytes": 190 * 1024 * 1024, "file_lines": in_file}
    heap |= {"task_heap_mib": 190}
    step = steps_of("resource-shortage", heap_pressure=heap, settings=settings)["enlarge-or-move-the-state"]
    first, rocksdb = [each["from"] for each in step["change"] if "task.heap.size" in each["to"]]

    assert "task.heap.size: 190m" in first
    assert "task.heap.size: 384m" in rocksdb


@pytest.mark.parametrize(("timeout_ms", "is_raised"), [(20_000, True), (600_000, False)])
def test_a_larger_heap_for_growing_state_gets_time_for_larger_checkpoints(timeout_ms: int, is_raised: bool) -> None:
    """Each checkpoint of a state on the heap writes all of it."""
    step = steps_of(
        "resource-shortage",
        heap_pressure={"live_ratio": 0.9, "needed_heap_mib": 448, "needed_process_mib": 992, "process_mib": 798},
        settings={"state_backend": "hashmap", "timeout_ms": timeout_ms},
        checkpoint_sizes={"state_growth_bytes_per_s": 600_000},
    )["enlarge-or-move-the-state"]
    assert any("checkpointing.timeout: 10 min" in each["to"] for each in step["change"]) == is_raised


def test_a_time_to_live_comes_after_the_move_of_growing_state_and_not_in_its_place() -> None:
    heap = {"live_ratio": 0.9, "needed_heap_mib": 448, "needed_process_mib": 992, "rocksdb_process_mib": 1069}
    step = steps_of("resource-shortage", heap_pressure=heap, settings={"state_backend": "hashmap"})
    [limit] = [each for each in step["enlarge-or-move-the-state"]["change"] if "enableTimeToLive" in each["to"]]
    assert (limit["instead"], limit["only_if"]) == (
        False,
        "the state is off the heap, and the job needs each entry for some time only",
    )


def test_no_bound_on_the_timeout_is_said_to_be_in_flinks_documentation() -> None:
    """It states the default of ten minutes only."""
    [risky] = [each for each in shipped_rules() if each.id == "conf.risky"]
    [bound] = [each for each in risky.when.checks({}.get) if each.fact == "settings.timeout_ms"]
    assert str(bound.source).startswith("our choice")


@pytest.mark.parametrize("beyond", [0, 1])
def test_a_session_timeout_that_the_longest_outage_exceeds_is_proposed_with_its_limit(beyond: int) -> None:
    """The plan of a case holds the changes without the answers of their step."""
    outage = {"session_timeout_ms": 12_000, "session_timeout_needed_ms": 40_000, "session_limit_ms": 40_000}
    step = steps_of("zookeeper-ha", high_availability={**outage, "outages_beyond_limit": beyond})["tolerance"]
    [timeout] = [each["to"] for each in step["change"] if "session-timeout: 40000" in each["to"]]

    assert ("maxSessionTimeout" in timeout) == bool(beyond)


def test_the_lead_of_the_watermark_is_the_measured_one_and_not_that_of_the_fastest_device() -> None:
    """The fastest device is 44 s ahead; the window follows the slower subtask of its source, which is 34 s ahead."""
    clocks = {"fast_devices": 16, "fast_by_max_ms": 44_000, "bound_ms": 5_000}
    step = steps_of("out-of-order-events", device_clocks=clocks, watermarks={"ahead_max_ms": 34_000})["fast-clocks"]

    assert "up to 34 s ahead of the wall clock" in str(step["measured"])
    assert "takes the lowest watermark of these subtasks" in str(step["measured"])
    assert "less the bound" not in str(step)


def test_code_of_look_ups_says_what_a_supplier_may_not_throw() -> None:
    calls = {"system": "PostgreSQL", "user_frame": "Enrich.flatMap", "async_capacity": 8}
    steps = steps_of("slow-dimension-join", blocking_calls=calls, job_overview={"is_sql": False})
    code = str([step["change"] for step in steps.values()])

    assert code.count("throw new IllegalStateException(error)") == 2
    assert "Executors.newFixedThreadPool(8)" in code
    assert "return cache.get" not in code
    assert "close() closes each of these connections" in code


@pytest.mark.parametrize(("is_sql", "system", "asked"), [(False, "PostgreSQL", 0), (True, "Hudi", 2)])
def test_answers_of_lake_tables_and_sql_caches_are_for_jobs_that_have_them(
    is_sql: bool, system: str, asked: int
) -> None:
    facts = {"blocking_calls": {"system": system}, "job_overview": {"is_sql": is_sql}}
    answers = steps_of("slow-dimension-join", **facts)["cache"]["answers"]
    of_sql = ("the dimension is a lake table", "the cache is configured")

    open_ones = [each for each in answers if each["taken"] is None and each["condition"].startswith(of_sql)]
    assert len(open_ones) == asked


def test_postgresql_is_asked_for_its_connections_and_its_log_for_the_keys() -> None:
    queries = {"system": "PostgreSQL", "read_queries": 2000}
    steps = steps_of("slow-dimension-join", blocking_calls={"system": "PostgreSQL"}, slow_queries=queries)

    assert "max_connections" in str(steps["asynchronous"]["look"])
    assert "sort -u keys.txt" in str(steps["cache"]["look"])


def test_a_job_that_recovers_by_itself_is_not_submitted_again() -> None:
    step = steps_of("zookeeper-ha", task_manager_loss={"registered_end": 0, "registered_most": 2})["running-again"]

    assert "A second job would run beside it, from no state." in str(step["wont_help"])
    assert "before: they read it when they start" in str(step["answers"])


def test_a_time_to_live_is_no_help_against_an_incident_of_now() -> None:
    heap = {"live_ratio": 0.9, "rocksdb_process_mib": 1069, "needed_process_mib": 992}
    steps = steps_of("resource-shortage", heap_pressure=heap, settings={"state_backend": "hashmap"})
    blocks = [change["to"] for step in steps.values() for change in step["change"] if "StateTtlConfig" in change["to"]]

    assert blocks
    assert all("// Not against an incident of now" in block for block in blocks)


def test_a_time_to_live_is_told_what_a_day_of_entries_takes() -> None:
    steps = steps_of("resource-shortage", checkpoint_sizes={"state_growth_day_bytes": 55.1e9})
    said = steps["enlarge-or-move-the-state"]["measured"]
    assert any("kept for one day take about 55.1 GB" in each for each in said)


def taken_of(step: dict[str, Any]) -> dict[str, Any]:
    """Condition of an answer -> whether it is this case's, None where that is open."""
    return {each["condition"]: each["taken"] for each in step["answers"]}


@pytest.mark.parametrize(("local", "hosts", "asked"), [(True, 1, False), (False, 3, True)])
def test_a_directory_of_one_host_is_not_asked_for_buckets_and_other_hosts(local: bool, hosts: int, asked: bool) -> None:
    checks = {"local_directory": local, "hosts": hosts}
    step = steps_of("rocksdb-slow-upload", settings_check=checks)["storage"]
    elsewhere = ("the store became slow", "the store answers", "one host is three times")

    taken = [taken for condition, taken in taken_of(step).items() if condition.startswith(elsewhere)]
    assert taken == [None if asked else False] * 3
    assert any("on one host only" in each["what"] for each in step["look"]) == asked


def test_who_acknowledged_a_checkpoint_late_does_not_hang_in_its_synchronous_part() -> None:
    hangs = "a task hangs in RocksDB's Checkpoint.createCheckpoint and processes nothing"
    late = {"sync_ms": 967, "late_complete_ms": 71_100}

    assert taken_of(steps_of("rocksdb-slow-upload", checkpoint_phases=late)["compaction"])[hangs] is False
    assert taken_of(steps_of("rocksdb-slow-upload", checkpoint_phases={"sync_ms": 967})["compaction"])[hangs] is None


@pytest.mark.parametrize(("source", "doubles"), [("at most once", False), ("exactly once", True)])
def test_only_a_source_that_reads_records_again_lets_them_count_twice(source: str, doubles: bool) -> None:
    known = {"settings": {"mode": "AT_LEAST_ONCE"}, "delivery_guarantee": {"source": source}}
    taken = taken_of(steps_of("misconfiguration", **known)["what-is-in-effect"])

    assert taken["the mode is AT_LEAST_ONCE, and a source may read records again"] is doubles
    assert taken["the mode is AT_LEAST_ONCE, and the source reads no record again"] is not doubles

    unknown = taken_of(steps_of("misconfiguration", settings={"mode": "AT_LEAST_ONCE"})["what-is-in-effect"])
    assert unknown["the mode is AT_LEAST_ONCE, and a source may read records again"] is True


@pytest.mark.parametrize("lost", [0, 1])
def test_slots_are_uneven_by_choice_only_where_no_process_was_lost(lost: int) -> None:
    spread = {"used": 3, "used_most": 3, "used_least": 0, "most_ratio": 1.0, "least_ratio": 0.0, "even_slots": 2}
    document = judged(
        slot_spread=spread | {"fullest": "tm-1", "emptiest": "tm-2"}, task_manager_loss_all={"lost": lost}
    )
    stated = {each["rule"]["id"] for each in document["findings"]}
    assert ("conf.uneven-slots" in stated) is (lost == 0)
