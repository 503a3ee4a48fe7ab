"""Evidence table `stack_sample`: one distinct stack of one profile with its weight."""

from __future__ import annotations

from diagnostics.evidence.table import Column, Table

TABLE = Table(
    "stack_sample",
    "one distinct stack of one profile with its weight",
    (
        Column("ts_ms", "long", "when it was sampled"),
        Column("profile", "string", "flame-graph, collapsed (samples of any profiler) or thread-dump"),
        Column(
            "mode", "string", "full, on-cpu or off-cpu of a flame graph; wall, cpu or unknown of a collapsed file; dump"
        ),
        Column("job_id", "string", "32 hex digits"),
        Column("vertex_id", "string", "32 hex digits"),
        Column("vertex", "string", "task name, from the thread name"),
        Column("subtask", "int", "index from 0, from the thread name"),
        Column("thread", "string", "thread name"),
        Column("state", "string", "RUNNABLE, BLOCKED, WAITING or TIMED_WAITING in a dump"),
        Column("frames", "strings", "`package.Class.method` without line numbers, root first"),
        Column("weight", "double", "samples or times seen"),
        Column("waits_for", "string", "in a dump: the lock it waits for, `class@address`"),
        Column("holds", "strings", "in a dump: the locks it holds, `class@address`"),
    ),
)
