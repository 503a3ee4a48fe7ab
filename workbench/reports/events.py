"""What the evidence shows of an incident in the order of time: onsets and ends of findings, with their lines."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from diagnostics.diagnosis.job_names import job_named, names_of_several, with_job_name
from diagnostics.diagnosis.problem_time import effect_before, onset_evidence, problem_end, problem_onset
from workbench.languages.sentences import say

LONGEST_S = 60
"""A citation later than this after the onset is not quoted as what shows it. Our choice: a checkpoint expires as long
after its trigger, and metrics are sampled more often.
"""
LONGEST_AT_START_S = 15
"""The same where the first sample shows it already, which a later line does not. Our choice: a usual time between two
scrapes.
"""
RESTARTS, GAVE_UP = "restarts.restarts", "restarts.final_ms"
"""How often a job restarted, and the moment of its last state: a finding that states both is true from that moment on,
and its onset is the first restart.
"""


@dataclass(frozen=True, slots=True)
class Event:
    """What happened at one second.

    or_earlier  the first sample shows it already, or a consequence was seen before it
    titles      of the findings that began or ended then
    line        the citation that shows it, "" when none soon after the onset has a time, or an earlier event has it
    line_at     the time of that citation
    """

    at: dt.datetime
    or_earlier: bool
    titles: Sequence[str]
    line: str = ""
    line_at: dt.datetime | None = None

    @property
    def when(self) -> str:
        """Its time to the second, UTC."""
        second = f"{self.at.astimezone(dt.UTC):%Y-%m-%d %H:%M:%S}"
        return say("{time} or earlier", time=second) if self.or_earlier else second


def events_of(document: Mapping[str, Any]) -> list[Event]:
    """The events of a document; those of the same second are one, and no line is quoted twice."""
    quoted: set[str] = set()
    events = []
    found = sorted(_onsets_and_ends(document), key=lambda each: (_second(each), each.or_earlier))
    for _, same in groupby(found, key=lambda each: (_second(each), each.or_earlier)):
        group = list(same)
        shown = next((each for each in group if each.line and each.line not in quoted), Event(group[0].at, False, ()))
        quoted.add(shown.line)
        titles = dict.fromkeys(title for each in group for title in each.titles)
        events.append(Event(group[0].at, group[0].or_earlier, tuple(titles), shown.line, shown.line_at))
    return events


def _second(event: Event) -> dt.datetime:
    return event.at.replace(microsecond=0)


def _onsets_and_ends(document: Mapping[str, Any]) -> Iterator[Event]:
    """The findings that happened at a known time."""
    findings, names = document["findings"], names_of_several(document)
    for position, entry in enumerate(findings):
        onset, job = problem_onset(entry), job_named(names, entry)
        if onset is None:
            continue
        if not entry.get("advice") and not _is_setting(entry):
            consequences = (each for each in findings if each["caused_by"] == position)
            is_older = onset.at_start and onset.job_started is None
            or_earlier = is_older or effect_before(entry, consequences) is not None
            longest_s = LONGEST_AT_START_S if onset.at_start else LONGEST_S
            yield from _onset_events(entry, job, onset.job_started or onset.at, longest_s, or_earlier=or_earlier)
        if end := problem_end(entry):
            yield Event(end, False, (say("Over: {title}", title=_title(entry, job)),))


def _onset_events(
    entry: Mapping[str, Any], job: str, began: dt.datetime, longest_s: int, *, or_earlier: bool
) -> Iterator[Event]:
    line, line_at = _line(entry, began, longest_s)
    gave_up = _gave_up(entry)
    if gave_up is None or gave_up <= began:
        yield Event(began, or_earlier, (_title(entry, job),), line, line_at)
    else:
        yield Event(began, or_earlier, (with_job_name(job, say("First restart of the job")),), line, line_at)
        yield Event(gave_up, False, (_title(entry, job),), *_line(entry, gave_up, LONGEST_S))


def _title(entry: Mapping[str, Any], job: str) -> str:
    """The title after its job, of several, with the task that it is about where it does not name it."""
    title, task = str(entry["title"]), entry["subject"].get("vertex")
    return with_job_name(
        job, say("{title} ({where})", title=title, where=task) if task and task not in title else title
    )


def _line(entry: Mapping[str, Any], began: dt.datetime, longest_s: int) -> tuple[str, dt.datetime | None]:
    """The citation that shows what began then, and its time."""
    shown = onset_evidence(entry, began)
    if shown is None:
        return "", None
    at = dt.datetime.fromisoformat(shown["ts"])
    if (at - began).total_seconds() > longest_s:
        return "", None
    return shown.get("text") or shown.get("name") or "", at


def _gave_up(entry: Mapping[str, Any]) -> dt.datetime | None:
    """When the job ended for good after restarts, where the finding states it."""
    facts = {part.get("fact"): part.get("value") for sentence in entry.get("sentences") or () for part in sentence}
    if not facts.get(RESTARTS) or facts.get(GAVE_UP) is None:
        return None
    return dt.datetime.fromtimestamp(facts[GAVE_UP] / 1000, dt.UTC)


def _is_setting(entry: Mapping[str, Any]) -> bool:
    """Whether it remarks on a setting, without a failure of the job by it."""
    return bool(entry["symptom_class"] == "misconfiguration" and entry["severity"] != "critical")
