"""Heap and garbage collection: used heap before and after each collection, pauses as bars, full collections marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from diagnostics.charting.chart import Chart, Points, Theme
from diagnostics.charting.grafana_panel import GrafanaPanel
from diagnostics.charting.panel import (
    DURATION_UNITS,
    MEMORY_UNITS,
    Panel,
    Threshold,
    axis_unit,
    escaped,
    shortened,
    stacked,
)
from diagnostics.charting.theme import Palette, palette
from diagnostics.language import joined_sentences, listed, say, to_say
from diagnostics.reconstruction.gc.course import collections_of, heap_of
from diagnostics.wording.phrase import duration, memory

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence

MOST_PROCESSES = 4
"""Processes drawn: those with the longest pauses. Our choice."""
FULL_KINDS = ("full", "degenerated", "stall")
"""Collections that stop the JVM for the whole heap: full ones, and the fallbacks of Shenandoah and ZGC."""


def points(evidence: Evidence) -> Points | None:
    """The collections of each JVM; without a GC log, the heap from metrics.

    Reads   gc_pause (one GC log file is one JVM), metric_sample (Status.JVM.Memory.Heap.Used and .Max).
    Gives   {from_ms, to_ms, processes: [{file_id, file, process, role, collector, pauses, pause_ms, full, collections:
            [[ts_ms, kind, pause_ms, before, after, total, cause]], allocation: [[ts_ms, bytes_per_s]], causes: [[cause,
            count, pause_ms, longest_ms]], heap: [[ts_ms, used, max]]}]}; bytes and ms. Allocation is what the heap grew
            by from the end of one collection to the beginning of the next.
    Empty   None without either.
    """
    processes = collections_of(evidence) or heap_of(evidence)
    stamps = [row[0] for process in processes for row in [*process["collections"], *process["heap"]]]
    if not stamps:
        return None
    return {"from_ms": min(stamps), "to_ms": max(stamps), "processes": processes[:MOST_PROCESSES]}


def process_name(process: Mapping[str, Any]) -> str:
    """The TaskManager's resource id or `JobManager`; else the name of the GC log."""
    if process["process"] == "jobmanager":
        return "JobManager"
    if process["process"]:
        return say("TaskManager {process}", process=process["process"])
    file = process.get("file") or say("file {file_id}", file_id=process["file_id"] + 1)
    return (
        say("A TaskManager ({file})", file=file)
        if process.get("role") == "taskmanager"
        else say("JVM of {file}", file=file)
    )


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """For each JVM the heap above and the pauses below."""
    colours = palette(theme)
    panels = []
    for index, process in enumerate(points["processes"]):
        if process["collections"]:
            panels.append(_heap_panel(process, colours, first=index == 0))
            panels.append(_pause_panel(process, colours, first=index == 0))
            if process.get("allocation"):
                panels.append(_allocation_panel(process, colours))
        else:
            panels.append(_metric_panel(process, colours))
    return stacked(panels, theme, axis="time")


def _heap_panel(process: Mapping[str, Any], colours: Palette, *, first: bool) -> Panel:
    known = [row for row in process["collections"] if row[3] is not None and row[4] is not None]
    largest = max((max(row[3], row[5] or 0) for row in known), default=1.0)
    divisor, unit = axis_unit(largest, MEMORY_UNITS, "bytes")
    times = [row[0] for row in known]
    lines = (
        (say("Before"), say("before the collection:"), 3, colours.series[1], "dot", 1.5),
        (say("After"), say("after the collection:"), 4, colours.series[0], "solid", 2.5),
        (say("Committed heap"), say("committed heap"), 5, colours.muted, "dash", 1),
    )
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines+markers" if len(known) < 60 and column != 5 else "lines",
            "name": name,
            "legendgroup": name,
            "showlegend": first,
            "x": times,
            "y": [None if row[column] is None else row[column] / divisor for row in known],
            "connectgaps": False,
            "line": {"color": colour, "dash": dash, "width": width},
            "marker": {"size": 4},
            "text": [None if row[column] is None else memory(row[column]) for row in known],
            "hovertemplate": f"%{{x}}<br>{hover} %{{text}}<extra></extra>",
        }
        for name, hover, column, colour, dash, width in lines
    ]
    full = [row[0] for row in process["collections"] if row[1] in FULL_KINDS]
    if full:
        traces.append(
            {
                "type": "bar",
                "name": say("Full GC"),
                "legendgroup": say("Full GC"),
                "showlegend": False,
                "x": full,
                "y": [largest / divisor] * len(full),
                "width": max(times[-1] - times[0], 1000) / 500 if times else 1000,
                "marker": {"color": colours.alarm},
                "opacity": 0.5,
                "hovertemplate": f"%{{x}}<br>{say('full collection')}<extra></extra>",
            }
        )
    title = say("Used heap: {process}", process=process_name(process)) + (
        f" ({process['collector']})" if process["collector"] else ""
    )
    return Panel(title=shortened(title, 80), unit=unit, traces=traces, height=140)


def _pause_panel(process: Mapping[str, Any], colours: Palette, *, first: bool) -> Panel:
    rows = process["collections"]
    divisor, unit = axis_unit(max(row[2] for row in rows), DURATION_UNITS, "ms")
    span = max(rows[-1][0] - rows[0][0], 1000)
    traces = [
        {
            "type": "bar",
            "name": name,
            "legendgroup": name,
            "showlegend": first,
            "x": [row[0] for row in chosen],
            "y": [row[2] / divisor for row in chosen],
            "width": span / 250,
            "marker": {"color": colour},
            "text": [_pause_text(row) for row in chosen],
            "textposition": "none",
            "hovertemplate": "%{text}<br>%{x}<extra></extra>",
        }
        for name, colour, chosen in (
            (say("Pause"), colours.calm, [row for row in rows if row[1] not in FULL_KINDS]),
            (say("Full GC"), colours.alarm, [row for row in rows if row[1] in FULL_KINDS]),
        )
        if chosen
    ]
    title = (
        to_say("Pauses: {pauses:,}, {full:,} full, {time} in total")
        if process["full"]
        else to_say("Pauses: {pauses:,}, none full, {time} in total")
    )
    return Panel(
        title=say(title, pauses=process["pauses"], full=process["full"], time=duration(process["pause_ms"])),
        unit=unit,
        traces=traces,
        height=80,
        y={"nticks": 3},
    )


def _allocation_panel(process: Mapping[str, Any], colours: Palette) -> Panel:
    rows = process["allocation"]
    divisor, unit = axis_unit(max(row[1] for row in rows), MEMORY_UNITS, "bytes")
    causes = listed(f"{cause} {count:,}" for cause, count, _, _ in process["causes"][:3])
    return Panel(
        title=shortened(say("Allocation rate · causes: {causes}", causes=causes), 110),
        unit=f"{unit}/s",
        height=64,
        y={"nticks": 3},
        traces=[
            {
                "type": "scatter",
                "mode": "lines+markers" if len(rows) < 60 else "lines",
                "name": say("Allocation rate"),
                "showlegend": False,
                "x": [row[0] for row in rows],
                "y": [row[1] / divisor for row in rows],
                "line": {"color": colours.series[2], "width": 1.5, "shape": "vh"},
                "marker": {"size": 4},
                "text": [f"{memory(row[1])}/s" for row in rows],
                "hovertemplate": say("%{x}<br>%{text} allocated since the collection before<extra></extra>"),
            }
        ],
    )


def _pause_text(row: Sequence[Any]) -> str:
    kind = say("Full GC") if row[1] in FULL_KINDS else say("{kind} pause", kind=row[1])
    cause = f" ({escaped(row[6])})" if row[6] else ""
    used = f"<br>{memory(row[3])} → {memory(row[4])}" if row[3] is not None and row[4] is not None else ""
    return f"<b>{kind} {duration(row[2])}</b>{cause}{used}"


def _metric_panel(process: Mapping[str, Any], colours: Palette) -> Panel:
    heap = process["heap"]
    limit = heap[-1][2]
    largest = max(max(row[1] or 0 for row in heap), limit or 0)
    divisor, unit = axis_unit(largest, MEMORY_UNITS, "bytes")
    return Panel(
        title=shortened(say("Used heap as the metrics tell it: {process}", process=process_name(process)), 80),
        unit=unit,
        height=120,
        thresholds=[Threshold(limit / divisor, say("Largest heap {limit}", limit=memory(limit)))] if limit else [],
        traces=[
            {
                "type": "scatter",
                "mode": "lines",
                "name": say("Used heap"),
                "showlegend": False,
                "x": [row[0] for row in heap],
                "y": [None if row[1] is None else row[1] / divisor for row in heap],
                "connectgaps": False,
                "line": {"color": colours.calm, "width": 2},
                "text": [None if row[1] is None else memory(row[1]) for row in heap],
                "hovertemplate": say("%{x}<br>used heap %{text}<extra></extra>"),
            }
        ],
        y={"range": [0, 1.15 * largest / divisor]},
    )


def summary(points: Points) -> str:
    """Total pauses of the worst JVM, its full collections, and the heap after the last collection."""
    worst = points["processes"][0]
    if not worst["collections"]:
        used = max(row[1] or 0 for row in worst["heap"])
        return say(
            "No GC log. By the metrics {process} used up to {used} of heap.",
            process=process_name(worst),
            used=memory(used),
        )
    longest = max(row[2] for row in worst["collections"])
    sentence = (
        to_say(
            "{process}: {pauses:,} pauses, {full:,} of them full collections, {time} in total; the longest took "
            "{longest}."
        )
        if worst["full"]
        else to_say(
            "{process}: {pauses:,} pauses, none of them a full collection, {time} in total; the longest took {longest}."
        )
    )
    text = say(
        sentence,
        process=process_name(worst),
        pauses=worst["pauses"],
        full=worst["full"],
        time=duration(worst["pause_ms"]),
        longest=duration(longest),
    )
    if worst.get("causes"):
        cause, count, pause_ms, _ = worst["causes"][0]
        text = joined_sentences(
            (
                text,
                say(
                    "Most of it for {cause} ({count:,} times, {pause}).",
                    cause=cause,
                    count=count,
                    pause=duration(pause_ms),
                ),
            )
        )
    if worst.get("allocation"):
        text = joined_sentences(
            (
                text,
                say(
                    "Up to {size}/s were allocated.",
                    size=memory(max(row[1] for row in worst["allocation"])),
                ),
            )
        )
    last = [row for row in worst["collections"] if row[4] is not None and row[5]]
    if last:
        text = joined_sentences(
            (
                text,
                say(
                    "After the last one {used} of {size} were still in use.",
                    used=memory(last[-1][4]),
                    size=memory(last[-1][5]),
                ),
            )
        )
    return text


def table(points: Points) -> list[list[Any]]:
    """One row per drawn collection, or per heap sample."""
    header = [
        "JVM",
        say("Time (UTC, epoch ms)"),
        say("Kind"),
        say("Pause (ms)"),
        say("Used before (bytes)"),
        say("Used after (bytes)"),
        say("Committed or largest (bytes)"),
        say("Cause"),
    ]
    rows: list[list[Any]] = []
    for process in points["processes"]:
        name = process_name(process)
        rows += [[name, *row] for row in process["collections"]]
        rows += [[name, row[0], say("sample"), None, row[1], None, row[2], None] for row in process["heap"]]
        rows += [
            [
                name,
                None,
                say("cause, {count} collections, longest {longest} ms", count=count, longest=longest_ms),
                pause_ms,
                None,
                None,
                None,
                cause,
            ]
            for cause, count, pause_ms, longest_ms in process.get("causes", ())
        ]
    return [header, *rows]


COLLECTOR_TIME = "flink_taskmanager_Status_JVM_GarbageCollector_"
GC_TIME = f'sum by (tm_id) ({{__name__=~"{COLLECTOR_TIME}.+_Time", __name__!="{COLLECTOR_TIME}All_Time"}})'
"""Time of all collectors: the reporter puts the collector's name into the metric's. They are added before the rate is
taken, which drops the name, so that Prometheus refuses several metrics with the same labels. Newer versions of Flink
report the sum too."""

CHART = Chart(
    id="garbage-collection",
    title=to_say("Heap and garbage collection"),
    order=50,
    axis="time",
    missing=to_say(
        "The TaskManagers' GC logs would fill this chart: `env.java.opts.taskmanager: "
        "-Xlog:gc*:file=gc.log:time,uptime,level,tags`, or at run time `jcmd <pid> VM.log output=gc.log what=gc*`."
    ),
    panels=(
        GrafanaPanel(
            to_say("Time in garbage collection"),
            "percentunit",
            {
                "{{tm_id}}": f"rate(({GC_TIME})[5m:]) / 1000",
            },
        ),
        GrafanaPanel(
            to_say("Heap in use"),
            "percentunit",
            {
                "{{tm_id}}": "flink_taskmanager_Status_JVM_Memory_Heap_Used"
                " / flink_taskmanager_Status_JVM_Memory_Heap_Max"
            },
        ),
    ),
    points=points,
    figure=figure,
    summary=summary,
    table=table,
)
