"""Which subtask an execution id stands for: declines and acknowledgements print it, records of states name it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pyspark.sql import functions as sf

from diagnostics.evidence import Evidence, read_once

MOST_PLACES = 20_000
"""How many executions are told apart by name, in logs without REST. Our choice: 5,000 subtasks, four attempts."""
OF_GRAPH = re.compile(r"[0-9a-f]{32}_([0-9a-f]{32})_(\d{1,7})_\d{1,9}")
"""The parts of an execution's id since Flink 1.15: graph, task, subtask, attempt."""
STATE_EVENTS = ("task.state", "task.failed.jm")
"""Of records that name an execution with its task and subtask."""
EXECUTION_PATTERN = r"\(([0-9a-f_]{32,200})\) switched from"


@read_once
def execution_names(evidence: Evidence) -> Mapping[str, tuple[str, int]]:
    """Execution id, or task and subtask of it -> task name and subtask. One Spark job.

    Reads   log_record: state changes of tasks.
    """
    if not evidence.has_logs() or not evidence.may_have("log_record", "event", STATE_EVENTS):
        return {}
    records = evidence["log_record"]
    states = records.where(records.event.isin(*STATE_EVENTS) & records.subtask.isNotNull())
    execution = sf.regexp_extract("message", EXECUTION_PATTERN, 1).alias("execution")
    found: dict[str, tuple[str, int]] = {}
    for row in states.select(execution, "vertex", "subtask").distinct().limit(MOST_PLACES).collect():
        found[row.execution] = (row.vertex, row.subtask)
        if parts := OF_GRAPH.fullmatch(row.execution):
            found[f"{parts[1]}_{parts[2]}"] = (row.vertex, row.subtask)
    return found
