"""Evidence table `log_record`: one record of a Flink process's log; a stack trace belongs to its head line."""

from __future__ import annotations

from diagnostics.evidence.table import Column, Table

TABLE = Table(
    "log_record",
    "one record of a Flink process's log; a stack trace belongs to its head line",
    (
        Column("ts_ms", "long", "epoch milliseconds UTC; null for records before the first time stamp"),
        Column("level", "string", "TRACE, DEBUG, INFO, WARN, ERROR or FATAL"),
        Column("logger", "string", "logger name as printed"),
        Column("thread", "string", "thread name where the layout has it"),
        Column(
            "deployment",
            "string",
            "the deployment on Kubernetes that it is about: name, or namespace/name; null where nothing names one",
        ),
        Column("message", "string", "message of the head line, at most 2,000 characters"),
        Column("process", "string", "jobmanager, taskmanager or client, read from the content"),
        Column(
            "event",
            "string",
            "id of the entry of diagnostics/vocabulary/log_events that this record is, else null",
        ),
        Column("job_id", "string", "32 hex digits"),
        Column("vertex", "string", "task name without (i/n)#attempt"),
        Column("subtask", "int", "index from 0"),
        Column("attempt", "int", "attempt number from 0"),
        Column("execution", "string", "id of the task's attempt, as printed with a change of its state"),
        Column("checkpoint_id", "long", "checkpoint or savepoint number"),
        Column("duration_ms", "double", "the duration the message states"),
        Column("size_bytes", "double", "the size the message states"),
        Column("count", "double", "any other number the message states, as the catalogue entry says"),
        Column("state_from", "string", "state before a transition"),
        Column("state_to", "string", "state after a transition"),
        Column("task_manager", "string", "resource id of the TaskManager"),
        Column("host", "string", "host or address that the message names"),
        Column("reason", "string", "reason or failure text that the message states"),
        Column("exception_class", "string", "class of the outermost exception of the stack trace"),
        Column("exception_message", "string", "its message, at most 500 characters"),
        Column("root_cause_class", "string", "class of the innermost Caused by"),
        Column("root_cause_message", "string", "its message, at most 500 characters"),
        Column("root_cause_frame", "string", "its top frame, `package.Class.method`"),
        Column("user_frame", "string", "its first frame outside Flink, the JDK and well-known libraries, if any"),
        Column("thrown_in", "string", "the first frame that is Flink's own or the user's"),
        Column("own_frames", "string", "the first frames of the user's code, innermost first, one a line"),
        Column("causes", "string", "every exception of the chain, outermost first, one `class: message` a line"),
        Column(
            "frames", "string", "the first frames of each exception that are of a product (notation/product_frame.py)"
        ),
        Column(
            "kinds",
            "string",
            "the kinds of events that it reports, separated by blanks (vocabulary/incident_kinds.yaml)",
        ),
        Column("continuation", "string", "the lines behind the head line, at most 16,000 bytes of them"),
    ),
)
