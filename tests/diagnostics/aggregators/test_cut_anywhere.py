"""The answer does not depend on how a table's rows are cut and in which order their states are merged."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from diagnostics.aggregators import (
    AGGREGATORS,
    BY_TABLE,
    latency_markers,
    lookup_cache,
    task_totals,
    watermark_alignment,
)
from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.aggregators.kafka_transaction_records import CLASSES
from diagnostics.citation import CITATION_COLUMNS
from diagnostics.evidence.rows import Rows
from diagnostics.evidence.tables import TABLES
from diagnostics.formats import FORMATS
from diagnostics.notation.file_range import Range
from diagnostics.notation.log_event import LogEvent, catalogue
from diagnostics.notation.metric_name import FREE_SPACE
from diagnostics.reading.log_counts import count_records
from diagnostics.reading.row_batch import row_batch
from diagnostics.vocabulary.incident_kinds import kinds_of

LATENCY = "latency.source_id.a.operator_id.b.operator_subtask_index.0.latency"
FURTHER = "further"
FURTHER_RECORDS = (
    "2026-11-21 02:00:00,000 INFO  org.apache.flink.runtime.taskmanager.Task [further] - Window(Sum) (2/4)#1 ("
    "cbc357ccb763df2852fee8c4fc7d55f2_90bea66de1c231edf33913ecd54406c1_1_1) switched from INITIALIZING to RUNNING.\n",
    "2026-11-21 02:00:01,000 WARN  com.acme.Store [further] - 503 Service Unavailable, retrying\n",
    "2026-11-21 02:00:02,000 ERROR org.apache.flink.runtime.checkpoint.CheckpointCoordinator [further] - Failed\n"
    "java.lang.IllegalArgumentException: Negative number of in progress checkpoints\n\tat com.acme.A.b(A.java:1)\n",
    "2026-11-21 02:00:03,000 ERROR org.apache.pekko.remote.transport.netty.NettyTransport [further] - failed to bind "
    "to host:localhost port:6122, shutting down Netty transport\n",
    "2026-11-21 02:00:04,000 INFO  org.apache.hadoop.ipc.Client [further] - Retrying connect to server: nn:8020.\n",
    "2026-11-21 02:00:09,000 INFO  org.apache.hadoop.ipc.Client [further] - Retrying connect to server: nn:8020.\n",
)
"""Records of a thread of this name: an execution of a subtask, a refusal, a known bug, a harmless error, a wait."""
MOST_EVENTS = 12
"""Events of an aggregator that have a record in these tests, twice. Our choice."""

ROUNDS = 12
"""Random ways to cut and merge, beside one cut at every row. Our choice."""


@cache
def sample_rows() -> dict[str, pa.Table]:
    """All rows of all formats' samples by table: each sample is a file of its own, and each file is there twice."""
    batches: dict[str, list[pa.RecordBatch]] = {}
    samples = [(one, sample) for one in FORMATS.values() for sample in one.samples]
    with TemporaryDirectory() as folder:
        for file_id, (one, sample) in enumerate([*samples, *samples]):
            path = Path(folder) / "sample"
            path.write_bytes(sample.content)
            size = len(sample.content)
            for read in one.read(Range(file_id, sample.name, str(path), 0, size, size, {})):
                if isinstance(read, Rows):
                    batches.setdefault(read.table, []).append(row_batch(read, file_id, 0, None)[0])
    tables = {name: pa.Table.from_batches(parts).combine_chunks() for name, parts in batches.items()}
    records = tables["log_record"]
    tables["log_record"] = records.set_column(records.schema.get_field_index("kinds"), "kinds", kinds_of(records))
    tables["log_count"] = count_records(records)
    return tables


@cache
def event_rows() -> pa.Table:
    """A record of each catalogued log event, and FURTHER_RECORDS, in two files."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "flink.log"
        path.write_text("".join([*map(_record, range(len(catalogue())), catalogue()), *FURTHER_RECORDS]), "utf-8")
        size = path.stat().st_size
        batches = [
            row_batch(read, file_id, 0, None)[0]
            for file_id in (100, 101)
            for read in FORMATS["flink-log"].read(Range(file_id, path.name, str(path), 0, size, size, {}))
            if isinstance(read, Rows) and read.table == "log_record"
        ]
    records = pa.Table.from_batches(batches).combine_chunks()
    return records.set_column(records.schema.get_field_index("kinds"), "kinds", kinds_of(records))


def _record(second: int, event: LogEvent) -> str:
    level, logger = next(iter(event.levels), "INFO"), next(iter(event.loggers), "Task")
    head = f"2026-11-21 01:{second // 60:02}:{second % 60:02},000 {level:5} org.apache.flink.{logger} [] - "
    return head + (f"Failed\n{event.example}\n" if event.where == "trace" else f"{event.example}\n")


@cache
def further_rows() -> dict[str, pa.Table]:
    """What no format has in its samples: metrics that only some jobs have, and a failure of a Kafka transaction."""
    names = (*sorted(FREE_SPACE)[:2], lookup_cache.HITS, watermark_alignment.DRIFT, LATENCY)
    samples: list[dict[str, Any]] = [
        {
            "metric": name,
            "ts_ms": 1_795_224_906_000 + 5_000 * at,
            "value": 3.0 + at % 4,
            "line": 10 * at + place,
            "file_id": 102,
            "job_id": "a" * 32,
            "vertex_id": "b" * 32,
            "subtask": at % 3,
            **({"quantile": latency_markers.QUANTILE} if name == LATENCY else {}),
        }
        for at in range(6)
        for place, name in enumerate(names, 1)
    ]
    samples += [
        {**each, "metric": task_totals.COUNTED[place % 2], "aggregate": "sum", "subtask": None, "line": 100 + place}
        for place, each in enumerate(samples)
    ]
    failures = [{"ts_ms": 7 * at, "causes": CLASSES[0], "file_id": 103, "pointer": f"/{at}"} for at in range(4)]
    return {
        name: pa.Table.from_pylist(rows, schema=TABLES[name].arrow_schema())
        for name, rows in (("metric_sample", samples), ("failure", failures))
    }


def rows_of(aggregator: Aggregator[Any]) -> pa.Table:
    """The samples' rows of its table, with rows that it asks for."""
    parts = [sample_rows().get(aggregator.table, TABLES[aggregator.table].arrow_schema().empty_table())]
    if aggregator.table == "log_record":
        asked = [event.id for event in catalogue() if aggregator.asks_for(event.id)][:MOST_EVENTS]
        rows = event_rows()
        parts.append(rows.filter(pc.is_in(rows["event"], pa.array(asked, pa.string()))))
        parts.append(rows.filter(pc.equal(rows["thread"], FURTHER)))
    elif aggregator.table in further_rows():
        parts.append(further_rows()[aggregator.table])
    return pa.concat_tables(parts).combine_chunks()


def answered(aggregator: Aggregator[Any], state: pa.Table) -> Any:
    answer = aggregator.finish(state)
    return answer.to_pylist() if isinstance(answer, pa.Table) else answer


@pytest.mark.parametrize("aggregator", AGGREGATORS.values(), ids=lambda each: each.name)
def test_parts_in_any_order_give_the_answer_of_the_whole(aggregator: Aggregator[Any]) -> None:
    rows = rows_of(aggregator)
    whole = answered(aggregator, aggregator.reduce_rows(rows))
    for seed in range(ROUNDS):
        chance = random.Random(seed)
        cuts = sorted(chance.randint(0, rows.num_rows) for _ in range(chance.randint(1, 4)))
        states = [
            aggregator.reduce_rows(rows.slice(start, end - start))
            for start, end in zip([0, *cuts], [*cuts, rows.num_rows], strict=True)
        ]
        while len(states) > 1:
            chance.shuffle(states)
            some = chance.randint(1, len(states))
            states = [aggregator.merge_states(states[:some]), *states[some:]]
        assert answered(aggregator, states[0]) == whole, f"cut at {cuts}, seed {seed}"


@pytest.mark.parametrize("aggregator", AGGREGATORS.values(), ids=lambda each: each.name)
def test_a_state_for_each_row_gives_the_answer_of_the_whole(aggregator: Aggregator[Any]) -> None:
    rows = rows_of(aggregator)
    states = [aggregator.reduce_rows(rows.slice(row, 1)) for row in range(rows.num_rows)]
    assert answered(aggregator, aggregator.merge_states(states)) == answered(aggregator, aggregator.reduce_rows(rows))


@pytest.mark.parametrize("aggregator", AGGREGATORS.values(), ids=lambda each: each.name)
def test_the_rows_of_these_tests_leave_a_state(aggregator: Aggregator[Any]) -> None:
    """Else the tests above would say nothing about it."""
    assert aggregator.reduce_rows(rows_of(aggregator)).num_rows


@pytest.mark.parametrize("aggregator", AGGREGATORS.values(), ids=lambda each: each.name)
def test_no_rows_have_an_answer_too(aggregator: Aggregator[Any]) -> None:
    empty = aggregator.merge_states([])
    some = aggregator.reduce_rows(rows_of(aggregator))
    assert empty.schema == some.schema
    assert answered(aggregator, aggregator.merge_states([empty, some])) == answered(aggregator, some)


@pytest.mark.parametrize("aggregator", AGGREGATORS.values(), ids=lambda each: each.name)
def test_an_aggregator_is_named_as_its_file_and_asks_for_columns_that_exist(aggregator: Aggregator[Any]) -> None:
    assert AGGREGATORS[aggregator.name] is aggregator
    assert aggregator in BY_TABLE[aggregator.table]
    assert set(aggregator.columns) <= {column.name for column in TABLES[aggregator.table].own_columns}
    assert set(aggregator.columns).isdisjoint(CITATION_COLUMNS)
