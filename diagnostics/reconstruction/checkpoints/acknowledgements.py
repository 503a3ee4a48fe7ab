"""Which subtasks had acknowledged a checkpoint when it expired, and when the others did."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from diagnostics.arithmetic.quantiles import highest
from diagnostics.evidence.subject import FactValue
from diagnostics.reconstruction.checkpoints.history import Checkpoint
from diagnostics.reconstruction.checkpoints.parts import Part


def acknowledgement_facts(
    by_number: Mapping[int, Sequence[Part]],
    checkpoints: Mapping[int, Checkpoint],
    tasks: int,
    name: Callable[[str], str],
) -> dict[str, FactValue]:
    """The facts `unacknowledged_*`, `acknowledged_count` and `late_complete_*` of the expired checkpoints.

    by_number    number of a checkpoint -> its parts
    checkpoints  number -> the checkpoint, of those whose end is known
    tasks        how many tasks the job has: with fewer parts it is not known whether all acknowledged
    name         of a task by its id
    """
    return {**_lacked(by_number, checkpoints, name), **_in_the_end(by_number, checkpoints, tasks)}


def _lacked(
    by_number: Mapping[int, Sequence[Part]], checkpoints: Mapping[int, Checkpoint], name: Callable[[str], str]
) -> dict[str, FactValue]:
    """Subtasks that had not acknowledged the last expired checkpoint when it expired; later answers do not count."""
    expired = [number for number in by_number if number in checkpoints and checkpoints[number].status == "expired"]
    lacking = {number: _lacking(by_number[number], checkpoints[number].duration_ms) for number in sorted(expired)}
    missing = {number: parts for number, parts in lacking.items() if parts}
    if not missing:
        return {}
    number, lacked = max(missing.items())
    parts = [part for part in by_number[number] if part.vertex_id in lacked]
    waiting = sum(lacked.values())
    first = min(parts, key=lambda part: (part.acknowledged, part.vertex_id))
    return {
        "unacknowledged_ids": list(missing),
        "unacknowledged_id": number,
        "unacknowledged_vertices": sorted(name(part.vertex_id) for part in parts),
        "unacknowledged_subtasks": list(first.pending),
        "unacknowledged_count": waiting,
        "acknowledged_count": sum(part.subtasks for part in by_number[number]) - waiting,
    }


def _lacking(parts: Sequence[Part], expired_after_ms: float | None) -> dict[str, int]:
    """Task -> how many of its subtasks had not acknowledged a checkpoint when it expired; only tasks with such ones."""
    lacked = {
        part.vertex_id: part.subtasks
        - part.acknowledged
        + sum(took > expired_after_ms for took in part.took_ms if expired_after_ms is not None)
        for part in parts
    }
    return {vertex_id: count for vertex_id, count in lacked.items() if count}


def _in_the_end(
    by_number: Mapping[int, Sequence[Part]], checkpoints: Mapping[int, Checkpoint], tasks: int
) -> dict[str, FactValue]:
    """The last expired checkpoint that all subtasks acknowledged later, and how long that took from its trigger."""
    whole = {
        number: highest(took for part in parts for took in part.took_ms)
        for number, parts in by_number.items()
        if number in checkpoints
        and checkpoints[number].status == "expired"
        and len(parts) == tasks
        and all(part.subtasks == len(part.took_ms) for part in parts)
    }
    known_whole = {number: took for number, took in whole.items() if took is not None}
    if not known_whole:
        return {}
    number = max(known_whole)
    return {"late_complete_id": number, "late_complete_ms": known_whole[number]}
