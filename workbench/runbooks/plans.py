"""The plan of each job: what the runbooks of its causes change, merged, with one restart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.calculators import CALCULATORS
from diagnostics.calculators.calculator import FORGETS
from diagnostics.diagnosis.problem_time import over_since
from diagnostics.language import joined_sentences, listed
from diagnostics.runbook import Proposal, merged_plan, useless_options
from diagnostics.runbook.copied_checkpoints import COMMENT
from diagnostics.symptoms import HEALTHY, NO_CAUSE
from diagnostics.wording.phrase import split_sentences
from workbench.analyses.after_restarts import comes_again
from workbench.analyses.finding_facts import facts_of
from workbench.analyses.models import Analysis
from workbench.languages.sentences import say
from workbench.runbooks.filling import CAUSES, RunbookProgress, StepShown, runbook_progress
from workbench.runbooks.models import StepState
from workbench.runbooks.what_if import calculated


@dataclass(frozen=True, slots=True)
class PlanShown:
    """The plan of one job.

    name           the job's name, None when there is only one
    plan           as of `diagnostics.runbook.merged_plan`
    sources        the runbooks from which something is in it, the root cause's first
    waits_because  why it waits for the next deployment, as of `waits_because`; empty where it does not
    price          what its restart loses for good, as of `restart_price`; empty where it loses nothing
    """

    name: str | None
    plan: dict[str, Any]
    sources: list[RunbookProgress]
    waits_because: str
    price: str

    @property
    def title(self) -> str:
        """The heading of the plan."""
        if self.waits_because:
            return say("At the next deployment of {job}", job=self.name) if self.name else say("At the next deployment")
        return say("One plan for {job}", job=self.name) if self.name else say("One plan")

    @property
    def shown(self) -> dict[str, Any]:
        """What a page shows of the plan: no restart while it waits."""
        return {**self.plan, "restart": None} if self.waits_because else self.plan

    @property
    def remark(self) -> str:
        """What is to be known first; empty while it waits, for then nothing has to be done before it."""
        return "" if self.waits_because else str(self.plan["remark"])

    @property
    def left_out(self) -> list[str]:
        """What does not help against the cause, a sentence for each change."""
        return [
            say(
                "{value} ({runbook}): no help against {cause}",
                value=each["value"],
                runbook=each["runbook"],
                cause=each["because"],
            )
            for each in self.plan["left_out"]
        ]


@dataclass(frozen=True, slots=True)
class SameRestart:
    """An earlier step whose commands restart the job in the same way.

    number, step  its number on the page, and its id
    text          the sentences before its commands that the earlier step lacks; may be empty
    """

    number: int
    step: str
    text: str


def waits_because(analysis: Analysis, job: str | None) -> str:
    """Why nothing of a job, or of the only one, has to be changed now: it is healthy, or shows nothing alarming beside
    a job with trouble, or its trouble is over.
    """
    if is_healthy_job(analysis, job):
        return say("The job is healthy: nothing of this is worth a restart of its own.")
    if is_quiet_beside(analysis.document, job):
        return say("Nothing alarming was found in this job: nothing of this is worth a restart of its own.")
    since = over_since(analysis.document, job)
    if since is None or comes_again(analysis, job):
        return ""
    return say(
        "The trouble has been over since {time} UTC: nothing of this is worth a restart now. Make it with the next "
        "deployment.",
        time=f"{since:%Y-%m-%d %H:%M:%S}",
    )


def due_because(analysis: Analysis, job: str | None, to_plan: str | None = None) -> str:
    """Why the changes of a job, whose trouble is over, do not wait for the next deployment; empty where they may.

    to_plan  what is to be planned, as of `change_to_plan`; without it the change that is shown with this
    """
    since = None if is_healthy_job(analysis, job) else over_since(analysis.document, job)
    again = comes_again(analysis, job) if since is not None else ""
    over = say("The trouble has been over since {time} UTC.", time=f"{since:%Y-%m-%d %H:%M:%S}") if since else ""
    planned = say("Plan this change for today.") if to_plan is None else to_plan
    return joined_sentences([each for each in (over, again, planned) if each]) if again else ""


def change_to_plan(own: RunbookProgress, others: Sequence[RunbookProgress]) -> str:
    """What the page of a runbook says is to be planned: its own change, else that of another runbook of the job by its
    name; empty where no change is left.
    """
    if _has_change(own):
        return say("Plan this change for today.")
    title = next((each.title for each in others if _has_change(each)), None)
    return say("Plan the change of “{runbook}” for today.", runbook=title) if title else ""


def _has_change(progress: RunbookProgress) -> bool:
    """Whether a step that is still to be done changes something."""
    return any(
        step.content["changes_something"] and not (step.is_settled or step.is_met or step.waits)
        for step in progress.steps
    )


def runbook_to_begin(layers: Sequence[RunbookProgress], *, is_over: bool) -> RunbookProgress | None:
    """The runbook to begin with in place of the root cause's: its trouble is over, and nothing is left to do in it."""
    if not is_over or any(each.is_open for each in layers[:1]):
        return None
    return next((each for each in layers[1:] if each.is_open), None)


def restart_price(analysis: Analysis, position: int, restart: Mapping[str, Any] | None) -> str:
    """What a restart loses for good, where the sources keep no position or a sink keeps records of its own; empty where
    it loses nothing, and where nobody knows.

    position  of the finding whose runbook comes first
    restart   of a plan
    """
    facts = facts_of(analysis, analysis.document["findings"][position])
    loses = facts("delivery_guarantee.source") == FORGETS or facts("job_code.unsaved_buffers") is not None
    if restart is None or not loses:
        return ""
    found = calculated(CALCULATORS["restart"], facts, {} if restart["repeats"] else {"since_ms": 0.0})
    return found.outcome.headline if found.is_decided else ""


def is_healthy_job(analysis: Analysis, job: str | None) -> bool:
    """Whether the verdict of a job, or without one of all jobs, is that it is healthy."""
    jobs = [each for each in analysis.document["jobs"] if job in (None, "", each["job_id"])]
    verdicts = [each["verdict"] for each in jobs] or [analysis.document["verdict"]]
    return all(each["symptom_class"] == HEALTHY for each in verdicts)


def is_quiet_beside(document: Mapping[str, Any], job: str | None) -> bool:
    """Whether a job has no alarming finding, while the verdict of another one names a cause."""
    jobs = document["jobs"]
    if not job or all(each["verdict"]["symptom_class"] in NO_CAUSE for each in jobs if each["job_id"] != job):
        return False
    own = [each for each in document["findings"] if each["subject"].get("job") in (None, job)]
    return all(each["severity"] == "info" for each in own)


def no_help_now(
    steps: Iterable[StepShown], runbook: str, layers: Sequence[RunbookProgress], *, is_over: bool = False
) -> dict[str, str]:
    """Step id -> why its change waits: options that do not help against a cause whose runbook comes before, or a
    restart that goes back less after its repair.

    runbook  the id of the steps' own
    layers   the runbooks of the job's causes, the root cause's first
    is_over  whether the trouble has ended: then a look after the repair would find what there is now
    """
    ids = [each.id for each in layers]
    before = layers[: ids.index(runbook)] if runbook in ids else ()
    reasons: dict[str, str] = {}
    for step in steps:
        for cause in before:
            options = useless_options(step.content["change"], cause.useless)
            if options and step.content["id"] not in reasons:
                known = {"options": listed(options), "cause": cause.title}
                reasons[step.content["id"]] = (
                    say("No help against “{cause}”: {options}. That is over: nothing has to be changed here.", **known)
                    if is_over
                    else say(
                        "No help against “{cause}”: {options}. Repair that first, and then look at this again.", **known
                    )
                )
        if step.waits and before and step.content["id"] not in reasons:
            reasons[step.content["id"]] = say(
                "Repair “{cause}” first: then the job can be stopped with a savepoint, and a restart costs less than "
                "one now.",
                cause=before[0].title,
            )
    return reasons


def same_restarts(steps: Iterable[StepShown]) -> dict[str, SameRestart]:
    """Step id -> the earlier step, of those to be done, that has the same commands to stop and start the job."""
    first: dict[tuple[str, ...], StepShown] = {}
    same: dict[str, SameRestart] = {}
    for step in steps:
        if not step.content["restart"] or step.is_met or step.is_settled:
            continue
        way = step.content["savepoint"]
        if not way["command"]:
            continue
        run = tuple(line for line in way["command"].splitlines() if not line.startswith(COMMENT))
        before = first.setdefault(run, step)
        if before is not step:
            said = [_bare(each) for each in split_sentences(before.content["savepoint"]["text"])]
            new = [each for each in split_sentences(way["text"]) if _bare(each) not in said]
            same[step.content["id"]] = SameRestart(before.number, before.content["id"], joined_sentences(new))
    return same


def _bare(sentence: str) -> str:
    """A sentence that may lead to commands by a colon, without its last sign."""
    return sentence.strip().rstrip(".:\u3002\uff1a")


def _cause_runbooks(progress: Iterable[RunbookProgress]) -> list[RunbookProgress]:
    """The runbooks of causes, each once, the root cause's first."""
    runbooks = {each.position: each for each in progress if each.role in CAUSES}
    return sorted(runbooks.values(), key=lambda each: (each.role != CAUSES[0], each.position))


def planned_options(analysis: Analysis, job: str | None) -> Mapping[str, str] | None:
    """Option -> value that the plan of a job, or of the only one, sets; also in steps that are done already. None where
    there is no plan, which is more than options: it may change code.
    """
    proposals = [
        Proposal(
            each.title,
            each.useless,
            [step.content for step in each.steps if not step.is_met and step.state != StepState.SKIPPED],
        )
        for each in _cause_runbooks(runbook_progress(analysis).values())
        if each.job in (job or "", "")
    ]
    plan = merged_plan(proposals, analysis.signals, job) if proposals else None
    options: Mapping[str, str] | None = plan["options"] if plan else None
    return options


def plans_shown(analysis: Analysis, progress: Iterable[RunbookProgress]) -> list[PlanShown]:
    """One plan for each job whose causes propose a change that is not done, skipped or met by the evidence."""
    ordered = _cause_runbooks(progress)
    names = {job["job_id"]: job["name"] or job["job_id"] for job in analysis.document["jobs"]}
    plans = []
    for job in dict.fromkeys(each.job for each in ordered):
        sources = [each for each in ordered if each.job == job]
        proposals = [
            Proposal(
                source.title,
                source.useless,
                [step.content for step in source.steps if not step.is_settled and not step.is_met],
            )
            for source in sources
        ]
        due = due_because(analysis, job)
        is_over = over_since(analysis.document, job) is not None
        plan = merged_plan(proposals, analysis.signals, job or None, is_due=bool(due), is_over=is_over)
        if plan and is_quiet_beside(analysis.document, job):  # no look is asked for at what shows no trouble
            plan.update(open=[], look_first=False)
        if plan and (plan["open"] or plan["changes"] or plan["at_once"]):
            name = names.get(job) if len(names) > 1 else None
            merged = [each for each in sources if each.title in plan["runbooks"]]
            if due:
                plan["remark"] = joined_sentences([due, plan["remark"]]) if plan["remark"] else due
            price = restart_price(analysis, sources[0].position, plan["restart"])
            plans.append(PlanShown(name, plan, merged, waits_because(analysis, job), price))
    return plans
