"""Collects the stacks of an analysis from the evidence, once, in the worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.profiles.stored import StoredProfiles, profiles_of
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.stacks.sampled_stacks import MOMENT, sampled_stacks

if TYPE_CHECKING:
    import pyarrow as pa

    from diagnostics.evidence import Evidence

MOST_STACKS = 120_000
"""Distinct stacks that are kept, the heaviest first. Measured: 100,000 of them take 3 s and 1.5 MB."""
DEEPEST = 400
"""Frames kept of one stack, from its root. Our choice: deeper ones are recursions."""
MOST_THREADS = 400
"""Threads kept; with more, threads are only identified by their task."""


KEYS = ("profile", "mode", "job_id", "vertex_id", "vertex", "subtask", "thread", MOMENT, "state")


def collected_profiles(evidence: Evidence) -> StoredProfiles | None:
    """Every distinct stack with its thread, state and time; None without any.

    Reads   stack_sample, vertex.
    """
    stacks = sampled_stacks(evidence)
    if stacks is None:
        return None
    import pyarrow.compute as pc

    samples = stacks.cut(DEEPEST)
    if pc.count_distinct(samples["thread"], mode="all").as_py() > MOST_THREADS:
        samples = _without(samples, "thread")
    distinct = stacks.heaviest(KEYS, samples)
    if distinct.num_rows > MOST_STACKS:
        # All stacks without their time are better than many missing ones.
        distinct = stacks.heaviest(KEYS, _without(samples, MOMENT))
    kept = _named(distinct[:MOST_STACKS], evidence)
    return profiles_of(kept, stacks.names, max(distinct.num_rows - MOST_STACKS, 0) + stacks.left_out)


def _named(stacks: pa.Table, evidence: Evidence) -> pa.Table:
    """The stacks with the name of their task in the job graph, and with words for an unknown profile or mode."""
    import pyarrow as pa

    tasks = {vertex_id: task.name for (_, vertex_id), task in cluster_of(evidence).tasks.items()}
    ids, vertices, profiles, modes = (stacks[name].to_pylist() for name in ("vertex_id", "vertex", "profile", "mode"))
    named = {
        "vertex": [tasks.get(vertex_id, vertex) for vertex_id, vertex in zip(ids, vertices, strict=True)],
        "profile": [profile or "collapsed" for profile in profiles],
        "mode": [mode or "unknown" for mode in modes],
    }
    for name, values in named.items():
        stacks = stacks.set_column(stacks.column_names.index(name), name, pa.array(values, pa.string()))
    return stacks


def _without(samples: pa.Table, column: str) -> pa.Table:
    """The samples with that column unknown."""
    import pyarrow as pa

    place = samples.column_names.index(column)
    return samples.set_column(place, column, pa.nulls(samples.num_rows, samples.schema.field(place).type))
