"""Fills runbooks with the values of a case, and determines the state of their steps."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from diagnostics.runbook import Exit, Runbook, changed_options, exits, fill
from workbench.analyses.models import Analysis
from workbench.languages.sentences import say, say_counted
from workbench.runbooks.models import HELD, StepRecord, StepState, latest_by_step
from workbench.runbooks.selectors import runbook_of, runbooks_named

CAUSES = ("root_cause", "contributing")
"""The roles of findings whose runbooks are shown together; a consequence belongs to its cause."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The result of a step's exit condition on one snapshot.

    snapshot  its number
    exit      the condition with its measured values
    """

    snapshot: int
    exit: Exit


@dataclass(frozen=True, slots=True)
class StepShown:
    """A step with its last record and its measurements.

    content   the filled step of `diagnostics.runbook.fill`
    record    the last record by a user, which takes precedence over measurements
    ticked    the evidence that shows it as done, without a record
    measured  its exit condition on each snapshot from the finding's on, newest last
    waits     whether nothing that it changes helps before a cause whose runbook comes before is repaired
    """

    number: int
    content: Mapping[str, Any]
    record: StepRecord | None
    ticked: Evidence | None = None
    measured: Sequence[Evidence] = field(default_factory=list)
    waits: bool = False

    @property
    def state(self) -> str:
        if self.record:
            return self.record.state
        return StepState.DONE if self.ticked else StepState.OPEN

    @property
    def is_left_out(self) -> bool:
        """A measured answer skips it, and no user recorded otherwise."""
        return bool(self.content["left_out"]) and self.record is None

    @property
    def excluded_answers(self) -> list[Mapping[str, Any]]:
        """The answers that a measurement, or another answer of a person, decides against."""
        return [each for each in self.content["answers"] if each["taken"] is False]

    @property
    def has_marked_answer(self) -> bool:
        """Whether a measurement, or a person, marks an answer as that of this case."""
        return any(each["taken"] for each in self.content["answers"])

    @property
    def is_settled(self) -> bool:
        return self.is_left_out or self.state in (StepState.DONE, StepState.SKIPPED)

    @property
    def is_met(self) -> bool:
        """The evidence of the incident itself answers or shows what the step is about, and nobody recorded anything."""
        return self.record is None and self.ticked is not None and self.ticked.snapshot == self.measured[0].snapshot

    @property
    def is_held(self) -> bool:
        """It waits for an approval, or was rejected."""
        return self.state in HELD

    @property
    def has_not_helped(self) -> bool:
        """Whether a person recorded so, or a later snapshot shows no effect of what was done."""
        return self.state == StepState.FAILED or self.contradicts is not None

    @property
    def newest(self) -> Evidence | None:
        """The newest snapshot that measures the exit condition."""
        return next((each for each in reversed(self.measured) if each.exit.holds is not None), None)

    @property
    def contradicts(self) -> Evidence | None:
        """A newer snapshot on which a step recorded as done does not hold. The record stays; the page mentions it."""
        if self.record is None or self.record.state != StepState.DONE or not self.content["changes_something"]:
            return None
        newest = self.newest
        later = newest is not None and newest.snapshot > (self.record.analysis.snapshot if self.record.analysis else 0)
        return newest if newest and later and newest.exit.holds is False else None


def next_step(steps: Sequence[StepShown]) -> StepShown | None:
    """The step to do next: the first open one that was not tried in vain."""
    return next((each for each in steps if not (each.is_settled or each.has_not_helped or each.waits)), None)


@dataclass(frozen=True, slots=True)
class RunbookProgress:
    """How many steps of a finding's runbook are settled, and the next one.

    total          steps that this case needs, without those that a measured answer skips and those that are met
    met            steps that the evidence of the incident itself answers or shows
    left_out       steps that a measured answer skips
    waiting        steps that wait for the repair of a cause before; not in `total`
    next_question  None when all are settled
    restarts       whether an open step restarts the job
    steps          its steps, filled
    useless        options that do not help against its cause
    """

    position: int
    id: str
    title: str
    role: str
    job: str
    settled: int
    total: int
    met: int
    left_out: int
    next_question: str | None
    restarts: bool
    steps: Sequence[StepShown] = ()
    useless: Sequence[str] = ()
    waiting: int = 0

    @property
    def is_useful(self) -> bool:
        """Whether it has something to do, or shows why a cause needs nothing."""
        return bool(self.total or self.waiting) or self.role in CAUSES

    @property
    def is_open(self) -> bool:
        """Whether a step of it is still to be done."""
        return self.settled < self.total

    @property
    def course(self) -> str:
        """How far it is, in words: every step of its page is counted once."""
        parts = [
            say_counted(
                "{settled} of {count} step done or skipped",
                "{settled} of {count} steps done or skipped",
                self.total,
                settled=self.settled,
            )
            if self.total
            else say("none of its steps has to be done")
        ]
        if self.met:
            parts.append(say("{count} already met by the evidence", count=self.met))
        if self.left_out:
            parts.append(say("{count} not this case's way", count=self.left_out))
        if self.waiting:
            parts.append(
                say_counted(
                    "{count} waits for the repair of the root cause",
                    "{count} wait for the repair of the root cause",
                    self.waiting,
                )
            )
        return say(", ").join(parts)


@dataclass(frozen=True, slots=True)
class Later:
    """A diagnosis of a later snapshot of the same case."""

    snapshot: int
    signals: Sequence[Mapping[str, Any]]


def later_snapshots(analysis: Analysis) -> list[Later]:
    """The newest diagnosis of each later snapshot, in their order."""
    done = analysis.case.analyses.done().filter(snapshot__gt=analysis.snapshot).only("case", "snapshot", "signals")
    newest: dict[int, Analysis] = {}
    for each in done:
        newest.setdefault(each.snapshot, each)
    return [Later(number, newest[number].signals) for number in sorted(newest)]


def runbook_progress(
    analysis: Analysis, later: Sequence[Later] | None = None, records: Iterable[StepRecord] | None = None
) -> dict[int, RunbookProgress]:
    """Finding's position -> progress, for every finding with a runbook.

    Findings of one job with the same runbook share it, with the first of them: causes precede contributing findings,
    and the steps are measured where the cause is.

    later    `later_snapshots`, when the caller has them already
    records  those of the case, oldest first, when the caller has them already
    """
    findings: list[Mapping[str, Any]] = analysis.document["findings"]
    leads = _leads(findings)
    if not leads:
        return {}
    later = later_snapshots(analysis) if later is None else later
    said = latest_by_step(analysis.case.steps.complete() if records is None else records)
    runbooks = runbooks_named(findings[position] for position in leads)
    progress: dict[int, RunbookProgress] = {}
    for position, lead in leads.items():
        if lead != position:
            if lead in progress:
                progress[position] = progress[lead]
            continue
        finding = findings[position]
        if finding["runbook"] not in runbooks:
            continue
        runbook, steps = _steps_shown(runbooks[finding["runbook"]], analysis, finding, later, said)
        progress[position] = _progress(position, finding, runbook, steps)
    return _waiting_for_causes(progress, findings)


def _progress(
    position: int, finding: Mapping[str, Any], runbook: Mapping[str, Any], steps: Sequence[StepShown]
) -> RunbookProgress:
    course = RunbookProgress(
        position=position,
        id=runbook["id"],
        title=runbook["title"],
        role=finding["role"],
        job=finding["subject"].get("job") or "",
        settled=0,
        total=0,
        met=sum(step.is_met and not step.is_left_out for step in steps),
        left_out=sum(step.is_left_out for step in steps),
        next_question=None,
        restarts=False,
        useless=runbook["useless"],
    )
    return _counted(course, steps)


def _counted(progress: RunbookProgress, steps: Sequence[StepShown]) -> RunbookProgress:
    """The progress with these steps, and how many of them are to be done."""
    needed = [step for step in steps if not (step.is_left_out or step.is_met or step.waits)]
    open_steps = [step for step in needed if not step.is_settled]
    return replace(
        progress,
        settled=len(needed) - len(open_steps),
        total=len(needed),
        next_question=step.content["question"] if (step := next_step(needed)) else None,
        restarts=any(step.content["restart"] for step in open_steps),
        steps=steps,
        waiting=sum(step.waits for step in steps),
    )


def _waiting_for_causes(
    progress: Mapping[int, RunbookProgress], findings: Sequence[Mapping[str, Any]]
) -> dict[int, RunbookProgress]:
    """The same, where steps wait for the repair of a cause before: those that change nothing but options which it makes
    useless, and those whose restart goes back less after it.
    """
    counted: dict[int, RunbookProgress] = {}
    for position, course in progress.items():
        if course.position != position:
            counted[position] = counted[course.position]
            continue
        ordered = layers(progress, findings[position])
        ids = [cause.id for cause in ordered]
        before = ordered[: ids.index(course.id)] if course.id in ids else ()
        useless = {option for cause in before if cause.is_open for option in cause.useless}
        is_better_later = any(cause.is_open for cause in before) and not any(map(_restarts_anyway, before))
        steps = [
            _waiting(step)
            if _changes_only(step, useless) or (is_better_later and _goes_back_less_later(step))
            else replace(step, waits=False)
            for step in course.steps
        ]
        counted[position] = _counted(course, steps)
    return counted


def _waiting(step: StepShown) -> StepShown:
    """The step after the repair: with the savepoint that can be taken only then."""
    way = step.content.get("savepoint")
    later = way["later"] if way else None
    return replace(step, waits=True, content={**step.content, "savepoint": later} if later else step.content)


def _changes_only(step: StepShown, useless: Collection[str]) -> bool:
    """Whether the step, which nobody has recorded and no evidence has settled, changes these options and no others."""
    changes = step.content["change"]
    if not changes or step.record or step.is_settled or any(each["kind"] != "config" for each in changes):
        return False
    return set(changed_options(changes)) <= set(useless)


def _restarts_anyway(cause: RunbookProgress) -> bool:
    """Whether a decided change of the cause restarts the job: what else changes is made in the same restart."""
    return any(
        step.content["restart"] and any(each["sure"] and each["only_if"] is None for each in step.content["change"])
        for step in cause.steps
        if not (step.is_settled or step.is_met)
    )


def _goes_back_less_later(step: StepShown) -> bool:
    """Whether the step, which nobody has recorded and no evidence has settled, restarts the job now further back than
    when its checkpoints complete again.
    """
    way = step.content["savepoint"]
    return bool(way and way["later"]) and not (step.record or step.is_settled)


def _leads(findings: Sequence[Mapping[str, Any]]) -> dict[int, int]:
    """Position of each finding with a runbook -> that of the first one with the same runbook for the same job.

    A finding without a job, such as one of event samples, belongs to any.
    """
    leads: dict[int, int] = {}
    for position, each in enumerate(findings):
        if each.get("runbook"):
            earlier = dict.fromkeys(leads.values())
            leads[position] = next((lead for lead in earlier if _share_runbook(findings[lead], each)), position)
    return leads


def _share_runbook(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    jobs = {finding["subject"].get("job") for finding in (one, other)} - {None}
    return one["runbook"] == other["runbook"] and len(jobs) < 2


def layers(progress: Mapping[int, RunbookProgress], finding: Mapping[str, Any]) -> list[RunbookProgress]:
    """The distinct runbooks of the causes of the finding's job, the root cause's first; empty when there is only
    one.
    """
    job = finding["subject"].get("job") or ""
    found: dict[str, RunbookProgress] = {}
    for each in sorted(progress.values(), key=lambda each: each.role != CAUSES[0]):
        if each.job in (job, "") and each.role in CAUSES:
            found.setdefault(each.id, each)
    return list(found.values()) if len(found) > 1 else []


def steps_shown(analysis: Analysis, finding: Mapping[str, Any]) -> tuple[dict[str, Any], list[StepShown]] | None:
    """The filled runbook of a finding with the state of its steps; None when it has none."""
    runbook = runbook_of(finding.get("runbook"))
    if runbook is None:
        return None
    said = latest_by_step(analysis.case.steps.complete())
    return _steps_shown(runbook, analysis, finding, later_snapshots(analysis), said)


def _steps_shown(
    runbook: Runbook,
    analysis: Analysis,
    finding: Mapping[str, Any],
    later: Sequence[Later],
    said: Mapping[tuple[str, str, str], StepRecord],
) -> tuple[dict[str, Any], list[StepShown]]:
    job = finding["subject"].get("job") or ""
    records = {each.step: each for (of_job, of, _), each in said.items() if (of_job, of) == (job, runbook.id)}
    answers = {step: record.answer for step, record in records.items() if record.answer}
    filled = fill(runbook, finding, analysis.signals, answers)
    measured = _measured(runbook, analysis, finding, later)
    steps = []
    for number, content in enumerate(filled["steps"], 1):
        evidence = measured.get(content["id"], [])
        record = records.get(content["id"])
        steps.append(StepShown(number, content, record, _ticked(content, evidence), evidence))
    return filled, steps


def _measured(
    runbook: Runbook, analysis: Analysis, finding: Mapping[str, Any], later: Sequence[Later]
) -> dict[str, list[Evidence]]:
    by_step: dict[str, list[Evidence]] = {}
    for step, result in exits(runbook, finding, analysis.signals).items():
        by_step.setdefault(step, []).append(Evidence(analysis.snapshot, result))
    for each in later:
        for step, result in exits(runbook, finding, each.signals, analysis.signals).items():
            by_step.setdefault(step, []).append(Evidence(each.snapshot, result))
    return by_step


def _ticked(content: Mapping[str, Any], measured: Sequence[Evidence]) -> Evidence | None:
    """The evidence that settles a step: a question once answered stays so; a change only while the newest snapshot
    shows its effect.
    """
    known = [each for each in measured if each.exit.holds is not None]
    if content["changes_something"]:
        known = known[-1:]
    return next((each for each in known if each.exit.holds), None)
