"""Heap of all TaskManagers of a job, and the heap size that would suffice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from diagnostics.aggregators import host_levels, jvm_versions, task_managers
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.notation.java_version import java_release
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.checkpoints.history import Checkpoint, checkpoint_histories
from diagnostics.reconstruction.checkpoints.state_growth import lasting_growth
from diagnostics.reconstruction.configuration.memory_model import MemoryModel, memory_models, resized
from diagnostics.reconstruction.configuration.stated_settings import settings_of, stated_options
from diagnostics.reconstruction.gc.timeline import JOB_MANAGER
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.signals import garbage_collection
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

FULL_GCS = 3
"""TaskManagers with at least this many full collections for lack of room are listed. Our choice: a single one is
normal.
"""
ROOM_MULTIPLE = 2.0
"""Proposed heap as a multiple of the live data after collections. Our choice: a heap half free after a full collection
keeps the share of time low; the usual advice for the old generation is 1.5 to 2 times the live data.
"""
LASTING_MS = 3_600_000.0
"""How long a heap with growing state is to last: until a savepoint completes and the state is moved. Our choice."""
MEMORY_SHARE = 0.5
"""Part of a host's available memory that the heaps of its TaskManagers may take in addition. Our choice: the rest is
for the page cache, other memory of the process, and other programs."""
LEAST_STATE = 0.1
"""State below this part of the live data does not fill the heap. Our choice: as objects it takes several times what a
checkpoint writes of it."""
STEP_BYTES = 64 * 2**20
MIB = 2**20
MANAGED_SHARE = 0.4
"""Default of taskmanager.memory.managed.fraction."""
FRAMEWORK_HEAP_MIB = 128
"""Default of taskmanager.memory.framework.heap.size: the JVM heap is this plus the task heap."""


def measure(evidence: Evidence) -> Measured:
    """Collections of all TaskManagers of each job, with details of the worst.

    Reads   as `garbage_collection`; the heap in use from metric_sample and task_manager (REST); the version of the
            JVM from config_option.
    Gives   one signal per job whose TaskManagers' collections are known; one without a job when no job is known.
    Empty   NotMeasured when no TaskManager's collections are known.
    """
    measured = [each for each in garbage_collection.measure(evidence) if isinstance(each, Signal)]
    processes = [each for each in measured if each.facts.get("role") != JOB_MANAGER]
    if not processes:
        yield NotMeasured("heap_pressure", "gc-log", "no TaskManager's collections are known")
        return
    cluster = cluster_of(evidence)
    used, release = _used_last(evidence), _java_release(evidence)
    jobs: list[str | None] = [*sorted(cluster.job_names)] or [None]
    for job in jobs:
        on_it = [each for each in processes if each.subject.job == job or (each.subject.job is None and len(jobs) == 1)]
        shared = [
            each
            for each in processes
            if each.subject.job is None and len(jobs) > 1 and _runs(job, each.subject.task_manager, cluster.jobs_on)
        ]
        if on_it or shared:
            signal = _signal(job, [*on_it, *shared], used, evidence)
            yield replace(signal, facts={**signal.facts, **known_facts({"java_release": release})})


def _java_release(evidence: Evidence) -> int | None:
    """The oldest release of Java that a file states: the options that it knows are known to all processes."""
    stated = evidence.answer(jvm_versions.AGGREGATOR).to_pylist()
    releases = [java_release(row["value"]) for row in stated if row["value"]]
    return min((release for release in releases if release is not None), default=None)


def _used_last(evidence: Evidence) -> Mapping[str, float]:
    """TaskManager (normalised) -> the heap in use when it was last seen, bytes."""
    rows = sorted(named_rows(evidence.answer(task_managers.AGGREGATOR)), key=lambda row: row.ts_ms or 0)
    by_rest = {normalised(row.task_manager): row.heap_used_bytes for row in rows if row.heap_used_bytes is not None}
    metered = {
        normalised(each.task_manager): each.known[-1].value
        for each in metric_series(evidence).of("Status.JVM.Memory.Heap.Used")
        if each.known
    }
    return {**by_rest, **metered}


def _runs(job: str | None, task_manager: str | None, jobs_on: Mapping[str, frozenset[str]]) -> bool:
    return job in jobs_on.get(normalised(task_manager), frozenset())


def _share(signal: Signal) -> float:
    return max(
        _number(signal, "worst_minute_ratio"), _number(signal, "spell_share_ratio"), _number(signal, "share_ratio")
    )


def _number(signal: Signal, fact: str) -> float:
    value = signal.facts.get(fact)
    return float(value) if isinstance(value, (int, float)) else 0.0


def _full(signal: Signal) -> float:
    """Full collections for lack of room; metrics count full collections without their reason."""
    return _number(signal, "full_gcs_for_room" if "full_gcs_for_room" in signal.facts else "full_gcs")


def _signal(job: str | None, processes: Sequence[Signal], used: Mapping[str, float], evidence: Evidence) -> Signal:
    ranked = sorted(processes, key=lambda each: (-_share(each), -_full(each), repr(each.subject)))
    worst = ranked[0]
    pressed = [each for each in ranked if _full(each) >= FULL_GCS]
    facts: dict[str, FactValue] = {
        "resource": "heap",
        "task_managers": [each.facts["process"] for each in pressed] or [worst.facts["process"]],
        "task_manager_count": len(processes),
        "pressed_count": len(pressed),
        "full_gcs": [round(_number(each, "full_gcs")) for each in pressed] or [round(_number(worst, "full_gcs"))],
        "full_gc_ms": [round(_number(each, "full_gc_ms")) for each in pressed] or [round(_number(worst, "full_gc_ms"))],
        "full_gcs_most": max(_number(each, "full_gcs") for each in processes),
        "full_gcs_for_room_most": max(_full(each) for each in processes),
        "full_gc_ms_most": max(_number(each, "full_gc_ms") for each in processes),
        "gc_logs": sorted({path for each in processes if isinstance(path := each.facts.get("gc_log"), str)}) or None,
    }
    for name in WORST_FACTS:
        facts[name] = worst.facts.get(name)
    shares = [
        used[place] / heap
        for each in processes
        if (place := normalised(each.subject.task_manager)) in used and (heap := _number(each, "heap_max_bytes"))
    ]
    facts["used_last_ratio"] = max(shares, default=None)
    facts["state_to_live_ratio"] = _state_share(job, processes, evidence)
    live = max((_number(each, "live_bytes") for each in processes), default=0.0)
    if live and worst.facts.get("live_basis"):
        current = worst.facts.get("heap_max_bytes")
        available = _available_bytes(evidence)
        heap = _in_steps(live * ROOM_MULTIPLE)
        growth = _growth_per_s(job, live, processes, evidence)
        if growth and available:
            most = live + available * MEMORY_SHARE / len(processes)
            heap = max(heap, min(_in_steps(live + growth * LASTING_MS / 1000), int(most) // STEP_BYTES * STEP_BYTES))
        facts |= {
            "host_available_bytes": available,
            "needed_heap_bytes": heap,
            "needed_heap_mib": heap // MIB,
            "needed_task_heap_mib": max(heap // MIB - FRAMEWORK_HEAP_MIB, 0),
        }
        if isinstance(current, (int, float)):
            facts |= {"heap_mib": round(current / MIB), "missing_heap_mib": max(0, round((heap - current) / MIB))}
        facts |= _process_with(heap, worst, evidence)
        facts["needed_heap_lasts_ms"] = (heap - live) / growth * 1000 if growth else None
    citations = [citation for each in (pressed or ranked)[:3] for citation in each.citations[:4]]
    windows = [each.window for each in processes if each.window]
    return Signal(
        key="heap_pressure",
        subject=Subject(job=job),
        facts=known_facts(facts),
        citations=tuple(citations),
        citation_count=sum(each.citation_count for each in processes),
        window=(min(start for start, _ in windows), max(end for _, end in windows)) if windows else None,
    )


def _state_share(job: str | None, processes: Sequence[Signal], evidence: Evidence) -> float | None:
    """The state in the last completed checkpoint as a part of what collections leave on the heaps of all TaskManagers.

    None where one of them is not known: a part of the heaps says nothing of the whole state.
    """
    states = [each.state_bytes for each in _checkpoints_of_known_size(job, evidence) if each.state_bytes is not None]
    live = [_number(each, "live_bytes") for each in processes]
    return states[-1] / sum(live) if states and live and all(live) else None


def _checkpoints_of_known_size(job: str | None, evidence: Evidence) -> Sequence[Checkpoint]:
    """The completed checkpoints of a job whose state has a known size."""
    history = checkpoint_histories(evidence).get(job)
    completed = history.select_statuses("completed") if history else ()
    return [each for each in completed if each.state_bytes is not None]


def _in_steps(size: float) -> int:
    """The size in whole steps, upwards."""
    return -(-int(size) // STEP_BYTES) * STEP_BYTES


def _available_bytes(evidence: Evidence) -> float | None:
    """The least memory that a host has available; None where no file shows it."""
    levels = evidence.answer(host_levels.AGGREGATOR)
    return min((each.least for each in levels if each.key[1] == "available_bytes"), default=None)


def _growth_per_s(job: str | None, live: float, processes: Sequence[Signal], evidence: Evidence) -> float | None:
    """Bytes by which the live data of a heap grows each second, in proportion to the state that is on it.

    An estimate that is rather high: a part of the live data is no state. None where the state has no lasting growth.
    """
    backend = settings_of(stated_options(evidence), job)[0].get("state_backend")
    share = _state_share(job, processes, evidence)
    checkpoints = _checkpoints_of_known_size(job, evidence)
    growth = lasting_growth(checkpoints)
    state = checkpoints[-1].own_state_bytes if checkpoints else None
    if backend != "hashmap" or share is None or share < LEAST_STATE or growth is None or not state:
        return None
    return live * growth / state


def _process_with(heap: int, worst: Signal, evidence: Evidence) -> dict[str, FactValue]:
    """The total memory of a TaskManager with this heap, every other part unchanged, where its parts are known."""
    models = memory_models(evidence)
    name = normalised(worst.subject.task_manager)
    own = [each for each in models if each.task_manager and normalised(each.task_manager) == name]
    model = next(iter([*own, *models]), None)
    if model is None:
        return {}
    with_heap = resized(evidence, model, task_heap=max(heap - model.parts["framework_heap"], 0))
    with_rocksdb = resized(evidence, model, managed=_managed_for_rocksdb(model))
    if with_heap is None or with_rocksdb is None:
        return {}
    return {
        "needed_task_heap_mib": round(with_heap.parts["task_heap"] / MIB),
        "task_heap_mib": round(model.parts["task_heap"] / MIB),
        "managed_mib": round(model.parts["managed"] / MIB),
        "process_mib": round(model.total_bytes / MIB),
        "needed_process_mib": -(-int(with_heap.total_bytes) // MIB),
        "rocksdb_managed_mib": round(with_rocksdb.parts["managed"] / MIB),
        "rocksdb_process_mib": -(-int(with_rocksdb.total_bytes) // MIB),
    }


def _managed_for_rocksdb(model: MemoryModel) -> float:
    """Managed memory as Flink's default share of 0.4 of the Flink memory gives it beside the other parts."""
    others = sum(size for part, size in model.parts.items() if part not in ("managed", "metaspace", "overhead"))
    proposed = others * MANAGED_SHARE / (1 - MANAGED_SHARE)
    return max(model.parts["managed"], -(-int(proposed) // MIB) * MIB)


WORST_FACTS = (
    "process",
    "basis",
    "collector",
    "span_ms",
    "heap_max_bytes",
    "heap_total_bytes",
    "live_bytes",
    "live_ratio",
    "live_basis",
    "survivor_bytes",
    "freed_ratio",
    "max_pause_ms",
    "share_ratio",
    "worst_minute_ratio",
    "spell_share_ratio",
    "spell_ms",
    "longest_run",
    "full_gc_interval_ms",
    "full_gc_median_ms",
    "first_full_ms",
    "onset_ms",
    "onset_at_start",
    "first_full_uptime_ms",
    "cause",
)
"""Facts copied from the TaskManager with the largest share of time in collections."""


def _worst_meaning(meaning: str) -> str:
    """The meaning of a fact of that TaskManager; the unit stays at its end, where a label loses it."""
    words, comma, unit = meaning.rpartition(", ")
    if unit in ("0 to 1", "ms", "epoch ms", "bytes"):
        return f"{words} (of the worst TaskManager){comma}{unit}"
    return f"{meaning} (of the worst TaskManager)"


SIGNALS = (
    SignalDefinition(
        key="heap_pressure",
        level="job",
        facts={
            "resource": "`heap`",
            "task_managers": "TaskManagers with several full collections for room, the worst first; else the worst one",
            "task_manager_count": "TaskManagers whose collections are known",
            "pressed_count": "how many of them made several full collections for room",
            "full_gcs": "full collections of those listed",
            "full_gc_ms": "time in full collections of those listed, ms",
            "full_gcs_most": "most full collections of one TaskManager",
            "full_gcs_for_room_most": "most full collections for room of one TaskManager",
            "full_gc_ms_most": "longest time in full collections of one TaskManager, ms",
            "gc_logs": "paths of the TaskManagers' GC logs on their hosts; the name where no log states the path",
            "host_available_bytes": "least available memory of a host, bytes",
            "needed_heap_bytes": "proposed heap: twice what collections leave, or more for growing state that the host "
            "has memory for, in steps of 64 MiB, bytes",
            "needed_heap_mib": "proposed heap, MiB",
            "needed_task_heap_mib": "the part of it beside the framework's heap, MiB",
            "task_heap_mib": "task heap of the TaskManager, MiB",
            "managed_mib": "managed memory of the TaskManager, MiB",
            "rocksdb_managed_mib": "managed memory that RocksDB would have by Flink's default share, MiB",
            "rocksdb_process_mib": "the total with that managed memory and all other parts unchanged, MiB",
            "process_mib": "total memory of the TaskManager's process, MiB",
            "needed_process_mib": "the total with the proposed heap and all other parts unchanged, MiB",
            "heap_mib": "largest heap now, MiB",
            "state_to_live_ratio": "state in the last checkpoint, divided by what collections leave on all heaps",
            "used_last_ratio": "part of the heap in use at the end, of the TaskManager where it is most",
            "java_release": "oldest release of Java that a file states, 8 for 1.8",
            "missing_heap_mib": "heap that a TaskManager needs beyond the present one, MiB",
            "needed_heap_lasts_ms": "time until the proposed heap is full again, as the state on it grows, ms",
            **{name: _worst_meaning(garbage_collection.FACTS[name]) for name in WORST_FACTS},
        },
        measure=measure,
    ),
)
