"""Each process's connection to the coordination service over time, who led when, and what followed, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from diagnostics.charting.chart import Chart, Points, Theme
from diagnostics.charting.panel import Panel, escaped, row_axis, shortened, stacked
from diagnostics.charting.theme import Palette, palette
from diagnostics.language import joined_sentences, say, to_say
from diagnostics.reconstruction.failures.incident_log import incident_log
from diagnostics.reconstruction.failures.leadership_course import leadership_courses
from diagnostics.reconstruction.failures.process_end import task_manager_of_file
from diagnostics.wording.phrase import duration, within_sentence

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence
    from diagnostics.reconstruction.failures.leadership_course import ProcessCourse

MOST_PROCESSES = 24
"""Processes in the chart: JobManagers first, then the earliest. Our choice: one screen."""
MOST_STEPS = 400
"""Steps kept. Our choice."""
ROW, LEAST_HEIGHT, THICK = 30, 110, 12
"""Pixels of a process's row, minimum height of the plot, and thickness of a connection."""
NAME_LENGTH, TEXT_LENGTH = 34, 160
ROLES = {"jobmanager": "JobManager", "taskmanager": "TaskManager"}
STATES = {"connected": to_say("Connected"), "suspended": "SUSPENDED", "lost": "LOST"}
STEPS = {
    "connected": to_say("connected"),
    "suspended": to_say("suspended"),
    "lost": to_say("lost"),
    "granted": to_say("granted"),
    "revoked": to_say("revoked"),
    "checkpoint failed": to_say("checkpoint failed"),
    "process ended": to_say("process ended"),
}
MARKS = {
    "granted": (to_say("Leadership granted"), "triangle-up"),
    "revoked": (to_say("Leadership revoked"), "triangle-down"),
    "checkpoint failed": (to_say("Checkpoint not completed"), "diamond"),
    "process ended": (to_say("Process ended"), "x"),
}


def points(evidence: Evidence) -> Points | None:
    """The course of every process that lost the coordination service, regained it, or whose leadership was revoked.

    Reads   log_record.
    Gives   {from_ms, to_ms, left_out, processes: [{name, role, stretches: [[state, from_ms, to_ms]], leads: [[from_ms,
            to_ms]]}], steps: [[ts_ms, place of the process, what, text, file, line]]}, steps in time order.
    Empty   None without a loss and without a revoked leadership.
    """
    log = incident_log(evidence)
    courses = leadership_courses(log)
    if not courses:
        return None
    names = task_manager_of_file(log)
    shown = courses[:MOST_PROCESSES]
    steps = sorted(
        (step.event.ts_ms or 0, place, step.what, _text(step.event), evidence.file_name(each.file_id), step.event.line)
        for place, each in enumerate(shown)
        for step in each.steps
    )[:MOST_STEPS]
    ends = [stretch.to_ms for each in shown for stretch in each.stretches]
    ends += [end for each in shown for _, end in each.leads]
    return {
        "from_ms": steps[0][0],
        "to_ms": max(ends, default=steps[-1][0]),
        "left_out": len(courses) - len(shown),
        "processes": [
            {
                "name": _name(course, names.get(course.file_id) or evidence.file_name(course.file_id)),
                "role": course.role,
                "stretches": [[each.state, each.from_ms, each.to_ms] for each in course.stretches],
                "leads": [list(each) for each in course.leads],
            }
            for course in shown
        ],
        "steps": [list(each) for each in steps],
    }


def _name(course: ProcessCourse, name: str) -> str:
    role = ROLES.get(course.role or "")
    return f"{role} {name}" if role else name


def _text(event: Any) -> str:
    return " ".join(str(event.message).split())[:TEXT_LENGTH]


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """A row for each process: a bar for its connection, a thin line while it leads, and marks for what happened."""
    colours = palette(theme)
    names = _labels(points)
    panel = Panel(
        title=say("Connection to the coordination service and leadership"),
        unit="",
        height=max(ROW * len(names), LEAST_HEIGHT),
        traces=[
            *_connections(points, names, colours),
            *_leaders(points, names, colours),
            *_marks(points, names, colours),
        ],
        y=row_axis(names),
    )
    return stacked([panel], theme, axis="time")


def _labels(points: Points) -> list[str]:
    """A name for each row; equal names get a number."""
    found: list[str] = []
    for each in points["processes"]:
        name = escaped(shortened(each["name"], NAME_LENGTH))
        same = sum(other == name or other.startswith(f"{name} (") for other in found)
        found.append(f"{name} ({same + 1})" if same else name)
    return found


def _connections(points: Points, names: Sequence[str], colours: Palette) -> Iterator[dict[str, Any]]:
    colour = {"connected": colours.bands["OK"], "suspended": colours.bands["LOW"], "lost": colours.bands["HIGH"]}
    for state, title in STATES.items():
        spans = [
            (name, begin, end)
            for name, process in zip(names, points["processes"], strict=True)
            for found, begin, end in process["stretches"]
            if found == state
        ]
        if spans:
            yield {
                "type": "scatter",
                "mode": "lines",
                "name": say(title),
                "x": [at for _, begin, end in spans for at in (begin, end, None)],
                "y": [value for name, _, _ in spans for value in (name, name, None)],
                "line": {"color": colour[state], "width": THICK},
                "text": [
                    text
                    for name, begin, end in spans
                    for text in (_for_how_long(name, title, end - begin),) * 2 + ("",)
                ],
                "hovertemplate": "%{text}<br>%{x}<extra></extra>",
            }


def _for_how_long(name: str, state: str, length_ms: float) -> str:
    return say("{name}<br>{state} for {time}", name=name, state=say(state), time=duration(length_ms))


def _leaders(points: Points, names: Sequence[str], colours: Palette) -> Iterator[dict[str, Any]]:
    spans = [
        (name, begin, end)
        for name, process in zip(names, points["processes"], strict=True)
        for begin, end in process["leads"]
    ]
    if spans:
        yield {
            "type": "scatter",
            "mode": "lines",
            "name": say("Leads"),
            "x": [at for _, begin, end in spans for at in (begin, end, None)],
            "y": [value for name, _, _ in spans for value in (name, name, None)],
            "line": {"color": colours.text, "width": 2},
            "hovertemplate": f"%{{y}}<br>{say('leads')}<br>%{{x}}<extra></extra>",
        }


def _marks(points: Points, names: Sequence[str], colours: Palette) -> Iterator[dict[str, Any]]:
    for what, (title, symbol) in MARKS.items():
        steps = [each for each in points["steps"] if each[2] == what]
        if steps:
            yield {
                "type": "scatter",
                "mode": "markers",
                "name": say(title),
                "x": [each[0] for each in steps],
                "y": [names[each[1]] for each in steps],
                "marker": {
                    "symbol": symbol,
                    "size": 10,
                    "color": colours.calm if what == "granted" else colours.alarm,
                    "line": {"color": colours.surface, "width": 1},
                },
                "text": [escaped(each[3]) for each in steps],
                "hovertemplate": f"<b>{say(title)}</b><br>%{{y}}<br>%{{text}}<br>%{{x}}<extra></extra>",
            }


def _with_a_connection_to_lose(processes: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Those that were connected before the last break was over; all where no log shows a connection."""
    breaks = [end for each in processes for state, _, end in each["stretches"] if state != "connected"]
    until = max(breaks, default=float("inf"))
    return [
        each
        for each in processes
        if any(state == "connected" and begin < until for state, begin, _ in each["stretches"])
    ] or processes


def summary(points: Points) -> str:
    """How many processes lost the service, for how long, and how often leadership changed."""
    processes = _with_a_connection_to_lose(points["processes"])
    suspended = [each for each in processes if any(state != "connected" for state, _, _ in each["stretches"])]
    lost = [each for each in processes if any(state == "lost" for state, _, _ in each["stretches"])]
    sentences = []
    if suspended:
        longest = max(
            sum(end - begin for state, begin, end in each["stretches"] if state != "connected") for each in suspended
        )
        sentences.append(
            say(
                "{suspended} of {processes} processes lost the connection, the longest for {longest} "
                "in total; in {lost} of them the session was LOST.",
                suspended=len(suspended),
                processes=len(processes),
                longest=duration(longest),
                lost=len(lost),
            )
        )
    counts = {title: sum(each[2] == what for each in points["steps"]) for what, (title, _) in MARKS.items()}
    counted = [
        say("{what}: {count}", what=within_sentence(say(title)), count=count)
        for title, count in counts.items()
        if count
    ]
    if counted:
        sentences.append(say("{facts}.", facts=capitalised(say(", ").join(counted))))
    return joined_sentences(sentences)


def capitalised(text: str) -> str:
    """The text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def table(points: Points) -> list[list[Any]]:
    """The sequence: one row for each step, in time order."""
    header = [
        say("Step"),
        say("Time (UTC, epoch ms)"),
        say("Process"),
        say("What"),
        say("Record"),
        say("File"),
        say("Line"),
    ]
    names = [each["name"] for each in points["processes"]]
    steps = enumerate(points["steps"], 1)
    return [
        header,
        *([number, ts_ms, names[place], _what(what), *rest] for number, (ts_ms, place, what, *rest) in steps),
    ]


def _what(step: str) -> str:
    """What a step of the points is."""
    return say(STEPS[step]) if step in STEPS else step


CHART = Chart(
    id="leadership",
    title=to_say("Leadership and coordination service"),
    order=68,
    axis="time",
    missing=to_say(
        "Logs of JobManagers and TaskManagers in which the connection to ZooKeeper or Kubernetes is lost, or a "
        "leadership is revoked, would fill this chart."
    ),
    panels=(),  # log lines are no metric
    points=points,
    figure=figure,
    summary=summary,
    table=table,
)
