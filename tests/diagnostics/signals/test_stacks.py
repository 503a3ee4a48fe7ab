"""What the threads of tasks do: hot functions, outside calls, uploads, and what a record costs."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals import blocking_calls, hot_frames, record_rate
from tests.diagnostics.hand_made import (
    JOB,
    MIDDLE,
    SINK,
    SOURCE,
    START,
    hand_made,
    line_of_jobs,
    needs,
    only,
    signals_of_key,
)

TASK = ["java.lang.Thread.run", "org.apache.flink.streaming.runtime.tasks.StreamTask.invoke"]
IDLE = [
    *TASK,
    "org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailboxImpl.take",
    "jdk.internal.misc.Unsafe.park",
]
QUERY = [
    *TASK,
    "org.apache.flink.streaming.api.operators.StreamFlatMap.processElement",
    "com.shop.Enrich.flatMap",
    "org.postgresql.jdbc.PgPreparedStatement.executeQuery",
    "sun.nio.ch.Net.poll",
]
BULK = [
    *TASK,
    "org.apache.flink.streaming.api.operators.StreamSink.processElement",
    "com.shop.Index.invoke",
    "org.elasticsearch.client.RestHighLevelClient.bulk",
    "sun.nio.ch.EPoll.wait",
]
PARSE = [
    *TASK,
    "org.apache.flink.streaming.api.operators.StreamMap.processElement",
    "com.shop.Parse.map",
    "java.util.regex.Matcher.find",
]

OWN = [
    *TASK,
    "org.apache.flink.streaming.api.operators.StreamMap.processElement",
    "com.shop.Score.map",
    "com.shop.Score.score",
]


def _stack(frames: list[str], weight: float, **columns: Any) -> dict[str, Any]:
    flame_graph = {"profile": "flame-graph", "mode": "full", "job_id": JOB, "vertex_id": MIDDLE}
    return {**flame_graph, "frames": frames, "weight": weight, **columns}


def _subtasks(vertex: str) -> list[dict[str, Any]]:
    return [
        {
            "job_id": JOB,
            "vertex_id": vertex,
            "subtask": subtask,
            "attempt": 0,
            "ts_ms": START + 100_000,
            "duration_ms": 100_000,
            "read_records": 3000,
            "busy_ms": 99_000.0,
        }
        for subtask in (0, 1)
    ]


def test_a_query_for_each_record_is_a_look_up_with_its_cost() -> None:
    stacks = [_stack(QUERY, 90.0), _stack(PARSE, 10.0), _stack(IDLE, 300.0)]
    evidence = hand_made(**line_of_jobs(), stack_sample=stacks, subtask=_subtasks(MIDDLE))
    facts = only(blocking_calls.measure(evidence), "blocking_calls").facts
    assert (facts["role"], facts["role_from"], facts["system"]) == ("look-up", "method", "PostgreSQL")
    assert facts["role_ratio"] == 0.9  # 90 of 100 samples at work; idle ones do not count
    assert facts["call_ms"] == pytest.approx(0.9 * 33)  # 198,000 ms / 6,000 records
    rate = only(record_rate.measure(evidence), "record_rate").facts
    assert (rate["records_per_s"], rate["records_by_subtask"]) == (60, [3000, 3000])
    assert rate["ceiling_per_s"] == pytest.approx(1000 / 33)


def _emitted(*per_s: float) -> list[dict[str, Any]]:
    """A counter of the source, ten seconds for each rate."""
    totals = [10 * sum(per_s[:step]) for step in range(len(per_s) + 1)]
    shared = {"job_id": JOB, "vertex_id": SOURCE, "metric": "numRecordsOut", "subtask": 0}
    return [{**shared, "ts_ms": START + 10_000 * step, "value": float(each)} for step, each in enumerate(totals)]


def test_asynchronous_calls_are_as_many_as_the_sources_need() -> None:
    stacks = [_stack(QUERY, 90.0), _stack(PARSE, 10.0)]
    emitted = _emitted(*[400.0] * 5, *[60.0] * 5)
    shown = {**line_of_jobs(), "stack_sample": stacks, "subtask": _subtasks(MIDDLE), "metric_sample": emitted}
    managers = [{"ts_ms": START, "task_manager": "tm", "host": "one", "slots": 3, "cpu_cores": 8}]
    evidence = hand_made(**shown, task_manager=managers)
    facts = only(blocking_calls.measure(evidence), "blocking_calls").facts
    assert facts["calls_in_flight"] == 12  # 400/s x 29.7 ms
    assert facts["async_capacity"] == 12  # twice as many, on two subtasks
    rate = only(record_rate.measure(evidence), "record_rate").facts
    assert (rate["offered_per_s"], rate["offered_parallelism"], rate["offered_lacks_slots"]) == (400, 14, True)
    assert rate["offered_excess_ratio"] == pytest.approx(1 - 60 / 400)
    assert (rate["needed_parallelism"], rate["parallelism_by_slots"]) == (2, 3), "what is offered fills every slot"


def test_the_subtask_that_reads_most_has_a_cost_and_one_that_it_can_bear() -> None:
    """A function is told to be cheaper; the reader has to know by how much."""
    hot, idle = _subtasks(MIDDLE)
    uneven = [hot | {"read_records": 9000}, idle | {"read_records": 1000, "busy_ms": 9000.0}]
    emitted = _emitted(*[400.0] * 5, *[60.0] * 5)
    evidence = hand_made(**line_of_jobs(), subtask=uneven, metric_sample=emitted)
    rate = only(record_rate.measure(evidence), "record_rate").facts
    assert rate["fullest_ms"] == pytest.approx(99_000 / 9000)
    assert rate["fullest_bearable_ms"] == pytest.approx(1000 * 0.8 / (400 * 0.9))
    assert rate["fullest_excess_ratio"] == pytest.approx(rate["fullest_ms"] / rate["fullest_bearable_ms"])


def test_calls_to_a_database_stay_within_its_connections() -> None:
    stacks = [_stack(QUERY, 90.0), _stack(PARSE, 10.0)]
    evidence = hand_made(**line_of_jobs(), stack_sample=stacks, subtask=_subtasks(MIDDLE))
    facts = only(blocking_calls.measure(evidence), "blocking_calls").facts
    assert "calls_in_flight" not in facts, "what the sources offer is not known"
    assert (facts["async_capacity"], facts["async_connections"]) == (25, 50)


def test_the_rate_of_the_last_interval_may_be_none() -> None:
    later = [
        row | {"ts_ms": START + 160_000, "duration_ms": 160_000, "busy_ms": 159_000.0} for row in _subtasks(MIDDLE)
    ]
    evidence = hand_made(**line_of_jobs(), subtask=[*_subtasks(MIDDLE), *later])
    rate = only(record_rate.measure(evidence), "record_rate").facts
    assert (rate["records_per_s"], rate["latest_per_s"]) == (60, 0)


@pytest.mark.parametrize(("free", "usable", "has_room"), [(0, 2, False), (2, 4, True), (None, 9, True)])
def test_slots_that_another_job_of_the_cluster_holds_are_no_room(free: int | None, usable: int, has_room: bool) -> None:
    emitted = _emitted(*[400.0] * 5, *[60.0] * 5)
    managers = [{"ts_ms": START, "task_manager": "tm", "host": "one", "slots": 9, "free_slots": free}]
    evidence = hand_made(**line_of_jobs(), subtask=_subtasks(MIDDLE), metric_sample=emitted, task_manager=managers)
    rate = only(record_rate.measure(evidence), "record_rate").facts
    assert (rate["slots_total"], rate["slots_usable"]) == (9, usable)
    assert (rate["room_by_slots"], rate["parallelism_by_slots"]) == (has_room, usable)


@pytest.mark.parametrize(
    ("slots", "cores", "by_slots", "by_cores", "lacking"),
    [
        (8, 8, 5, 5, (False, False)),
        (3, 8, 3, 3, (False, False)),
        (2, 8, 2, 2, (True, True)),
        (8, 2, 5, 2, (False, True)),
    ],
)
def test_no_parallelism_is_proposed_above_slots_and_cores(
    slots: int, cores: int, by_slots: int, by_cores: int, lacking: tuple[bool, bool]
) -> None:
    quicker = [
        row | {"ts_ms": START + 120_000, "duration_ms": 120_000, "read_records": 4_450, "busy_ms": 118_000.0}
        for row in _subtasks(MIDDLE)
    ]
    managers = [
        {
            "ts_ms": START,
            "task_manager": f"tm-{place}",
            "host": "one",
            "slots": slots // 2 + slots % 2 * place,
            "cpu_cores": cores,
        }
        for place in (0, 1)
    ]
    evidence = hand_made(**line_of_jobs(), subtask=[*_subtasks(MIDDLE), *quicker], task_manager=managers)
    rate = only(record_rate.measure(evidence), "record_rate").facts
    assert rate["needed_parallelism"] == 5
    assert (rate["slots_total"], rate["cores_total"]) == (slots, cores), "cores of one host count once"
    assert (rate["parallelism_by_slots"], rate["parallelism_by_cores"]) == (by_slots, by_cores)
    assert (rate["lacks_slots"], rate["lacks_cores"]) == lacking


def test_the_same_call_in_a_sink_operator_is_a_sink_even_in_a_task_chained_before_it() -> None:
    evidence = hand_made(**line_of_jobs(), stack_sample=[_stack(BULK, 40.0, vertex_id=SINK)])
    facts = only(blocking_calls.measure(evidence), "blocking_calls").facts
    assert (facts["role"], facts["role_from"], facts["system"]) == ("sink", "operator", "Elasticsearch")


def test_a_look_up_chained_into_the_sinks_task_stays_a_look_up() -> None:
    evidence = hand_made(**line_of_jobs(), stack_sample=[_stack(QUERY, 40.0, vertex_id=SINK)])
    assert only(blocking_calls.measure(evidence), "blocking_calls").facts["role"] == "look-up"


def test_cpu_work_is_no_outside_call() -> None:
    evidence = hand_made(**line_of_jobs(), stack_sample=[_stack(PARSE, 50.0)])
    assert only(blocking_calls.measure(evidence), "blocking_calls").facts["waiting_ratio"] == 0
    facts = only(hot_frames.measure(evidence), "hot_frames").facts
    assert (facts["category"], facts["category_share_ratio"]) == ("regex", 1)
    assert facts["top_user_frame"] == "com.shop.Parse.map"


def test_the_hot_function_is_named_with_its_share_its_caller_and_what_helps() -> None:
    evidence = hand_made(**line_of_jobs(), stack_sample=[_stack(PARSE, 60.0), _stack(OWN, 30.0), _stack(QUERY, 10.0)])
    facts = only(hot_frames.measure(evidence), "hot_frames").facts
    assert (facts["hot_purpose"], facts["hot_share_ratio"], facts["hot_caller"]) == ("regex", 0.6, "com.shop.Parse.map")
    assert (facts["hot_function"], facts["hot_frame"]) == ("regular expressions", "java.util.regex.Matcher.find")
    assert str(facts["hot_advice"]).startswith("Compile each pattern once")
    assert (facts["own_frame"], facts["own_share_ratio"]) == ("com.shop.Score.score", 0.3)
    assert facts["computing_ratio"] == 0.9  # the query waits in a socket


def test_a_function_that_the_source_gives_a_state_to_is_marked() -> None:
    def takes_state(*methods: str) -> object:
        taken = [{"kind": "taker-of-previous-result", "name": method, "line": 3} for method in methods]
        evidence = hand_made(**line_of_jobs(), stack_sample=[_stack(OWN, 30.0)], code_call=taken)
        return only(hot_frames.measure(evidence), "hot_frames").facts.get("own_takes_state")

    assert (takes_state("score"), takes_state("smoothed"), takes_state()) == (True, False, None)


def test_the_argument_that_makes_the_hot_function_dear_is_named_with_its_value() -> None:
    started = ["-c", "com.shop.Job", "/job.jar", "--rate", "1500", "--rounds", "45000"]
    stated = {"scope": "client", "key": "client.arguments", "value": " ".join(["run", *started]), "source": "client"}
    lines = [stated]

    def argument(*handed: str) -> Any:
        calls = [{"kind": "handed-argument", "name": each, "line": 9, "last_line": 9} for each in handed]
        shown = {**line_of_jobs(), "stack_sample": [_stack(OWN, 90.0)], "code_call": calls, "config_option": lines}
        return only(hot_frames.measure(hand_made(**shown)), "hot_frames").facts.get("own_argument")

    assert argument("Score rounds", "Orders rate") == "--rounds 45000"
    assert argument("Score rounds", "Score rate") is None, "either may be the dear one"
    assert argument("Orders rate") is None


def test_the_argument_is_given_with_the_value_that_makes_a_record_cheap_enough() -> None:
    """Each of 400/s x 0.9 costs 11 ms and may cost 2.22 ms: 45000 over 4.95 is 9090."""
    hot, idle = _subtasks(MIDDLE)
    uneven = [hot | {"read_records": 9000}, idle | {"read_records": 1000, "busy_ms": 9000.0}]
    calls = [{"kind": "handed-argument", "name": "Score rounds", "line": 9, "last_line": 9}]

    def lowered(value: str) -> object:
        stated = {"scope": "client", "key": "client.arguments", "source": "client"}
        stated |= {"value": f"run -c com.shop.Job /job.jar --rounds {value}"}
        shown = {"stack_sample": [_stack(OWN, 90.0)], "code_call": calls, "config_option": [stated], "subtask": uneven}
        emitted = _emitted(*[400.0] * 5, *[60.0] * 5)
        evidence = hand_made(**line_of_jobs(), **shown, metric_sample=emitted)
        return only(hot_frames.measure(evidence), "hot_frames").facts.get("own_argument_lowered")

    assert lowered("45000") == "--rounds 9000"
    assert lowered("deep") is None, "no number to lower"


def test_a_librarys_frame_is_not_taken_for_the_jobs_own_code() -> None:
    stack = [*PARSE[:-1], "com.github.luben.zstd.Zstd.compress"]
    facts = only(hot_frames.measure(hand_made(stack_sample=[_stack(stack, 50.0)])), "hot_frames").facts
    assert facts["hot_caller"] == "com.shop.Parse.map"


def test_a_graph_of_all_threads_goes_before_one_of_the_cpu() -> None:
    stacks = [_stack(PARSE, 900.0, mode="on-cpu"), _stack(QUERY, 60.0)]
    facts = only(hot_frames.measure(hand_made(**line_of_jobs(), stack_sample=stacks)), "hot_frames").facts
    assert (facts["mode"], facts["waiting_ratio"]) == ("full", 1)


def test_a_thread_is_found_by_its_tasks_name() -> None:
    dumps = [
        _stack(
            QUERY,
            3.0,
            profile="thread-dump",
            mode="dump",
            job_id=None,
            vertex_id=None,
            vertex="enrich",
            thread="enrich (1/2)#0",
        )
    ]
    signal = only(hot_frames.measure(hand_made(**line_of_jobs(), stack_sample=dumps)), "hot_frames")
    assert (signal.subject.job, signal.subject.vertex_id) == (JOB, MIDDLE)


SOURCE_NAME = "Source: orders -> Calc"
SOURCE_THREAD = f"Legacy Source Thread - {SOURCE_NAME} (1/1)#0"
GENERATOR = [
    "org.apache.flink.streaming.runtime.tasks.SourceStreamTask$LegacySourceFunctionThread.run",
    "com.shop.Generator.run",
]
PASSED_ON = [*GENERATOR, "org.apache.flink.streaming.api.operators.StreamSourceContexts$WatermarkContext.collect"]
ASKS = [*PASSED_ON, "com.shop.Customer.eval", "java.net.Socket$SocketInputStream.read"]


def _dumped(frames: list[str], thread: str) -> dict[str, Any]:
    columns = {"profile": "thread-dump", "mode": "dump", "vertex": SOURCE_NAME, "thread": thread}
    return {**columns, "frames": frames, "weight": 3.0, "job_id": JOB, "state": "RUNNABLE"}


def test_the_chain_of_a_source_function_runs_in_the_sources_own_thread() -> None:
    own = {"profile": "flame-graph", "mode": "full", "job_id": JOB, "vertex": SOURCE_NAME}
    mails = _dumped(IDLE, f"{SOURCE_NAME} (1/1)#0")
    rows = [_dumped(ASKS, SOURCE_THREAD), mails, {**own, "frames": IDLE, "weight": 500.0}]

    facts = only(blocking_calls.measure(hand_made(stack_sample=rows)), "blocking_calls").facts

    assert (facts["profile"], facts["working_samples"], facts["role_ratio"]) == ("thread-dump", 3.0, 1.0)
    assert facts["system"] == "socket"


def test_a_source_function_that_sleeps_between_records_rests() -> None:
    rows = [_dumped([*GENERATOR, "java.lang.Thread.sleep"], SOURCE_THREAD)]

    assert not signals_of_key(blocking_calls.measure(hand_made(stack_sample=rows)), "blocking_calls")


def test_a_function_that_sleeps_behind_a_source_function_works() -> None:
    rows = [_dumped([*PASSED_ON, "com.shop.Score.eval", "java.lang.Thread.sleep"], SOURCE_THREAD)]

    facts = only(blocking_calls.measure(hand_made(stack_sample=rows)), "blocking_calls").facts

    assert (facts["system"], facts["working_samples"]) == ("sleep", 3.0)


def test_a_task_that_only_waits_for_records_is_not_judged() -> None:
    evidence = hand_made(**line_of_jobs(), stack_sample=[_stack(IDLE, 400.0)])
    assert signals_of_key(hot_frames.measure(evidence), "hot_frames") == []


def test_threads_that_upload_rocksdb_files_are_seen() -> None:
    upload = [
        "java.lang.Thread.run",
        "org.apache.flink.contrib.streaming.state.RocksDBStateUploader.upload",
        "java.io.FileOutputStream.writeBytes",
    ]
    waiting = [
        "java.lang.Thread.run",
        "java.util.concurrent.ThreadPoolExecutor.getTask",
        "jdk.internal.misc.Unsafe.park",
    ]
    thread = {
        "job_id": None,
        "vertex_id": None,
        "thread": "Flink-RocksDBStateDataTransferHelper-thread-1",
        "profile": "collapsed",
        "mode": "wall",
    }
    evidence = hand_made(stack_sample=[_stack(upload, 300.0, **thread), _stack(waiting, 100.0, **thread)])
    facts = only(hot_frames.measure(evidence), "hot_frames.upload").facts
    assert (facts["upload_share_ratio"], facts["rocksdb"], facts["what"]) == (0.75, True, "RocksDB upload")


def test_nothing_is_measured_without_profiles() -> None:
    evidence = hand_made(**line_of_jobs())
    assert needs(blocking_calls.measure(evidence)) == {"blocking_calls": "flame-graph"}
    assert needs(record_rate.measure(evidence)) == {"record_rate": "job-rest"}


def test_a_thread_that_is_blocked_on_a_monitor_of_a_client_waits_for_its_system() -> None:
    blocked = [*TASK, "com.starrocks.connector.flink.manager.StarRocksSinkManager.flush"]
    dump = {"profile": "thread-dump", "mode": "dump", "vertex_id": SINK, "state": "BLOCKED"}
    evidence = hand_made(**line_of_jobs(), stack_sample=[_stack(blocked, 6.0, **dump)])
    facts = only(blocking_calls.measure(evidence), "blocking_calls").facts
    assert (facts["role"], facts["system"], facts["waiting_ratio"]) == ("sink", "StarRocks", 1.0)
    assert "sink.buffer-flush" in str(facts["relief"])


def test_a_task_that_never_reads_a_record_stands() -> None:
    """Calls that never complete are told from slow ones by this, also where only metrics were given."""
    shared = {"job_id": JOB, "vertex_id": MIDDLE, "vertex": "enrich", "subtask": 0}
    still = [
        {**shared, "metric": metric, "ts_ms": START + 10_000 * step, "value": value}
        for step in range(30)
        for metric, value in (("numRecordsIn", 40_000.0), ("busyTimeMsPerSecond", 1000.0))
    ]
    rate = only(record_rate.measure(hand_made(**line_of_jobs(), metric_sample=still)), "record_rate")
    assert (rate.subject.vertex, rate.facts["latest_per_s"]) == ("enrich", 0)
    assert "records_per_s" not in rate.facts, "no cost of a record follows from it"
