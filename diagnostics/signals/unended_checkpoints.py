"""What a JobManager's log leaves open about the checkpoints of a job: one without an end, or refused triggers alone."""

from __future__ import annotations

from collections.abc import Mapping

from diagnostics.arithmetic.quantiles import highest, known
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.checkpoints.history import History, checkpoint_histories
from diagnostics.reconstruction.checkpoints.open_checkpoint import open_checkpoint
from diagnostics.reconstruction.checkpoints.timeout import timeout_in_effect
from diagnostics.reconstruction.configuration.stated_settings import settings_of, stated_options
from diagnostics.reconstruction.failures.incident_log import IncidentLog, incident_log
from diagnostics.signals.signal import Measured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.decline_reasons import STOPPED

DEFAULT_TIMEOUT_MS = 600_000.0
"""Flink's default of execution.checkpointing.timeout. Source: Flink documentation, "Configuration"."""
ENOUGH = 3
"""Completed checkpoints whose longest one shows that one under way is no more than the place where the log was cut.
Our choice."""


def measure(evidence: Evidence) -> Measured:
    """The checkpoint that is under way where the log ends, and the triggers of a job that has no checkpoint at all.

    Reads   log_record (the coordinator's events, states of jobs), checkpoint, config_option.
    Gives   one signal for each job with one of them.
    Units   milliseconds.
    """
    options, log = stated_options(evidence), incident_log(evidence)
    for job_id, history in sorted(checkpoint_histories(evidence).items(), key=lambda item: str(item[0])):
        stated, places = settings_of(options, job_id)
        timeout = timeout_in_effect(history, stated.get("timeout_ms"), is_default="timeout_ms" not in places)
        facts = _open(history, timeout, log) if history.checkpoints else _refused(history)
        if facts:
            cited = _cited(history)
            yield Signal("unended_checkpoints", Subject(job=job_id), known_facts(facts), cited, len(cited))


def _open(history: History, timeout: Mapping[str, FactValue], log: IncidentLog) -> dict[str, FactValue]:
    unended, completed = open_checkpoint(history, log), history.select_statuses("completed")
    longest = highest(known(each.duration_ms for each in completed))
    if unended is None:
        return {}
    are_enough = len(completed) >= ENOUGH and not unended.is_savepoint
    if are_enough and longest is not None and unended.open_ms <= longest:
        return {}
    stated = timeout.get("timeout_ms")
    expires_ms = unended.from_ms + (stated if isinstance(stated, (int, float)) else DEFAULT_TIMEOUT_MS)
    return {
        "id": unended.number,
        "kind": "Savepoint" if unended.is_savepoint else "Checkpoint",
        "triggered_ms": unended.from_ms,
        "log_ends_ms": unended.until_ms,
        "open_ms": unended.open_ms,
        "timeout_ms": stated,
        "expires_ms": round(expires_ms),
        "is_overdue": unended.until_ms > expires_ms,
    }


def _refused(history: History) -> dict[str, FactValue]:
    refused = history.not_started
    if not refused:
        return {}
    last = max(refused, key=lambda each: each.last_ms or 0)
    return {
        "only_refused": sum(each.count for each in refused),
        "refused_reason": last.reason.partition(" Failure reason:")[0][:200].rstrip("."),
        "refused_last_ms": last.last_ms,
        "are_of_stop": all(any(text in each.reason for text in STOPPED) for each in refused),
    }


def _cited(history: History) -> tuple[Citation, ...]:
    if not history.checkpoints:
        return tuple(each.citation for each in history.not_started[-2:])
    under_way = [each for each in history.checkpoints if each.status == "in_progress"]
    return tuple(citation for each in under_way[:1] for citation in each.citations)


FACTS = {
    "id": "checkpoint or savepoint of which the log has the trigger and no end",
    "kind": "Checkpoint or Savepoint, by what was triggered",
    "triggered_ms": "when that checkpoint was triggered, epoch ms",
    "log_ends_ms": "last record of the log with that checkpoint, epoch ms",
    "open_ms": "time for which the checkpoint had been under way where the log ends",
    "timeout_ms": "checkpoint timeout in effect",
    "expires_ms": "when the checkpoint expires by its timeout, or else by Flink's default, epoch ms",
    "is_overdue": "whether the log goes on after the checkpoint should have expired",
    "only_refused": "refused triggers of a job of which no file has a checkpoint",
    "refused_reason": "what the last refused trigger says",
    "are_of_stop": "whether every trigger was refused because the job was being stopped or restarted",
    "refused_last_ms": "when the last trigger was refused, epoch ms",
}

SIGNALS = (SignalDefinition("unended_checkpoints", "job", FACTS, measure),)
