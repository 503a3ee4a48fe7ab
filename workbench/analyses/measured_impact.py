"""What the evidence shows of an incident's impact beside what people state: length, restarts, how far back."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from diagnostics.calculators import CALCULATORS
from diagnostics.calculators.calculator import FORGETS, calculate, input_values
from diagnostics.diagnosis.job_names import with_job_name
from diagnostics.diagnosis.problem_time import over_since, problem_onset
from diagnostics.language import listed
from diagnostics.symptoms import NO_CAUSE
from diagnostics.wording.lost_records import at_least_and_most, rounded
from diagnostics.wording.phrase import clock_times, duration, number
from workbench.analyses.after_restarts import lost_by_restarts
from workbench.analyses.finding_facts import facts_of
from workbench.analyses.models import Analysis
from workbench.languages.sentences import say, say_counted, to_say

RUNNING = "RUNNING"
"""The state of Flink in which a job reads records and has a watermark."""
LEAST_LAG_MS = 60_000
"""A watermark that lags less is not late in minutes. Our choice."""
SUFFERED = ("root_cause", "consequence")
"""Roles of the findings that an incident lasts as long as; what merely adds to it may be a setting of long ago."""
LENGTHS = {
    (True, False): to_say("{lasted} from {first} to {last} UTC"),
    (True, True): to_say("at least {lasted} from {first} to {last} UTC"),
    (False, False): to_say("{lasted} from {first} UTC to the end of the evidence"),
    (False, True): to_say("at least {lasted} from {first} UTC to the end of the evidence"),
}
"""(Whether it is over, whether it began before the evidence) -> its length in words."""
LENGTHS_OF_ALL = {
    True: to_say("{lasted} from the start of the job, {first}, to {last} UTC"),
    False: to_say("{lasted} from the start of the job, {first} UTC, to the end of the evidence"),
}
"""The same where the first sample after the start of the job shows it already, as its finding says."""


def measured_impact(analysis: Analysis) -> list[str]:
    """Each measurement as a phrase; empty without one. Nothing of it is taken for what people state."""
    return list(_phrases(analysis))


def evidence_span(document: Mapping[str, Any]) -> tuple[str, str] | None:
    """The first and the last time stamp of the evidence, as in the document."""
    first = [entry["first_ts"] for entry in document["inputs"] if entry.get("first_ts")]
    last = [entry["last_ts"] for entry in document["inputs"] if entry.get("last_ts")]
    return (min(first), max(last)) if first and last else None


def _phrases(analysis: Analysis) -> Iterator[str]:
    jobs = analysis.document["jobs"]
    ill = [job for job in jobs if job["verdict"]["symptom_class"] not in NO_CAUSE]
    if len(jobs) > 1 and ill:
        yield say("a cause was found for {ill} of {count} jobs", count=len(jobs), ill=len(ill))
    if not ill:
        yield from _behind(analysis, None)
    # Of jobs beside one with trouble nothing is its impact.
    for name, of in _groups(ill):
        impact = (*_length(analysis.document, of), *_restarts(analysis, of), *_behind(analysis, of))
        yield from (with_job_name(name, each) for each in impact)


def _groups(ill: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Sequence[str | None]]]:
    """A job with trouble together with what names no job; of several each by itself with its name, then the rest."""
    if len(ill) == 1:
        yield "", [None, ill[0]["job_id"]]
    elif ill:
        yield from ((job["name"] or job["job_id"], [job["job_id"]]) for job in ill)
        yield "", [None]


def _behind(analysis: Analysis, of: Sequence[str | None] | None) -> Iterator[str]:
    """How far event time and sources are behind, and what was dropped as late."""
    lag = max(_facts(analysis, "watermarks", "lag_last_ms", of=of, running_only=True), default=0.0)
    if lag >= LEAST_LAG_MS:
        yield say("the event time is up to {lag} behind at the end", lag=duration(lag))
    yield from _late(analysis, of)
    if behind := sum(_facts(analysis, "consumer_lag", "lag", of=of)):
        yield say("{count} records wait in Kafka", count=number(behind))


def _late(analysis: Analysis, of: Sequence[str | None] | None) -> Iterator[str]:
    """Late records dropped: since the rate jumped where it did, else since the attempt that counts them began."""
    counts = (each for each in _of(analysis, "late_records") if of is None or each["subject"].get("job") in of)
    counted = [each["facts"] for each in counts]
    jumped = [facts for facts in counted if facts.get("dropped_since_jump")]
    if since := sum(facts["dropped_since_jump"] for facts in jumped):
        first = dt.datetime.fromtimestamp(min(facts["changed_at_ms"] for facts in jumped) / 1000, dt.UTC)
        span = evidence_span(analysis.document)
        time, _ = clock_times(first, dt.datetime.fromisoformat(span[1]) if span else first)
        yield say("{count} late records dropped since {time} UTC", count=number(since), time=time)
    if dropped := sum(facts.get("dropped") or 0 for facts in counted if facts not in jumped):
        yield say("{count} late records dropped since the job was last started", count=number(dropped))


def _length(document: Mapping[str, Any], of: Sequence[str | None]) -> Iterator[str]:
    """How long it lasted: to its end, else to that of the evidence; a minimum where it began before."""
    own = [each for each in document["findings"] if each["subject"].get("job") in of]
    suffered = [each for each in own if each["role"] in SUFFERED and not each.get("advice")]
    began = min((onset for each in suffered if (onset := problem_onset(each))), key=lambda each: each.at, default=None)
    over, span = over_since(document, of[-1]), evidence_span(document)
    end = over or (dt.datetime.fromisoformat(span[1]) if span else None)
    if began is None or end is None or end <= began.at:
        return
    first = began.job_started or began.at
    times = {
        "lasted": duration((end - first).total_seconds() * 1000),
        "first": f"{first:%Y-%m-%d %H:%M:%S}",
        "last": clock_times(first, end)[1],
    }
    is_over = over is not None
    yield say(LENGTHS_OF_ALL[is_over] if began.job_started else LENGTHS[is_over, began.at_start], **times)


def _restarts(analysis: Analysis, ill: Sequence[str | None]) -> Iterator[str]:
    """How often the ill jobs restarted or ended, and how far back the last copy of their state is."""
    found = [each for each in _of(analysis, "restarts") if each["subject"].get("job") in ill]
    if restarts := round(sum(each["facts"].get("restarts") or 0 for each in found)):
        yield say_counted("{count} restart", "{count} restarts", restarts)
    yield from _recovered(analysis)
    if ended := sum(each["facts"].get("final_state") == "FAILED" for each in found):
        yield say_counted("{count} job ended in the state FAILED", "{count} jobs ended in the state FAILED", ended)
    yield from _lost(analysis, ill)
    back = max(_facts(analysis, "checkpoint_progress", "goes_back_ms", of=ill, running_only=True), default=0)
    runs_nowhere = 0 in _facts(analysis, "task_manager_loss.all", "registered_end")
    if not back or runs_nowhere or over_since(analysis.document, ill[-1]) is not None:
        # Without a TaskManager no task has done any work since, which a restart could repeat.
        return
    if _forgetting(analysis, ill):
        yield from _at_stake(analysis, ill, back)
    else:
        yield say(
            "a restart repeats the work of {age}, since the trigger of the last completed checkpoint",
            age=duration(back),
        )


def _recovered(analysis: Analysis) -> Iterator[str]:
    """What no count of restarts has: recoveries by a JobManager process that was started again. Logs of several jobs do
    not show whose checkpoints these are.
    """
    for found in _of(analysis, "high_availability"):
        checkpoints = found["facts"].get("restored_from")
        is_new = found["facts"].get("jobmanager_restarts")
        if len(analysis.document["jobs"]) == 1 and is_new and isinstance(checkpoints, list) and checkpoints:
            yield say_counted(
                "a new JobManager recovered the job from checkpoint {checkpoints}",
                "new JobManagers recovered the job from checkpoints {checkpoints}",
                len(checkpoints),
                checkpoints=listed(map(str, checkpoints)),
            )


def _at_stake(analysis: Analysis, ill: Sequence[str | None], back: float) -> Iterator[str]:
    """What a restart from the last checkpoint would lose, by the same calculation as beside the steps of a runbook."""
    calculator = CALCULATORS["restart"]
    for finding in analysis.document["findings"]:
        if finding["role"] != "root_cause" or finding["subject"].get("job") not in ill:
            continue
        lookup = facts_of(analysis, finding)
        values = input_values(calculator, lookup, {})
        results = calculate(calculator, values, lookup).results
        if "lost" in results:
            down = next(each.value or 0.0 for each in values if each.input.name == "down_ms")
            words = {"age": duration(back), "down": duration(down), "lost": number(rounded(results["lost"]))}
            if lookup("job_code.makes_records") is True:
                yield _stake_of_own_records(results, words)
            elif "lost_most" in results:
                yield say(
                    "a restart from the last completed checkpoint, triggered {age} before the end, loses about {lost} "
                    "to {most} records if the job is down for {down}",
                    most=number(rounded(results["lost_most"])),
                    **words,
                )
            else:
                yield say(
                    "a restart from the last completed checkpoint, triggered {age} before the end, loses about {lost} "
                    "records if the job is down for {down}",
                    **words,
                )
            return
    yield say(
        "a restart loses what was read in the {age} since the trigger of the last completed checkpoint",
        age=duration(back),
    )


def _stake_of_own_records(results: Mapping[str, float], words: Mapping[str, str]) -> str:
    """What a restart means where the source makes its records itself."""
    return say(
        "a restart from the last completed checkpoint takes the state back {age}; the source makes its records itself, "
        "so that nothing is lost that exists elsewhere (a real feed in its place would lose about {lost} records if "
        "the job is down for {down})",
        age=words["age"],
        lost=at_least_and_most(results["lost"], results.get("lost_most")),
        down=words["down"],
    )


def _forgetting(analysis: Analysis, ill: Sequence[str | None]) -> list[str | None]:
    """The jobs among these whose sources keep no position."""
    return [
        each["subject"].get("job")
        for each in _of(analysis, "delivery_guarantee")
        if each["facts"].get("source") == FORGETS and each["subject"].get("job") in ill
    ]


def _lost(analysis: Analysis, ill: Sequence[str | None]) -> Iterator[str]:
    """What the restarts have lost already: nothing reads again what came since the restored checkpoints."""
    for job in _forgetting(analysis, ill):
        lost = lost_by_restarts(analysis, job)
        if lost is None:
            continue
        if lost.is_own:
            yield say(
                "the restarts took the state back {lasted}, what the source made itself between {first} and {last} UTC",
                **lost.words,
            )
        elif lost.most is None:
            yield say("the restarts lost what came in {lasted} between {first} and {last} UTC", **lost.words)
        else:
            yield say(
                "the restarts lost what came in {lasted} between {first} and {last} UTC, up to about {count} records",
                **lost.words,
            )


def _facts(
    analysis: Analysis, key: str, name: str, *, of: Sequence[str | None] | None = None, running_only: bool = False
) -> Iterator[float]:
    """The numbers of a fact, one for each subject.

    of            of these jobs; None for all
    running_only  of jobs that run only, where a job that has ended has none
    """
    states = (
        (each["subject"].get("job"), each["facts"].get("final_state", RUNNING)) for each in _of(analysis, "restarts")
    )
    ended = {job for job, state in states if state != RUNNING}
    for signal in _of(analysis, key):
        value = signal["facts"].get(name)
        job = signal["subject"].get("job")
        counts = (of is None or job in of) and not (running_only and job in ended)
        if counts and isinstance(value, (int, float)) and not isinstance(value, bool):
            yield value


def _of(analysis: Analysis, key: str) -> Iterator[Mapping[str, Any]]:
    """The measured signals of a key."""
    return (signal for signal in analysis.signals or () if signal["key"] == key and "facts" in signal)
