"""Evidence table `metric_sample`: one value of one metric at one time."""

from __future__ import annotations

from diagnostics.table import Column, Table

TABLE = Table(
    "metric_sample",
    "one value of one metric at one time",
    (
        Column("ts_ms", "long", "scrape time, epoch milliseconds UTC; null when the file does not tell"),
        Column(
            "metric",
            "string",
            "Flink's identifier without its scope, e.g. `busyTimeMsPerSecond`, `Status.JVM.Memory.Heap.Used`, "
            "`buffers.inPoolUsage`",
        ),
        Column("scope", "string", "jobmanager, taskmanager, job, task or operator"),
        Column("job_id", "string", "32 hex digits"),
        Column("job_name", "string", "as printed (Prometheus label values may have characters replaced by _)"),
        Column("vertex_id", "string", "task id, 32 hex digits"),
        Column("vertex", "string", "task name as printed"),
        Column("operator", "string", "operator name as printed"),
        Column("subtask", "int", "index from 0"),
        Column("task_manager", "string", "resource id of the TaskManager"),
        Column("host", "string", "host"),
        Column("quantile", "double", "0 to 1 for a histogram's quantile, else null"),
        Column("aggregate", "string", "min, max, avg, sum or skew where REST aggregated over subtasks, else null"),
        Column("labels", "string", "further labels as sorted `name=value` joined by commas, else null"),
        Column(
            "value",
            "double",
            "the value in the metric's own unit; Flink's NaN, Long.MIN_VALUE and -1 for unknown are null",
        ),
    ),
    words=("metric",),
)
