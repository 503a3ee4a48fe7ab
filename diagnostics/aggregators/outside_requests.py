"""Log records of TaskManagers about requests to other systems: refused, slow or retried."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import CITATION_ORDER, first_rows_aggregator
from diagnostics.arithmetic.row_choice import contains_any, is_any, is_true, shortened
from diagnostics.citation import CITATION_COLUMNS

if TYPE_CHECKING:
    import pyarrow as pa

MOST_RECORDS = 20_000
"""Records kept, the earliest. Our choice: more would add nothing."""

MOST_CHARACTERS = 400
"""Characters kept of a message. Our choice: what a citation shows."""

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
    "limitexceededexception",
    "rejected execution of",
    "too many parts",
    "because of too many versions",
    "regiontoobusyexception",
    "callqueuetoobig",
    "oom command not allowed",
    "too many simultaneous queries",
    "qpslimitexceeded",
    "ratelimitexceeded",
)
"""Lower-case texts with which HTTP services, Elasticsearch, AWS, Azure, ClickHouse, StarRocks, HBase and Redis refuse
requests.
"""
RETRIES = ("retry times", "retrying", "will retry", "number of retries")
SLOW_MS = 500.0
"""Requests called slow in a log count from this duration on. Our choice."""
LEVELS = ("WARN", "ERROR", "FATAL")
"""Levels of records about such failures; successes are logged at others."""


def _requests(records: pa.Table) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    of_task_manager = pc.equal(pc.coalesce(records["process"], "taskmanager"), "taskmanager")
    chosen = records.filter(pc.and_(is_any(records["level"], LEVELS), of_task_manager))
    parts = [chosen[name] for name in ("message", "exception_message", "root_cause_message")]
    text = pc.utf8_lower(pc.binary_join_element_wise(*parts, " ", null_handling="skip"))
    took = pc.struct_field(pc.extract_regex(text, pattern=r"took (?P<ms>[0-9]{1,9}) ?ms"), "ms")
    requests = chosen.select(["ts_ms", *CITATION_COLUMNS])
    sides = {
        "message": pc.coalesce(shortened(chosen["message"], MOST_CHARACTERS), ""),
        "refused": contains_any(text, REFUSALS),
        "retried": contains_any(text, RETRIES),
        "took_ms": took.cast(pa.float64()),
    }
    for name, column in sides.items():
        requests = requests.append_column(name, column)
    slow = is_true(pc.greater_equal(requests["took_ms"], SLOW_MS))
    return requests.filter(pc.or_(pc.or_(requests["refused"], requests["retried"]), slow))


AGGREGATOR = first_rows_aggregator(
    "outside_requests",
    "log_record",
    ("ts_ms", "level", "process", "message", "exception_message", "root_cause_message"),
    _requests,
    order=(("ts_ms", "ascending"), *CITATION_ORDER),
    most=MOST_RECORDS,
)
"""Gives, besides the citation, `message`, whether a request was `refused` or `retried`, and `took_ms`. Reads only
records from WARN on.
"""
