"""One checkpoint through a whole job graph: on an example, and on the graph and the measured times of a case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from diagnostics.language import listed, say, to_say
from diagnostics.walk_throughs.walk_through import Node, NodeState, Step, WalkThrough

MOST_TASKS = 24
"""Tasks in the graph, those nearest to the sources. Our choice: more do not fit on a page."""
SECOND, MINUTE = 1_000, 60_000


@dataclass(frozen=True, slots=True)
class TaskTimes:
    """A task and how one checkpoint passed it; times are ms since the trigger, None where they are not measured.

    parents     names of its upstream tasks
    first_ms    when the first barrier arrived at the first subtask
    aligned_ms  when the last barrier had arrived at the last subtask
    stored_ms   when the last subtask acknowledged; None where one never did
    """

    name: str
    column: int
    parents: tuple[str, ...] = ()
    first_ms: float | None = None
    aligned_ms: float | None = None
    stored_ms: float | None = None


def steps_of(tasks: Sequence[TaskTimes], checkpoint: str) -> tuple[Step, ...]:
    """A step for the trigger and for each arrival, end of an alignment and acknowledgement, in the order of time.

    Channels are not drawn one by one: a task that aligns has barriers on some of its channels, whose records wait.
    """
    shown = sorted(tasks, key=lambda task: task.column)[:MOST_TASKS]
    places = _places(shown)
    triggered = say("{checkpoint} is triggered", checkpoint=checkpoint)
    steps = [Step(triggered, _at_trigger(shown), graph=_graph(shown, places, 0.0))]
    for at_ms, task, what in sorted(_events(shown), key=lambda event: (event[0], event[1].column, event[1].name)):
        title, text = _words_of(at_ms, task, what)
        stored = tuple(each.name for each in shown if each.stored_ms is not None and each.stored_ms <= at_ms)
        steps.append(Step(title, text, checkpoint=stored, graph=_graph(shown, places, at_ms)))
    missing = [task.name for task in shown if task.stored_ms is None]
    if missing:
        last = steps[-1]
        text = say(
            "No time is known at which {tasks} acknowledged: the checkpoint waits for it.", tasks=listed(missing)
        )
        steps.append(Step(say("Not all tasks acknowledged"), text, checkpoint=last.checkpoint, graph=last.graph))
    return tuple(steps)


def _at_trigger(tasks: Sequence[TaskTimes]) -> str:
    sources = [task.name for task in tasks if not task.parents]
    return say(
        "The coordinator asks the sources ({sources}). Each stores its part and sends the barrier on.",
        sources=listed(sources),
    )


def _events(tasks: Sequence[TaskTimes]) -> list[tuple[float, TaskTimes, str]]:
    events: list[tuple[float, TaskTimes, str]] = []
    for task in tasks:
        aligns = task.first_ms is not None and task.aligned_ms is not None and task.aligned_ms > task.first_ms
        if aligns and task.parents:
            events.append((task.first_ms or 0.0, task, "first"))
            events.append((task.aligned_ms or 0.0, task, "aligned"))
        if task.stored_ms is not None:
            events.append((task.stored_ms, task, "stored"))
    return events


def _words_of(at_ms: float, task: TaskTimes, what: str) -> tuple[str, str]:
    if what == "first":
        text = say("It does not read on from the channels that delivered it, and waits for the barriers of the others.")
        return say("After {time} the first barrier reaches {task}", time=_span(at_ms), task=task.name), text
    if what == "aligned":
        text = say(
            "Its quick channels were blocked for up to {time}. It stores its state and sends the barrier on.",
            time=_span(at_ms - (task.first_ms or 0.0)),
        )
        return say("After {time} all barriers have reached {task}", time=_span(at_ms), task=task.name), text
    title = say("After {time} {task} has acknowledged", time=_span(at_ms), task=task.name)
    return title, say("Its part of the checkpoint is stored.")


def _places(tasks: Sequence[TaskTimes]) -> Mapping[str, tuple[int, int]]:
    rows: dict[int, int] = defaultdict(int)
    places: dict[str, tuple[int, int]] = {}
    for task in tasks:
        places[task.name] = (task.column, rows[task.column])
        rows[task.column] += 1
    return places


def _graph(tasks: Sequence[TaskTimes], places: Mapping[str, tuple[int, int]], at_ms: float) -> tuple[Node, ...]:
    return tuple(
        Node(
            task.name,
            *places[task.name],
            *_state(task, at_ms),
            tuple(places[parent] for parent in task.parents if parent in places),
        )
        for task in tasks
    )


def _state(task: TaskTimes, at_ms: float) -> tuple[NodeState, str]:
    if task.stored_ms is not None and task.stored_ms <= at_ms:
        return "stored", say("acknowledged after {time}", time=_span(task.stored_ms))
    if task.first_ms is not None and task.parents and task.first_ms <= at_ms:
        if task.aligned_ms is not None and task.aligned_ms <= at_ms:
            return "aligns", say("stores its state")
        return "aligns", say("waits for other barriers")
    return "waits", say("waits for the barrier") if task.parents else say("sends the barrier")


def _span(ms: float) -> str:
    if ms < SECOND:
        return f"{ms:.0f} ms"
    return f"{ms / SECOND:.1f} s" if ms < MINUTE else f"{ms / MINUTE:.1f} min"


EXAMPLE = (
    TaskTimes("Line A", 0, stored_ms=40),
    TaskTimes("Line B", 0, stored_ms=60),
    TaskTimes("Daily A", 1, ("Line A",), 50, 90, 200),
    TaskTimes("Daily B", 1, ("Line B",), 9_000, 9_400, 9_600),
    TaskTimes("Weekly, both lines", 2, ("Daily A", "Daily B"), 120, 9_500, 9_800),
    TaskTimes("Sink", 3, ("Weekly, both lines",), 9_700, 9_750, 9_900),
)
"""Two business lines with a daily window each and a weekly window that both share; B is back-pressured."""


def _example_steps() -> tuple[Step, ...]:
    return steps_of(EXAMPLE, "Checkpoint 2")


WALK_THROUGH = WalkThrough(
    id="checkpoint-through-a-graph",
    title=to_say("A checkpoint through a job graph"),
    summary=to_say(
        "Two business lines share a task, and the slow one makes the quick one wait. From a case it shows the graph of "
        "that case with its measured times."
    ),
    make_steps=_example_steps,
    afterwards=(
        to_say(
            "A task stores its state when the last barrier has arrived: the slowest path decides for all that share it."
        ),
        to_say(
            "A quick input is blocked at a shared task although neither of both is slow: it waits for the slow input."
        ),
        to_say("Unaligned barriers overtake the records that wait; a bottleneck on the slow path remains one."),
    ),
    own=(
        to_say(
            "Start delay and alignment take {checkpoint_phases.barrier_share_ratio|percent} of its slow checkpoints."
        ),
        to_say(
            "In checkpoint {in_flight_data.checkpoint} the longest wait was {in_flight_data.longest_wait_ms|duration}."
        ),
    ),
    docs=("S099", "S107", "S108", "S109"),
    order=2,
)
