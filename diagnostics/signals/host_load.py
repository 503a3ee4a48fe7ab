"""Load of the hosts from operating system tools: stolen CPU time, waiting for disks, limits of control groups."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

from diagnostics.aggregators import alarming_readings, group_writes, host_levels
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.arithmetic.quantiles import highest
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.wording.cited_text import LEVEL, LEVEL_OF_DEVICE, LEVEL_OF_HOST, cited_text, sample_text

FEWEST_SAMPLES = 4
"""How many samples make a level. Our choice, as for the load of processes."""
FEWEST_PERIODS = 100.0
"""With fewer scheduling periods the throttled share is unreliable. Our choice: 10 s of the usual 100 ms."""
SHORTEST_MS = 1_000
"""Two readings that are less apart show no rate: their times are exact to the second. Our choice."""
MOST_CITED = 6

FLINKS: Mapping[str, str] = {
    "System.CPU.IOWait": "iowait_percent",
    "System.CPU.Steal": "steal_percent",
    "System.CPU.Idle": "idle_percent",
}
"""The same values in Flink's own metrics. Source: Flink documentation, Metrics (system)."""
PERCENT = 100.0
CONTAINERS: Mapping[str, str] = {
    "container_cpu_cfs_periods_total": "periods",
    "container_cpu_cfs_throttled_periods_total": "throttled_periods",
}
"""Counters of a container's scheduling periods. Source: cAdvisor, Prometheus metrics."""
ANY_FILE = -1
"""The file id of counters that a server answers one by one."""


@dataclass(frozen=True, slots=True)
class _Level:
    """One value of one part of a host over the time that one file covers."""

    place: str | None
    part: str
    name: str | None
    file_id: int
    metric: str
    samples: int
    usual: float
    least: float
    most: float
    citation: Citation
    seconds: float | None = None

    @property
    def is_level(self) -> bool:
        """Whether there are enough samples for a level."""
        return self.samples >= FEWEST_SAMPLES


def measure(evidence: Evidence) -> Measured:
    """The worst host, disk and control group, by their usual level.

    Reads   host_sample; metric_sample (System.CPU.*, cAdvisor's scheduling periods).
    Gives   one signal of the case.
    Units   ratios of time 0 to 1, milliseconds.
    Empty   NotMeasured without statistics of hosts.
    """
    levels = [*_sampled(evidence), *_metered(evidence), *_counted(evidence)]
    facts, shown = _facts(levels)
    if "written_bytes_per_s" in facts:
        facts |= known_facts({"written_most_per_s": _most_written_per_s(evidence, facts["written_device"])})
    if not facts:
        yield NotMeasured("host_load", "host-statistics", "no file shows the hosts' CPU, disks and limits over time")
        return
    yield Signal(
        "host_load",
        Subject(),
        {"samples": sum(each.samples for each in levels), **facts},
        tuple(dict.fromkeys(each.citation for each in shown))[:MOST_CITED],
        citation_count=len(levels),
    )


def _sampled(evidence: Evidence) -> Iterator[_Level]:
    """Levels from operating system tools, most samples first."""
    levels = evidence.answer(host_levels.AGGREGATOR)
    for level in sorted(levels, key=lambda each: -each.samples):
        part, metric, host, name, file_id = level.key
        form = LEVEL_OF_DEVICE if name and host else LEVEL_OF_HOST if name or host else LEVEL
        numbers = {"most": f"{level.most:.15g}", "usual": f"{level.median:.15g}", "samples": level.samples}
        text = cited_text(form, metric=metric, device=name, host=host or name, **numbers)
        cited = Citation.of(level.place, "metric", text, name=metric, value=level.most)
        began, ended = level.totals["from_ms"], level.totals["until_ms"]
        seconds = (ended - began) / 1000 if began is not None and ended is not None else None
        numbers_of = (level.samples, level.median, level.least, level.most)
        yield _Level(host, part, name, file_id, metric, *numbers_of, cited, seconds)


def _metered(evidence: Evidence) -> Iterator[_Level]:
    series_of = metric_series(evidence)
    for metric, ours in FLINKS.items():
        for use in series_of.of(metric):
            values = [point.value for point in use.known if point.value is not None]
            if values:
                highest = max(use.known, key=lambda point: (point.value or 0.0, point.ts_ms or 0))
                numbers = (len(values), median(values), min(values), max(values))
                file_id = highest.file_id
                yield _Level(use.task_manager, "cpu", None, file_id, ours, *numbers, use.cite(highest))


def _counted(evidence: Evidence) -> Iterator[_Level]:
    """Counters of containers, each between its lowest and highest value; their metrics may be in several files."""
    counters: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for row in named_rows(evidence.answer(alarming_readings.AGGREGATOR)):
        if row.metric in CONTAINERS and row.is_known:
            counters[row.metric, row.labels or row.task_manager or ""].append(row)
    for (metric, container), rows in counters.items():
        values = [row.value for row in rows]
        text = sample_text(metric, None, None, f"{max(values):.15g}")
        cited = Citation.of(max(rows, key=lambda row: row.value), "metric", text, name=metric, value=max(values))
        numbers = (len(values), median(values), min(values), max(values))
        labels = dict(part.partition("=")[::2] for part in container.split(","))
        name = labels.get("pod") or labels.get("name") or container
        yield _Level(container, "control group", name, ANY_FILE, CONTAINERS[metric], *numbers, cited)


def _facts(levels: Sequence[_Level]) -> tuple[dict[str, FactValue], list[_Level]]:
    """Facts, and the levels they are derived from."""
    facts: dict[str, FactValue] = {}
    shown: list[_Level] = []

    def worst(metric: str) -> _Level | None:
        known = [each for each in levels if each.metric == metric and each.is_level]
        found = max(known, key=lambda each: (each.usual, each.place or ""), default=None)
        shown.extend([found] if found else [])
        return found

    for metric, fact in (("iowait_percent", "iowait"), ("steal_percent", "steal")):
        found = worst(metric)
        if found:
            facts |= {f"{fact}_ratio": min(found.usual / PERCENT, 1.0), f"{fact}_host": found.place}
    idle = [each for each in levels if each.metric == "idle_percent" and each.is_level and each.part == "cpu"]
    if idle:
        least = min(idle, key=lambda each: (each.usual, each.place or ""))
        facts |= {"idle_ratio": max(least.usual / PERCENT, 0.0), "idle_host": least.place}
        shown.append(least)
    disk = worst("busy_percent")
    if disk:
        waits = [
            each.usual
            for each in levels
            if each.metric in ("write_await_ms", "await_ms")
            and (each.file_id, each.place, each.name) == (disk.file_id, disk.place, disk.name)
        ]
        facts |= {
            "disk_busy_ratio": min(disk.usual / PERCENT, 1.0),
            "disk": disk.name,
            "disk_host": disk.place,
            "disk_await_ms": max(waits, default=None),
        }
    throttled = max(_throttled(levels), key=lambda each: each[0], default=None)
    if throttled:
        facts |= {"throttled_ratio": throttled[0], "throttled_group": throttled[1].name}
        shown.append(throttled[1])
    written = max(_rates(levels, "written_bytes"), key=lambda each: each[0], default=None)
    if written:
        facts |= {"written_bytes_per_s": written[0], "written_device": written[1].name}
        shown.append(written[1])
    for metric in ("oom_kills", "memory_limit_hits"):
        reached = [each for each in levels if each.metric == metric]
        if reached:
            most = max(reached, key=lambda each: (each.most, each.name or ""))
            facts |= {metric: most.most, f"{metric}_group": most.name}
            shown.append(most)
    return known_facts(facts), shown


def _rates(levels: Sequence[_Level], metric: str) -> Iterator[tuple[float, _Level]]:
    """Bytes per second of a control group's counters of devices, over the time that they were read."""
    for level in levels:
        if level.metric == metric and level.seconds and level.samples > 1:
            yield (level.most - level.least) / level.seconds, level


def _most_written_per_s(evidence: Evidence, device: FactValue) -> float | None:
    """The highest rate between two readings of the counter of a device, in one file and in the order of time, where
    they are more than two: of two it is the average.
    """
    courses: dict[tuple[int, str | None], list[tuple[int, float]]] = {}
    for row in evidence.answer(group_writes.AGGREGATOR).to_pylist():
        if row["name"] == device:
            courses.setdefault((row["file_id"], row["host"]), []).append((row["ts_ms"], row["value"]))
    return highest(
        (written - before) * 1000 / (at - since)
        for course in courses.values()
        if len(course) > 2
        for (since, before), (at, written) in pairwise(course)
        if at - since >= SHORTEST_MS
    )


def _throttled(levels: Sequence[_Level]) -> Iterator[tuple[float, _Level]]:
    """Share of throttled scheduling periods per control group, while observed or since the group began."""
    periods = {(each.file_id, each.place, each.name): each for each in levels if each.metric == "periods"}
    for level in levels:
        whole = periods.get((level.file_id, level.place, level.name)) if level.metric == "throttled_periods" else None
        if whole is None:
            continue
        grown, throttled = (
            (whole.most - whole.least, level.most - level.least) if whole.samples > 1 else (whole.most, level.most)
        )
        if grown >= FEWEST_PERIODS:
            yield min(throttled / grown, 1.0), level


FACTS: Mapping[str, str] = {
    "samples": "numbers of hosts that were read",
    "iowait_ratio": "usual part of the time in which the CPU waits for disks, of the host where that is most, 0 to 1",
    "iowait_host": "that host or TaskManager",
    "steal_ratio": "usual part of the time that the hypervisor gives to others, of the host where that is most, 0 to 1",
    "steal_host": "that host or TaskManager",
    "idle_ratio": "usual part of the time in which the CPU has nothing to do, of the host where that is least, 0 to 1",
    "idle_host": "that host",
    "disk_busy_ratio": "usual part of the time in which the busiest disk works on requests, 0 to 1",
    "disk": "that disk",
    "disk_host": "its host",
    "disk_await_ms": "usual time that a request to it takes, ms",
    "throttled_ratio": "part of the scheduling periods in which a control group's CPU limit held it back, 0 to 1",
    "throttled_group": "that control group",
    "written_bytes_per_s": "bytes per second that a control group wrote to the device it wrote most to",
    "written_most_per_s": "the most of it between two readings of the counter, where there are more than two",
    "written_device": "that device, after its control group where known",
    "oom_kills": "processes of a control group that the kernel killed for its memory limit, since the group began",
    "oom_kills_group": "control group whose processes the kernel ended, where known",
    "memory_limit_hits": "times that a control group reached its memory limit, since the group began",
    "memory_limit_hits_group": "control group that reached its memory limit, where known",
}

SIGNALS = (SignalDefinition("host_load", "case", FACTS, measure),)
