"""Evidence table `host_sample`: one value of a host or a part of it, from an operating system tool."""

from __future__ import annotations

from diagnostics.evidence.table import Column, Table

TABLE = Table(
    "host_sample",
    "one number that a tool of the operating system reports of a host, or of a part of it, at one time",
    (
        Column("ts_ms", "long", "epoch milliseconds UTC; null where the file has no date"),
        Column("host", "string", "name of the host where the file has it"),
        Column("part", "string", "cpu, memory, device, process, control group or probe"),
        Column("name", "string", "of the part: the device, the process and its number, the key of a probe; else null"),
        Column(
            "metric",
            "string",
            "the quantity, with its unit: `iowait_percent`, `steal_percent`, `busy_percent` of a device, "
            "`throttled_periods` of a control group; of a probe its map's name",
        ),
        Column("quantile", "double", "0 to 1 for a quantile of a histogram, as the upper end of its class; else null"),
        Column("value", "double", "the value"),
    ),
)
