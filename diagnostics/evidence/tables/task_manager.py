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
        Column("framework_heap_bytes", "double", "configured framework heap"),
        Column("task_heap_bytes", "double", "configured task heap"),
        Column("framework_off_heap_bytes", "double", "configured framework off-heap memory"),
        Column("task_off_heap_bytes", "double", "configured task off-heap memory"),
        Column("configured_network_bytes", "double", "configured network memory"),
        Column("configured_managed_bytes", "double", "configured managed memory"),
        Column("jvm_overhead_bytes", "double", "configured JVM overhead"),
        Column("process_bytes", "double", "configured total process memory"),
        Column("segments_total", "long", "total network buffers"),
        Column("segments_used", "long", "network buffers in use"),
        Column("cpu_cores", "double", "cores the JVM sees"),
    ),
)
