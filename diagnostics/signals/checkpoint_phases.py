"""Duration of slow checkpoints by phase and task: start delay, alignment, synchronous and asynchronous part."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from diagnostics.arithmetic.onset import END_FACTS, ONSET_FACTS, end_facts, ended_ms, onset, onset_facts
from diagnostics.arithmetic.quantiles import highest, known, ratio, spread, total
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject, only_one
from diagnostics.reconstruction.checkpoints.acknowledgements import acknowledgement_facts
from diagnostics.reconstruction.checkpoints.history import Checkpoint, History, checkpoint_histories
from diagnostics.reconstruction.checkpoints.late_subtasks import FACTS as LATE_FACTS
from diagnostics.reconstruction.checkpoints.late_subtasks import late_subtask_facts
from diagnostics.reconstruction.checkpoints.parts import (
    PHASES,
    Answers,
    Part,
    Slowest,
    checkpoint_parts,
    longest_part,
    slowest_part,
    subtask_answers,
)
from diagnostics.reconstruction.checkpoints.start_delays import start_delay_facts
from diagnostics.reconstruction.checkpoints.uploads import upload_facts, written_per_s
from diagnostics.reconstruction.job.cluster import Cluster, cluster_of
from diagnostics.reconstruction.job.graph import job_graph
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.wording.cited_text import PHASES_OF_SUBTASK, cited_text
from diagnostics.wording.phrase import duration

MOST_LISTED = 6
"""How many slow checkpoints are listed. Our choice."""
SLOW_SHARE = 0.3
"""A checkpoint that took at least this share of the longest one counts as slow. Our choice."""
TELLING_SHARE = 0.5
"""The slowest acknowledged subtask represents an unfinished checkpoint only from this share of its duration on. Our
choice.
"""


def measure(evidence: Evidence) -> Measured:
    """The phases of the slow checkpoints of each job.

    Reads   subtask_checkpoint: one row per (checkpoint_id, vertex_id, subtask) and moment of asking, or from DEBUG
            logs; checkpoint.
    Gives   one signal for each job with an acknowledged subtask. A slow checkpoint is one that failed, or that took at
            least SLOW_SHARE of the longest.
    Units   milliseconds; bytes; bytes per second; shares of the end to end duration of the slowest subtask.
    Empty   NotMeasured when the upload has no subtask details.
    """
    parts = checkpoint_parts(evidence)
    if not parts:
        yield NotMeasured("checkpoint_phases", "checkpoint-details", "no file has the subtask details of a checkpoint")
        return
    cluster = cluster_of(evidence)
    only_job = only_one(cluster.job_names)
    histories = checkpoint_histories(evidence)
    by_job: dict[str | None, list[Part]] = defaultdict(list)
    for part in parts:
        by_job[part.job_id or only_job].append(part)
    answers = subtask_answers(evidence)
    measured = 0
    for job_id in sorted(by_job, key=str):
        history = histories.get(job_id) or histories.get(None) or History(job_id)
        of_job = {place: rows for place, rows in answers.items() if (place[0] or only_job) == job_id}
        facts, citations = phases(by_job[job_id], of_job, history, cluster, job_id)
        if facts:
            measured += 1
            yield Signal("checkpoint_phases", Subject(job=job_id), facts, tuple(citations), len(citations))
    if not measured:
        yield NotMeasured("checkpoint_phases", "checkpoint-details", "no subtask acknowledged a checkpoint")


def phases(
    parts: Sequence[Part], answers: Answers, history: History, cluster: Cluster, job_id: str | None
) -> tuple[dict[str, FactValue], list[Citation]]:
    """Facts of one job, and their citations."""
    by_number: dict[int, list[Part]] = defaultdict(list)
    for part in parts:
        by_number[part.number].append(part)
    checkpoints = {each.number: history.as_observed(each) for each in history.checkpoints}
    slow = _slow(by_number, checkpoints)

    def name(vertex_id: str) -> str:
        return cluster.vertex_subject(job_id, vertex_id).vertex or vertex_id

    def home(vertex_id: str, subtask: int) -> str | None:
        return cluster.homes.get((job_id, vertex_id, subtask))

    graph = job_graph(cluster, job_id)
    late = known_facts(late_subtask_facts(answers, checkpoints, slow, graph, name, home))
    if not slow:
        return late, _cite_late(by_number, late, name)

    listed = [(number, slowest_part(by_number[number])) for number in slow]
    known_slowest = [
        (number, part, at) for number, part in listed if part is not None and (at := part.slowest) is not None
    ]
    facts: dict[str, FactValue] = {
        **_shares([at for _, _, at in known_slowest]),
        **_listed(by_number, known_slowest),
        **_reference(by_number, checkpoints, known_slowest, name),
        **start_delay_facts(by_number, checkpoints, slow, graph, name),
        **upload_facts([by_number[number] for number in slow]),
        **acknowledgement_facts(by_number, checkpoints, len(graph.names), name),
        **late,
        "longest_async_ms": _longest_async_ms(by_number, checkpoints, slow),
        "unaligned": any(part.unaligned for number in slow for part in by_number[number]),
        "persisted_bytes": highest(total(part.persisted_bytes for part in by_number[number]) for number in slow),
    }
    course = _slow_course(history, slow)
    facts |= onset_facts(onset(course)) | end_facts(ended_ms(course))
    citations = [_cite(number, part, at, name(part.vertex_id)) for number, part, at in known_slowest]
    citations += [_cite(number, part, at, name(part.vertex_id)) for number, part, at in _all_maxima(by_number, slow)]
    return known_facts(facts), list(dict.fromkeys(citations))


def _slow(by_number: Mapping[int, Sequence[Part]], checkpoints: Mapping[int, Checkpoint]) -> list[int]:
    """Numbers of the slow checkpoints whose acknowledged subtasks represent them, longest first.

    Without savepoints, declined and aborted checkpoints; see TELLING_SHARE and SLOW_SHARE. A checkpoint in progress
    is slow only once it is as old as a slow one: a young one waits for tasks that will answer.
    """
    taken: dict[int, float] = {}
    ended = highest(each.end_to_end_ms for each in checkpoints.values() if each.status != "in_progress") or 0.0
    for number, parts in by_number.items():
        checkpoint = checkpoints.get(number)
        if checkpoint is not None and (checkpoint.is_savepoint or checkpoint.status in ("declined", "aborted")):
            continue
        slowest = highest(part.slowest.end_to_end_ms for part in parts if part.slowest)
        if slowest is None:
            continue
        whole = checkpoint.duration_ms if checkpoint and checkpoint.duration_ms else slowest
        if checkpoint is not None and checkpoint.status == "in_progress" and whole < SLOW_SHARE * ended:
            continue
        complete = all(part.acknowledged == part.subtasks for part in parts)
        if complete or slowest >= TELLING_SHARE * whole:
            taken[number] = whole
    longest = max(taken.values(), default=0.0)
    chosen = [number for number, ms in taken.items() if ms >= SLOW_SHARE * longest]
    return sorted(chosen, key=lambda number: (-taken[number], number))


def _slow_course(history: History, slow: Sequence[int]) -> list[tuple[int, bool]]:
    """Trigger of each checkpoint, epoch ms, and whether it was slow: expired, or as long as the slow ones."""
    durations = {each.number: each.duration_ms for each in history.checkpoints if each.duration_ms is not None}
    least = min((durations[number] for number in slow if number in durations), default=None)
    return [
        (round(each.start_ms), each.status == "expired" or (least is not None and durations[each.number] >= least))
        for each in history.select_statuses("completed", "expired")
        if each.start_ms is not None and (each.status == "expired" or each.number in durations)
    ]


def _shares(slowest: Sequence[Slowest]) -> dict[str, FactValue]:
    """Share of each phase in the end to end duration of the slowest subtasks, summed over the slow checkpoints."""
    whole = total(at.end_to_end_ms for at in slowest)
    shares = {name: ratio(total(at.phase(name) for at in slowest), whole) for name in PHASES}
    waiting = known([shares["alignment"], shares["start_delay"]])
    facts: dict[str, FactValue] = {f"{name}_share_ratio": share for name, share in shares.items()}
    facts["barrier_share_ratio"] = min(sum(waiting), 1.0) if waiting else None
    named = {
        "asynchronous part": shares["async"],
        "synchronous part": shares["sync"],
        "start delay and alignment": facts["barrier_share_ratio"],
    }
    ranked = sorted((-float(share), phase) for phase, share in named.items() if isinstance(share, (int, float)))
    facts["longest_phase"] = ranked[0][1] if ranked else None
    return facts


def _slowest_phase(
    parts: Iterable[Part], slowest: tuple[Part, Slowest], phase: str
) -> tuple[float, Part, Slowest] | None:
    """A phase of the slowest subtask; where that did not report it, the longest one of all subtasks."""
    part, at = slowest
    value = at.phase(phase)
    return longest_part(parts, phase) if value is None else (value, part, at)


def _listed(
    by_number: Mapping[int, Sequence[Part]], slowest: Sequence[tuple[int, Part, Slowest]]
) -> dict[str, FactValue]:
    """Ids, durations and phases of the slow checkpoints, by ascending number."""
    chosen = sorted(slowest[:MOST_LISTED], key=lambda each: each[0])

    def phase_ms(number: int, part: Part, at: Slowest, phase: str) -> float:
        found = _slowest_phase(by_number[number], (part, at), phase)
        return found[0] if found else 0.0

    return {
        "slow": len(slowest),
        "slow_ids": [number for number, _, _ in chosen],
        "slow_ms": [at.end_to_end_ms for _, _, at in chosen],
        **{f"slow_{phase}_ms": [phase_ms(*each, phase) for each in chosen] for phase in PHASES},
    }


def _reference(
    by_number: Mapping[int, Sequence[Part]],
    checkpoints: Mapping[int, Checkpoint],
    slowest: Sequence[tuple[int, Part, Slowest]],
    name: Callable[[str], str],
) -> dict[str, FactValue]:
    """Phases of the slowest subtask of the slowest completed checkpoint, or of the slowest one when none completed.

    They add up to its duration and are what the chart of the checkpoint history draws.
    """
    if not slowest:
        return {}
    completed = [
        each for each in slowest if (one := checkpoints.get(each[0])) is not None and one.status == "completed"
    ]
    number, part, at = (completed or slowest)[0]
    parts = by_number[number]
    facts: dict[str, FactValue] = {
        "reference_id": number,
        "reference_status": checkpoints[number].status if number in checkpoints else None,
        "reference_ms": checkpoints[number].duration_ms if completed and number in checkpoints else at.end_to_end_ms,
        "slowest_vertex": name(part.vertex_id),
        "slowest_vertex_id": part.vertex_id,
        "slowest_subtask": at.subtask,
    }
    for phase in PHASES:
        found = _slowest_phase(parts, (part, at), phase)
        if found:
            value, where, which = found
            facts |= {f"{phase}_ms": value, f"{phase}_vertex": name(where.vertex_id), f"{phase}_subtask": which.subtask}
    largest = max(parts, key=lambda each: (each.state_bytes or 0, each.vertex_id))
    facts |= {
        "state_vertex": name(largest.vertex_id) if largest.state_bytes else None,
        "state_bytes": total(each.state_bytes for each in parts),
        "checkpointed_bytes": total(each.checkpointed_bytes for each in parts),
        "written_bytes_per_s": written_per_s(parts),
        "state_by_subtask_bytes": list(largest.state_by_subtask) if len(largest.state_by_subtask) > 1 else None,
        "state_spread_ratio": spread(largest.state_by_subtask) if len(largest.state_by_subtask) > 1 else None,
    }
    return facts


def _longest_async_ms(
    by_number: Mapping[int, Sequence[Part]], checkpoints: Mapping[int, Checkpoint], slow: Sequence[int]
) -> float | None:
    """The longest asynchronous part in a slow or expired checkpoint; of an expired one those that were acknowledged."""
    expired = {each.number for each in checkpoints.values() if each.status == "expired"}
    found = (longest_part(by_number[number], "async") for number in {*slow, *expired} & by_number.keys())
    return highest(longest[0] for longest in found if longest)


def _all_maxima(by_number: Mapping[int, Sequence[Part]], slow: Sequence[int]) -> Iterator[tuple[int, Part, Slowest]]:
    for number in slow[:2]:
        for phase in PHASES:
            found = longest_part(by_number[number], phase)
            if found:
                yield number, found[1], found[2]


def _cite_late(
    by_number: Mapping[int, Sequence[Part]], late: Mapping[str, FactValue], name: Callable[[str], str]
) -> list[Citation]:
    """The slowest acknowledged subtask of each task in the checkpoint that stops at one."""
    number = late.get("late_id")
    parts = by_number.get(number, ()) if isinstance(number, int) else ()
    return [_cite(part.number, part, part.slowest, name(part.vertex_id)) for part in parts if part.slowest is not None]


def _cite(number: int, part: Part, at: Slowest, vertex: str) -> Citation:
    """Citation of one subtask's phases in one checkpoint."""
    durations = ", ".join(
        f"{name} {duration(value)}"
        for name, value in (
            ("end to end", at.end_to_end_ms),
            ("start delay", at.start_delay_ms),
            ("alignment", at.alignment_ms),
            ("sync", at.sync_ms),
            ("async", at.async_ms),
        )
        if value is not None
    )
    return Citation.of(
        at,
        "rest" if at.pointer else "log",
        cited_text(PHASES_OF_SUBTASK, number=number, task=vertex, subtask=at.subtask, parts=durations),
        name="end_to_end_duration",
        value=at.end_to_end_ms,
    )


FACTS = {
    **ONSET_FACTS,
    **END_FACTS,
    **LATE_FACTS,
    "slow": "slow checkpoints with subtask details",
    "slow_ids": "which, at most six, in order",
    "slow_ms": "end to end duration of the slowest subtask of each of them",
    "slow_async_ms": "asynchronous part of the slowest subtask of each of them",
    "slow_sync_ms": "synchronous part of the slowest subtask of each of them",
    "slow_alignment_ms": "alignment of the slowest subtask of each of them",
    "slow_start_delay_ms": "start delay of the slowest subtask of each of them",
    "async_share_ratio": "asynchronous part as a share of the slowest subtasks' time, all slow checkpoints together",
    "sync_share_ratio": "synchronous part as a share of the slowest subtasks' time, all slow checkpoints together",
    "alignment_share_ratio": "the same for the alignment",
    "start_delay_share_ratio": "the same for the start delay",
    "barrier_share_ratio": "start delay and alignment as a share of the slowest subtasks' time, all slow checkpoints "
    "together",
    "longest_phase": "longest phase: asynchronous part, synchronous part, or start delay and alignment",
    "reference_id": "the slowest completed checkpoint with details, or else the slowest",
    "reference_status": "how it ended",
    "reference_ms": "its end to end duration",
    "slowest_vertex": "task of its slowest subtask",
    "slowest_vertex_id": "id of that task",
    "slowest_subtask": "index of that subtask",
    "async_ms": "asynchronous part of the slowest subtask of the slowest checkpoint",
    "async_vertex": "in which task",
    "async_subtask": "in which subtask",
    "longest_async_ms": "longest asynchronous part of any subtask in the slow and the expired checkpoints",
    "sync_ms": "synchronous part of the slowest subtask of the slowest checkpoint",
    "sync_vertex": "in which task",
    "sync_subtask": "in which subtask",
    "alignment_ms": "alignment of the slowest subtask of the slowest checkpoint",
    "alignment_vertex": "in which task",
    "alignment_subtask": "in which subtask",
    "start_delay_ms": "start delay of the slowest subtask of the slowest checkpoint",
    "start_delay_vertex": "in which task",
    "start_delay_subtask": "in which subtask",
    "longest_delay_ms": "longest start delay of a subtask in an expired checkpoint; in a slow one where none expired",
    "longest_delay_id": "in which checkpoint",
    "longest_delay_vertex": "in which task of it",
    "longest_delay_at_source": "whether that is a source, which waits for its trigger and for no barrier",
    "longest_ms": "longest of the slow checkpoints, of an expired one until its last acknowledgement",
    "barrier_delay_ms": "longest start delay of a subtask that is no source, in those checkpoints",
    "barrier_delay_id": "in which checkpoint a barrier was awaited longest",
    "barrier_delay_vertex": "in which task a barrier was awaited longest",
    "barrier_delay_subtask": "in which subtask of that task",
    "source_delay_ms": "longest time after which a source reacted to the trigger, in those checkpoints",
    "source_delay_id": "in which checkpoint a source reacted latest",
    "source_delay_vertex": "which source reacted latest",
    "source_delay_lasted_ms": "how long that checkpoint took, at least its timeout where it expired",
    "source_delay_least_ms": "least time after which all sources reacted to the trigger of a slow checkpoint",
    "state_vertex": "task with most state in the slowest checkpoint",
    "state_bytes": "full state size in it",
    "checkpointed_bytes": "bytes that the slowest checkpoint wrote",
    "written_bytes_per_s": "bytes per second in the asynchronous part of the task that writes most, in the "
    "slowest checkpoint",
    "state_by_subtask_bytes": "state of each subtask of that task",
    "state_spread_ratio": "state of the largest subtask over the mean of the task; 1 is even",
    "upload_bytes_per_s_min": "lowest rate of bytes written over the asynchronous duration, all subtasks of a task; "
    "absent with one such checkpoint",
    "upload_bytes_per_s_max": "highest rate of bytes written over the asynchronous duration, all subtasks of a task",
    "upload_bytes_per_s_by_subtask": "highest upload rate of one subtask",
    "upload_checkpoints": "checkpoints from which the upload rate is measured",
    "largest_upload_bytes": "most bytes that a slow checkpoint wrote, of those that all subtasks acknowledged",
    "largest_upload_ms": "how long that checkpoint took",
    "largest_upload_id": "which one it is",
    "late_complete_id": "the last expired checkpoint that all subtasks acknowledged in the end",
    "late_complete_ms": "time from the trigger of that checkpoint to its last acknowledgement, ms",
    "unacknowledged_ids": "expired checkpoints that some subtask had not acknowledged when they expired",
    "unacknowledged_id": "the last of them",
    "unacknowledged_vertices": "the tasks whose acknowledgements it lacks",
    "unacknowledged_subtasks": "subtasks of the first of these tasks",
    "unacknowledged_count": "acknowledgements that the last expired checkpoint lacks",
    "acknowledged_count": "how many it got",
    "unaligned": "whether a slow checkpoint was unaligned",
    "persisted_bytes": "most in-flight data that a slow checkpoint persisted",
}

SIGNALS = (SignalDefinition("checkpoint_phases", "job", FACTS, measure),)
