"""Collects the content that all forms of a report share."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.diagnosis.first_step import first_step_of
from diagnostics.diagnosis.job_names import job_line, job_named, lead_name, names_of_several, with_job_name
from diagnostics.diagnosis.job_parts import EvidenceToAdd, JobPart, evidence_to_add, parts_of_jobs
from diagnostics.diagnosis.problem_time import over_since
from diagnostics.language import joined_sentences
from diagnostics.symptoms import HEALTHY, NO_CAUSE, symptom
from diagnostics.wording import phrase
from diagnostics.wording.subject import subject_words
from workbench.analyses.guarantee import guarantee_of
from workbench.analyses.measured_impact import evidence_span, measured_impact
from workbench.analyses.models import Analysis
from workbench.analyses.reading import document_read
from workbench.analyses.snapshots import newest_diagnoses
from workbench.cases.impact import impact_words
from workbench.cases.models import Case, FollowUp
from workbench.charts.selectors import charts_shown
from workbench.history.case_records import case_records
from workbench.history.timeline import Entry, timeline
from workbench.languages.sentences import say, to_say
from workbench.reports.events import Event, events_of
from workbench.runbooks.filling import CAUSES, RunbookProgress, StepShown, runbook_progress
from workbench.runbooks.plans import PlanShown, is_healthy_job, plans_shown, waits_because
from workbench.uploads.listing import format_title

EVIDENCE_SHOWN = 6
"""Citations of a finding in a report, which states their number. Our choice."""

COMMAND = "command"
"""Kind of a change that is a command to run: it replaces no text of a file."""
ROOT = to_say("Root cause")
ROLES = {"root_cause": ROOT, "contributing": to_say("Contributing"), "consequence": to_say("Consequence")}
REACHED = {
    True: to_say("{guarantee}: reached, {because}"),
    False: to_say("{guarantee}: not reached, {because}"),
    None: to_say("{guarantee}: not known whether it is reached, {because}"),
}
OPTION = to_say("Option")
"""Role of a finding that is advice."""


@dataclass(frozen=True, slots=True)
class ReportedFinding:
    """A finding in the form of a report.

    job    its name in a case of several jobs, "" otherwise
    where  its job, in a case of several, and what of it
    """

    title: str
    role: str
    severity: str
    job: str
    where: str
    statement: str
    sure: str
    rule: str
    evidence: Sequence[tuple[str, str]]
    cited: int


@dataclass(frozen=True, slots=True)
class ReportedJob:
    """A job beside the one of the verdict: its verdict in one line, its sentences, and what to do first about it."""

    verdict: str
    summary: str
    first_step: str


@dataclass(frozen=True, slots=True)
class ReportedCauses:
    """The possible causes of a job whose cause could not be judged.

    title   what they are called, with the job in a case of several
    note    what they are worth, and the one file to add
    causes  (cause, its probability, what speaks for and against it)
    """

    title: str
    note: Sequence[str]
    causes: Sequence[tuple[str, str, Sequence[str]]]


@dataclass(frozen=True, slots=True)
class ReportedRunbook:
    """A runbook of a cause.

    title   with its job, in a case of several
    course  how far it is, in words, and what comes next or why nothing of it is due
    steps   those that have to be done; none where the job is healthy
    """

    title: str
    course: str
    steps: Sequence[StepShown]


@dataclass(frozen=True, slots=True)
class Report:
    """A case with the diagnosis of its incident.

    facts      (name, value) about the case
    others     the other jobs of a case with several
    first_step what to do first while the case is open, or to prevent it next time where it is over; empty without one
    runbooks   those of the causes and of what nothing explains, while the case is open
    plans      what the runbooks change, merged, for each job
    actions    (what, who and by when in words, whether it is done)
    later      (snapshot in words, its verdict in words), what was seen after each change
    charts     (title, what it shows)
    impact     what the evidence shows of the impact, each as a phrase
    missing    the evidence to add
    undecided  the possible causes of each job for which no cause could be judged
    looked_at  (where trouble shows, whether that was read) of each job in which no cause leads
    events     the onsets and ends in the evidence, in the order of time
    inputs     (file, title of its format, empty for none)
    incident   the diagnosis that is reported
    """

    case: Case
    facts: Sequence[tuple[str, str]]
    verdict: str
    summary: str
    findings: Sequence[ReportedFinding]
    missing: Sequence[EvidenceToAdd]
    undecided: Sequence[ReportedCauses]
    looked_at: Sequence[tuple[str, str]]
    charts: Sequence[tuple[str, str]]
    later: Sequence[tuple[str, str]]
    impact: Sequence[str]
    first_step: str
    others: Sequence[ReportedJob]
    runbooks: Sequence[ReportedRunbook]
    plans: Sequence[PlanShown]
    actions: Sequence[tuple[str, str, bool]]
    events: Sequence[Event]
    timeline: Sequence[Entry]
    inputs: Sequence[tuple[str, str]]
    document: Mapping[str, Any] | None
    incident: Analysis | None

    @property
    def is_healthy(self) -> bool:
        """Whether nothing happened that a post-mortem could describe."""
        return self.document is not None and self.document["verdict"]["symptom_class"] == HEALTHY


def report_of(case: Case) -> Report:
    """The report; without a diagnosis it has no verdict and no findings, and states that."""
    diagnoses, records = newest_diagnoses(case), case_records(case)
    incident = diagnoses.get(1) or next(iter(diagnoses.values()), None)
    document = document_read(incident) if incident else None
    entries = [entry for entry in timeline(records) if not entry.is_minor]
    progress = _runbooks(incident) if incident and not case.is_closed else []
    names = names_of_several(document) if document else {}
    parts = parts_of_jobs(document) if document else []
    return Report(
        case=case,
        facts=list(_facts(case, document, names)),
        verdict=verdict_line(document) if document else say("Not diagnosed yet"),
        summary=document["verdict"]["summary"] if document else "",
        findings=[reported_finding(finding, names) for finding in document["findings"]] if document else [],
        missing=evidence_to_add(parts),
        undecided=[_possible_causes(each) for each in parts if each.hypotheses],
        looked_at=list(_looked_at(parts)),
        charts=_charts(incident) if incident else [],
        impact=measured_impact(incident) if incident else [],
        first_step=_first_step(document) if document and not case.is_closed else "",
        others=[_other_job(each, document, case) for each in document["jobs"][1:]] if document else [],
        later=list(_later(case, diagnoses)),
        runbooks=[_runbook(incident, each, names) for each in progress] if incident else [],
        plans=plans_shown(incident, progress) if incident else [],
        actions=[_action(each) for each in records.follow_ups],
        events=events_of(document) if document else [],
        timeline=entries,
        inputs=[(each["file"], format_title(each.get("format"))) for each in document["inputs"]] if document else [],
        document=document,
        incident=incident,
    )


def verdict_line(document: Mapping[str, Any]) -> str:
    """The verdict with confidence and health in one line, of several jobs with the name of the job that it is about."""
    return with_job_name(lead_name(document), _line_of(document["verdict"], document["health"]["score"]))


def _line_of(verdict: Mapping[str, Any], score: int) -> str:
    return say(
        "{title}, {sure} sure, health {score} of 100",
        title=symptom(verdict["symptom_class"]).read_title,
        sure=phrase.percent(verdict["confidence"]),
        score=score,
    )


def _other_job(job: Mapping[str, Any], document: Mapping[str, Any], case: Case) -> ReportedJob:
    line = with_job_name(job["name"] or job["job_id"], _line_of(job["verdict"], job["health"]))
    is_healthy = job["verdict"]["symptom_class"] == HEALTHY
    return ReportedJob(line, job["summary"], "" if is_healthy or case.is_closed else _first_step(document, job))


def minute_utc(moment: dt.datetime) -> str:
    """UTC to the minute, for a timeline."""
    return f"{moment.astimezone(dt.UTC):%Y-%m-%d %H:%M}"


def _facts(
    case: Case, document: Mapping[str, Any] | None, names: Mapping[str | None, str]
) -> Iterator[tuple[str, str]]:
    yield say("Case"), f"{case.pk}{say(', ')}{str(case.get_status_display()).lower()}"
    yield say("Team and owner"), f"{case.team.name}{say(', ')}{case.owner}"
    yield say("Opened"), say("{time} UTC by {person}", time=minute_utc(case.created_at), person=case.created_by)
    if case.closed_at:
        yield say("Closed"), say("{time} UTC by {person}", time=minute_utc(case.closed_at), person=case.closed_by)
    if document and names:
        yield say("Jobs"), say(", ").join(map(job_line, document["jobs"]))
    elif case.job_names:
        yield say("Jobs"), say(", ").join(case.job_names.splitlines())
    if case.flink_version:
        yield "Flink", case.flink_version
    if document and (span := evidence_span(document)):
        first, last = (stamp[:19].replace("T", " ") for stamp in span)
        yield say("Evidence from"), say("{first} to {last} UTC", first=first, last=last)
    if impact := impact_words(case):
        yield say("Impact"), say(", ").join(impact)
    if guarantee := guarantee_of(case):
        reached = REACHED[guarantee.is_reached]
        yield (
            say("Required guarantee"),
            say(reached, guarantee=guarantee.required, because=guarantee.because),
        )
    if case.confirmed_class:
        yield say("Confirmed cause"), symptom(case.confirmed_class).read_title
    if case.what_fixed_it:
        yield say("What fixed it"), case.what_fixed_it


def reported_finding(entry: Mapping[str, Any], names: Mapping[str | None, str] | None = None) -> ReportedFinding:
    """A finding of the document in the form of a report. `names` are of its jobs where it has to name its own."""
    job = job_named(names or {}, entry)
    evidence = [(_place(each), each.get("text") or each.get("name") or "") for each in entry["evidence"]]
    return ReportedFinding(
        title=entry["title"],
        role=say(OPTION if entry.get("advice") else ROLES[entry["role"]]),
        severity=entry["severity"],
        job=job,
        where=" · ".join([*([job] if job else []), *subject_words(entry["subject"])]),
        statement=entry["statement"],
        sure=phrase.percent(entry["confidence"]),
        rule=say("{rule} version {version}", rule=entry["rule"]["id"], version=entry["rule"]["version"]),
        evidence=evidence[:EVIDENCE_SHOWN],
        cited=len(evidence),
    )


def _possible_causes(part: JobPart) -> ReportedCauses:
    title = f"{part.heading} · {part.name}" if part.name else part.heading
    return ReportedCauses(title, list(_about_causes(part)), list(_hypotheses(part)))


def _hypotheses(part: JobPart) -> Iterator[tuple[str, str, Sequence[str]]]:
    for each in part.hypotheses:
        arguments = [say("For: {line}", line=line) for line in each["for"]]
        arguments += [say("Against: {line}", line=line) for line in each["against"]]
        yield each["title"], phrase.percent(each["probability"]), arguments


def _about_causes(part: JobPart) -> Iterator[str]:
    yield part.note
    if part.split:
        yield joined_sentences((say("{what}.", what=part.split_heading), part.split["why"]))


def _looked_at(parts: Sequence[JobPart]) -> Iterator[tuple[str, str]]:
    """The places that were examined of the jobs without a leading cause; a place with its jobs, unless it is so for all
    jobs of the case.
    """
    jobs: dict[tuple[str, str], list[str]] = {}
    for part in parts:
        if part.document["verdict"]["symptom_class"] in NO_CAUSE:
            for each in part.looked_at:
                unread = say("not read; shown by: {evidence}", evidence=each["evidence"])
                answer = say("read") if each["read"] else unread
                jobs.setdefault((each["what"], answer), []).append(part.name)
    for (what, answer), names in jobs.items():
        yield with_job_name("" if len(names) == len(parts) else say(", ").join(names), what), answer


def _place(evidence: Mapping[str, Any]) -> str:
    return f"{evidence['file']}:{evidence['line']}" if evidence.get("line") else str(evidence["file"])


def _charts(analysis: Analysis) -> list[tuple[str, str]]:
    drawn, _, _ = charts_shown(analysis)
    return [(shown.chart.read_title, shown.summary) for shown in drawn]


def _runbooks(analysis: Analysis) -> list[RunbookProgress]:
    """The runbooks of the causes, and of what nothing explains if they have something to do; each once for a job."""
    findings = analysis.document["findings"]
    shown = (
        each
        for each in runbook_progress(analysis).values()
        if each.role in CAUSES or (each.is_useful and findings[each.position]["caused_by"] is None)
    )
    return list({(each.job, each.id): each for each in shown}.values())


def _runbook(incident: Analysis, progress: RunbookProgress, names: Mapping[str | None, str]) -> ReportedRunbook:
    """The runbook of one job. Of a healthy one beside another with trouble nothing is next, and no step is listed."""
    course, job = progress.course, names.get(progress.job or None)
    title = f"{progress.title} · {job}" if job else progress.title
    if job and (because := waits_because(incident, progress.job)):
        course = say("{course}; {because}", course=course, because=phrase.within_sentence(because))
    elif progress.next_question:
        course = say("{course}; next: {question}", course=course, question=progress.next_question)
    is_listed = not job or not is_healthy_job(incident, progress.job)
    return ReportedRunbook(title, course, [step for step in progress.steps if is_listed and not step.is_settled])


def _first_step(document: Mapping[str, Any], job: Mapping[str, Any] | None = None) -> str:
    """What to do first about a job, or that of the verdict; of trouble that is over, how to prevent it next time."""
    step, about = first_step_of(document, job), job or next(iter(document["jobs"]), None)
    if not step:
        return ""
    is_over = over_since(document, about["job_id"] if about else None)
    form = to_say("To prevent it next time: {step}") if is_over else to_say("Do first: {step}")
    return say(form, step=step)


def _action(follow_up: FollowUp) -> tuple[str, str, bool]:
    when = say(", due {date}", date=f"{follow_up.due:%Y-%m-%d}") if follow_up.due else ""
    done = say(", done {date}", date=f"{follow_up.done_at:%Y-%m-%d}") if follow_up.done_at else ""
    return follow_up.text, f"{follow_up.owner}{when}{done}", follow_up.done_at is not None


def _later(case: Case, diagnoses: Mapping[int, Analysis]) -> Iterator[tuple[str, str]]:
    for snapshot in case.snapshots.exclude(number=1):
        found = diagnoses.get(snapshot.number)
        verdict = verdict_line(document_read(found)) if found else say("not diagnosed")
        yield say("Snapshot {snapshot}: {change}", snapshot=snapshot.number, change=snapshot.read_change), verdict
