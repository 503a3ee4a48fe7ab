"""What the configuration states of memory beside the options of the model: the container, its heap, and checkpoints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from diagnostics.evidence.subject import FactValue, only_one
from diagnostics.notation.flink_values import size_bytes
from diagnostics.reconstruction.configuration.stated_settings import Stated, settings_of
from diagnostics.vocabulary.memory_beyond_model import taken_beyond_model

LIMIT = "pod.limits.memory"
"""The option under which the memory limit of a pod's container is kept."""
OLD_HEAP = ("taskmanager.heap.mb", "taskmanager.heap.size")
"""Options of the TaskManager's heap before Flink 1.10. Source: its documentation, Configuration."""
CUTOFF = "containerized.heap-cutoff-"
"""How the options begin that say what of a container the heap leaves free, before Flink 1.10. Source: as above."""
CHECKPOINTS = ("execution.checkpointing.dir", "state.checkpoints.dir")
"""Options of the directory of checkpoints, which alone selects this storage since Flink 1.13. Source:
CheckpointStorageLoader.
"""
ROCKSDB = ("rocksdb", "forst")
"""State backends that keep their state in native memory."""
METASPACE_BYTES = 256 * 2**20
"""Default of taskmanager.memory.jvm-metaspace.size since Flink 1.10.1."""
LEAST_OVERHEAD_BYTES = 192 * 2**20
"""Default of taskmanager.memory.jvm-overhead.min."""
ROUNDING = 1.01
"""Sizes that differ by less are the same, printed in other units. Our choice."""


def container_memory_facts(options: Sequence[Stated]) -> dict[str, FactValue]:
    """What takes memory beyond the model, and the memory that a TaskManager needs where its container has less."""
    facts: dict[str, FactValue] = {}
    taken = taken_beyond_model((each.key, each.value) for each in options if each.value)
    if taken:
        facts["container_option"], facts["container_remedy"] = taken
    limits = {each.value for each in options if each.key == LIMIT and each.process in ("taskmanager", None)}
    limit = size_bytes((only_one(limits) or "").removesuffix("i"))
    settings, _ = settings_of(options, None)
    if settings.get("state_backend") in ROCKSDB:
        facts["on_rocksdb"] = True
    needed, option = _needed(settings)
    if limit is not None and needed is not None and needed > limit * ROUNDING:
        facts |= {"limit_bytes": limit, "needed_bytes": needed, "needed_by": option}
    return facts


def old_memory_facts(options: Sequence[Stated], on_yarn: bool) -> dict[str, FactValue]:
    """The options of the memory before Flink 1.10, and whether the container was made by them.

    on_yarn  whether YARN ended the container: it asks for one as large as the option of the heap
    """
    heap = next((each for each in options if each.key in OLD_HEAP), None)
    cutoff = next((each for each in options if each.key.startswith(CUTOFF)), None)
    facts: dict[str, FactValue] = {}
    if heap is not None:
        facts["heap_option"] = f"{heap.key}: {heap.value}"
        settings, _ = settings_of(options, None)
        facts["sized_by_heap"] = (on_yarn or cutoff is not None) and _needed(settings) == (None, None)
    if cutoff is not None:
        facts["cutoff_option"] = f"{cutoff.key}: {cutoff.value}"
    return facts


def stores_in_files(options: Sequence[Stated]) -> bool:
    """Whether an option says that checkpoints of the cluster or of a job are stored in a file system."""
    jobs = {None, *(each.job_id for each in options)}
    stated = (settings_of(options, job)[0] for job in jobs)
    return any(each.get("storage") == "filesystem" for each in stated) or any(
        each.key in CHECKPOINTS and each.value for each in options
    )


def _needed(settings: Mapping[str, FactValue]) -> tuple[float | None, str | None]:
    """Bytes that the process takes at least, and the option that states them: beside flink.size more is taken."""
    process, flink = settings.get("process_bytes"), settings.get("flink_bytes")
    if isinstance(process, (int, float)):
        return float(process), "taskmanager.memory.process.size"
    if isinstance(flink, (int, float)):
        return float(flink) + METASPACE_BYTES + LEAST_OVERHEAD_BYTES, "taskmanager.memory.flink.size"
    return None, None
