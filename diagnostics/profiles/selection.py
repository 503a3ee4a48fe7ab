"""Selects the samples of a flame graph: by source, task, subtask or thread, on or off CPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from diagnostics.language import say, to_say
from diagnostics.profiles.stored import Leaf, Sampling, StoredProfiles

Cpu = Literal["mixed", "on", "off"]

SOURCES = {
    "flame-graph:full": to_say("Flink flame graph, mixed"),
    "collapsed:wall": to_say("Profiler, wall clock"),
    "flame-graph:on-cpu": to_say("Flink flame graph, on-CPU"),
    "collapsed:cpu": to_say("Profiler, CPU"),
    "thread-dump:dump": to_say("Thread dumps"),
    "collapsed:unknown": to_say("Profiler"),
    "flame-graph:off-cpu": to_say("Flink flame graph, off-CPU"),
}
"""Kinds of profiles in the order of the menu: first those with working and waiting threads."""
ALL = ""
OTHER_THREADS = "-"
"""Threads of no task: those of the JVM, the network and Flink's services."""
MOST_CHOICES = 400


@dataclass(frozen=True, slots=True)
class Selection:
    """The selection; the empty text and None mean all.

    source         key of SOURCES
    task           vertex id, or the task's name when the samples have no id; OTHER_THREADS
    from_ms,to_ms  only samples of that time, when their time is known
    """

    source: str = ALL
    task: str = ALL
    subtask: int | None = None
    thread: str = ALL
    cpu: Cpu = "mixed"
    from_ms: int | None = None
    to_ms: int | None = None

    def holds(self, sampling: Sampling, leaf: Leaf) -> bool:
        """Whether a stack is selected."""
        return self._has(sampling) and (self.cpu == "mixed" or leaf.on_cpu == (self.cpu == "on"))

    def _has(self, sampling: Sampling) -> bool:
        return (
            source_of(sampling) == self.source
            and self.task in (ALL, task_of(sampling))
            and self.subtask in (None, sampling.subtask)
            and self.thread in (ALL, sampling.thread)
            and self._in_time(sampling.ts_ms)
        )

    def _in_time(self, ts_ms: int | None) -> bool:
        if ts_ms is None:
            return True
        return (self.from_ms is None or ts_ms >= self.from_ms) and (self.to_ms is None or ts_ms <= self.to_ms)


def source_of(sampling: Sampling) -> str:
    """The key of its kind of profile."""
    return f"{sampling.profile}:{sampling.mode}"


def task_of(sampling: Sampling) -> str:
    """The key of its task."""
    return sampling.vertex_id or sampling.vertex or OTHER_THREADS


def task_title(sampling: Sampling) -> str:
    """Title of its task."""
    task = task_of(sampling)
    return sampling.vertex or ("Other threads" if task == OTHER_THREADS else task)


def completed(profiles: StoredProfiles, selection: Selection) -> Selection:
    """The selection with an existing source, and with another analysis' task replaced by the one of the same name
    here.
    """
    present = {source_of(each) for each in profiles.samplings}
    source = selection.source
    if source not in present:
        source = min(present, key=lambda each: (list(SOURCES).index(each) if each in SOURCES else len(SOURCES), each))
    tasks = {task_of(each) for each in profiles.samplings if source_of(each) == source}
    return replace(selection, source=source, task=selection.task if selection.task in tasks else ALL)


def named_task(profiles: StoredProfiles, name: str | None) -> str:
    """The key of the task of that name, ALL when there is none."""
    return next((task_of(each) for each in profiles.samplings if name and each.vertex == name), ALL)


def task_name(profiles: StoredProfiles, task: str) -> str | None:
    """The name of a task by its key."""
    return next((each.vertex for each in profiles.samplings if task_of(each) == task), None)


def choices(profiles: StoredProfiles, selection: Selection) -> Mapping[str, Any]:
    """The other options: sources, its tasks, subtasks and threads of the task, with their samples."""
    sources: dict[str, float] = {}
    tasks: dict[str, float] = {}
    names: dict[str, str] = {}
    subtasks: dict[int, float] = {}
    threads: dict[str, float] = {}
    times: set[int] = set()
    for leaf in profiles.leaves:
        sampling = profiles.samplings[leaf.sampling]
        source, task = source_of(sampling), task_of(sampling)
        sources[source] = sources.get(source, 0.0) + leaf.weight
        if source != selection.source:
            continue
        tasks[task] = tasks.get(task, 0.0) + leaf.weight
        names[task] = task_title(sampling)
        if sampling.ts_ms is not None:
            times.add(sampling.ts_ms)
        if selection.task not in (ALL, task):
            continue
        if sampling.subtask is not None:
            subtasks[sampling.subtask] = subtasks.get(sampling.subtask, 0.0) + leaf.weight
        if sampling.thread:
            threads[sampling.thread] = threads.get(sampling.thread, 0.0) + leaf.weight
    heaviest = sorted(threads, key=lambda each: (-threads[each], each))[:MOST_CHOICES]
    return {
        "sources": [
            {"key": each, "title": say(SOURCES[each]) if each in SOURCES else each, "samples": sources[each]}
            for each in sorted(sources, key=lambda key: (list(SOURCES).index(key) if key in SOURCES else 99, key))
        ],
        "tasks": [
            {"key": each, "title": names[each], "samples": tasks[each]}
            for each in sorted(tasks, key=lambda key: (key == OTHER_THREADS, -tasks[key], key))[:MOST_CHOICES]
        ],
        "subtasks": [{"key": each, "samples": subtasks[each]} for each in sorted(subtasks)[:MOST_CHOICES]],
        "threads": [{"key": each, "samples": threads[each]} for each in heaviest],
        "times": sorted(times)[:MOST_CHOICES],
    }
