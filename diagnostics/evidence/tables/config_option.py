"""Evidence table `config_option`: one setting, or one fact about the JVM, as one file states it."""

from __future__ import annotations

from diagnostics.evidence.table import Column, Table

TABLE = Table(
    "config_option",
    "one setting, or one fact about the JVM, as one file states it",
    (
        Column("ts_ms", "long", "when it was true, if known"),
        Column(
            "scope",
            "string",
            "cluster, file (`form.<key>`: nested), job (from REST), program (its code), session (SQL), table, jvm, "
            "environment, kafka producer, kafka consumer, kafka broker, kafka topic, resource (of an "
            "operator, `name/path`), or collector (how the evidence was asked for)",
        ),
        Column("job_id", "string", "32 hex digits for scope job"),
        Column("process", "string", "jobmanager or taskmanager, if known"),
        Column(
            "key",
            "string",
            "Flink's key (REST fields are translated, durations stay as printed); for scope jvm `gc.collector`, "
            "`heap.max`, `flag.*`",
        ),
        Column("value", "string", "as printed; secrets are replaced by ******"),
    ),
    happened=None,
)
