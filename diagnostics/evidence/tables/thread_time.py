"""Evidence table `thread_time`: the CPU time and the age of one thread in one thread dump."""

from __future__ import annotations

from diagnostics.evidence.table import Column, Table

TABLE = Table(
    "thread_time",
    "CPU time and age of one thread in one thread dump",
    (
        Column("ts_ms", "long", "when the dump was taken"),
        Column("kind", "string", "task, gc (threads of the garbage collector), or other"),
        Column("thread", "string", "thread name"),
        Column("vertex", "string", "task name, from the thread name"),
        Column("subtask", "int", "index from 0, from the thread name"),
        Column("parallelism", "int", "of the task, from the thread name"),
        Column("cpu_ms", "double", "CPU time that the thread has used since its start"),
        Column("elapsed_ms", "double", "time since the start of the thread"),
    ),
)
