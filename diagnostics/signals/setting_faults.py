"""Failures and errors that a setting causes: a missing jar, right, credential or option, or one that does not fit."""

from __future__ import annotations

from collections.abc import Sequence

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.notation.listed_options import listed_options
from diagnostics.reconstruction.bugs.bug_appearances import sure_repair_of
from diagnostics.reconstruction.errors.blamed_fault import blamed_by_job, came_before
from diagnostics.reconstruction.failures.fault import Fault, rounds_of
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.asked_act import asked_act
from diagnostics.vocabulary.message_remedies import remedy_of
from diagnostics.vocabulary.required_options import act_of_message
from diagnostics.vocabulary.setting_faults import SettingFault, setting_fault_of

SHOWN = 8


def measure(evidence: Evidence) -> Measured:
    """Failures and errors of each job that a setting causes.

    Failures of the storage during a snapshot are measured in signals/checkpoint_declines.py.

    Reads   log_record, failure, and the histories of checkpoints.
    Gives   one signal per job that failed, also when no failure is of that kind.
    Empty   NotMeasured without logs and exceptions.
    """
    faults = blamed_by_job(evidence)
    if faults is None:
        yield NotMeasured("setting_faults", "jobmanager-log", "no log and no exceptions were given")
        return
    yield from (_signal(job, of_job, evidence) for job, of_job in faults)


def fault_of(fault: Fault) -> SettingFault | None:
    """The setting that a failure blames; None for others and for those of the storage during a snapshot."""
    if fault.in_snapshot and fault.origin.id == "storage":
        return None
    return setting_fault_of(fault.chain, fault.places, fault.exception)


def _signal(job: str | None, faults: Sequence[Fault], evidence: Evidence) -> Signal:
    blaming = [(fault, setting) for fault in faults if (setting := fault_of(fault))]
    facts: dict[str, FactValue] = {"failures": len(faults), "of_settings": len(blaming)}
    if blaming:
        first, setting = _telling(blaming)
        before = came_before(faults, first)
        same = [fault for fault, other in blaming if other is setting]
        known, options = remedy_of(first.chain, first.places), listed_options(first.message)
        known = sure_repair_of(first, evidence) or known or act_of_message(first.message)
        facts |= {
            "kind": setting.what,
            # What the message needs, or asks for, goes before what its kind needs.
            "remedy": known or asked_act(first.chain) or setting.remedy,
            "is_known": known is not None,
            "connector": options.connector,
            "unsupported": list(options.unsupported) or None,
            "missing": list(options.missing) or None,
            "said": first.said,
            "reported_by": first.reported_by,
            "is_first": before is None,
            "before": before.said if before else None,
            "rounds": max(len(rounds_of(same)), 1),
            "first_ms": first.ts_ms,
            "vertices": list(dict.fromkeys(each.vertex for each in same if each.vertex))[:SHOWN] or None,
        }
    stamps = [fault.ts_ms for fault, _ in blaming if fault.ts_ms is not None]
    return Signal(
        "setting_faults",
        Subject(job=job),
        known_facts(facts),
        tuple(fault.citation for fault, _ in blaming[:SHOWN]),
        citation_count=len(blaming),
        window=(min(stamps), max(stamps)) if stamps else None,
    )


def _telling(blaming: Sequence[tuple[Fault, SettingFault]]) -> tuple[Fault, SettingFault]:
    """The first one; of several at its time, as a program logs one by one, the first whose repair is known."""
    at_once = [each for each in blaming if each[0].ts_ms == blaming[0][0].ts_ms]
    return next((each for each in at_once if remedy_of(each[0].chain, each[0].places)), blaming[0])


FACTS = {
    "failures": "failures of tasks or of the job, and errors where no failure says what is wrong",
    "of_settings": "failures or errors that a setting causes",
    "kind": "kind of mistake that the setting is",
    "remedy": "remedy of the mistake in the setting",
    "is_known": "whether the remedy is that of the message and not that of the kind",
    "connector": "the connector or format that lacks the options",
    "unsupported": "options that the connector or format does not have",
    "missing": "options that the message says are missing",
    "said": "class and message of the innermost exception that a setting causes",
    "reported_by": "who reports it; failure (of a task or job), process, client, error, warning, passed",
    "is_first": "whether the first failure of the job is caused by the setting",
    "before": "another failure that came before it",
    "rounds": "attempts that failed with the setting; subtasks that fail together are one",
    "first_ms": "first failure or error with the setting, epoch ms",
    "vertices": "tasks that fail with the setting",
}

SIGNALS = (SignalDefinition("setting_faults", "job", FACTS, measure),)
