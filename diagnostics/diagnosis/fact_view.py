"""The facts visible to one subject: its own and those of the subjects that contain it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from diagnostics.evidence.subject import FactValue, Level, Subject, only_one
from diagnostics.rules.references import COARSER
from diagnostics.signals.signal import Signal

Identity = tuple[str | int | None, ...]
FIRST = "first_in_graph"
"""The fact of a signal that states that no task is before its own in the graph."""


def identity(subject: Subject, level: Level) -> Identity:
    """The parts that identify a subject of a level. A signal of the case may be about one of several jobs only."""
    vertex = subject.vertex_id or subject.vertex
    parts: Mapping[Level, Identity] = {
        "case": (subject.job,) if subject.job else (),
        "job": (subject.job,),
        "vertex": (subject.job, vertex),
        "subtask": (subject.job, vertex, subject.subtask),
        "task_manager": (subject.task_manager or subject.host,),
    }
    return parts[level]


@lru_cache(maxsize=8192)
def _parted(reference: str) -> tuple[str, str]:
    """`load_balance.hot_share_ratio` split into signal and fact; cached, because every case uses the same few
    thousand.
    """
    key, _, fact = reference.rpartition(".")
    return key, fact


class FactView:
    """The facts visible to a subject. `view("load_balance.hot_share_ratio")` is None when unknown."""

    def __init__(self, subject: Subject, signals: Mapping[str, Signal], job_name: str | None) -> None:
        self.subject = subject
        self.signals = signals
        self._job_name = job_name

    def __call__(self, reference: str) -> FactValue:
        key, fact = _parted(reference)
        if key == "subject":
            value: FactValue = getattr(self.subject, fact, None)
            return value
        if reference == "job.name":
            return self._job_name
        signal = self.signals.get(key)
        return signal.facts.get(fact) if signal else None


class SignalIndex:
    """The signals of one analysis, indexed for lookups by subject.

    levels  signal key -> level, from the signals' definitions
    """

    def __init__(self, signals: Iterable[Signal], levels: Mapping[str, Level]) -> None:
        self.levels = levels
        self._by_place: dict[tuple[str, Identity], Signal] = {}
        self.jobs: dict[str, str | None] = {}
        self._submitted_ms: dict[str, int] = {}
        self._places: dict[str, dict[Identity, Subject]] = {}
        self._views: dict[tuple[Subject, Level], FactView] = {}
        ordered = sorted(signals, key=lambda each: (each.key, repr(each.subject)))
        for signal in ordered:
            level = levels.get(signal.key)
            if level is None:
                continue
            place = identity(signal.subject, level)
            first = self._by_place.setdefault((signal.key, place), signal)
            self._places.setdefault(signal.key, {})[place] = first.subject
            if signal.subject.job:
                self.jobs.setdefault(signal.subject.job, None)
            name = signal.facts.get("name")
            if signal.key == "job_overview" and signal.subject.job and isinstance(name, str):
                self.jobs[signal.subject.job] = name
            submitted = signal.facts.get("submitted_ms")
            if signal.key == "job_overview" and signal.subject.job and isinstance(submitted, int):
                self._submitted_ms[signal.subject.job] = submitted

    @classmethod
    def from_stored(cls, stored: Iterable[Mapping[str, Any]], *, cited: bool = True) -> SignalIndex:
        """The index of stored signals: JSON mappings, each with its level.

        cited  whether citations are needed; judging many cases is faster without
        """
        signals, levels = [], {}
        for each in stored:
            if "facts" in each:
                signals.append(Signal.from_json(each if cited else {**each, "citations": ()}))
                levels[each["key"]] = each["level"]
        return cls(signals, levels)

    def subjects(self, level: Level, keys: Iterable[str]) -> Sequence[Subject]:
        """The subjects of a level that have one of these signals, in a fixed order.

        A rule above the level of all its signals (a job rule over case signals) is evaluated once per job.
        """
        wanted = set(keys)
        by_place = {
            place: subject
            for key in sorted(wanted)
            if self.levels.get(key) == level
            for place, subject in self._places.get(key, {}).items()
        }
        if level == "case" and any(by_place):
            by_place.pop((), None)
        if not by_place and level == "job":
            by_place = self._jobs_of_case(wanted)
        return [by_place[place] for place in sorted(by_place, key=repr)]

    def _jobs_of_case(self, keys: Iterable[str]) -> dict[Identity, Subject]:
        """The jobs that signals of the case concern: those that they name, or all of them; the case without a job."""
        named = {place for key in keys if self.levels.get(key) == "case" for place in self._places.get(key, {})}
        jobs = self.jobs if () in named else [job for job in self.jobs if (job,) in named]
        return {(job,): Subject(job=job) for job in jobs} or ({(): Subject()} if named else {})

    def all_subjects(self) -> Iterator[Subject]:
        """Every subject of any signal."""
        for places in self._places.values():
            yield from places.values()

    def job_of(self, subject: Subject) -> str | None:
        """The job of a subject: its own, or the only job there is."""
        if subject.job:
            return subject.job
        return only_one(self.jobs)

    def view(self, subject: Subject, level: Level, *, reach_down: bool = False) -> FactView:
        """The facts visible to the subject: its own signals first, then those of the subjects that contain it.

        With `reach_down`, also the first signal of each further key of the same job: a runbook may name an operator's
        value although its finding is about the job. Where a signal states which task comes first in the graph, that
        one is taken: what it lets through, such as a watermark, the tasks behind it only receive.

        Of several jobs, none sees what was over before it was submitted: the files may be those of several clusters.
        """
        if not reach_down and (subject, level) in self._views:
            return self._views[subject, level]
        job = self.job_of(subject)
        placed = Subject(**{**subject.as_json(), "job": job})
        seen: dict[str, Signal] = {}
        for visible in COARSER[level]:
            place = identity(subject if visible == level else placed, visible)
            for key, key_level in self.levels.items():
                signal = self._by_place.get((key, place)) if key_level == visible and key not in seen else None
                if signal is None and visible == "case" == key_level and key not in seen:
                    signal = self._by_place.get((key, ()))
                if signal and not (visible == "case" and self._was_over_before(signal, job)):
                    seen[key] = signal
        reached: set[str] = set()
        if reach_down:
            for (key, _), signal in self._by_place.items():
                if signal.subject.job in (job, None) and (
                    key not in seen or (key in reached and signal.facts.get(FIRST) and not seen[key].facts.get(FIRST))
                ):
                    seen[key] = signal
                    reached.add(key)
        view = FactView(placed, seen, self.jobs.get(job) if job else None)
        if not reach_down:
            self._views[subject, level] = view
        return view

    def _was_over_before(self, signal: Signal, job: str | None) -> bool:
        """Whether a signal of the case ended before one of several jobs was submitted."""
        submitted = self._submitted_ms.get(job) if job and len(self.jobs) > 1 else None
        return submitted is not None and signal.window is not None and signal.window[1] < submitted
