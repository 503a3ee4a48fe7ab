"""Trouble in the files that is none of the jobs': of other deployments, and of what was over before a job began."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.failures.incident_log import LogEvent, incident_log
from diagnostics.reconstruction.job.deployments import deployments_of
from diagnostics.signals.signal import Measured, Signal, SignalDefinition, known_facts

SHOWN = 4
MOST_NAMED = 5
"""Deployments that a sentence names. Our choice."""
MOST_CHARACTERS = 300
"""Characters of a quoted message. Our choice."""


def measure(evidence: Evidence) -> Measured:
    """Trouble of deployments that is kept away from the jobs, and of deployments that may be a job's or not.

    Reads   log_record (events of Kubernetes, the operator's log), config_option, job, task_manager.
    Gives   one signal of the case where there is any; none otherwise.
    Empty   nothing without logs.
    """
    if not evidence.has("log_record"):
        return
    log, deployments = incident_log(evidence), deployments_of(evidence)
    apart = _once(log.apart)
    unclear = _once(each for each in log.of("kubernetes") if deployments.is_unclear(each.deployment))
    if not apart and not unclear:
        return
    stamps = [each.ts_ms for each in apart if each.ts_ms is not None]
    facts: dict[str, FactValue] = {
        "own": sorted(deployments.own)[:MOST_NAMED] or None,
        "apart": _named(apart) or None,
        "records": len(apart),
        "text": apart[0].message[:MOST_CHARACTERS] if apart else None,
        "unclear": _named(unclear) or None,
    }
    if stamps:
        facts |= {"first_ms": min(stamps), "last_ms": max(stamps)}
    yield Signal(
        "other_deployments",
        Subject(),
        known_facts(facts),
        tuple(each.cite() for each in [*apart[:SHOWN], *unclear[:SHOWN]]),
        citation_count=len(apart) + len(unclear),
        window=(min(stamps), max(stamps)) if stamps else None,
    )


def _once(events: Iterable[LogEvent]) -> Sequence[LogEvent]:
    """Each record once: it may be of several kinds."""
    return list({(each.file_id, each.line): each for each in events}.values())


def _named(events: Iterable[LogEvent]) -> list[str]:
    return sorted({each.deployment for each in events if each.deployment})[:MOST_NAMED]


FACTS = {
    "own": "clusters of the jobs, by what Flink's own files say",
    "apart": "deployments whose trouble is none of the jobs'; by the records of Kubernetes and of Flink's operator",
    "records": "records of that trouble",
    "text": "first record of that trouble",
    "first_ms": "first of these records, epoch ms",
    "last_ms": "last of these records, epoch ms",
    "unclear": "deployments with trouble that may be a job's or not; no file says which deployment the job is of",
}

SIGNALS = (SignalDefinition("other_deployments", "case", FACTS, measure),)
