"""The stacks of an analysis, read from the evidence once, in the worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.profiles.stored import StoredProfiles, profiles_of

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence

MOST_STACKS = 120_000
"""Distinct stacks that are kept, the heaviest first. Measured: 100,000 of them take 3 s and 1.5 MB."""
DEEPEST = 400
"""Frames kept of one stack, from its root. Our choice: deeper ones are recursions."""
MOST_THREADS = 400
"""Threads that are told apart; where there are more, a thread is known by its task only."""


def collected_profiles(evidence: Evidence) -> StoredProfiles | None:
    """Every distinct stack with its thread, state and time; None without any.

    Reads   stack_sample, vertex.
    """
    if not evidence.has("stack_sample"):
        return None
    # Needs PySpark, which the web process that draws stored stacks does without.
    from pyspark.sql import functions as sf

    from diagnostics.reconstruction.cluster import cluster_of

    samples = evidence["stack_sample"].where("weight > 0 AND size(frames) > 0")
    # Fewer rows cannot hold more: nothing to count.
    rows_in_all = evidence.rows["stack_sample"]
    of_each = (
        rows_in_all <= MOST_THREADS
        or samples.select("thread").distinct().limit(MOST_THREADS + 1).count() <= MOST_THREADS
    )
    thread = sf.col("thread") if of_each else sf.lit(None).cast("string")
    keys = ["profile", "mode", "job_id", "vertex_id", "vertex", "subtask", "thread", "ts_ms", "state", "frames"]
    cut = samples.withColumns({"frames": sf.slice("frames", 1, DEEPEST), "thread": thread})
    distinct = cut.groupBy(*keys).agg(sf.sum("weight").alias("weight"))
    if rows_in_all > MOST_STACKS and distinct.limit(MOST_STACKS + 1).count() > MOST_STACKS:
        # Rather all stacks without their time than many of them not at all.
        distinct = (
            cut.withColumn("ts_ms", sf.lit(None).cast("long")).groupBy(*keys).agg(sf.sum("weight").alias("weight"))
        )
    kept = distinct.orderBy(sf.desc("weight"), *keys).limit(MOST_STACKS).toArrow()
    rows = [row for batch in kept.to_batches(max_chunksize=5_000) for row in batch.to_pylist()]
    left_out = distinct.count() - MOST_STACKS if len(rows) == MOST_STACKS else 0
    tasks = {vertex_id: task.name for (_, vertex_id), task in cluster_of(evidence).tasks.items()}
    for row in rows:
        row["profile"], row["mode"] = row["profile"] or "collapsed", row["mode"] or "unknown"
        row["vertex"] = tasks.get(row["vertex_id"], row["vertex"])
    return profiles_of(rows, left_out)
