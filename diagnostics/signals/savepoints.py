"""Savepoints that take far longer than the checkpoints of their job, or that expire while these complete."""

from __future__ import annotations

from statistics import median

from diagnostics.arithmetic.quantiles import known
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.checkpoints.history import Checkpoint, checkpoint_histories
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

SHOWN = 3


def measure(evidence: Evidence) -> Measured:
    """The slowest savepoint of each job, and those that expired, beside its completed checkpoints.

    Reads   checkpoint (REST), log_record (the coordinator's events).
    Gives   one signal for each job with a savepoint and a completed checkpoint.
    Units   milliseconds, bytes.
    Empty   NotMeasured without a savepoint.
    """
    measured = 0
    for job_id, history in sorted(checkpoint_histories(evidence).items(), key=lambda item: str(item[0])):
        taken = [each for each in history.checkpoints if each.is_savepoint]
        usual = known(each.duration_ms for each in history.select_statuses("completed"))
        if not taken or not usual:
            continue
        measured += 1
        expired = [each for each in taken if each.status == "expired"]
        slowest = max((each for each in taken if each.status == "completed"), key=_duration, default=None)
        facts: dict[str, FactValue] = {
            "taken": len(taken),
            "expired": len(expired),
            "expired_id": expired[-1].number if expired else None,
            "checkpoint_ms": median(usual),
        }
        if slowest is not None and (lasted := _duration(slowest)) > 0:
            facts |= {
                "slowest_id": slowest.number,
                "slowest_ms": lasted,
                "slowest_bytes": slowest.state_bytes,
                "slower_ratio": lasted / max(median(usual), 1.0),
            }
        shown = [each for each in (*expired[-SHOWN:], slowest) if each is not None]
        cited = tuple(dict.fromkeys(each.citations[0] for each in shown if each.citations))
        yield Signal("savepoints", Subject(job=job_id), known_facts(facts), cited, citation_count=len(taken))
    if not measured:
        yield NotMeasured(
            "savepoints", "checkpoint-history", "no savepoint of a job with completed checkpoints is known"
        )


def _duration(savepoint: Checkpoint) -> float:
    return savepoint.end_to_end_ms or 0.0


FACTS = {
    "taken": "savepoints seen",
    "expired": "savepoints that expired",
    "expired_id": "number of the last savepoint that expired",
    "checkpoint_ms": "usual duration of the completed checkpoints, ms",
    "slowest_id": "number of the savepoint that took longest",
    "slowest_ms": "duration of the slowest savepoint, ms",
    "slowest_bytes": "size of the slowest savepoint, bytes",
    "slower_ratio": "duration of the slowest savepoint against the usual one of checkpoints",
}

SIGNALS = (SignalDefinition("savepoints", "job", FACTS, measure),)
