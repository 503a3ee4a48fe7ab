"""Failures that match a known bug of Flink or a connector in an affected release."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.aggregators import failures, known_bug_records
from diagnostics.citation import CITATION_COLUMNS, Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject, only_one
from diagnostics.reconstruction.configuration.flink_releases import FlinkReleases, flink_releases
from diagnostics.reconstruction.failures.fault import job_of_vertex
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.known_bug import (
    FLINK,
    KnownBug,
    Release,
    bugs_that_fit,
    known_bugs,
    plain_frame,
    release_of,
)

MOST_LISTED = 6
"""How many further bugs are listed beside the first. Our choice: more would indicate a wrong catalogue."""

DISTRIBUTION = "flink-dist"
"""The Flink JAR whose name in a stack trace carries the release."""


@dataclass(frozen=True, slots=True)
class Appearance:
    """A record or answer that matches a bug, and its release; None when no file states one."""

    bug: KnownBug
    release: Release | None
    ts_ms: int | None
    job_id: str | None
    vertex: str | None
    citation: Citation


def measure(evidence: Evidence) -> Measured:
    """Known bugs that failures match in the releases of each job.

    Reads   log_record, failure, and the releases in logs and REST answers.
    Gives   one signal per job with a known bug, for the bug seen first; none without a bug.
    Empty   NotMeasured without logs and exceptions, and when texts match but no file names the release.
    """
    if not (evidence.has_logs() or evidence.has("failure")):
        yield NotMeasured("known_bugs", "jobmanager-log", "no log and no exceptions were given")
        return
    shown = [*_in_logs(evidence), *_in_answers(evidence)]
    unknown = [each.bug.id for each in shown if each.release is None]
    if unknown and len(unknown) == len(shown):
        fitting = ", ".join(dict.fromkeys(unknown))
        yield NotMeasured("known_bugs", "jobmanager-log", f"texts fit {fitting}, but no file names the release")
        return
    affected = [each for each in shown if each.release is not None and each.bug.affects(each.release)]
    by_job: dict[str | None, list[Appearance]] = defaultdict(list)
    jobs = {each.job_id for each in affected if each.job_id}
    only = only_one(jobs)
    for each in affected:
        by_job[each.job_id or only].append(each)
    for job in sorted(by_job, key=repr):
        yield _signal(job, by_job[job])


def _in_logs(evidence: Evidence) -> Iterator[Appearance]:
    releases, cluster = flink_releases(evidence), cluster_of(evidence)
    for row in evidence.answer(known_bug_records.AGGREGATOR).to_pylist():
        bug = known_bugs()[row["bug"]]
        text = row["message"] or f"{row['root_cause_class']}: {row['root_cause_message']}"
        place = {name: row[name] for name in CITATION_COLUMNS}
        citation = Citation(kind="log", text=text, ts_ms=row["ts_ms"], **place)
        release = _named_release(bug, row["releases"]) or _stated_release(bug, releases, row)
        job = row["job_id"] or job_of_vertex(row["vertex"], cluster)
        yield Appearance(bug, release, row["ts_ms"], job, row["vertex"], citation)


def _in_answers(evidence: Evidence) -> Iterator[Appearance]:
    releases = flink_releases(evidence)
    for row in evidence.answer(failures.AGGREGATOR).to_pylist():
        text = "\n".join(part for part in (row["causes"], row["root_cause_message"], row["exception_message"]) if part)
        for name in bugs_that_fit(text, (plain_frame(row["root_cause_frame"]), plain_frame(row["thrown_in"]))):
            bug = known_bugs()[name]
            place = {name: row[name] for name in CITATION_COLUMNS}
            said = f"{row['root_cause_class']}: {row['root_cause_message']}"[:300]
            citation = Citation(kind="rest", text=said, ts_ms=row["ts_ms"], **place)
            release = _stated_release(bug, releases, row)
            yield Appearance(bug, release, row["ts_ms"], row["job_id"], row["vertex"], citation)


def _named_release(bug: KnownBug, named: str | None) -> Release | None:
    """The release of the bug's product in the frames of the stack trace."""
    parts = [line.split(" ") for line in (named or "").split("\n") if line]
    own = DISTRIBUTION if bug.product == FLINK else bug.product.removeprefix("flink-")
    for artifact, release in parts:
        if artifact == own or (bug.product != FLINK and artifact.endswith(own)):
            return release_of(release)
    return None


def _stated_release(bug: KnownBug, releases: FlinkReleases, row: Mapping[str, Any]) -> Release | None:
    """Flink's release in that file; a connector's own release is only in stack traces."""
    return releases.at(row["file_id"], row["ts_ms"]) if bug.product == FLINK else None


def _signal(job: str | None, shown: Sequence[Appearance]) -> Signal:
    ordered = sorted(shown, key=lambda each: (each.ts_ms is None, each.ts_ms or 0, each.citation.file_id))
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
        "product": bug.product,
        "release": ".".join(map(str, first.release or ())),
        "fixed": list(bug.fixed) or None,
        "next_fixed": _next_fixed(bug, first.release),
        "looks_like": bug.looks_like,
        "work_around": bug.work_around,
        "symptom_class": bug.symptom_class,
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


def _next_fixed(bug: KnownBug, release: Release | None) -> str | None:
    """The nearest later release with the fix."""
    above = sorted(fixed for text in bug.fixed if release and (fixed := release_of(text)) and fixed > release)
    return ".".join(map(str, above[0])) if above else None


FACTS = {
    "bug": "tracker's id of the known bug that was seen first",
    "title": "what it is",
    "component": "part of Flink, or the connector",
    "product": "whose release counts: flink, or a connector with releases of its own",
    "release": "the release that it was seen in",
    "fixed": "releases that first have the fix of the bug",
    "next_fixed": "the nearest of them above the one that runs",
    "looks_like": "what people see of it",
    "work_around": "what helps without the fix",
    "symptom_class": "class of the incident that the bug causes",
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
