"""Distribution of records and busy time over a task's subtasks: one hot subtask, several, or even."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from statistics import median

from diagnostics.arithmetic.balance import Balance, Busyness, busyness, implied_key_groups, key_group_skew, salts_needed
from diagnostics.arithmetic.onset import ONSET_FACTS, Onset, onset, onset_facts
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.job.cluster import Cluster, VertexKey, cluster_of
from diagnostics.reconstruction.job.graph import JobGraph, job_graph
from diagnostics.reconstruction.load.pools import held_by_full_pools, usual_inputs
from diagnostics.reconstruction.load.subtasks import (
    FEWEST_RECORDS,
    Samples,
    Spread,
    mean_time_ratios,
    task_spreads,
    time_ratios,
)
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, metric_series
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.load_levels import FULLY_BUSY, LOW_MOST
from diagnostics.vocabulary.operators_at_limit import reads_change_log, relief_of_change_log, spread_of

MOST_LISTED = 64
"""Up to how many subtasks are listed one by one. Our choice."""
INHERITED_SKEW = 1.5
"""From this skew of the upstream task on, a FORWARD edge passes it downstream. Our choice."""
SAME_SHARES = 0.05
"""Largest difference between the shares of a subtask in two tasks that hand on records one to one. Our choice: samples
are seconds apart, and a filter keeps about the same part of each subtask's records."""


def measure(evidence: Evidence) -> Measured:
    """Load of each task by subtask.

    Reads   subtask (one row per subtask and moment), back_pressure, metric_sample. Where nothing measures time, a full
            output pool shows that its task waits.
    Gives   one signal per task with two or more subtasks and enough records.
    Empty   NotMeasured when neither REST nor metrics have records per subtask.
    """
    if not (evidence.has("subtask") or evidence.has("metric_sample")):
        yield NotMeasured("load_balance", "job-rest", "no file shows the records of each subtask")
        return
    cluster = cluster_of(evidence)
    series = metric_series(evidence)
    (busy, back_pressured), means = time_ratios(evidence), mean_time_ratios(evidence)[0]
    back_pressured, inputs = back_pressured or held_by_full_pools(evidence), usual_inputs(evidence)
    spreads = task_spreads(evidence)
    if not spreads:
        yield NotMeasured(
            "load_balance", "job-rest", f"no task with two or more subtasks has read {FEWEST_RECORDS} records"
        )
    graphs = {
        job_id: _graph(job_id, cluster, series, back_pressured) for job_id in dict.fromkeys(job for job, _ in spreads)
    }
    for vertex in sorted(spreads, key=repr):
        spread = spreads[vertex]
        graph, of_vertex = graphs[vertex[0]], means.get(vertex, {})
        signal = _signal(vertex, spread, busy.get(vertex, {}), cluster, spreads, back_pressured, graph, of_vertex)
        named = signal.subject.vertex or series.name_of(vertex)
        facts = {**signal.facts, **_input_facts(spread.records, inputs.get(vertex, {}))}
        facts |= _name_facts(named, spread) if named else {}
        yield replace(signal, subject=replace(signal.subject, vertex=named), facts=facts)


def _name_facts(named: str, spread: Spread) -> dict[str, FactValue]:
    one_reader = spread.direction == "out" and reads_change_log(named)
    relief = relief_of_change_log() if one_reader else None
    return known_facts({"task": named, "spread": spread_of(named), "one_reader": one_reader, "relief": relief})


def _input_facts(records: Balance, used: Mapping[int, float]) -> dict[str, FactValue]:
    """Use of the input pools of the hot subtask and of the others: records queue in front of the one that is slow."""
    others = max((used[each] for each in records.others if each in used), default=None)
    return known_facts({"hot_input_ratio": used.get(records.hot), "others_input_max_ratio": others})


def _graph(job_id: str | None, cluster: Cluster, series: MetricSeries, back_pressured: Samples) -> JobGraph:
    seen = {vertex: series.name_of((job, vertex)) or vertex for job, vertex in back_pressured if job == job_id}
    return job_graph(cluster, job_id, seen)


def _signal(
    vertex: VertexKey,
    spread: Spread,
    busy_over_time: Mapping[int, Mapping[int, float]],
    cluster: Cluster,
    spreads: Mapping[VertexKey, Spread],
    back_pressured: Samples,
    graph: JobGraph,
    means: Mapping[int, float],
) -> Signal:
    subject = cluster.vertex_subject(*vertex)
    records = spread.records
    facts: dict[str, FactValue] = {
        "direction": spread.direction,
        "subtasks_seen": len(records.loads),
        "parallelism": len(records.loads),
        "even_share_ratio": 1 / len(records.loads),
        "hot_subtask": records.hot,
        "hot_subtasks": list(records.hot_subtasks),
        "hot_count": len(records.hot_subtasks),
        "idle_subtasks": list(records.idle_subtasks),
        "idle_count": len(records.idle_subtasks),
        "hot_share_ratio": records.share_ratio,
        "skew_ratio": records.skew_ratio,
        "concentration_ratio": records.concentration_ratio,
        "hot_records": round(spread.counts[records.hot]),
        "total_records": round(sum(spread.counts.values())),
        "by_rate": spread.by_rate,
        "since_ms": spread.since_ms,
        "needed_salts": salts_needed(max(records.concentration_ratio, 0.0), len(records.loads)),
    }
    if len(records.loads) <= MOST_LISTED:
        facts["records"] = [round(spread.counts[subtask]) for subtask in records.loads]
    if groups := implied_key_groups(spread.counts.values()):
        facts["implied_key_groups"] = groups
    if records.others:
        facts["others_records_max"] = round(max(spread.counts[subtask] for subtask in records.others))
    if spread.bytes:
        facts["bytes_skew_ratio"] = spread.bytes.skew_ratio
        facts["bytes_hot_subtask"] = spread.bytes.hot
    facts |= _place_facts(vertex, records, cluster)
    facts |= _busy_facts(spread, busyness(busy_over_time), means)
    facts |= _graph_facts(vertex, spread, cluster, spreads)
    facts["inherited"] = _is_inherited(vertex, spread, cluster, spreads, facts.get("hot_busy_ratio"))
    facts |= _held_back(vertex, graph, back_pressured, busy_over_time)
    order = sorted(spread.loads, key=lambda subtask: -spread.counts.get(subtask, 0))
    places = [_counted(spread, subtask) for subtask in order]
    stamps = [ts for ts in (spread.since_ms, *(place.ts_ms for place in places)) if ts is not None]
    return Signal(
        key="load_balance",
        subject=replace(subject, subtask=None),
        facts=known_facts(facts),
        citations=tuple(places[:8]),
        citation_count=len(places),
        window=(min(stamps), max(stamps)) if stamps else None,
    )


def _counted(spread: Spread, subtask: int) -> Citation:
    count = spread.counts.get(subtask)
    place = spread.loads[subtask].place
    return replace(place, value=round(count)) if count is not None and place.kind == "metric" else place


def _graph_facts(
    vertex: VertexKey, spread: Spread, cluster: Cluster, spreads: Mapping[VertexKey, Spread]
) -> dict[str, FactValue]:
    facts: dict[str, FactValue] = {}
    task = cluster.tasks.get(vertex)
    if task and task.parallelism:
        facts["parallelism"] = task.parallelism
        if task.max_parallelism:
            facts["max_parallelism"] = task.max_parallelism
            facts["key_group_skew_ratio"] = key_group_skew(task.max_parallelism, task.parallelism)
    edges = cluster.inputs.get(vertex, ())
    if cluster.inputs:
        strategies = sorted({strategy for _, strategy in edges if strategy})
        facts["is_source"] = not edges
        facts["is_sink"] = not any(
            source == vertex[1]
            for place, inputs in cluster.inputs.items()
            if place[0] == vertex[0]
            for source, _ in inputs
        )
        facts["input_strategies"] = list(strategies)
        if strategies or not edges:
            facts["keyed"] = "HASH" in strategies
    return facts


def _is_inherited(
    vertex: VertexKey,
    spread: Spread,
    cluster: Cluster,
    spreads: Mapping[VertexKey, Spread],
    hot_busy: FactValue,
) -> bool | None:
    """Whether the skew is that of the task above; None without edges.

    A derived edge has no strategy: the subtasks of both tasks have the same shares then, and the hot one of this task
    is not known to be at its limit.
    """
    if not cluster.inputs:
        return None
    is_at_limit = isinstance(hot_busy, float) and hot_busy >= FULLY_BUSY
    return any(
        (above := spreads.get((vertex[0], source))) is not None
        and above.records.skew_ratio >= INHERITED_SKEW
        and above.records.hot == spread.records.hot
        and (strategy == "FORWARD" or (strategy is None and not is_at_limit and _has_shares_of(spread, above)))
        for source, strategy in cluster.inputs.get(vertex, ())
    )


def _has_shares_of(spread: Spread, above: Spread) -> bool:
    if spread.counts.keys() != above.counts.keys():
        return False
    here, there = sum(spread.counts.values()), sum(above.counts.values())
    return all(abs(spread.counts[each] / here - above.counts[each] / there) <= SAME_SHARES for each in spread.counts)


def _place_facts(vertex: VertexKey, records: Balance, cluster: Cluster) -> dict[str, FactValue]:
    """TaskManagers of the hot subtasks; several hot ones that fill one of several TaskManagers indicate a slow host."""
    homes = {subtask: home for subtask in records.loads if (home := cluster.homes.get((*vertex, subtask)))}
    if len(homes) < len(records.loads):
        return {}
    hot_homes = {homes[subtask] for subtask in records.hot_subtasks}
    others = {homes[subtask] for subtask in records.others}
    facts: dict[str, FactValue] = {
        "hot_task_manager": homes[records.hot],
        "task_manager_count": len(set(homes.values())),
        "hot_fill_task_manager": len(records.hot_subtasks) > 1
        and len(hot_homes) == 1
        and bool(others)
        and not hot_homes & others,
    }
    if host := cluster.hosts.get(normalised(homes[records.hot])):
        facts["hot_host"] = host
    return facts


def _busy_facts(spread: Spread, busy: Busyness | None, means: Mapping[int, float]) -> dict[str, FactValue]:
    """Busy ratios while the busiest subtask was at its usual peak, and over the whole time: `means`, by subtask."""
    records = spread.records
    if busy is None:
        told = {subtask: load.busy_ratio for subtask, load in spread.loads.items() if load.busy_ratio is not None}
        if not told:
            return {}
        busy, means = Busyness(told, max(told, key=lambda subtask: (told[subtask], -subtask))), told
    facts: dict[str, FactValue] = {
        "busiest_subtask": busy.busiest,
        "busiest_ratio": busy.by_subtask[busy.busiest],
        "busy_median_ratio": median(busy.by_subtask.values()),
        "busy_min_ratio": min(busy.by_subtask.values()),
        "hot_is_busiest": busy.busiest in records.hot_subtasks,
    }
    rest = tuple(subtask for subtask in busy.by_subtask if subtask != busy.busiest)
    most = {
        "hot_busy_ratio": busy.by_subtask.get(records.hot),
        "others_busy_max_ratio": busy.most(records.others),
        "besides_busiest_max_ratio": busy.most(rest),
        "hot_mean_busy_ratio": means.get(records.hot),
        "others_mean_busy_max_ratio": max((means[each] for each in records.others if each in means), default=None),
    }
    facts |= known_facts(most)
    if len(busy.by_subtask) <= MOST_LISTED:
        facts["busy"] = [round(means[subtask], 3) for subtask in sorted(means)]
    return facts


def _held_back(
    vertex: VertexKey, graph: JobGraph, back_pressured: Samples, busy: Mapping[int, Mapping[int, float]]
) -> dict[str, FactValue]:
    """Back pressure of this task and of the most back-pressured upstream task: upper quartile of the worst subtask.

    Where no file holds the graph, every other task counts as upstream that is no sink by its name, as for the origin of
    back pressure.
    """

    def worst(place: VertexKey) -> float | None:
        samples = [sorted(each.values()) for each in back_pressured.get(place, {}).values() if each]
        return max((ordered[len(ordered) * 3 // 4] for ordered in samples), default=None)

    facts: dict[str, FactValue] = {}
    if (own := worst(vertex)) is not None:
        facts["back_pressured_ratio"] = own
    places = [(vertex[0], each) for each in graph.all_above(vertex[1])]
    above = [(ratio, place) for place in places if (ratio := worst(place)) is not None]
    if above:
        ratio, place = max(above, key=lambda each: (each[0], each[1][1]))
        facts["upstream_back_pressured_ratio"] = ratio
        facts["upstream_vertex"] = graph.name(place[1])
        facts |= onset_facts(_waiting_since(back_pressured[place], busy))
    return facts


def _waiting_since(above: Mapping[int, Mapping[int, float]], busy: Mapping[int, Mapping[int, float]]) -> Onset | None:
    """When a task began to hold its senders back: its busiest subtask is busy all the time before they have to wait.

    above  back-pressured ratios of the task upstream; `busy`, those of the task itself: subtask -> epoch ms -> ratio
    """
    held, own = _worst_over_time(above), _worst_over_time(busy)
    beyond = {ts_ms for ts_ms, ratio in held.items() if ratio > LOW_MOST}
    beyond |= {ts_ms for ts_ms, ratio in own.items() if ratio >= FULLY_BUSY}
    looked = beyond | (own.keys() or held.keys())
    return onset((ts_ms, ts_ms in beyond) for ts_ms in looked)


def _worst_over_time(samples: Mapping[int, Mapping[int, float]]) -> Mapping[int, float]:
    """The highest ratio of any subtask at each time."""
    worst: dict[int, float] = {}
    for by_time in samples.values():
        for ts_ms, ratio in by_time.items():
            worst[ts_ms] = max(worst.get(ts_ms, 0.0), ratio)
    return worst


SIGNALS = (
    SignalDefinition(
        key="load_balance",
        level="vertex",
        facts={
            "task": "task whose subtasks are compared",
            "spread": "act that evens out the subtasks of an operator of this name",
            "one_reader": "whether the task is, by its name, a source of changes, whose log one subtask reads",
            "relief": "act that gives such a source room",
            "direction": "direction of the compared records; `in` for records read, `out` for a source",
            "parallelism": "number of subtasks of the task",
            "subtasks_seen": "number of subtasks whose records are known",
            "max_parallelism": "number of key groups",
            "implied_key_groups": "number of key groups that whole steps between the records of the subtasks show",
            "key_group_skew_ratio": "fullest subtask's key groups as a multiple of the even number",
            "even_share_ratio": "1 / subtasks_seen, 0 to 1",
            "hot_subtask": "index of the subtask with most records",
            "hot_subtasks": "indexes of all subtasks that count as hot",
            "hot_count": "number of hot subtasks",
            "idle_subtasks": "indexes of the subtasks with under a tenth of the even share",
            "idle_count": "number of idle subtasks",
            "hot_share_ratio": "the hot subtask's part of all records, 0 to 1",
            "skew_ratio": "records of the hottest subtask as a multiple of the even share, from 1",
            "concentration_ratio": "concentration of the records; 0 even, 1 everything on one subtask",
            "hot_records": "records of the hot subtask",
            "total_records": "records of all subtasks",
            "records": "records by subtask",
            "others_records_max": "most records of a subtask that is not hot",
            "by_rate": "whether rates were compared because the attempts differ in age",
            "since_ms": "when counting began, if it was not the start of the run",
            "needed_salts": "salts that bring the hot key under 1.5 even shares",
            "bytes_skew_ratio": "bytes read by the hottest subtask as a multiple of the even share",
            "bytes_hot_subtask": "index of the subtask with most bytes",
            "is_source": "whether the task has no input",
            "is_sink": "whether the task has no output",
            "input_strategies": "ship strategies of its inputs",
            "keyed": "whether an input is distributed by key (HASH)",
            "inherited": "whether the skew is that of the task above, which hands on its records one to one",
            "hot_input_ratio": "use of the hot subtask's input buffers, median, 0 to 1",
            "others_input_max_ratio": "highest use of the input buffers of a subtask that is not hot, median, 0 to 1",
            "hot_task_manager": "where the hot subtask runs",
            "hot_host": "that TaskManager's host",
            "task_manager_count": "on how many TaskManagers the subtasks run",
            "hot_fill_task_manager": "whether several hot subtasks are exactly those of one TaskManager",
            "busiest_subtask": "index of the subtask that is busiest",
            "busiest_ratio": "median busy ratio of the busiest subtask in its busiest samples, 0 to 1",
            "besides_busiest_max_ratio": "highest busy ratio of the other subtasks in the busiest one's busiest "
            "samples, 0 to 1",
            "busy_median_ratio": "median busy ratio of the subtasks in the busiest one's busiest samples",
            "busy_min_ratio": "lowest busy ratio of the subtasks in the busiest one's busiest samples",
            "hot_is_busiest": "whether the busiest subtask is a hot one",
            "hot_busy_ratio": "busy ratio of the hot subtask; median in its busiest samples, 0 to 1",
            "others_busy_max_ratio": "highest busy ratio of the subtasks that are not hot in the busiest one's "
            "busiest samples, 0 to 1",
            "hot_mean_busy_ratio": "mean busy ratio of the hot subtask over the whole time, 0 to 1",
            "others_mean_busy_max_ratio": "highest mean busy ratio of the subtasks that are not hot, 0 to 1",
            "busy": "busy ratio by subtask, mean over the whole time",
            "back_pressured_ratio": "back-pressured ratio of the task's own worst subtask, 0 to 1",
            "upstream_back_pressured_ratio": "back-pressured ratio of the most back-pressured upstream task; upper "
            "quartile of its worst subtask, 0 to 1",
            "upstream_vertex": "name of that task",
            **ONSET_FACTS,
        },
        measure=measure,
    ),
)
