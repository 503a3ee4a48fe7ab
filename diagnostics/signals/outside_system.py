"""What logs say of outside systems: requests that were refused or throttled, slow requests, retries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import functions as sf

from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.reconstruction.arithmetic import highest, middle
from diagnostics.signal import FactValue, Measured, NotMeasured, Signal, SignalDefinition, Subject

REFUSALS = (
    "http 429",
    "status code 429",
    "429 too many",
    "too many requests",
    "es_rejected_execution",
    "esrejectedexecution",
    "circuit_breaking_exception",
    "provisionedthroughputexceeded",
    "throttlingexception",
    "throttled",
    "slowdown",
    "slow down",
    "503 service unavailable",
    "rate exceeded",
    "request limit exceeded",
    "toomanyrequests",
)
"""How HTTP services, Elasticsearch, AWS and Azure say that they take no more, in lower case."""
RETRIES = ("retry times", "retrying", "will retry", "number of retries")
SLOW_MS = 500.0
"""From here on a request that a log calls slow counts. Our choice."""
LEVELS = ("WARN", "ERROR", "FATAL")
"""Of records that tell of such a fault; what works is logged at others."""
MOST_CITED = 4
MOST_ROWS = 20_000
"""How many such records are counted. Our choice: more are as telling."""
MESSAGE_CHARACTERS = 160


def measure(evidence: Evidence) -> Measured:
    """Refused, slow and repeated requests in the logs of TaskManagers.

    Reads   log_record: WARN, ERROR and FATAL of processes other than the JobManager.
    Gives   one signal for the case when any is found.
    Units   milliseconds.
    Empty   NotMeasured without such a log.
    """
    if not evidence.has_logs():
        yield NotMeasured("outside_system", "taskmanager-log", "no TaskManager's log is there")
        return
    if not evidence.may_have("log_record", "level", LEVELS):
        return
    text = sf.lower(sf.concat_ws(" ", "message", "exception_message", "root_cause_message"))
    records = (
        evidence["log_record"]
        .where(f"level IN {LEVELS} AND coalesce(process, 'taskmanager') = 'taskmanager'")
        .withColumn("text", text)
    )

    told = records.select(
        "ts_ms",
        "file_id",
        "line",
        "last_line",
        sf.expr("coalesce(substr(message, 1, 400), '')").alias("message"),
        sf.col("text").rlike("|".join(REFUSALS)).alias("refused"),
        sf.col("text").rlike("|".join(RETRIES)).alias("retried"),
        sf.expr("CAST(regexp_extract(text, 'took ([0-9]{1,9}) ?ms', 1) AS DOUBLE)").alias("took_ms"),
    ).where(f"refused OR retried OR took_ms >= {SLOW_MS}")
    rows = [row.asDict() for row in told.orderBy("ts_ms", "file_id", "line").limit(MOST_ROWS).collect()]
    if rows:
        yield _signal(rows)


def _signal(rows: Sequence[Mapping[str, Any]]) -> Signal:
    refused = [row for row in rows if row["refused"]]
    retried = [row for row in rows if row["retried"]]
    slow = [row for row in rows if row["took_ms"] is not None and row["took_ms"] >= SLOW_MS]
    facts: dict[str, FactValue] = {
        "refused": len(refused),
        "refused_text": refused[0]["message"][:MESSAGE_CHARACTERS] if refused else None,
        "slow_requests": len(slow),
        "slow_median_ms": middle(row["took_ms"] for row in slow),
        "slowest_ms": highest(row["took_ms"] for row in slow),
        "retries": len(retried),
    }
    slowest = sorted(slow, key=lambda row: -row["took_ms"])
    citations = tuple(
        Citation(
            file_id=row["file_id"],
            line=row["line"],
            last_line=row["last_line"],
            kind="log",
            ts_ms=row["ts_ms"],
            text=row["message"][:400],
        )
        for row in [*refused[:MOST_CITED], *slowest[:MOST_CITED], *retried[:MOST_CITED]]
    )
    stamps = [row["ts_ms"] for row in rows if row["ts_ms"] is not None]
    kept = {name: value for name, value in facts.items() if value is not None}
    window = (min(stamps), max(stamps)) if stamps else None
    return Signal("outside_system", Subject(), kept, tuple(dict.fromkeys(citations)), len(rows), window)


FACTS = {
    "refused": "log records of TaskManagers that tell of refused or throttled requests",
    "refused_text": "the first of them, shortened",
    "slow_requests": "log records that tell of a request of half a second or more",
    "slow_median_ms": "usual duration of these",
    "slowest_ms": "longest duration of these",
    "retries": "log records that tell of a retry",
}

SIGNALS = (SignalDefinition("outside_system", "case", FACTS, measure),)
