"""What the names of tasks and operators show: whether SQL's planner gave them, and whether Beam's runner did."""

from __future__ import annotations

import re
from collections.abc import Iterable

from diagnostics.evidence import Evidence, read_once
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.metrics.metric_series import metric_series

SQL_OPERATOR = re.compile(
    r"\[\d+\](?: |$|,)|(?:Calc|Aggregate|Join|Deduplicate|Rank|OverAggregate|TableSourceScan|LookupJoin)(?:\(|\[)"
    r"|(?:SinkMaterializer|ConstraintEnforcer|ChangelogNormalize|DropUpdateBefore|WatermarkAssigner)(?:\(|\[)"
)
"""Names that the planner gives to operators: `Calc[3]`, `GroupAggregate(groupBy=[...`. Source: Flink's sources, table
planner."""
REPORTED_SQL_OPERATOR = re.compile(
    r"(?:Calc|Aggregate|TemporalJoin|IntervalJoin|WindowJoin|Deduplicate|Rank|SinkMaterializer|ChangelogNormalize|WatermarkAssigner)_\d+_"
)
"""The same as Prometheus' reporter prints it: `Calc_3_`."""
BEAM_OPERATOR = re.compile(
    r"KafkaUnboundedSource|KafkaIO\.Read|/Impulse|Source: Impulse|ParMultiDo\(|Combine\.perKey|Read\(CreateSource\)"
)
"""Names that Beam's runner for Flink gives to operators: the transforms of the pipeline. Source: Beam's transforms."""
NAMED = ("numRecordsIn", "numRecordsOut", "currentInputWatermark", "currentOutputWatermark")
"""Metrics that every operator has."""


def is_of_sql(names: Iterable[str]) -> bool:
    """Whether one of the names is of SQL's planner."""
    return any(SQL_OPERATOR.search(name) or REPORTED_SQL_OPERATOR.search(name) for name in names)


def is_of_beam(names: Iterable[str]) -> bool:
    """Whether one of the names is of a pipeline of Beam."""
    return any(map(BEAM_OPERATOR.search, names))


@read_once
def printed_names_by_job(evidence: Evidence) -> dict[str | None, frozenset[str]]:
    """Job -> the names of its tasks in REST answers, and of its tasks and operators in metrics."""
    names: dict[str | None, set[str]] = {}
    for (job, _), task in cluster_of(evidence).tasks.items():
        names.setdefault(job, set()).add(task.name)
    series = metric_series(evidence)
    for metric in NAMED:
        for each in series.of(metric):
            names.setdefault(each.job_id, set()).update(name for name in (each.vertex, each.operator) if name)
    return {job: frozenset(of_job) for job, of_job in names.items()}


def program_facts(evidence: Evidence, job: str | None) -> dict[str, bool | None]:
    """Whether a job is of SQL, and of Beam, by the names of its tasks and operators; None for what they do not show."""
    names = printed_names_by_job(evidence).get(job, frozenset())
    return {"is_sql": is_of_sql(names) or None, "is_beam": is_of_beam(names) or None}


PROGRAM_FACTS = {
    "is_sql": "whether the names of the job's tasks and operators are those of a SQL plan; unknown where they are not",
    "is_beam": "whether they are those of a Beam pipeline; unknown where they are not",
}
