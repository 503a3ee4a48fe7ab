"""What restarts have lost for good, and when the same trouble would end a job whose checkpoints go with it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.calculators import CALCULATORS
from diagnostics.calculators.calculator import FORGETS, input_values
from diagnostics.diagnosis.fact_view import SignalIndex
from diagnostics.evidence.subject import Lookup, Subject
from diagnostics.vocabulary.job_states import DELETED_WHEN_ENDED, ENDED
from diagnostics.wording.lost_records import rounded
from diagnostics.wording.phrase import clock_times, duration, number
from workbench.analyses.finding_facts import facts_of
from workbench.analyses.models import Analysis
from workbench.languages.sentences import say


@dataclass(frozen=True, slots=True)
class Lost:
    """What no state holds since the restarts of a job: what came in a time, and how many records at most; whether the
    source makes its records itself, so that they exist nowhere else.
    """

    lasted_ms: float
    first_ms: float
    last_ms: float
    most: float | None
    is_own: bool = False

    @property
    def words(self) -> dict[str, str]:
        """The values for a sentence; a number of two digits, as many as an estimate deserves."""
        count = {} if self.most is None else {"count": number(rounded(self.most))}
        ends = (dt.datetime.fromtimestamp(each / 1000, dt.UTC) for each in (self.first_ms, self.last_ms))
        first, last = clock_times(*ends)
        return {"lasted": duration(self.lasted_ms), "first": first, "last": last, **count}


def lost_by_restarts(analysis: Analysis, job: str | None) -> Lost | None:
    """What the restarts of a job lost, whose sources keep no position; None without any.

    The number is by the rate that What-if takes for what comes in: one page has one rate.
    """
    lookup = _facts(analysis, job)
    lasted, first, last = (
        value if isinstance(value := lookup(f"recovery.{name}"), (int, float)) else 0.0
        for name in ("undone_ms", "undone_from_ms", "undone_to_ms")
    )
    if not lasted or lookup("delivery_guarantee.source") != FORGETS:
        return None
    of_cause = next((facts_of(analysis, each) for each in _roots(analysis, job)), lookup)
    rate = next(each.value for each in input_values(CALCULATORS["restart"], of_cause, {}) if each.input.name == "rate")
    is_own = lookup("job_code.makes_records") is True
    return Lost(lasted, first, last, lasted / 1000 * rate if rate else None, is_own)


def to_reconcile(analysis: Analysis, jobs: Sequence[str | None]) -> list[str]:
    """The work that records lost by restarts leave to somebody, a sentence for each job."""
    found = (lost_by_restarts(analysis, job) for job in jobs)
    return [_reconciled(lost) for lost in found if lost and not lost.is_own]


def _reconciled(lost: Lost) -> str:
    if lost.most is None:
        return say(
            "Left to do: reconcile what the sinks hold for {first} to {last} UTC with the origin of the records. The "
            "state lacks what came then.",
            **lost.words,
        )
    return say(
        "Left to do: reconcile what the sinks hold for {first} to {last} UTC with the origin of the records. The state "
        "lacks what came then, up to about {count} records.",
        **lost.words,
    )


def comes_again(analysis: Analysis, job: str | None) -> str:
    """When trouble that is over would end the job and its checkpoints, if it came again; empty where it would not, and
    where every restart was one that somebody ordered: no failure comes again at their pace.
    """
    lookup = _facts(analysis, job)
    after, interval = lookup("restarts.gives_up_after_ms"), lookup("restarts.interval_ms")
    retention = str(lookup("settings.retention"))
    if not isinstance(after, (int, float)) or not isinstance(interval, (int, float)):
        return ""
    if lookup("restarts.for_faults") == 0:
        return ""
    if "FAILED" not in DELETED_WHEN_ENDED.get(retention, ()) or lookup("restarts.final_state") in ENDED:
        return ""
    return say(
        "If the trouble comes again with a failure each {interval}, the restart strategy ends the job for good about "
        "{after} after the first one, and with the retention {retention} Flink deletes its checkpoints then.",
        interval=duration(interval),
        after=duration(after),
        retention=retention,
    )


def _facts(analysis: Analysis, job: str | None) -> Lookup:
    return SignalIndex.from_stored(analysis.signals or ()).view(Subject(job=job), "job", reach_down=True)


def _roots(analysis: Analysis, job: str | None) -> Iterator[Mapping[str, Any]]:
    """The root causes of a job."""
    findings = analysis.document["findings"]
    return (each for each in findings if each["role"] == "root_cause" and each["subject"].get("job") == job)
