"""Prepares the findings and checks of a diagnosis for the case page."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from django.db.models import F

from diagnostics.diagnosis.problem_time import ProblemOnset, effect_before, problem_end, problem_onset
from diagnostics.symptoms import symptom
from diagnostics.wording.subject import subject_words
from workbench.analyses.measured import LinkedPiece, Measurements, ValueSource
from workbench.analyses.models import Analysis, Citation
from workbench.history.case_records import CaseRecords
from workbench.languages.sentences import say
from workbench.runbooks.filling import RunbookProgress, later_snapshots, runbook_progress
from workbench.uploads.models import UploadedFile

ORDERED = ("<", "<=", ">", ">=")
"""Operators for which a value has a distance from the bound."""

SHOWN_REMARKS = 3
"""Remarks shown under the claim of a finding; a single further one is shown, several are expanded. Our choice."""

SHOWN_EVIDENCE = 4
"""Citations shown under a finding; the others are expanded."""


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
        """The comparison to name beside the claim: what exceeds its bound rather than what stays below, which only
        rules something else out; of these one that makes the rule hold rather than one that only supports it, and a
        share or a multiple rather than a number of events.
        """
        of_claim = self.checks[: self.entry.get("deciding_checks", 0)]
        claiming, known = _with_a_distance(of_claim), _with_a_distance(self.checks)
        exceeding = _exceeding(claiming) or _exceeding(known)
        found = exceeding or claiming or known
        return min(found, key=lambda each: not each[0]["fact"].endswith("_ratio"), default=None)

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
    def ended(self) -> dt.datetime | None:
        """When it was over; None where it goes on or where the evidence does not show."""
        return problem_end(self.entry)

    @property
    def is_older(self) -> bool:
        """Whether its measure shows no time without it, so that it may have begun before the evidence does.

        Where no measure shows a beginning, nothing is said of it.
        """
        onset = problem_onset(self.entry)
        return onset is not None and onset.at_start

    @property
    def job_started(self) -> dt.datetime | None:
        """When the job was started, where its measure shows no time of the job without it."""
        onset = problem_onset(self.entry)
        return onset.job_started if onset else None

    @property
    def effect_before(self) -> tuple[Mapping[str, Any], ProblemOnset] | None:
        """The consequence that was seen before this finding was, with its onset."""
        return effect_before(self.entry, (each.entry for each in self.follows))

    @property
    def follows_by_rule(self) -> list[list[FindingShown]]:
        return by_rule(self.follows)

    @property
    def where(self) -> list[str]:
        """The subject of the finding, outermost part first."""
        return subject_words(self.entry["subject"])


def _exceeding(checks: Sequence[CheckShown]) -> list[CheckShown]:
    return [each for each in checks if each[0]["op"] in (">", ">=")]


def _with_a_distance(checks: Sequence[CheckShown]) -> list[CheckShown]:
    return [each for each in checks if each[0]["op"] in ORDERED and each[0]["bound"] not in (0, 1)]


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
    job_id   None for what is about all jobs, and where the job is not known
    options  advice, which is no consequence
    """

    name: str | None
    job_id: str | None
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
    """Rules that are not findings, one entry per rule.

    silent     those that do not hold
    covered    those that do not hold because a finding says more, with its position and title in `by`
    undecided  those that could not be judged
    """

    silent: list[dict[str, Any]]
    covered: list[dict[str, Any]]
    undecided: list[dict[str, Any]]


def jobs_shown(analysis: Analysis, records: CaseRecords) -> list[JobShown]:
    """The findings in the order of the document, each consequence below its cause."""
    document, ruleset = analysis.document, analysis.ruleset
    citations = _citations(analysis, records.files_by_id)
    later = [] if records.snapshots[-1].number <= analysis.snapshot else later_snapshots(analysis)
    progress = runbook_progress(analysis, later, records.steps)
    measurements = Measurements(analysis, chain.from_iterable(citations.values()))
    bundled = set(ruleset.bundled_rules.values_list("rule_id", flat=True)) if ruleset.of_bundle else set()
    shown = [
        FindingShown(
            position,
            entry,
            citations.get(position, []),
            progress.get(position),
            _checks_shown(measurements, entry),
            measurements.statement(entry),
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


def _citations(analysis: Analysis, files: Mapping[int, UploadedFile]) -> Mapping[int, list[Citation]]:
    """Position of a finding -> its citations with their files.

    files  id -> file of the case
    """
    cited: dict[int, list[Citation]] = defaultdict(list)
    stored = Citation.objects.filter(finding__analysis=analysis).annotate(place=F("finding__position"))
    for citation in stored.order_by("place", "position"):
        citation.file = files.get(citation.file_id) if citation.file_id else None
        cited[citation.place].append(citation)
    return new_lines_first(cited)


def new_lines_first(cited: Mapping[int, Sequence[Citation]]) -> dict[int, list[Citation]]:
    """The citations of each finding, those first that no finding before it shows at once: no line is read twice."""
    seen: set[tuple[Any, ...]] = set()
    ordered: dict[int, list[Citation]] = {}
    for position in sorted(cited):
        places = {id(each): (each.path, each.line, each.pointer, each.text) for each in cited[position]}
        ordered[position] = sorted(cited[position], key=lambda each: places[id(each)] in seen)
        seen |= {places[id(each)] for each in ordered[position][:SHOWN_EVIDENCE]}
    return ordered


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
        name = None if len(jobs) < 2 else names[job] if job else say("Not of one job alone")
        yield JobShown(name, job, roles["root_cause"], roles["contributing"], roles["consequence"], options)


ROLES = ("root_cause", "contributing", "consequence")


def causes_shown(document: Mapping[str, Any]) -> list[tuple[int, Mapping[str, Any]]]:
    """The independent causes with their indexes, when there are several."""
    places = document.get("causes") or ()
    return [(place, document["findings"][place]) for place in places] if len(places) > 1 else []


def checks_shown(document: Mapping[str, Any]) -> ChecksShown:
    """The rules that are not findings, each once; with its subject where another subject of it came out otherwise."""
    checks = document.get("checks") or {}
    findings, undecided = document.get("findings", ()), checks.get("undecided", ())
    silent = [each for each in checks.get("silent", ()) if each.get("covered_by") is None]
    covered = [each for each in checks.get("silent", ()) if each.get("covered_by") is not None]
    outcomes = Counter(
        chain.from_iterable({each["rule"]["id"] for each in some} for some in (findings, silent, covered, undecided))
    )
    mixed = {rule for rule, several in outcomes.items() if several > 1}
    jobs = {job["job_id"]: job["name"] or job["job_id"] for job in document.get("jobs", ())}
    return ChecksShown(
        _distinct_rules(silent, mixed, jobs),
        [{**each, "by": _by(findings, each["covered_by"])} for each in _distinct_rules(covered, mixed, jobs)],
        _distinct_rules(undecided, mixed, jobs),
    )


def _by(findings: Sequence[Mapping[str, Any]], position: int) -> dict[str, Any]:
    return {"position": position, "title": findings[position]["title"]}


def _distinct_rules(
    entries: Sequence[Mapping[str, Any]], mixed: Set[str], jobs: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Each rule once, with its number of subjects and the values of the one that comes nearest to the bounds.

    mixed  the rules that came out in several ways: the subject is named
    jobs   id -> name
    """
    of_rule: dict[str, list[Mapping[str, Any]]] = {}
    for entry in entries:
        of_rule.setdefault(entry["rule"]["id"], []).append(entry)
    nearest = [(min(several, key=_distance), len(several)) for several in of_rule.values()]
    found = [
        {**entry, "subjects": subjects, "where": _where(entry, jobs) if entry["rule"]["id"] in mixed else ""}
        for entry, subjects in nearest
    ]
    return sorted(found, key=lambda each: (symptom(each["symptom_class"]).order, each["rule"]["id"]))


def _where(entry: Mapping[str, Any], jobs: Mapping[str, str]) -> str:
    """The subject of an entry, with its job where there are several; empty for the whole case."""
    subject = entry.get("subject") or {}
    job = jobs.get(subject.get("job", "")) if len(jobs) > 1 else None
    return " · ".join(([job] if job else []) + subject_words(subject))


def _distance(entry: Mapping[str, Any]) -> float:
    """How far the values are from the bounds, as a share of these; infinite where none is a number."""
    gaps = [
        abs(check["value"] - check["bound"]) / max(abs(check["bound"]), 1e-9)
        for check in entry.get("checks", ())
        if check["op"] in ORDERED and isinstance(check["value"], (int, float))
    ]
    return max(gaps, default=math.inf)
