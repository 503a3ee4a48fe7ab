"""Evidence table `metric_sample`: one value of one metric at one time."""

from __future__ import annotations

from diagnostics.evidence.table import Column, Table

TABLE = Table(
    "metric_sample",
    "one value of one metric at one time",
    (
        Column("ts_ms", "long", "scrape time, epoch milliseconds UTC; null when the file does not tell"),
        Column(
            "metric",
            "word",
            "Flink's identifier without its scope, e.g. `busyTimeMsPerSecond`, `Status.JVM.Memory.Heap.Used`, "
            "`buffers.inPoolUsage`",
        ),
        Column("scope", "word", "jobmanager, taskmanager, job, task or operator"),
        Column("job_id", "word", "32 hex digits"),
        Column("job_name", "word", "as printed (Prometheus label values may have characters replaced by _)"),
        Column("vertex_id", "word", "task id, 32 hex digits"),
        Column("vertex", "word", "task name as printed"),
        Column("operator", "word", "operator name as printed"),
        Column("subtask", "int", "index from 0"),
        Column("task_manager", "word", "resource id of the TaskManager"),
        Column("host", "word", "host"),
        Column("quantile", "double", "0 to 1 for a histogram's quantile, else null"),
        Column("aggregate", "word", "min, max, avg, sum or skew where REST aggregated over subtasks, else null"),
        Column("labels", "word", "further labels as sorted `name=value` joined by commas, else null"),
        Column(
            "value",
            "double",
            "the value in the metric's own unit; Flink's NaN, Long.MIN_VALUE and -1 for unknown are null",
        ),
    ),
)
