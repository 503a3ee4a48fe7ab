"""Why a container is too small for its TaskManager, by what the configuration states beside the container's limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from diagnostics.evidence.subject import FactValue, only_one
from diagnostics.notation.flink_values import size_bytes
from diagnostics.reconstruction.configuration.stated_settings import Stated, settings_of
from diagnostics.vocabulary.memory_beyond_model import taken_beyond_model

LIMIT = "pod.limits.memory"
"""The option under which the memory limit of a pod's container is kept."""
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


def _needed(settings: Mapping[str, FactValue]) -> tuple[float | None, str | None]:
    """Bytes that the process takes at least, and the option that states them: beside flink.size more is taken."""
    process, flink = settings.get("process_bytes"), settings.get("flink_bytes")
    if isinstance(process, (int, float)):
        return float(process), "taskmanager.memory.process.size"
    if isinstance(flink, (int, float)):
        return float(flink) + METASPACE_BYTES + LEAST_OVERHEAD_BYTES, "taskmanager.memory.flink.size"
    return None, None
