"""The times at which a diagnosed problem began, was over and was last observed, with the evidence that shows them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from diagnostics.diagnosis.fingerprint import worst_job
from diagnostics.symptoms import symptom

ASKED = ("rest", "config")
"""Kinds of citations whose time is that of the question and not of what they state."""


@dataclass(frozen=True, slots=True)
class ProblemOnset:
    """When a finding began.

    at_start     the first sample shows it already: it may have begun earlier
    job_started  when the job was started, where that was just before the first sample: it is no older
    """

    at: dt.datetime
    at_start: bool
    job_started: dt.datetime | None = None


def problem_onset(finding: Mapping[str, Any]) -> ProblemOnset | None:
    """The onset of a finding of a document; None when it is unknown."""
    onset = finding.get("onset") or {}
    moment = _moment(onset.get("ts"))
    return ProblemOnset(moment, bool(onset.get("at_start")), _moment(onset.get("job_started"))) if moment else None


def problem_end(finding: Mapping[str, Any]) -> dt.datetime | None:
    """When a finding of a document was over; None where it goes on or where the evidence does not show."""
    return _moment((finding.get("onset") or {}).get("ended"))


def over_since(document: Mapping[str, Any], job: str | None = None) -> dt.datetime | None:
    """Since when every cause of a job and of no job, or of all, is over; None while one goes on, and without any."""
    ends = [
        problem_end(each)
        for each in document["findings"]
        if _is_cause(each) and (not job or each["subject"].get("job") in (None, job))
    ]
    known = [each for each in ends if each is not None]
    return max(known) if known and len(known) == len(ends) else None


def _is_cause(finding: Mapping[str, Any]) -> bool:
    """A root cause, or one beside it; what merely remains, such as a setting, is none beside another."""
    if finding["severity"] == "info":
        return False
    is_beside = finding["role"] == "contributing" and not symptom(finding["symptom_class"]).stays
    return finding["role"] == "root_cause" or is_beside


def effect_before(
    finding: Mapping[str, Any], consequences: Iterable[Mapping[str, Any]]
) -> tuple[Mapping[str, Any], ProblemOnset] | None:
    """The consequence that was seen before its cause was, with its onset: the cause is older than its first sample."""
    own = problem_onset(finding)
    if own is None or own.at_start:
        return None
    onsets = [(onset, each) for each in consequences if (onset := problem_onset(each))]
    earlier = [(onset, each) for onset, each in onsets if onset.at < own.at]
    if not earlier:
        return None
    onset, effect = min(earlier, key=lambda pair: pair[0].at)
    return effect, onset


def onset_evidence(finding: Mapping[str, Any], began: dt.datetime) -> Mapping[str, Any] | None:
    """The dated citation of the finding that shows its onset, the first at or after it; None when there is none.

    Citations that name the same thing as the most telling one: the others only go with it. What an answer of REST
    states has the time at which somebody asked, so that it shows an onset only where nothing else does.
    """
    dated = [(moment, each) for each in finding["evidence"] if (moment := _moment(each.get("ts")))]
    later = [(moment, each) for moment, each in dated if moment >= began]
    later = [pair for pair in later if pair[1]["kind"] not in ASKED] or later
    telling = [pair for pair in later if _named(pair[1]) == _named(later[0][1])]
    return min(telling, key=lambda pair: pair[0])[1] if telling else None


def _named(citation: Mapping[str, Any]) -> tuple[Any, Any]:
    return citation["kind"], citation.get("name")


def problem_seen_at(document: Mapping[str, Any]) -> dt.datetime | None:
    """The time of the newest citation of a root cause of the verdict's job; None when the evidence has no times.

    Evidence that begins later as a whole was collected later, too.
    """
    return max((*_cited(document), *_first_of_inputs(document)), default=None)


def _cited(document: Mapping[str, Any]) -> Iterator[dt.datetime]:
    job = worst_job(document)
    for finding in document["findings"]:
        is_of_it = job is None or finding["subject"].get("job") in (None, job["job_id"])
        if finding["role"] == "root_cause" and is_of_it:
            yield from (moment for each in finding["evidence"] if (moment := _moment(each.get("ts"))))


def _first_of_inputs(document: Mapping[str, Any]) -> Iterator[dt.datetime]:
    first = [moment for each in document["inputs"] if (moment := _moment(each.get("first_ts")))]
    if first:
        yield min(first)


def _moment(text: str | None) -> dt.datetime | None:
    if not text:
        return None
    moment = dt.datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
