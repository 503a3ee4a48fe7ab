"""First parts of the keys of Flink's options, which distinguish its configuration from that of another program."""

from __future__ import annotations

GROUPS = frozenset(
    (
        "akka",
        "blob",
        "classloader",
        "cluster",
        "client",
        "cleanup-mode",
        "cloud",
        "containerized",
        "env",
        "execution",
        "external-resource",
        "fs",
        "heartbeat",
        "high-availability",
        "historyserver",
        "hive",
        "io",
        "job-result-store",
        "jobmanager",
        "jobstore",
        "kubernetes",
        "metrics",
        "parallelism",
        "pekko",
        "pipeline",
        "plugin",
        "process",
        "python",
        "queryable-state",
        "query",
        "resourcemanager",
        "rest",
        "restart-strategy",
        "s3",
        "scheduler",
        "sdk",
        "security",
        "slot",
        "slotmanager",
        "sql-gateway",
        "state",
        "table",
        "task",
        "taskmanager",
        "traces",
        "web",
        "yarn",
        "zookeeper",
        "$internal",
    )
)
"""First parts of Flink's keys. Source: the option tables of Flink's documentation, 1.10 to 2.3."""

CERTAIN_GROUPS = frozenset(("jobmanager", "taskmanager", "execution", "state", "high-availability", "restart-strategy"))
"""Groups of Flink's keys that other programs' YAML rarely has at its left margin."""

CERTAIN_BEGINNINGS = ("table.exec.", "table.optimizer.", "python.fn-execution.", "pipeline.")
"""Beginnings of flat keys that only Flink has: people copy these options alone."""

AMBIGUOUS_GROUPS = frozenset(
    (
        "client",
        "cloud",
        "cleanup-mode",
        "env",
        "fs",
        "hive",
        "io",
        "metrics",
        "plugin",
        "process",
        "python",
        "query",
        "s3",
    )
) | frozenset(("scheduler", "sdk", "security", "task", "traces", "web"))
"""Groups of Flink's keys that configurations of other programs have, too: a few such lines may be of any."""
