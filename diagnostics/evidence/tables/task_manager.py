"""Evidence table `task_manager`: one TaskManager at one time."""

from __future__ import annotations

from diagnostics.evidence.table import Column, Table

TABLE = Table(
    "task_manager",
    "one TaskManager at one time",
    (
        Column("ts_ms", "long", "when this was true"),
        Column("task_manager", "string", "resource id"),
        Column("host", "string", "host or address"),
        Column("slots", "int", "number of slots"),
        Column("free_slots", "int", "free slots"),
        Column("heap_used_bytes", "double", "used JVM heap"),
        Column("heap_max_bytes", "double", "largest JVM heap"),
        Column("direct_used_bytes", "double", "used direct memory"),
        Column("metaspace_max_bytes", "double", "metaspace limit"),
        Column("managed_bytes", "double", "managed memory"),
        Column("network_bytes", "double", "network memory"),
        Column("segments_total", "long", "total network buffers"),
        Column("segments_used", "long", "network buffers in use"),
        Column("cpu_cores", "double", "cores the JVM sees"),
    ),
)
