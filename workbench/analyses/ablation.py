"""Selects parts of a case's files, to measure how its diagnosis changes with less evidence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.formats import FORMATS
from diagnostics.intake import SourceFile
from workbench.analyses.scoring import Outcome

JOBMANAGER_LOG, TASKMANAGER_LOG, OTHER_LOG = "JobManager log", "TaskManager logs", "other logs"
LOGS = (JOBMANAGER_LOG, TASKMANAGER_LOG, OTHER_LOG)

WHOLE = "everything"
"""Name of the subset with all files."""

KIND_OF_TABLE = {
    "log_record": OTHER_LOG,
    "slow_query": OTHER_LOG,
    "database_statement": "outside systems",
    "consumer_position": "outside systems",
    "host_sample": "hosts",
    "tcp_sample": "hosts",
    "benchmark_result": "benchmarks",
    "stack_sample": "profiles",
    "gc_pause": "GC logs",
    "event": "events",
    "config_option": "configuration",
    "metric_sample": "metrics",
}
"""The first table that a format fills -> the usual name of the kind of evidence."""

LOGS_ALONE, METRICS_ALONE = "only logs", "only metrics"
HIDDEN: Mapping[str, Mapping[str, str]] = {
    LOGS_ALONE: {
        "data_skew": "no log counts records by subtask or key",
        "out_of_order_events": "no log has watermarks or late records",
        "cpu_hotspot": "no log has stacks or busy times",
        "healthy": "quiet logs fit lost late records, skew and a full heap too",
    },
    METRICS_ALONE: {
        "checkpoint_declined": "metrics count failed checkpoints and give no reason",
        "misconfiguration": "settings are no metrics",
        "network_partition": "a lost process ends its metrics, whatever took it",
        "zookeeper_ha": "leadership is no metric",
    },
}
"""Evidence alone -> classes that it cannot show, with the reason; their cases are not counted against it. Source: what
Flink logs and the list of its metrics (Flink documentation, Metrics).
"""


@dataclass(frozen=True, slots=True)
class Subset:
    """Part of a case's files, e.g. `only REST` or `without metrics`."""

    name: str
    sources: Sequence[SourceFile]


def subsets(sources: Sequence[SourceFile], inputs: Sequence[Mapping[str, Any]]) -> Iterator[Subset]:
    """The files of each single kind, all logs, and all files without one kind.

    inputs  the `inputs[]` of the diagnosis of all files, with format and role of each
    """
    kinds = {entry["file"]: kind_of(entry) for entry in inputs}
    by_kind: dict[str, list[SourceFile]] = defaultdict(list)
    for source in sources:
        if kind := kinds.get(source.name):
            by_kind[kind].append(source)
    for kind, inside in sorted(by_kind.items()):
        yield Subset(f"only {kind}", inside)
    logs = [source for kind in LOGS for source in by_kind.get(kind, ())]
    if len(logs) > len(by_kind.get(JOBMANAGER_LOG, ())):
        yield Subset(LOGS_ALONE, logs)
    for kind in sorted(by_kind) if len(by_kind) > 1 else ():
        yield Subset(f"without {kind}", [each for other in sorted(by_kind) if other != kind for each in by_kind[other]])


def kind_of(entry: Mapping[str, Any]) -> str | None:
    """The kind of evidence of an input; None for an attachment."""
    chosen = FORMATS.get(entry.get("format") or "")
    if chosen is None or not chosen.tables:
        return None
    if chosen.id == "flink-log":
        return {"jobmanager": JOBMANAGER_LOG, "taskmanager": TASKMANAGER_LOG}.get(entry.get("role") or "", OTHER_LOG)
    kind = KIND_OF_TABLE.get(chosen.tables[0], "REST")
    return "REST" if chosen.id.startswith("flink-rest-") and kind != "profiles" else kind


def shown_lines(outcomes: Mapping[str, Sequence[Outcome]]) -> Iterator[str]:
    """For logs and for metrics alone: how many verdicts were right of the cases that they can show, and the others.

    outcomes  as for `tally_lines`
    """
    for part, hidden in HIDDEN.items():
        of_part = outcomes.get(part, ())
        shown = [each for each in of_part if not set(each.truth.accepted) <= hidden.keys()]
        if shown:
            right = sum(each.right for each in shown)
            yield f"{part}: {right} of {len(shown)} right that it can show ({right / len(shown):.0%}); cannot show:"
            for each in (other for other in of_part if other not in shown):
                yield f"  {each.truth.name:38} {each.truth.accepted[0]}: {hidden[each.truth.accepted[0]]}"
            for each in shown:
                if not each.right:
                    yield f"  missed: {each.truth.name:30} {each.verdict} instead of {each.truth.accepted[0]}"
