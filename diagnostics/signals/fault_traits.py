"""The cause that failures resemble whose message no catalogue knows, by the traits of their exceptions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.notation.stack_frame import is_own_logger
from diagnostics.reconstruction.bugs.bug_appearances import repair_of
from diagnostics.reconstruction.bugs.connector_release import connector_release, program_of
from diagnostics.reconstruction.bugs.later_fixes import FIX_FACTS, later_fix
from diagnostics.reconstruction.errors.blamed_fault import blamed_faults, came_before, shows_faults
from diagnostics.reconstruction.failures.fault import Fault, by_job, is_report, rounds_of
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.code_shapes import code_shape_of
from diagnostics.vocabulary.fault_origins import UNKNOWN
from diagnostics.vocabulary.fault_traits import (
    LEAST_OF_FAILURE,
    LEAST_POINTS,
    Resemblance,
    Thrower,
    resemblance_of,
)
from diagnostics.vocabulary.message_remedies import known_message
from diagnostics.vocabulary.outside_refusals import likely_refusal, refusal_of
from diagnostics.vocabulary.setting_faults import setting_fault_of

SHOWN = 8
OUTSIDE, PROGRAM = "outside_system", "user_code"
"""The classes whose failures have kinds with advice of their own."""
BROAD_ORIGINS = ("network", "outside_system", "storage")
"""Origins that a class or package suffices for: without a known text of the refusal they say little."""
OF_DEFECTS = (
    *("NullPointerException", "IndexOutOfBoundsException", "ArrayIndexOutOfBoundsException", "NoSuchElementException"),
    *("ConcurrentModificationException", "ArithmeticException", "NegativeArraySizeException", "AssertionError"),
)
"""Exceptions of code that meets what its author took for impossible. Our choice: in Flink's own code, without a known
message and without a frame of the job, each of them was a defect of the release in the resolved incidents.
"""
FLINKS_OWN = tuple(
    f"org.apache.flink.{each}."
    for each in (
        *("runtime", "streaming.runtime", "streaming.api.operators", "streaming.api.windowing", "state"),
        *("contrib.streaming.state", "table.runtime.operators", "table.planner", "kubernetes.kubeclient", "yarn"),
    )
)
"""Packages of Flink that no value of a record and no option reaches unchecked."""
STOPS = ("failure", "process", "client")
"""Who reports what stopped it; an error or warning in a log may be handled."""


def measure(evidence: Evidence) -> Measured:
    """What the failures and errors of each job resemble that no catalogue knows by their text.

    Reads   log_record, failure, and the histories of checkpoints.
    Gives   one signal per job that failed, also when every failure is known or none resembles one cause clearly.
    Empty   NotMeasured without logs and exceptions.
    """
    if not shows_faults(evidence):
        yield NotMeasured("fault_traits", "jobmanager-log", "no log and no exceptions were given")
        return
    faults = by_job(blamed_faults(evidence))
    for job in sorted(faults, key=repr):
        yield _signal(job, faults[job], evidence)


def is_known(fault: Fault) -> bool:
    """Whether a catalogue knows the failure: its origin, how an outside system refuses, the setting, or its message as
    one of an outside system.
    """
    if fault.origin.id not in (UNKNOWN, *BROAD_ORIGINS):
        return True
    if setting_fault_of(fault.chain, fault.places, fault.exception):
        return True
    if fault.origin.id == OUTSIDE and (known := known_message(fault.chain)) and known.system:
        return True
    return fault.origin.id != UNKNOWN and refusal_of(fault.chain) is not None


def resemblance(fault: Fault) -> Resemblance | None:
    """The cause that a failure resembles by its exceptions; None where none leads clearly.

    What only reports that the job failed says nothing of the cause: a recovery that is suppressed restores nothing. Nor
    does what the job's own code logs without an exception: its level is its author's choice.
    """
    if not fault.exception and is_own_logger(fault.logger or ""):
        return None
    outer = [_thrower(line) for line in (fault.causes or "").split("\n") if not is_report("", line)]
    least = LEAST_OF_FAILURE if fault.reported_by in STOPS else LEAST_POINTS
    return resemblance_of(Thrower(fault.exception, fault.message, fault.places, fault.logger or ""), outer, least)


def _kind_and_advice(fault: Fault, symptom_class: str, remedy: str | None) -> tuple[str, str] | tuple[None, None]:
    """How the outside system or the program fails by the words of the message, and what repairs it."""
    if symptom_class == OUTSIDE:
        known = refusal_of(fault.chain)
        refusal = known if known and not known.by_class else likely_refusal(fault.message, fault.chain)
        return (refusal.how, refusal.advice) if refusal else (None, None)
    if symptom_class == PROGRAM:
        frames = [each for each in (fault.frame, fault.thrown_in) if each]
        shape = code_shape_of(UNKNOWN, fault.exception, fault.message, fault.chain, frames, remedy)
        return (shape.what, shape.advice) if shape else (None, None)
    return None, None


def _is_flinks_defect(fault: Fault) -> bool:
    """Whether Flink's own code met what it takes for impossible, and nothing of the job is on the stack."""
    is_own = (fault.thrown_in or "").startswith(FLINKS_OWN) and not fault.own_frames
    return is_own and fault.exception.rpartition(".")[2] in OF_DEFECTS


def _thrower(line: str) -> Thrower:
    """An exception of a chain, or the message of a record, which names no class."""
    name, _, message = line.partition(": ")
    return Thrower(name, message) if "." in name and " " not in name else Thrower("", line)


def _resembling(faults: Sequence[Fault]) -> Iterator[tuple[Fault, Resemblance]]:
    for fault in faults:
        if likeness := resemblance(fault):
            yield fault, likeness


def _signal(job: str | None, faults: Sequence[Fault], evidence: Evidence) -> Signal:
    unknown = [fault for fault in faults if not is_known(fault)]
    facts: dict[str, FactValue] = {"failures": len(faults), "unknown": len(unknown)}
    first = next(_resembling(unknown), None)
    same: list[Fault] = []
    if first:
        fault, likeness = first
        before = came_before(faults, fault)
        same = [each for each in unknown if each.kind == fault.kind]
        remedy = repair_of(fault, evidence)
        kind, advice = _kind_and_advice(fault, likeness.symptom_class, remedy)
        facts |= {
            "resembles": likeness.symptom_class,
            "points": likeness.points,
            "lead": likeness.lead,
            "strongest": likeness.strongest,
            "because": list(likeness.says),
            "said": fault.said,
            **connector_release(fault, evidence),
            **later_fix(fault, evidence),
            "remedy": remedy,
            "program": program_of(fault),
            "in_flink": _is_flinks_defect(fault) or None,
            "kind": kind,
            "advice": advice,
            "exception_class": fault.exception or None,
            "thrown_in": fault.frame or fault.thrown_in,
            "logger": fault.logger,
            "reported_by": fault.reported_by,
            "is_first": before is None,
            "before": before.said if before else None,
            "rounds": max(len(rounds_of(same)), 1),
            "first_ms": fault.ts_ms,
            "vertices": list(dict.fromkeys(each.vertex for each in same if each.vertex))[:SHOWN] or None,
        }
    stamps = [fault.ts_ms for fault in same if fault.ts_ms is not None]
    return Signal(
        "fault_traits",
        Subject(job=job),
        known_facts(facts),
        tuple(fault.citation for fault in same[:SHOWN]),
        citation_count=len(same),
        window=(min(stamps), max(stamps)) if stamps else None,
    )


FACTS = {
    "failures": "failures of tasks or of the job, and errors where no failure says what is wrong",
    "unknown": "failures and errors whose message is in no catalogue",
    "resembles": "class of causes whose traits a failure with an unknown message has",
    "points": "points of its traits for this class",
    "lead": "points by which this class leads the next one",
    "strongest": "points of the trait that says most for this class",
    "because": "traits of the failure, the strongest first",
    "said": "class and message of the innermost exception that has the traits",
    "remedy": "repair of a failure with this message",
    "program": "the program in whose code it failed, or whose class the message names, as upgrades are named",
    "in_flink": "whether it has the traits of a defect of Flink's own code: none of the job's frames is on its stack",
    "kind": "kind of the failure that the words of the message suggest",
    "advice": "repair of a failure of the kind that the message suggests",
    "owner": "the connector or library among the frames that threw it",
    "owner_running": "the older release of the connector that runs, where the evidence shows it",
    "owner_releases": "the newest releases of the connector by version of Flink, where that of the case is not known",
    "owner_release": "newest known release of the connector that threw it, for the Flink that runs",
    **FIX_FACTS,
    "owner_flink": "the version of Flink that runs, for which the connector is chosen",
    "exception_class": "innermost exception that has the traits",
    "thrown_in": "top frame of the exception that has the traits",
    "logger": "logger that reports the error that has the traits",
    "reported_by": "who reports it; failure (of a task or job), process, client, error, warning, passed",
    "is_first": "whether the first failure of the job has the traits",
    "before": "another failure that came before the one with the traits",
    "rounds": "attempts that failed with the traits; subtasks that fail together are one",
    "first_ms": "first failure or error with the traits, epoch ms",
    "vertices": "tasks that fail with the traits",
}

SIGNALS = (SignalDefinition("fault_traits", "job", FACTS, measure),)
