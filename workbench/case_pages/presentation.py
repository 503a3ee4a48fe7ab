"""Prepares the findings, checks and inputs of a diagnosis for the case page."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from diagnostics.diagnosis.problem_time import problem_onset
from diagnostics.reading.clock import shift_text
from diagnostics.symptoms import symptom
from diagnostics.wording.phrase import duration, split_sentences
from diagnostics.wording.subject import subject_words
from workbench.analyses.measured import LinkedPiece, Measurements, ValueSource
from workbench.analyses.models import Analysis, Citation
from workbench.rules.models import BundledRule
from workbench.runbooks.filling import RunbookProgress, runbook_progress
from workbench.uploads.models import UploadedFile

ORDERED = ("<", "<=", ">", ">=")
"""Operators for which a value has a distance from the bound."""

SHOWN_REMARKS = 3
"""Remarks shown under the claim of a finding; a single further one is shown, several are expanded. Our choice."""

SHOWN_EVIDENCE = 4
"""Citations shown under a finding; the others are expanded."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What a diagnosis did not count, because it is from before its snapshot: records, in how many files."""

    records: int
    files: int
    before: str


def left_out_shown(document: Mapping[str, Any]) -> LeftOut | None:
    """What the document says was left out; None for nothing."""
    parts = [entry["left_out"] for entry in document["inputs"] if entry.get("left_out")]
    return LeftOut(sum(part["records"] for part in parts), len(parts), parts[0]["before"]) if parts else None


CheckShown = tuple[Mapping[str, Any], ValueSource | None]


@dataclass(slots=True)
class FindingShown:
    """A finding with its index in the document and its place in the chain of causes.

    entry      the document's entry
    citations  with the viewer's address
    checks     its comparisons that hold, each with the source of the value
    sentences  its statement, the claim first, values with their sources
    has_page   whether its rule has a page here; an imported rule has none
    is_folded  whether only its title is shown at first: that of a consequence, a remark, or beside a root cause
    follows    the findings that this one explains
    """

    position: int
    entry: Mapping[str, Any]
    citations: Sequence[Citation]
    runbook: RunbookProgress | None
    checks: Sequence[CheckShown] = ()
    sentences: Sequence[Sequence[LinkedPiece]] = ()
    has_page: bool = True
    is_folded: bool = False
    follows: list[FindingShown] = field(default_factory=list)

    @property
    def first_citations(self) -> Sequence[Citation]:
        return self.citations[:SHOWN_EVIDENCE]

    @property
    def more_citations(self) -> Sequence[Citation]:
        return self.citations[SHOWN_EVIDENCE:]

    @property
    def remarks(self) -> Sequence[Sequence[LinkedPiece]]:
        return self.sentences[1:]

    @property
    def first_remarks(self) -> Sequence[Sequence[LinkedPiece]]:
        return self.remarks if len(self.remarks) <= SHOWN_REMARKS + 1 else self.remarks[:SHOWN_REMARKS]

    @property
    def more_remarks(self) -> Sequence[Sequence[LinkedPiece]]:
        return self.remarks[len(self.first_remarks) :]

    @property
    def claim(self) -> str:
        return "".join(each.text for each in self.sentences[0])

    @property
    def decisive(self) -> CheckShown | None:
        """The comparison to name beside the claim: a share or a multiple rather than a number of events."""
        ordered = [each for each in self.checks if each[0]["op"] in ORDERED and each[0]["bound"] not in (0, 1)]
        return next((each for each in ordered if each[0]["fact"].endswith("_ratio")), next(iter(ordered), None))

    @property
    def span(self) -> tuple[int, int] | None:
        """First and last epoch ms of its dated citations."""
        stamps = [round(each.ts.timestamp() * 1000) for each in self.citations if each.ts]
        return (min(stamps), max(stamps)) if stamps else None

    @property
    def began(self) -> dt.datetime | None:
        """When it began; None when unknown, or when it was present in the first sample."""
        onset = problem_onset(self.entry)
        return onset.at if onset and not onset.at_start else None

    @property
    def began_ms(self) -> int | None:
        """The same in epoch ms."""
        return round(self.began.timestamp() * 1000) if self.began else None

    @property
    def is_older(self) -> bool:
        """Whether it may have begun before the evidence does, which shows no time without it."""
        return "onset" in self.entry and self.began is None

    @property
    def follows_by_rule(self) -> list[list[FindingShown]]:
        return by_rule(self.follows)

    @property
    def where(self) -> list[str]:
        """The subject of the finding, outermost part first."""
        return subject_words(self.entry["subject"])


def by_rule(findings: Sequence[FindingShown]) -> list[list[FindingShown]]:
    """Findings of one rule beside each other, in the order of each rule's first: many subjects make one entry."""
    groups: dict[str, list[FindingShown]] = {}
    for each in findings:
        groups.setdefault(each.entry["rule"]["id"], []).append(each)
    return list(groups.values())


@dataclass(frozen=True, slots=True)
class JobShown:
    """The findings of one job: causes, contributing findings, and consequences without a shown cause.

    name     None when there is no other job
    options  advice, which is no consequence
    """

    name: str | None
    roots: list[FindingShown]
    contributing: list[FindingShown]
    unexplained: list[FindingShown]
    options: list[FindingShown]

    @property
    def contributing_by_rule(self) -> list[list[FindingShown]]:
        return by_rule(self.contributing)

    @property
    def unexplained_by_rule(self) -> list[list[FindingShown]]:
        return by_rule(self.unexplained)

    @property
    def options_by_rule(self) -> list[list[FindingShown]]:
        return by_rule(self.options)


@dataclass(frozen=True, slots=True)
class ChecksShown:
    """Rules that did not hold or could not be judged, one entry per rule."""

    silent: list[dict[str, Any]]
    undecided: list[dict[str, Any]]


def jobs_shown(analysis: Analysis, files: Mapping[int, UploadedFile]) -> list[JobShown]:
    """The findings in the order of the document, each consequence below its cause.

    files  id -> file of the case, for the links of citations
    """
    document = analysis.document
    rows = {row.position: list(row.citations.all()) for row in analysis.findings.prefetch_related("citations")}
    for citation in chain.from_iterable(rows.values()):
        citation.file = files.get(citation.file_id) if citation.file_id else None
    progress = runbook_progress(analysis)
    measurements = Measurements(analysis, chain.from_iterable(rows.values()))
    bundled = set(BundledRule.objects.filter(ruleset=analysis.ruleset_id).values_list("rule_id", flat=True))
    shown = [
        FindingShown(
            position,
            entry,
            rows.get(position, []),
            progress.get(position),
            _checks_shown(measurements, entry),
            _sentences_shown(measurements, entry),
            has_page=entry["rule"]["id"] not in bundled,
        )
        for position, entry in enumerate(document["findings"])
    ]
    with_root = {entry["subject"].get("job") for entry in document["findings"] if entry["role"] == ROLES[0]}
    for finding in shown:
        entry, cause = finding.entry, finding.entry["caused_by"]
        if cause is not None and cause != finding.position:
            shown[cause].follows.append(finding)
        is_beside_root = entry["subject"].get("job") in with_root or cause is not None
        finding.is_folded = entry["role"] != ROLES[0] and (is_beside_root or entry["severity"] == "info")
    tops = [each for each in shown if each.entry["caused_by"] is None]
    return list(_by_job(tops, document["jobs"]))


def runbooks_of(jobs: Iterable[JobShown]) -> list[RunbookProgress]:
    """The runbooks of the shown causes, each once."""
    causes = chain.from_iterable((*job.roots, *job.contributing) for job in jobs)
    return list({each.runbook.position: each.runbook for each in causes if each.runbook}.values())


def _checks_shown(measurements: Measurements, entry: Mapping[str, Any]) -> list[CheckShown]:
    return [
        (each, measurements.source_of(each["fact"], each["value"], entry["subject"]))
        for each in entry.get("checks", ())
        if each["holds"]
    ]


def _sentences_shown(measurements: Measurements, entry: Mapping[str, Any]) -> list[list[LinkedPiece]]:
    """Documents of earlier versions have the statement as one text."""
    pieces = entry.get("sentences") or [[{"text": sentence}] for sentence in split_sentences(entry["statement"])]
    return [measurements.linked(sentence, entry["subject"]) for sentence in pieces]


@dataclass(frozen=True, slots=True)
class VerdictShown:
    """The sentences of the verdict.

    lead    the finding whose claim it states, with the values linked; None when it states none
    before  what precedes the claim: the name of the job; without a lead, the first sentence
    after   what follows it
    """

    lead: FindingShown | None
    before: str
    after: str


def verdict_shown(document: Mapping[str, Any], jobs: Sequence[JobShown]) -> VerdictShown:
    """The summary of the verdict around the claim of the finding that it is based on."""
    summary = document["verdict"]["summary"]
    for finding in chain.from_iterable(job.roots for job in jobs):
        before, claim, after = summary.partition(finding.claim)
        if claim:
            return VerdictShown(finding, before, after.strip())
    first, *rest = split_sentences(summary) or [""]
    return VerdictShown(None, first, " ".join(rest))


def _by_job(tops: Sequence[FindingShown], jobs: Sequence[Mapping[str, Any]]) -> Iterator[JobShown]:
    names = {job["job_id"]: job["name"] or job["job_id"] for job in jobs}
    order = [*names, None]
    groups: dict[str | None, list[FindingShown]] = {}
    for each in tops:
        job = each.entry["subject"].get("job")
        groups.setdefault(job if job in names else None, []).append(each)
    for job in order:
        found = groups.get(job)
        if not found:
            continue
        options = [each for each in found if each.entry.get("advice")]
        others = [each for each in found if not each.entry.get("advice")]
        roles = {role: [each for each in others if each.entry["role"] == role] for role in ROLES}
        name = None if len(jobs) < 2 else names[job] if job else "All jobs of the cluster"
        yield JobShown(name, roles["root_cause"], roles["contributing"], roles["consequence"], options)


ROLES = ("root_cause", "contributing", "consequence")


def causes_shown(document: Mapping[str, Any]) -> list[tuple[int, Mapping[str, Any]]]:
    """The independent causes with their indexes, when there are several."""
    places = document.get("causes") or ()
    return [(place, document["findings"][place]) for place in places] if len(places) > 1 else []


def checks_shown(document: Mapping[str, Any]) -> ChecksShown:
    """The rules that are not findings, each once, the nearest to their bounds first."""
    checks = document.get("checks") or {}
    return ChecksShown(_distinct_rules(checks.get("silent", ())), _distinct_rules(checks.get("undecided", ())))


MOST_FORMATS = 3
MOST_FOLDERS = 20
"""How many folders are listed. Our choice: as many as a person scans at once."""
ZONE_STEP_MS = 15 * 60_000
"""Offsets of time zones are multiples of a quarter of an hour. Source: IANA time zone database."""
OPEN_INPUTS = 30
"""Folders are expanded while they contain no more files than this in total."""


@dataclass(frozen=True, slots=True)
class InputFolder:
    """The inputs in one folder of the upload."""

    name: str
    entries: Sequence[Mapping[str, Any]]
    is_open: bool

    @property
    def formats(self) -> str:
        """Number of files per format, when there are few formats."""
        counted = Counter(entry.get("format") or "not analysed" for entry in self.entries)
        if len(counted) > MOST_FORMATS:
            unread = f", {counted['not analysed']} of them not analysed" if counted["not analysed"] else ""
            return f"{len(self.entries)} files of {len(counted)} formats{unread}"
        return ", ".join(f"{count} {name}" for name, count in counted.most_common())

    @property
    def warnings(self) -> int:
        return sum(1 for entry in self.entries if entry.get("warnings"))

    @property
    def records(self) -> int:
        return sum(entry.get("records") or 0 for entry in self.entries)

    @property
    def bytes(self) -> int:
        return sum(entry.get("bytes") or 0 for entry in self.entries)


def inputs_shown(document: Mapping[str, Any], files: Mapping[str, int]) -> list[InputFolder]:
    """The document's inputs by folder, sorted by name.

    Each entry has its `path` inside that folder, the `file_id` of its uploaded file, and sentences about its clock
    where that was compared or corrected.

    files   name of an uploaded file -> its id
    A REST dump has a folder per vertex: deeply nested folders are shown as part of one above them.
    """
    entries = sorted(document["inputs"], key=lambda each: each["file"])
    paths = [entry["file"].split("/")[:-1] for entry in entries]
    deepest = max(map(len, paths), default=0)
    depth = max(
        (to for to in range(1, deepest + 1) if len({tuple(path[:to]) for path in paths}) <= MOST_FOLDERS), default=1
    )
    by_folder: dict[str, list[Mapping[str, Any]]] = {}
    for entry, path in zip(entries, paths, strict=True):
        name = "/".join(path[:depth])
        shown = {
            "path": entry["file"].removeprefix(f"{name}/"),
            "file_id": files.get(entry["file"].partition("!/")[0]),
            "offset_note": describe_offset(entry["offset"]) if "offset" in entry else None,
            "clock_note": describe_clock(entry["clock"]) if "clock" in entry else None,
        }
        by_folder.setdefault(name, []).append({**entry, **shown})
    is_open = len(entries) <= OPEN_INPUTS
    return [InputFolder(name, inside, is_open) for name, inside in by_folder.items()]


@dataclass(frozen=True, slots=True)
class ClockComparison:
    """A file's clock in words, and whether it needs attention."""

    sentence: str
    is_off: bool


def describe_offset(offset: Mapping[str, Any]) -> ClockComparison:
    """The estimated offset of a file's clock (`diagnostics.reconstruction.job.log_clocks`) in words."""
    least, most = offset["least_ms"], offset["most_ms"]
    shared = f"from {offset['events']} steps of tasks that both logs tell of"
    other = offset["against"].rpartition("/")[2]
    if least is not None and most is not None and least > most:
        return ClockComparison(
            f"Its clock and that of {other} were set or drift: no one offset explains {shared[5:]}.", True
        )
    bounds = " and ".join(
        f"{words} {shift_text(bound)}" for words, bound in (("at least", least), ("at most", most)) if bound is not None
    )
    if (least is None or least <= 0) and (most is None or most >= 0):
        return ClockComparison(f"Its clock agrees with that of {other} ({bounds}, {shared}).", False)
    nearest = [bound for bound in (least, most) if bound is not None]
    middle = round(sum(nearest) / len(nearest))
    steps = round(middle / ZONE_STEP_MS)
    zone = " That is what another time zone would make." if steps and _is_zone(least, most, steps) else ""
    ahead = "ahead of" if middle > 0 else "behind"
    return ClockComparison(
        f"Its clock is {duration(abs(middle))} {ahead} that of {other} ({bounds}, {shared}).{zone}", True
    )


def _is_zone(least: int | None, most: int | None, steps: int) -> bool:
    whole = steps * ZONE_STEP_MS
    return (least is None or least <= whole) and (most is None or most >= whole)


def describe_clock(clock: Mapping[str, Any]) -> str:
    """The correction of a file's times in words."""
    zone = f"read as local time of {clock['zone']}" if clock["zone"] else ""
    shift = f"moved by {shift_text(clock['shift_ms'])}" if clock["shift_ms"] else ""
    return f"Its times were {' and '.join(part for part in (zone, shift) if part)}."


def _distinct_rules(entries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for entry in entries:
        known = found.setdefault(entry["rule"]["id"], {**entry, "subjects": 0})
        known["subjects"] += 1
    return sorted(found.values(), key=lambda each: (symptom(each["symptom_class"]).order, each["rule"]["id"]))
