"""Failures caused by the job's own code, classes, serialization or records: one-off, or after each restart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.notation.artifact import artifacts_in
from diagnostics.notation.class_cast import class_cast
from diagnostics.notation.stack_frame import CONNECTORS, is_generated, is_user_code
from diagnostics.reconstruction.bugs.asked_api import asked_api
from diagnostics.reconstruction.bugs.bug_appearances import repair_of
from diagnostics.reconstruction.bugs.connector_release import connector_release, flink_of, program_of
from diagnostics.reconstruction.bugs.later_fixes import FIX_FACTS, later_fix
from diagnostics.reconstruction.bugs.running_release import DISTRIBUTION
from diagnostics.reconstruction.errors.before_a_job import PLAIN_PROGRAM, is_before_job
from diagnostics.reconstruction.errors.blamed_fault import blamed_faults, came_before, logged_faults, shows_faults
from diagnostics.reconstruction.failures.fault import Fault, by_job, rounds_of
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.class_owners import (
    MISSING_CLASS,
    MISSING_METHOD,
    NOT_INITIALIZED,
    asks_another_flink,
    caller_of,
    class_named,
    connectors_for,
    is_conflict,
    names_two_loaders,
    owner_of,
    package_of,
    release_met,
)
from diagnostics.vocabulary.code_shapes import code_shape_of
from diagnostics.vocabulary.fault_origins import OWN_CODE, UNKNOWN
from diagnostics.vocabulary.known_bug import Release, release_of
from diagnostics.vocabulary.message_remedies import STATEMENT
from diagnostics.vocabulary.setting_faults import setting_fault_of

CONNECTOR_CODE = "connector_code"
OF_CODE = (OWN_CODE, "class_loading", "serialization", "record", STATEMENT, "python", CONNECTOR_CODE)
"""Origins that a change of the job (its code, its packaging, its handling of bad records) can repair."""
MOST_LISTED = 12
ASKED = ("asked", "asked_lines", "asked_now", "asked_from", "asked_nearest")
"""Facts of what an error asks Flink for, where only some lines of Flink have it."""
OWN_PACKAGES = tuple(
    f"org.apache.flink.{each}."
    for each in (
        *("api", "client", "configuration", "core", "kubernetes", "runtime", "streaming.api", "streaming.runtime"),
        *("table.api", "table.planner", "table.runtime", "yarn"),
    )
)
"""Packages of the jars that Flink itself brings, in which no connector has classes."""
CLASS_NAME = re.compile(
    r"(?:Cannot load user class: |class |Could not initialize class )?"
    r"((?:[a-zA-Z_$][\w$]{0,100}[./]){1,20}[A-Za-z_$][\w$]{0,100})"
)
"""A class name at the start of a message, with dots, or slashes as the JVM prints it."""
OF_FLINK = "org.apache.flink."
OF_SCRIPTS = ("org.apache.flink.client.cli.", "org.apache.flink.runtime.entrypoint.", "org.apache.flink.container.")
"""Packages of the programs that Flink's own scripts start, so that no job lacks them."""
USER_CLASS = re.compile(r"Cannot load user class: ([\w.$]{1,300})")
"""Flink's StreamConfig of a class that a task needs and its class loader does not have."""


def measure(evidence: Evidence) -> Measured:
    """Failures of each job by the most frequent cause in its own code, its classes or its records.

    Failures during a snapshot are measured in signals/checkpoint_declines.py.

    Reads   log_record, failure.
    Gives   one signal per job that failed, also when no failure is of that kind.
    Empty   NotMeasured without logs and exceptions.
    """
    if not shows_faults(evidence):
        yield NotMeasured("code_faults", "jobmanager-log", "no log and no exceptions were given")
        return
    found = by_job(blamed_faults(evidence))
    for job in sorted(found, key=repr):
        yield _signal(job, found[job], evidence)


def is_of_code(fault: Fault) -> bool:
    """Whether a change of the job can repair the failure; no statement is at fault where a jar is missing or twice."""
    if fault.origin.id == STATEMENT:
        setting = setting_fault_of(fault.chain, fault.places, fault.exception)
        if setting and setting.no_statement:
            return False
    is_of_code = fault.origin.id in OF_CODE or (
        fault.origin.id == UNKNOWN and _cast(fault).get("cast_of_copies") is True
    )
    return is_of_code and not fault.in_snapshot


def _signal(job: str | None, faults: Sequence[Fault], evidence: Evidence) -> Signal:
    of_code = [fault for fault in faults if is_of_code(fault)]
    facts: dict[str, FactValue] = {"failures": len(faults), "of_code": len(of_code)}
    same: list[Fault] = []
    if of_code:
        kinds = [fault.kind for fault in of_code]
        most = max(dict.fromkeys(kinds), key=kinds.count)
        same = [fault for fault in of_code if fault.kind == most]
        facts |= _cause(same, evidence) | _course(same)
        before = came_before(faults, same[0])
        facts |= {"is_first": before is None, "before": before.said if before else None}
    stamps = [fault.ts_ms for fault in same if fault.ts_ms is not None]
    return Signal(
        "code_faults",
        Subject(job=job),
        known_facts(facts),
        tuple(fault.citation for fault in same[:8]),
        citation_count=len(same),
        window=(min(stamps), max(stamps)) if stamps else None,
    )


def _cause(same: Sequence[Fault], evidence: Evidence) -> dict[str, FactValue]:
    first, remedy = same[0], repair_of(same[0], evidence)
    worker = _worker_error(first, evidence)
    is_of_method = first.exception.rpartition(".")[2] in MISSING_METHOD
    named = CLASS_NAME.match(first.message) if first.origin.id == "class_loading" and not is_of_method else None
    missing = named[1].replace("/", ".") if named else None
    if missing is None and is_conflict(first.exception, first.message):
        missing = class_named(first.exception, first.message)
    facts: dict[str, FactValue] = {
        "exception_class": first.exception or None,
        "exception": first.exception.rpartition(".")[2] or None,
        "message": first.message,
        "said": first.said,
        "frame": _place(first),
        "own_frames": list(first.own_frames) or None,
        "thrown_in": first.thrown_in,
        "generated": _is_of_a_statement(first),
        "origin": first.origin.id,
        "origin_title": first.origin.title,
        "remedy": (repair_of(worker, evidence) if worker else None) or remedy,
        "worker_error": worker.said if worker else None,
        "missing": missing,
        "messages": len({fault.message for fault in same}),
        "program": program_of(first),
        "reported_by": first.reported_by,
        "before_job": is_before_job(first) or None,
        "plain_program": _is_plain_program(first, missing) or None,
    }
    facts |= _cast(first)
    twice = names_two_loaders(first.message) or facts.get("cast_same") is True
    doubled = facts.get("cast_from") or missing
    if twice and isinstance(doubled, str):
        facts |= {"twice": True, "package": package_of(doubled) or None}
    elif first.origin.id == "class_loading":
        facts |= {"twice": False if _is_nowhere(first) else None, "of_flink": _is_of_flink(first)}
    if (unseen := USER_CLASS.match(first.message)) and (brings := owner_of(unseen[1])):
        facts |= {"owner": brings.artifact, "owner_includes": brings.includes}
    if is_conflict(first.exception, first.message) or twice:
        facts |= _owner(first, evidence, is_twice=twice)
    elif _is_outside_class_not_initialized(first):
        facts |= _owner(first, evidence, is_twice=False)
    elif first.origin.id == CONNECTOR_CODE:
        facts |= connector_release(first, evidence)
    if first.origin.id in (CONNECTOR_CODE, "serialization") and not is_conflict(first.exception, first.message):
        facts |= later_fix(first, evidence)
    known = remedy or facts.get("owner_advice")
    known = known if isinstance(known, str) else None
    shape = code_shape_of(first.origin.id, first.exception, missing or "", first.chain, first.places, known)
    if shape:
        facts |= {"shape": shape.what, "advice": shape.advice, "advice_is_general": shape.general}
    if shape and shape.decides:
        facts |= dict.fromkeys(("owner_advice", "owner_release", "asks_another_flink", *ASKED))
    return facts


def _is_of_a_statement(fault: Fault) -> bool | None:
    """Whether it is thrown in code that the planner made; None for code without a frame, which may be of either."""
    is_code = fault.origin.id in (OWN_CODE, UNKNOWN)
    return is_generated(fault.thrown_in) if fault.thrown_in or not is_code else None


def _is_nowhere(fault: Fault) -> bool:
    """Whether no class loader has a copy of the class: one that could not be initialized was there."""
    is_missing = fault.exception.rpartition(".")[2] in MISSING_CLASS
    return is_missing and NOT_INITIALIZED not in fault.message


def _is_of_flink(fault: Fault) -> bool | None:
    """Whether the class that the error names is Flink's, with its connectors; None where it names none."""
    name = class_named(fault.exception, fault.message)
    return name.startswith(OF_FLINK) if name else None


def _is_plain_program(fault: Fault, missing: str | None) -> bool:
    """Whether a program that no client of Flink runs lacks a class of Flink, and none of Flink's frames is there."""
    lacks = (missing or "").startswith(OF_FLINK) and not (missing or "").startswith(OF_SCRIPTS)
    lacks = lacks and not any(each.startswith(OF_FLINK) for each in fault.passed)
    return lacks and fault.citation.text.startswith(PLAIN_PROGRAM)


def _cast(fault: Fault) -> dict[str, FactValue]:
    """The classes of a cast that failed, and whose jars or loaders have them where the class is there twice."""
    cast = class_cast(fault.message)
    if cast is None:
        return {}
    moved, plain = owner_of(cast.relocated), owner_of(cast.plain)
    is_same = cast.source == cast.target
    return {
        "cast_from": cast.source,
        "cast_to": cast.target,
        "cast_same": is_same,
        "cast_of_copies": is_same or cast.relocated is not None,
        "cast_loaders": cast.loaders,
        "relocated": cast.relocated,
        "relocated_in": (moved.artifact if moved else cast.moved_into) if cast.relocated else None,
        "plain": cast.plain,
        "plain_in": (plain.artifact if plain else package_of(cast.plain)) if cast.plain else None,
    }


JDK = ("java.", "jdk.")
"""Packages whose code fails for what its caller hands in."""


def _is_outside_class_not_initialized(fault: Fault) -> bool:
    """Whether a class that none of Flink's core jars brings could not be initialized: its artifact lacks something."""
    name = class_named(fault.exception, fault.message) or ""
    return NOT_INITIALIZED in fault.message and not name.startswith(OWN_PACKAGES)


def _place(fault: Fault) -> str | None:
    """The top frame; of a connector that calls a method of the JDK with a wrong argument, the connector's own."""
    is_of_connector = fault.origin.id == CONNECTOR_CODE and (
        (fault.thrown_in or "").startswith(CONNECTORS) or (fault.frame or "").startswith(JDK)
    )
    return (fault.thrown_in or fault.frame) if is_of_connector else fault.frame


def _worker_error(fault: Fault, evidence: Evidence) -> Fault | None:
    """What a worker of Python printed by itself, beside a failure of Java that reports that it ended."""
    if fault.origin.id != "python" or not fault.exception:
        return None
    return next((each for each in logged_faults(evidence) if each.origin.id == "python" and not each.exception), None)


def _owner(fault: Fault, evidence: Evidence, *, is_twice: bool) -> dict[str, FactValue]:
    """Which artifact brings the class that the error names, what calls it, and the release for the Flink that runs."""
    name = class_named(fault.exception, fault.message)
    owner = owner_of(name) or release_met(fault.exception, fault.frame)
    is_missing = fault.exception.rpartition(".")[2] in MISSING_CLASS
    is_misfit = owner is None or owner.always_there if is_missing else True
    calls = caller_of((*fault.throwers, *fault.own_frames))
    called = calls if is_misfit else None
    caller, frame = called if called and called[0] is not owner else (None, None)
    blamed = caller if caller and (owner.of_flink if owner else not is_missing) else owner
    flink = _distribution(fault) or flink_of(fault.frames, fault.citation.file_id, fault.ts_ms, evidence)
    advice = calls[0].advice_beside(owner) if calls else None
    if advice is None and blamed:
        is_there = NOT_INITIALIZED in fault.message
        advice = blamed.advice if is_there else blamed.advice_on(fault.exception, flink)
    facts: dict[str, FactValue] = {
        "owner": owner.what if owner else None,
        "caller": caller.what if caller else None,
        "caller_frame": frame,
        "owner_advice": advice,
        "owner_includes": blamed.includes if blamed else None,
    }
    lacks_all = is_missing and _is_plain_program(fault, name)
    asked = {} if is_twice or lacks_all else asked_api(fault.exception, fault.message, name, flink)
    if asked and not (is_missing and asked["asked_from"] == "inside"):
        facts |= asked | {"asked_by": _asked_by(fault, is_missing)}
        facts |= {"owner_flink": f"{flink[0]}.{flink[1]}"} if flink else {}
        facts |= {"owner_advice": None} if blamed is owner and owner and not owner.of_missing else {}
    if is_twice and owner and owner.of_missing:
        return {name: value for name, value in facts.items() if name not in ("owner", "owner_advice")}
    if blamed is owner and asks_another_flink(fault.exception, name):
        line = f"{flink[0]}.{flink[1]}" if flink else None
        known = list(connectors_for(line)) if line else []
        asking = {"asks_another_flink": True, "asked_by": _asked_by(fault, is_missing), "owner_flink": line}
        wrong = dict.fromkeys(("owner", "owner_advice")) if blamed and blamed.until else {}
        return facts | asking | {"connectors_for_flink": known or None} | wrong
    if blamed and flink and not (is_missing and blamed.lacks_jar):
        line = f"{flink[0]}.{flink[1]}"
        own = ".".join(map(str, flink)) if blamed.of_flink else None
        is_core = name is None or name.startswith((*OWN_PACKAGES, "org.apache.flink.shaded."))
        facts |= {"owner_release": blamed.release_for(line) or own, "owner_flink": line}
        facts |= {"connectors_for_flink": list(connectors_for(line)) or None} if own and is_core else {}
    return facts


def _distribution(fault: Fault) -> Release | None:
    """The release of the flink-dist that the JVM names in its message; it goes before what other files state."""
    return next((release_of(release) for name, release in artifacts_in(fault.message) if name == DISTRIBUTION), None)


def _asked_by(fault: Fault, is_missing: bool) -> str | None:
    """Whose frame asks a class of Flink for what it does not have: `flink`, `job`, or None for a connector's.

    The top frame of a class that is missing is that of a class loader.
    """
    frame = fault.frame if not is_missing else next(iter(fault.own_frames), None)
    if frame is None:
        return None
    return "flink" if frame.startswith(OWN_PACKAGES) else "job" if is_user_code(frame) else None


def _course(same: Sequence[Fault]) -> dict[str, FactValue]:
    """Operator, subtasks and frequency; subtasks that fail at the same time count as one round."""
    stamps = [fault.ts_ms for fault in same if fault.ts_ms is not None]
    rounds = rounds_of(same)
    gaps = [after - before for before, after in pairwise(rounds)]
    vertices = list(dict.fromkeys(fault.vertex for fault in same if fault.vertex))
    subtasks = {fault.subtask for fault in same if fault.subtask is not None and fault.vertex == same[0].vertex}
    hosts = sorted({fault.task_manager for fault in same if fault.task_manager})
    return {
        "count": len(same),
        "rounds": max(len(rounds), 1),
        "first_ms": min(stamps, default=None),
        "last_ms": max(stamps, default=None),
        "interval_ms": median(gaps) if gaps else None,
        "vertex": vertices[0] if vertices else None,
        "vertices": vertices[:MOST_LISTED] or None,
        "subtasks": sorted(subtasks)[:MOST_LISTED] or None,
        "task_managers": list(hosts[:MOST_LISTED]) or None,
    }


FACTS = {
    "failures": "failures of tasks or of the job, without those that only report another",
    "program": "the program in whose code it failed, or whose class the message names, as upgrades are named",
    "of_code": "failures of the job's own code, its classes, its serialization or its records",
    "is_first": "whether the first failure of the job has the most frequent cause of the job's own code",
    "before": "another failure that came before the code fault",
    "exception_class": "innermost exception of the most frequent cause",
    "exception": "exception of the most frequent cause, without the package",
    "message": "message of the most frequent code fault",
    "said": "class and message",
    "frame": "top frame of the most frequent exception",
    "thrown_in": "the first frame that is Flink's own or the user's",
    "generated": "whether that frame is of a class that Flink SQL generated",
    "own_frames": "frames of the job's own code, innermost first",
    "origin": "kind of code fault; own_code, class_loading, serialization, record, statement, python or connector_code",
    "origin_title": "the same in words",
    "remedy": "repair of a failure with this message, or with what a worker of Python printed",
    "worker_error": "error that a worker of Python printed before a failure reported its end",
    "shape": "what the shape of the exception shows to be wrong",
    "advice": "repair of a failure of this shape",
    "advice_is_general": "whether that repair says little more than the kind of failure",
    "messages": "different messages of the exception; one message again and again is one record or one condition",
    "reported_by": "who reports the fault; failure (of a task or job), process, client, error, warning, passed",
    "plain_program": "whether a program that Java itself started lacks a class of Flink",
    "before_job": "whether the program failed in its main method before it had a job",
    "missing": "the class that a class loading fault names",
    "owner": "the artifact or library that has the class",
    "caller": "the connector or library that calls it",
    "caller_frame": "frame in which it is called",
    "owner_advice": "place and release of the artifact that has the class, or of the one that calls it",
    "owner_running": "the older release of the connector that runs, where the evidence shows it",
    "owner_releases": "the newest releases of the connector by version of Flink, where that of the case is not known",
    "owner_release": "the artifact in the release for the Flink that runs",
    "connectors_for_flink": "connectors in the releases for the Flink that runs, where the class is Flink's own",
    "owner_flink": "the version of Flink that runs, for which the artifact's release is chosen",
    "asked": "the class, method or constant of Flink that is asked for, where only some lines of Flink have it",
    "asked_lines": "the lines of Flink that have it, as 1.15-1.20",
    "asked_now": "the class of Flink that has its name since, where it was moved",
    "asked_from": "place of the Flink that runs among these lines; before, after or inside",
    "asked_nearest": "the line of Flink with it that is nearest to the one that runs",
    "asks_another_flink": "whether what failed was compiled for another release of Flink",
    "asked_by": "whose code asks Flink for what it does not have; flink or job",
    **FIX_FACTS,
    "owner_includes": "pattern with which Maven shows who brings the class",
    "cast_from": "the class that could not be cast",
    "cast_to": "to which class",
    "cast_of_copies": "whether both are copies of one class, by two loaders or one of them relocated",
    "cast_loaders": "whose class loaders have the class; job_and_lib or two_jobs",
    "relocated": "the class of the cast that was moved into the package of the jar that brings it",
    "relocated_in": "the artifact or package that has it",
    "plain": "the other class of that cast, which has its library's package",
    "plain_in": "the artifact or package that has the other one",
    "cast_same": "whether both classes of the cast have the same name, so that two class loaders loaded it",
    "count": "how often it came",
    "rounds": "attempts that failed with it; subtasks that fail together are one",
    "first_ms": "first failure with the most frequent exception, epoch ms",
    "last_ms": "last time, epoch ms",
    "interval_ms": "median time from one failure to the next, ms",
    "twice": "whether the class loader of the job and that of lib both have the class; not where neither has it",
    "of_flink": "whether the class that a class loading fault names is Flink's, with its connectors",
    "package": "the package of the class that two class loaders have, up to its third part",
    "vertex": "task in which the exception happened",
    "vertices": "all tasks in which it happened",
    "subtasks": "subtasks of the first task in which it happened",
    "task_managers": "TaskManagers on which the exception happened",
}

SIGNALS = (SignalDefinition("code_faults", "job", FACTS, measure),)
