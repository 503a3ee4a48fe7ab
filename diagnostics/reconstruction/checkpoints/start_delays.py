"""Start delays in slow checkpoints: behind the sources barriers wait, a source reacts late to its trigger."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from diagnostics.arithmetic.quantiles import highest, known
from diagnostics.evidence.subject import FactValue
from diagnostics.reconstruction.checkpoints.history import Checkpoint
from diagnostics.reconstruction.checkpoints.parts import Part, Slowest, longest_part
from diagnostics.reconstruction.job.graph import JobGraph

SOURCES = ("source", "whole job")
"""Positions of a task at which no barrier waits: it is triggered by a message."""

Delays = Mapping[int, tuple[float, Part, Slowest]]
"""Number of a checkpoint -> its longest start delay, with the task and the subtask."""


def start_delay_facts(
    by_number: Mapping[int, Sequence[Part]],
    checkpoints: Mapping[int, Checkpoint],
    slow: Collection[int],
    graph: JobGraph,
    name: Callable[[str], str],
) -> dict[str, FactValue]:
    """The facts `longest_delay_*`, `barrier_delay_*`, `source_delay_*` and `longest_ms`.

    The longest start delay is that of the checkpoints that expired: that of one that completed does not show why others
    did not. It is that of the slow ones where none of the expired has details.

    by_number    number of a checkpoint -> its parts
    checkpoints  number -> the checkpoint, of those whose end is known
    slow         numbers of the slow checkpoints
    name         of a task by its id
    """
    of_all = _delays(by_number, lambda _: True)
    of_sources = _delays(by_number, lambda part: graph.position(part.vertex_id) in SOURCES)
    behind = _delays(by_number, lambda part: graph.position(part.vertex_id) not in SOURCES)
    expired = {number for number in of_all if number in checkpoints and checkpoints[number].status == "expired"}
    waited = expired | set(slow)
    chosen = expired or set(slow)
    lasted = {number: _lasted(by_number[number], checkpoints.get(number)) for number in waited}
    return {
        **_longest(of_all, chosen, graph, name),
        **(_behind(behind, chosen, name) or _behind(behind, waited, name)),
        **_at_sources(of_sources, chosen, waited, lasted, name),
        "longest_ms": highest(known(lasted.values())),
    }


def _delays(by_number: Mapping[int, Sequence[Part]], wanted: Callable[[Part], bool]) -> Delays:
    found = {number: longest_part(filter(wanted, parts), "start_delay") for number, parts in by_number.items()}
    return {number: delay for number, delay in found.items() if delay}


def _latest(delays: Delays, chosen: Iterable[int]) -> int | None:
    """Of these checkpoints that with the longest delay."""
    return max((each for each in chosen if each in delays), key=lambda each: (delays[each][0], each), default=None)


def _longest(
    delays: Delays, chosen: Iterable[int], graph: JobGraph, name: Callable[[str], str]
) -> dict[str, FactValue]:
    number = _latest(delays, chosen)
    if number is None:
        return {}
    value, part, _ = delays[number]
    position = graph.position(part.vertex_id)
    return {
        "longest_delay_ms": value,
        "longest_delay_id": number,
        "longest_delay_vertex": name(part.vertex_id),
        "longest_delay_at_source": position in SOURCES if position else None,
    }


def _behind(delays: Delays, chosen: Iterable[int], name: Callable[[str], str]) -> dict[str, FactValue]:
    """The subtask that waited longest for a barrier."""
    number = _latest(delays, chosen)
    if number is None:
        return {}
    value, part, at = delays[number]
    return {
        "barrier_delay_ms": value,
        "barrier_delay_id": number,
        "barrier_delay_vertex": name(part.vertex_id),
        "barrier_delay_subtask": at.subtask,
    }


def _at_sources(
    delays: Delays,
    chosen: Iterable[int],
    waited: Iterable[int],
    lasted: Mapping[int, float | None],
    name: Callable[[str], str],
) -> dict[str, FactValue]:
    """The source that reacted latest to a trigger, and the checkpoint in which all reacted soonest."""
    number = _latest(delays, chosen)
    if number is None:
        return {}
    delay, source, _ = delays[number]
    return {
        "source_delay_ms": delay,
        "source_delay_id": number,
        "source_delay_vertex": name(source.vertex_id),
        "source_delay_least_ms": min(delays[each][0] for each in waited if each in delays),
        "source_delay_lasted_ms": lasted[number],
    }


def _lasted(parts: Sequence[Part], checkpoint: Checkpoint | None) -> float | None:
    """How long a checkpoint took until its last acknowledgement, after its end too; None while it is under way."""
    if checkpoint is None or checkpoint.status == "in_progress":
        return None
    return highest(known([checkpoint.duration_ms, *(took for part in parts for took in part.took_ms)]))
