"""The task and subtask of an execution id, which checkpoint declines and acknowledgements log instead of names."""

from __future__ import annotations

import re
from collections.abc import Mapping

from diagnostics.aggregators import execution_names as aggregator
from diagnostics.evidence import Evidence, read_once

OF_GRAPH = re.compile(r"[0-9a-f]{32}_([0-9a-f]{32})_(\d{1,7})_\d{1,9}")
"""The parts of an execution id since Flink 1.15: graph, task, subtask, attempt."""


@read_once
def execution_names(evidence: Evidence) -> Mapping[str, tuple[str, int]]:
    """Execution id, or its `task_subtask` part -> (task name, subtask).

    Reads   log_record: state changes of tasks.
    """
    printed = evidence.answer(aggregator.AGGREGATOR)
    names = dict(printed)
    for execution, place in printed.items():
        if parts := OF_GRAPH.fullmatch(execution):
            names[f"{parts[1]}_{parts[2]}"] = place
    return names
