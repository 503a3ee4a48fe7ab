"""Evidence table `gc_pause`: one stop-the-world pause or concurrent cycle of a JVM."""

from __future__ import annotations

from diagnostics.evidence.table import Column, Table

TABLE = Table(
    "gc_pause",
    "one stop-the-world pause or concurrent cycle of a JVM",
    (
        Column("ts_ms", "long", "start or log time of the pause"),
        Column("uptime_ms", "double", "milliseconds since the JVM started"),
        Column("gc_id", "long", "number of the collection"),
        Column("collector", "string", "as named in `notation/garbage_collector.py`, e.g. `G1`"),
        Column("kind", "string", "young, mixed, full, remark, cleanup or concurrent"),
        Column("cause", "string", "as printed, e.g. `G1 Evacuation Pause`"),
        Column("pause_ms", "double", "length; for kind concurrent the length of the cycle"),
        Column("before_bytes", "double", "used heap before"),
        Column("after_bytes", "double", "used heap after"),
        Column("total_bytes", "double", "committed heap"),
    ),
)
