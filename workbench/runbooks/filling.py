"""Runbooks filled with the values of one case, and how far people are with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from diagnostics import phrase
from diagnostics.runbook import fill, runbooks
from workbench.analyses.models import Analysis
from workbench.runbooks.models import StepRecord, StepState


@dataclass(frozen=True, slots=True)
class RunbookProgress:
    """How many steps of a finding's runbook are settled, and which is next.

    next_question  None when all are settled
    """

    id: str
    title: str
    settled: int
    total: int
    next_question: str | None


@dataclass(frozen=True, slots=True)
class StepShown:
    """A step with what was last said about it.

    content  the filled step of `diagnostics.runbook.fill`
    """

    number: int
    content: Mapping[str, Any]
    record: StepRecord | None

    @property
    def state(self) -> str:
        return self.record.state if self.record else StepState.OPEN

    @property
    def is_settled(self) -> bool:
        return self.state in (StepState.DONE, StepState.SKIPPED)


def runbook_progress(analysis: Analysis) -> dict[int, RunbookProgress]:
    """Finding's position -> progress, for every finding that has a runbook."""
    records = analysis.case.steps.latest_by_step()
    names = {job["job_id"]: job["name"] for job in analysis.document["jobs"]}
    found = {}
    for position, finding in enumerate(analysis.document["findings"]):
        runbook = runbooks().get(finding.get("runbook") or "")
        if runbook is None:
            continue
        job = finding["subject"].get("job") or ""
        last = {step.id: records.get((job, runbook.id, step.id)) for step in runbook.steps}
        settled = [
            step
            for step in runbook.steps
            if (record := last[step.id]) and record.state in (StepState.DONE, StepState.SKIPPED)
        ]
        open_steps = [step for step in runbook.steps if step not in settled]
        found[position] = RunbookProgress(
            id=runbook.id,
            title=runbook.title,
            settled=len(settled),
            total=len(runbook.steps),
            next_question=_with_subject(open_steps[0].texts["question"], finding, names) if open_steps else None,
        )
    return found


def _with_subject(text: str, finding: Mapping[str, Any], job_names: Mapping[str, str | None]) -> str:
    """A runbook's question with what the finding itself tells; the signals stay in the database."""
    known = {f"subject.{part}": value for part, value in finding["subject"].items()}
    known["job.name"] = job_names.get(finding["subject"].get("job"))
    return phrase.fill_or_name(text, known.get)


def steps_shown(analysis: Analysis, finding: Mapping[str, Any]) -> tuple[dict[str, Any], list[StepShown]] | None:
    """The filled runbook of a finding with the state of its steps; None when it has none."""
    runbook = runbooks().get(finding.get("runbook") or "")
    if runbook is None:
        return None
    filled = fill(runbook, finding, analysis.signals)
    records = analysis.case.steps.latest_by_step()
    job = finding["subject"].get("job") or ""
    steps = [
        StepShown(number, content, records.get((job, runbook.id, content["id"])))
        for number, content in enumerate(filled["steps"], 1)
    ]
    return filled, steps
