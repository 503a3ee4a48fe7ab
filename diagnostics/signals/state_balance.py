"""Distribution of state and barrier waiting time over a task's subtasks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from diagnostics.aggregators import subtask_checkpoints
from diagnostics.arithmetic.balance import balance
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.arithmetic.quantiles import ratio
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue
from diagnostics.reconstruction.checkpoints.start_delays import SOURCES
from diagnostics.reconstruction.job.cluster import Cluster, VertexKey, cluster_of
from diagnostics.reconstruction.job.graph import job_graph
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.wording.cited_text import STATE_OF_SUBTASK, cited_text

FEWEST_HOSTS = 3
"""With fewer TaskManagers, the median of "the others" would be a single one. Our choice."""


def measure(evidence: Evidence) -> Measured:
    """State size and barrier waiting time by subtask, from checkpoint details.

    Reads   subtask_checkpoint: one row per (checkpoint_id, vertex_id, subtask) and moment of asking.
    Gives   one signal for each task whose last checkpoint with state has two or more subtasks.
    Units   bytes; milliseconds.
    Empty   NotMeasured when the upload has no subtask details.
    """
    if not evidence.has("subtask_checkpoint"):
        yield NotMeasured("state_balance", "checkpoint-details", "no file has the subtask details of a checkpoint")
        return
    rows = [row for row in named_rows(evidence.answer(subtask_checkpoints.AGGREGATOR)) if row.ack_ms is not None]
    rows.sort(key=lambda row: (-row.checkpoint_id, -(row.ts_ms or 0)))
    by_checkpoint: dict[VertexKey, dict[int, dict[int, Any]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        by_checkpoint[row.job_id, row.vertex_id][row.checkpoint_id].setdefault(row.subtask, row)
    cluster = cluster_of(evidence)
    for vertex in sorted(by_checkpoint, key=repr):
        yield from _state_signal(vertex, by_checkpoint[vertex], cluster)


def _state_signal(
    vertex: VertexKey, checkpoints: Mapping[int, Mapping[int, Any]], cluster: Cluster
) -> Iterator[Signal]:
    acknowledged = [row for by_subtask in checkpoints.values() for row in by_subtask.values()]
    widest = max(len(by_subtask) for by_subtask in checkpoints.values())
    complete = sorted(number for number, by_subtask in checkpoints.items() if len(by_subtask) == widest)
    delays = [(row.start_delay_ms, row) for row in acknowledged if row.start_delay_ms is not None]
    facts: dict[str, FactValue] = {}
    places: list[Any] = []
    if delays:
        worst, row = max(delays, key=lambda each: (each[0], each[1].checkpoint_id))
        facts |= {"start_delay_max_ms": worst, "start_delay_subtask": row.subtask}
        places.append(row)
    facts |= _by_host(vertex, acknowledged, cluster)
    position = job_graph(cluster, vertex[0]).position(vertex[1])
    for number in reversed(complete):
        sizes = {
            subtask: row.state_bytes for subtask, row in checkpoints[number].items() if row.state_bytes is not None
        }
        spread = balance(sizes)
        if spread and len(sizes) == widest:
            facts |= {
                "checkpoint": number,
                "total_bytes": spread.total,
                "at_source": position == SOURCES[0] if position else None,
                "hot_subtask": spread.hot,
                "hot_bytes": spread.loads[spread.hot],
                "share_ratio": spread.share_ratio,
                "skew_ratio": spread.skew_ratio,
                "concentration_ratio": spread.concentration_ratio,
            }
            places.insert(0, checkpoints[number][spread.hot])
            break
    if not facts:
        return
    yield Signal(
        key="state_balance",
        subject=cluster.vertex_subject(*vertex),
        facts=known_facts(facts),
        citations=tuple(_state_citation(row) for row in places),
        citation_count=len(acknowledged),
    )


def _by_host(vertex: VertexKey, acknowledged: Sequence[Any], cluster: Cluster) -> dict[str, FactValue]:
    """The TaskManager whose subtasks have the longest asynchronous parts, compared with the median of the others."""
    taken: dict[str, list[float]] = defaultdict(list)
    written: dict[str, list[float]] = defaultdict(list)
    for row in acknowledged:
        home = cluster.homes.get((*vertex, row.subtask))
        if home and row.async_ms is not None:
            taken[home].append(row.async_ms)
            written[home].append(row.checkpointed_bytes or 0.0)
    if len(taken) < FEWEST_HOSTS:
        return {}
    usual = {home: median(values) for home, values in taken.items()}
    slowest = max(sorted(usual), key=lambda home: usual[home])
    others = [home for home in usual if home != slowest]
    async_ms = median(usual[home] for home in others)
    wrote = median(median(written[home]) for home in others)
    return {
        "slowest_task_manager": slowest,
        "slowest_async_ms": usual[slowest],
        "others_async_ms": async_ms,
        "async_by_host_ratio": ratio(usual[slowest], async_ms),
        "written_by_host_ratio": ratio(median(written[slowest]), wrote),
    }


def _state_citation(row: Any) -> Citation:
    size = "unknown" if row.state_bytes is None else f"{row.state_bytes:,.0f} bytes"
    delay = "unknown" if row.start_delay_ms is None else f"{row.start_delay_ms:,.0f} ms"
    return Citation(
        file_id=row.file_id,
        line=row.line,
        last_line=row.last_line,
        pointer=row.pointer,
        kind="rest",
        ts_ms=row.ack_ms,
        text=cited_text(STATE_OF_SUBTASK, number=row.checkpoint_id, subtask=row.subtask, state=size, delay=delay),
        name="state_size",
        value=row.state_bytes,
    )


SIGNALS = (
    SignalDefinition(
        key="state_balance",
        level="vertex",
        facts={
            "checkpoint": "number of the checkpoint the sizes are from",
            "total_bytes": "state of all subtasks in bytes",
            "at_source": "whether the task with the state is a source",
            "hot_subtask": "index of the subtask with most state",
            "hot_bytes": "state of the subtask with most state",
            "share_ratio": "its part of all state, 0 to 1",
            "skew_ratio": "state of the largest subtask as a multiple of the even share",
            "concentration_ratio": "concentration of the state; 0 even, 1 everything on one subtask",
            "start_delay_max_ms": "longest start delay of a barrier in a subtask of the task, ms",
            "start_delay_subtask": "index of that subtask",
            "slowest_task_manager": "TaskManager whose subtasks' asynchronous parts take longest, of three or more",
            "slowest_async_ms": "median asynchronous part on the slowest TaskManager, ms",
            "others_async_ms": "the same on the others, their median, ms",
            "async_by_host_ratio": "asynchronous part on the slowest TaskManager over the median of the others",
            "written_by_host_ratio": "bytes written on the slowest TaskManager over those of the others",
        },
        measure=measure,
    ),
)
