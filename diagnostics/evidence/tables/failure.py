"""Evidence table `failure`: one failure of a job or task as REST reports it."""

from __future__ import annotations

from diagnostics.evidence.table import Column, Table

TABLE = Table(
    "failure",
    "one failure of a job or task as REST reports it (root exception or an entry of the exception history)",
    (
        Column("ts_ms", "long", "when it failed"),
        Column("job_id", "string", "32 hex digits"),
        Column("vertex", "string", "task name, if a task failed"),
        Column("subtask", "int", "index from 0"),
        Column("task_manager", "string", "resource id or location"),
        Column("exception_class", "string", "outermost class"),
        Column("exception_message", "string", "its message, at most 500 characters"),
        Column("root_cause_class", "string", "innermost class"),
        Column("root_cause_message", "string", "its message, at most 500 characters"),
        Column("root_cause_frame", "string", "its top frame, `package.Class.method`"),
        Column("user_frame", "string", "its first frame outside Flink, the JDK and well-known libraries"),
        Column("thrown_in", "string", "the first frame that is Flink's own or the user's"),
        Column("own_frames", "string", "the first frames of the user's code, innermost first, one a line"),
        Column("causes", "string", "every exception of the chain, outermost first, one `class: message` a line"),
        Column(
            "frames", "string", "the first frames of each exception that are of a product (notation/product_frame.py)"
        ),
    ),
)
