"""Events of Kubernetes and Flink's operator: evictions, lost nodes, pods that cannot start."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.failures.incident_log import LogEvent, incident_log
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.message_remedies import remedy_of

SHOWN = 8
MOST_CHARACTERS = 300
"""Characters of a quoted message. Our choice."""
GROUPS: Mapping[str, tuple[str, ...]] = {
    "evicted": ("k8s.event.evicted",),
    "preempted": ("k8s.event.preempted",),
    "nodes_lost": ("k8s.event.node_lost",),
    "node_pressure": ("k8s.event.node_pressure", "k8s.event.node_oom"),
    "not_started": ("k8s.event.image", "k8s.event.mount", "k8s.event.config", "k8s.event.sandbox"),
    "quota": ("k8s.event.quota",),
    "crash_loops": ("k8s.event.restarts",),
    "no_state": ("op.restore",),
    "operator_warnings": (
        "op.savepoint.timeout",
        "op.unsupported",
        "op.missing",
        "op.failed",
        "op.event.warning",
        "op.status.error",
        "op.resource.error",
        "op.resource.event",
    ),
}
"""Fact -> events of the catalogue that it counts."""


TAKEN: Mapping[str, tuple[str, ...]] = {
    "spot": ("SpotInterruption", "Spot Interruption", "RebalanceRecommendation", "PreemptScheduled", "preemptible"),
    "scaled down": (
        "ScaleDown",
        "scale-down",
        "scale down",
        "DisruptionTerminating",
        "Underutilized",
        "DisruptionBlocked",
    ),
}
"""Why somebody took a node away -> texts of its events. Source: AWS Node Termination Handler, Karpenter, AKS, and the
cluster autoscaler."""

REMEDIED = ("evicted", "not_started", "no_state")
"""Groups whose messages say what to repair."""


def measure(evidence: Evidence) -> Measured:
    """Kubernetes events about Flink's pods and their nodes, and warnings of the operator.

    Reads   log_record (events and descriptions of Kubernetes, the operator's log).
    Gives   one signal of the case when any of these is there, one for each of several jobs whose deployments are known.
    Empty   NotMeasured without logs.
    """
    if not evidence.has("log_record"):
        yield NotMeasured("kubernetes", "jobmanager-log", "no log and no event of Kubernetes was given")
        return
    log = incident_log(evidence)
    named = {each.job_id for each in log.of("kubernetes") if each.job_id}
    of_all = [each for each in log.of("kubernetes") if not each.job_id]
    for job in (None, *sorted(named)):
        events = of_all if job is None else [each for each in log.of("kubernetes") if each.job_id in (None, job)]
        if grouped := _grouped(events):
            yield _signal(job, grouped, events)


def _signal(job: str | None, grouped: Mapping[str, Sequence[LogEvent]], told: Sequence[LogEvent]) -> Signal:
    facts: dict[str, FactValue] = {name: _times(grouped.get(name, ())) for name in GROUPS}
    facts |= {f"{name}_text": told[0].message[:MOST_CHARACTERS] for name, told in grouped.items()}
    facts |= {f"{name}_remedy": _remedy(grouped[name]) for name in REMEDIED if name in grouped}
    if "nodes_lost" in grouped:
        facts["node_taken"] = _node_taken(told)
    events = [each for told in grouped.values() for each in told]
    stamps = [each.ts_ms for each in events if each.ts_ms is not None]
    shown = [told[0] for told in grouped.values()]
    shown += [each for each in events if each not in shown]
    return Signal(
        "kubernetes",
        Subject(job=job),
        known_facts(facts | ({"first_ms": min(stamps)} if stamps else {})),
        tuple(each.cite() for each in shown[:SHOWN]),
        citation_count=len(events),
        window=(min(stamps), max(stamps)) if stamps else None,
    )


def _grouped(told: Sequence[LogEvent]) -> Mapping[str, Sequence[LogEvent]]:
    """Fact -> its events."""
    found: dict[str, list[LogEvent]] = defaultdict(list)
    of_event = {event: name for name, events in GROUPS.items() for event in events}
    for each in told:
        if each.event in of_event:
            found[of_event[each.event]].append(each)
    return found


def _remedy(told: Sequence[LogEvent]) -> str | None:
    """What repairs the first of the records that the catalogue of messages knows."""
    said = (f"{each.message}\n{each.causes or each.exception_message or ''}" for each in told)
    return next((remedy for each in said if (remedy := remedy_of(each))), None)


def _node_taken(told: Sequence[LogEvent]) -> str | None:
    """Why a node was taken away on purpose, by any event of Kubernetes; None where none says so."""
    said = "\n".join(each.message for each in told)
    return next((why for why, texts in TAKEN.items() if any(text in said for text in texts)), None)


def _times(told: Sequence[LogEvent]) -> int:
    """Number of occurrences; Kubernetes counts repeated events in one record."""
    return sum(int(each.count or 1) for each in told)


FACTS = {
    "evicted": "evictions of pods whose node ran short of something",
    "preempted": "pods that made room for one of higher priority",
    "node_taken": "why a node was taken away on purpose; spot, or scaled down",
    "nodes_lost": "events of nodes that were lost or no longer ready",
    "node_pressure": "events of nodes that ran short of memory, disk or processes",
    "not_started": "events of pods that cannot start: image, volume, configuration, network",
    "quota": "pods that a quota did not let be made",
    "crash_loops": "times that Kubernetes waited before it started a container again",
    "no_state": "times that the operator did not start the job because it knows no state to restore",
    "operator_warnings": "other warnings and errors of the operator",
    "first_ms": "first of these with a time, epoch ms",
    **{f"{name}_text": f"first record of the events {name.replace('_', ' ')}" for name in GROUPS},
    "evicted_remedy": "remedy of the reason that an eviction states",
    "not_started_remedy": "remedy of the reason for which a pod cannot start",
    "no_state_remedy": "remedy of the reason for which the operator does not start the job",
}

SIGNALS = (SignalDefinition("kubernetes", "case", FACTS, measure),)
