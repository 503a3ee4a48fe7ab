"""Compares two snapshots of the same job under comparable load: the outcome of each problem and quantity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.diagnosis.counterpart import SameJob, counterpart, level_of, same_job
from diagnostics.diagnosis.fact_view import FactView, SignalIndex
from diagnostics.diagnosis.job_names import job_line, names_of_several, with_job_name
from diagnostics.evidence.subject import Subject
from diagnostics.language import joined_sentences, say, say_counted
from diagnostics.proof.problems import CAUSES, Problem, RunbookOf, problems
from diagnostics.proof.quantities import GROUPS
from diagnostics.proof.quantity import Effect, Judgement, Observed, effect_of
from diagnostics.proof.reading import Reading
from diagnostics.proof.words import value_in_words
from diagnostics.runbook import Runbook, runbooks
from diagnostics.symptoms import NO_CAUSE
from diagnostics.wording import phrase
from diagnostics.wording.phrase import within_sentence

LESS_LOAD = 0.5
"""Below this share of the load before, a problem's disappearance proves nothing. Our choice."""

FEW_CHECKPOINTS = 3
"""Minimum number of checkpoints that ended after the change. Our choice: a single one may be luck."""

MOST_NAMED = 3
"""How many worsened measures the headline names; all are in the table. Our choice."""


@dataclass(frozen=True, slots=True)
class SnapshotData:
    """The stored data of one snapshot: its document, signals and chart points."""

    document: Mapping[str, Any]
    signals: Sequence[Mapping[str, Any]]
    charts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Proof:
    """The comparison.

    same       the job in both snapshots, None when there is no common one
    doubts     limits of the comparison, as sentences
    problems   each diagnosed problem
    effects    group -> its quantities, without those that neither snapshot measures
    """

    judgement: Judgement
    headline: str
    same: SameJob | None
    doubts: Sequence[str]
    problems: Sequence[Problem]
    effects: Mapping[str, Sequence[Effect]]


def job_readings(data: SnapshotData, name: str) -> dict[str, Reading]:
    """Id of each quantity -> what one snapshot measures of the job of that name; of two such jobs the less healthy."""
    named = [job for job in data.document["jobs"] if job["name"] == name]
    if not named:
        return {}
    job = min(named, key=lambda each: (each["health"] is None, each["health"], each["job_id"]))["job_id"]
    seen = _observed(data, SignalIndex.from_stored(data.signals, cited=False), Subject(job=job), job)
    read = {quantity.id: quantity.read(seen) for quantities in GROUPS.values() for quantity in quantities}
    return {quantity_id: reading for quantity_id, reading in read.items() if reading is not None}


def shipped_runbook(runbook_id: str | None) -> Runbook | None:
    """The shipped runbook of an id."""
    return runbooks().get(runbook_id or "")


def prove(before: SnapshotData, after: SnapshotData, runbook_of: RunbookOf = shipped_runbook) -> Proof:
    """The effect of the change between the two. `runbook_of` gives the effective runbook."""
    first, second = SignalIndex.from_stored(before.signals), SignalIndex.from_stored(after.signals)
    root = next((each for each in before.document["findings"] if each["role"] in CAUSES), None)
    subject = Subject(**root["subject"]) if root else Subject()
    same = same_job(subject.job or _worst_job(before.document), first, second)
    there = counterpart(subject, first, second) or Subject(job=same.after if same else _worst_job(after.document))
    seen = _observed(before, first, subject, subject.job or _worst_job(before.document))
    later = _observed(after, second, there, there.job or _worst_job(after.document))
    all_problems = (
        problems(
            _findings_of_job(before.document, same.before),
            _findings_of_job(after.document, same.after),
            _verdict_of(after.document, same.after),
            before.signals,
            after.signals,
            runbook_of,
        )
        if same
        else []
    )
    doubts = list(_doubts(same, first, second, seen, later))
    effects = {
        group: told
        for group, quantities in GROUPS.items()
        if same and (told := [each for quantity in quantities if (each := effect_of(quantity, seen, later))])
    }
    judgement, headline = _conclusion(same, all_problems, doubts, [each for told in effects.values() for each in told])
    if same:
        judgement, headline = _beside_others(judgement, headline, same, before.document, after.document)
    return Proof(judgement, headline, same, doubts, all_problems, effects)


def _beside_others(
    judgement: Judgement, headline: str, same: SameJob, before: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[Judgement, str]:
    """The conclusion about one job of several, with its name: a fix of it is none of the others that had a cause."""
    name = names_of_several(before).get(same.before) or names_of_several(after).get(same.after) or ""
    listed = {each["name"] or each["job_id"] for each in after["jobs"]}
    ill = [job_line(each) for each in after["jobs"] if each["job_id"] != same.after and _has_cause(each)]
    others = [each for each in before["jobs"] if each["job_id"] != same.before and _has_cause(each)]
    unseen = [job_line(each) for each in others if (each["name"] or each["job_id"]) not in listed]
    remarks = []
    if ill:
        jobs = phrase.FORMATS["list"](ill)
        remarks.append(say("After the change another job has trouble: {jobs}.", jobs=jobs))
    if unseen:
        jobs = phrase.FORMATS["list"](unseen)
        remarks.append(say("The evidence after the change does not hold another one: {jobs}.", jobs=jobs))
    whole: Judgement = "better" if judgement == "fixed" and remarks else judgement
    return whole, joined_sentences([with_job_name(name, headline), *remarks])


def _has_cause(job: Mapping[str, Any]) -> bool:
    return job["verdict"]["symptom_class"] not in NO_CAUSE


def _conclusion(
    same: SameJob | None, all_problems: Sequence[Problem], doubts: Sequence[str], effects: Sequence[Effect]
) -> tuple[Judgement, str]:
    """Fixed only when nothing else worsened beyond the noise; otherwise the headline names that as the price."""
    if same is None:
        return "cannot tell", say("These snapshots do not hold the same job, so nothing is proved by comparing them.")
    known = [each for each in all_problems if each.before]
    if not known:
        return "cannot tell", say("Nothing was found before the change that it could have fixed.")
    main = known[0]
    gone = [each for each in known if each.judgement == "fixed"]
    problems_worse = list(_worse_problems(all_problems, main))
    price = [*problems_worse, *_worse_measures(effects)]
    if main.judgement == "fixed" and doubts:
        unproved = say("“{title}” is not found any more, but this is no proof yet.", title=main.title)
        return "cannot tell", joined_sentences([unproved, doubts[0]])
    sentence = say("“{title}”: {because}", title=main.title, because=within_sentence(main.because))
    if main.judgement in ("worse", "cannot tell"):
        return main.judgement, joined_sentences([sentence, _also_worse(price)])
    if gone and main.judgement != "fixed":
        sentence = say(
            "Fixed: {fixed}. The cause remains: {cause}.",
            fixed=phrase.FORMATS["list"]([within_sentence(each.title) for each in gone]),
            cause=within_sentence(main.title),
        )
    if not price:
        return ("better" if gone and main.judgement == "unchanged" else main.judgement), sentence
    if main.judgement == "fixed" or ((gone or main.judgement == "better") and not problems_worse):
        return "traded", joined_sentences([sentence, say("Traded for: {price}.", price=_list(price))])
    return "worse", joined_sentences([sentence, _also_worse(price)])


def _worse_problems(found: Sequence[Problem], main: Problem) -> Iterator[str]:
    """Other problems that are new or more severe; remarks of severity info are none."""
    for problem in found:
        if problem is main or problem.judgement != "worse" or not problem.after or problem.after["severity"] == "info":
            continue
        if problem.role == "new":
            yield say("a new problem, “{title}”", title=problem.after["title"])
        else:
            yield say("a more severe problem, “{title}”", title=problem.after["title"])


def _worse_measures(effects: Sequence[Effect]) -> Iterator[str]:
    for effect in effects:
        if effect.judgement == "worse" and effect.before and effect.after:
            before, after = (value_in_words(each.value, effect.quantity.unit) for each in (effect.before, effect.after))
            title = within_sentence(effect.quantity.read_title)
            yield say("{title} from {before} to {after}", title=title, before=before, after=after)


def _also_worse(price: Sequence[str]) -> str:
    return say("Worse as well: {price}.", price=_list(price)) if price else ""


def _list(price: Sequence[str]) -> str:
    told = list(price[:MOST_NAMED])
    if len(price) > MOST_NAMED:
        told.append(say("{count} more below", count=len(price) - MOST_NAMED))
    return str(phrase.FORMATS["list"](told))


def _doubts(
    same: SameJob | None, first: SignalIndex, second: SignalIndex, before: Observed, after: Observed
) -> Iterator[str]:
    if same is None:
        yield say("The job was {before} before and is {after} after.", before=_named(first), after=_named(second))
        return
    if same.before is not None and not second.jobs:
        yield say("The evidence after the change names no job, so nothing shows that the job runs.")
    load = _rate(first, same.before), _rate(second, same.after)
    if load[0] and load[1] is not None and load[1] < LESS_LOAD * load[0]:
        before_rate, after_rate = (phrase.FORMATS["rate"](each) for each in (load[0], load[1]))
        yield say(
            "The load fell from {before} to {after} records: less load hides a problem as well as a repair does.",
            before=before_rate,
            after=after_rate,
        )
    ended = [after.number(f"checkpoint_progress.{name}") for name in ("completed", "failed")]
    if before.number("checkpoint_progress.completed") is not None and all(each is not None for each in ended):
        count = round(sum(each for each in ended if each is not None))
        if count < FEW_CHECKPOINTS:
            yield say_counted(
                "Only {count} checkpoint ended after the change; wait for {fewest}.",
                "Only {count} checkpoints ended after the change; wait for {fewest}.",
                count,
                fewest=FEW_CHECKPOINTS,
            )


def _rate(index: SignalIndex, job: str | None) -> float | None:
    """Records per second at the job's busiest exchange: the highest usual rate of a task."""
    rates = []
    for subject in set(index.all_subjects()):
        if subject.vertex and subject.subtask is None and subject.job in (job, None):
            value = index.view(subject, "vertex")("record_rate.records_per_s")
            if isinstance(value, (int, float)):
                rates.append(float(value))
    return max(rates) if rates else None


def _named(index: SignalIndex) -> str:
    if not index.jobs:
        return say("unknown")
    return phrase.FORMATS["list"](sorted(name or job for job, name in index.jobs.items()))


def _observed(data: SnapshotData, index: SignalIndex, subject: Subject, job: str | None) -> Observed:
    placed = Subject(**{**subject.as_json(), "job": job}) if job else subject
    view: FactView = index.view(placed, level_of(placed), reach_down=True)
    return Observed(view, job, subject.vertex, data.document, data.charts)


def _worst_job(document: Mapping[str, Any]) -> str | None:
    jobs = [each for each in document["jobs"] if each["job_id"]]
    return min(jobs, key=lambda each: (each["health"], each["job_id"]))["job_id"] if jobs else None


def _findings_of_job(document: Mapping[str, Any], job: str | None) -> list[Mapping[str, Any]]:
    return [each for each in document["findings"] if each["subject"].get("job") in (job, None)]


def _verdict_of(document: Mapping[str, Any], job: str | None) -> str:
    own = next((each for each in document["jobs"] if each["job_id"] == job), None)
    return str((own or document)["verdict"]["symptom_class"])
