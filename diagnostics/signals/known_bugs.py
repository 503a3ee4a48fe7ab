"""Failures, threads and readings that match a known bug of Flink or a connector in a release that may have it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject, only_one
from diagnostics.reconstruction.bugs.bug_appearances import Appearance, bug_appearances
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.bug_sign import READINGS, SETTINGS, THREADS
from diagnostics.vocabulary.known_bug import KnownBug, Release, release_of

SIGNS = (THREADS, READINGS, SETTINGS)
MOST_LISTED = 6
"""How many further bugs are listed beside the first. Our choice: more would indicate a wrong catalogue."""


def measure(evidence: Evidence) -> Measured:
    """Known bugs that failures, threads, readings or settings match in the releases of each job.

    Where no match of a job is in a release that is known, its bugs are those that the release may have.

    Reads   log_record, failure, stack_sample, metric_sample, config_option, code_call, and the releases in logs and
            REST answers.
    Gives   one signal per job with a known bug, for the bug seen first, and of those without a time for the one with
            the surest sign; none without a bug.
    Empty   NotMeasured without logs, exceptions and thread dumps.
    """
    if not (evidence.has_logs() or any(map(evidence.has, ("failure", "stack_sample", "metric_sample")))):
        yield NotMeasured("known_bugs", "jobmanager-log", "no log and no exceptions were given")
        return
    shown = bug_appearances(evidence)
    by_job: dict[str | None, list[Appearance]] = defaultdict(list)
    only = only_one({each.job_id for each in shown if each.job_id})
    for each in shown:
        by_job[each.job_id or only].append(each)
    for job in sorted(by_job, key=repr):
        sure = [each for each in by_job[job] if each.is_sure]
        yield _signal(job, sure or by_job[job])


def _signal(job: str | None, shown: Sequence[Appearance]) -> Signal:
    ordered = sorted(shown, key=_sooner)
    first = ordered[0]
    bug = first.bug
    same = [each for each in ordered if each.bug.id == bug.id]
    others = {each.bug.id: each.bug for each in ordered if each.bug.id != bug.id}
    stamps = [each.ts_ms for each in same if each.ts_ms is not None]
    vertices = list(dict.fromkeys(each.vertex for each in same if each.vertex))
    facts: dict[str, FactValue] = {
        "bug": bug.id,
        "title": bug.title,
        "component": bug.component,
        "product": bug.program,
        "release": ".".join(map(str, first.release)) if first.release else None,
        "affected": bug.affected_span,
        "fixed": list(bug.fixed) or None,
        "next_fixed": _next_fixed(bug, first.release),
        "looks_like": bug.looks_like,
        "work_around": bug.work_around,
        "repair": bug.repair_of_running if first.is_sure else bug.repair,
        "symptom_class": bug.symptom_class if first.release else None,
        "sign": first.sign,
        "source": bug.source,
        "url": bug.url,
        "seen": len(same),
        "first_ms": min(stamps, default=None),
        "last_ms": max(stamps, default=None),
        "vertices": vertices[:MOST_LISTED] or None,
        "bugs": 1 + len(others),
        "others": [f"{each.id}: {each.title}" for each in list(others.values())[:MOST_LISTED]] or None,
    }
    return Signal(
        "known_bugs",
        Subject(job=job),
        known_facts(facts),
        tuple(each.citation for each in (*same[:6], *(other for other in ordered if other.bug.id != bug.id))),
        citation_count=len(shown),
        window=(min(stamps), max(stamps)) if stamps else None,
    )


def _sooner(shown: Appearance) -> tuple[bool, int, bool, int, int]:
    """Failures by their time; what only shows how threads stand or what is set comes after them."""
    is_sign = shown.sign is not None
    sure = SIGNS.index(shown.sign) if shown.sign else 0
    return is_sign, sure, shown.ts_ms is None, shown.ts_ms or 0, shown.citation.file_id


def _next_fixed(bug: KnownBug, release: Release | None) -> str | None:
    """The nearest later release with the fix."""
    above = sorted(fixed for text in bug.fixed if release and (fixed := release_of(text)) and fixed > release)
    return ".".join(map(str, above[0])) if above else None


FACTS = {
    "bug": "tracker's id of the known bug that was seen first",
    "title": "what it is",
    "component": "part of Flink, or the connector",
    "product": "whose release counts: Flink, or a connector with releases of its own",
    "release": "the release that it was seen in, where a file names it",
    "affected": "the first and the last release that have the bug",
    "fixed": "releases that first have the fix of the bug",
    "next_fixed": "the nearest of them above the one that runs",
    "looks_like": "what people see of it",
    "work_around": "what helps without the fix",
    "repair": "the release that has the fix, and what helps without it",
    "symptom_class": "class of the incident that the bug causes, where the release is known to have it",
    "sign": "kind of evidence of a bug that throws nothing; threads, readings or settings",
    "source": "title of the tracker's entry or of the release notes",
    "url": "their address",
    "seen": "records and answers that show the bug, at most 200 of the logs",
    "first_ms": "first time, epoch ms",
    "last_ms": "last time, epoch ms",
    "vertices": "tasks in which it was seen",
    "bugs": "number of known bugs seen",
    "others": "further known bugs that were seen",
}

SIGNALS = (SignalDefinition("known_bugs", "job", FACTS, measure),)
