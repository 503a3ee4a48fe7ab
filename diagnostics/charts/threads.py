"""Threads: their states over a series of dumps, contended locks, and groups of equal stacks."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from diagnostics.charting.chart import Chart, Points, Theme
from diagnostics.charting.panel import Panel, escaped, row_axis, shortened, stacked
from diagnostics.charting.theme import Palette, palette
from diagnostics.language import joined_sentences, say, say_counted, to_say
from diagnostics.reconstruction.stacks.sampled_stacks import MOST_THREADS, sampled_stacks
from diagnostics.reconstruction.stacks.thread_locks import DumpedThread, LockQueue, lock_queues
from diagnostics.vocabulary.known_frames import stack

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence

MOST_DUMPS = 60
MOST_GROUPS = 40
DRAWN_GROUPS = 14
MOST_LOCKS = 20
"""Dumps, groups of equal stacks and locks kept and drawn. Our choice."""
NAMED_LOCKS = 3
"""Locks that the summary names. Our choice: the table has the others."""
MOST_NAMES = 8
FRAMES_SHOWN = 16
JAVA = ("java.", "jdk.", "sun.")
PARKED_STATES = ("WAITING", "TIMED_WAITING")
STATES = ("RUNNABLE", "BLOCKED", "WAITING", "TIMED_WAITING")
UNKNOWN = to_say("unknown")
"""A state that a dump does not name."""

Dump = tuple[int, int]
"""File id and epoch ms (0 when unknown)."""


def points(evidence: Evidence) -> Points | None:
    """States by dump, the locks that threads wait for, and the largest groups of equal stacks.

    Reads   stack_sample, only thread dumps.
    Gives   {dumps: [{file_id, ts_ms, states: {state: threads}}], locks: [{dump, lock, waiting, names, holder,
            holder_frame, chain, circle}], groups: [{state, parked, threads, dumps, frames, told, names}], parked}:
            `threads` is how many there were at once at most, frames top first; `parked` of a group whether its
            threads wait for work, of the whole how many do at once at most. Groups that are not parked come first.
    Empty   None without a thread dump.
    """
    stacks = sampled_stacks(evidence)
    if stacks is None:
        return None
    columns = ("file_id", "ts_ms", "thread", "state", "frames", "waits_for", "holds")
    dumps: dict[Dump, list[DumpedThread]] = {}
    for row in stacks.rows(stacks.threads.select(columns)[:MOST_THREADS]):
        thread = DumpedThread(
            row["thread"] or "", row["state"], tuple(row["frames"]), row["waits_for"], tuple(row["holds"] or ())
        )
        dumps.setdefault((row["file_id"], row["ts_ms"] or 0), []).append(thread)
    return points_of(dumps) if dumps else None


def points_of(dumps: Mapping[Dump, Sequence[DumpedThread]]) -> dict[str, Any]:
    """The points of the dumps."""
    order = sorted(dumps, key=lambda each: (each[1], each[0]))[-MOST_DUMPS:]
    summaries = [
        {
            "file_id": dump[0],
            "ts_ms": dump[1] or None,
            "states": dict(Counter(thread.state or UNKNOWN for thread in dumps[dump])),
        }
        for dump in order
    ]
    queues = [(place, queue) for place, dump in enumerate(order) for queue in lock_queues(dumps[dump])]
    queues.sort(key=lambda each: (not each[1].circle, -len(each[1].waiting), each[0], each[1].lock))
    return {
        "dumps": summaries,
        "locks": [_lock(place, queue) for place, queue in queues[:MOST_LOCKS]],
        "groups": _groups([dumps[dump] for dump in order]),
        "parked": max(sum(_is_parked(each.state, each.frames) for each in dumps[dump]) for dump in order),
    }


def _lock(place: int, queue: LockQueue) -> dict[str, Any]:
    holder = queue.holder
    return {
        "dump": place,
        "lock": queue.lock,
        "waiting": len(queue.waiting),
        "names": sorted(thread.name for thread in queue.waiting)[:MOST_NAMES],
        "holder": holder.name if holder else None,
        "holder_frame": holder.frames[-1] if holder and holder.frames else None,
        "chain": [each.name for each in queue.chain[:MOST_NAMES]],
        "circle": [each.name for each in queue.circle],
    }


def _groups(dumps: Sequence[Sequence[DumpedThread]]) -> list[dict[str, Any]]:
    counted: dict[tuple[str | None, tuple[str, ...]], list[list[str]]] = {}
    for threads in dumps:
        here: dict[tuple[str | None, tuple[str, ...]], list[str]] = {}
        for thread in threads:
            here.setdefault((thread.state, thread.frames), []).append(thread.name)
        for key, names in here.items():
            counted.setdefault(key, []).append(names)
    parked = {key: _is_parked(*key) for key in counted}
    largest = sorted(
        counted.items(), key=lambda item: (parked[item[0]], -max(map(len, item[1])), -len(item[1]), item[0][1])
    )
    return [
        {
            "state": state or UNKNOWN,
            "parked": parked[state, frames],
            "threads": max(map(len, seen)),
            "dumps": len(seen),
            "frames": list(frames[::-1][:FRAMES_SHOWN]),
            "told": _defining_frame(frames),
            "names": sorted({name for names in seen for name in names})[:MOST_NAMES],
        }
        for (state, frames), seen in largest[:MOST_GROUPS]
    ]


def _is_parked(state: str | None, frames: Sequence[str]) -> bool:
    """Whether a thread waits for work: for input, for room, or outside of the job's code and of known systems."""
    if state not in PARKED_STATES or not frames:
        return False
    found = stack(frames)
    return found.idle or not (found.user or found.system_frame)


def _defining_frame(frames: Sequence[str]) -> str:
    """The frame that characterises a stack: the user's, that of a known system, the first outside Java, or the top."""
    told = stack(frames)
    outside_java = next((frame for frame in reversed(frames) if not frame.startswith(JAVA)), None)
    return told.user or told.system_frame or outside_java or told.top


def _label(points: Points, place: int) -> str:
    """A dump's name on the axis."""
    dump = points["dumps"][place]
    if dump["ts_ms"] is None:
        return say("Dump {place}", place=place + 1)
    moment = dt.datetime.fromtimestamp(dump["ts_ms"] / 1000, tz=dt.UTC)
    return f"{place + 1}: {moment:%H:%M:%S}"


def _colours(colours: Palette) -> Mapping[str, str]:
    return {
        "RUNNABLE": colours.bands["LOW"],
        "BLOCKED": colours.alarm,
        "WAITING": colours.load["working"],
        "TIMED_WAITING": colours.load["quiet"],
        UNKNOWN: colours.grid,
    }


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """States of each dump as stacked bars; below, the largest groups of equal stacks."""
    colours = palette(theme)
    shades = _colours(colours)
    labels = [_label(points, place) for place in range(len(points["dumps"]))]
    present = [state for state in shades if any(dump["states"].get(state) for dump in points["dumps"])]
    states = [
        {
            "type": "bar",
            "name": say(state),
            "x": labels,
            "y": [dump["states"].get(state, 0) for dump in points["dumps"]],
            "width": 0.7 if len(labels) > 3 else 0.25,
            "marker": {"color": shades[state]},
            "hovertemplate": f"%{{y}} {say(state)}<br>{say('dump %{x}')}<extra></extra>",
        }
        for state in present
    ]
    groups = [group for group in points["groups"] if not group.get("parked")][:DRAWN_GROUPS]
    parked = [group for group in points["groups"] if group.get("parked")]
    groups = groups or parked[:DRAWN_GROUPS]
    names = [f"{place + 1}. {escaped(shortened(_short(group['told']), 44))}" for place, group in enumerate(groups)]
    stacks = {
        "type": "bar",
        "orientation": "h",
        "showlegend": False,
        "y": names,
        "x": [group["threads"] for group in groups],
        "marker": {"color": [shades.get(group["state"], colours.grid) for group in groups]},
        "text": [_group_text(group) for group in groups],
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
    }
    return stacked(
        [
            Panel(
                title=say("Threads by state in each dump"),
                unit=say("Threads"),
                height=130,
                traces=states,
                x={"type": "category"},
            ),
            Panel(
                title=_stacks_title(points, folded=groups[:1] != parked[:1]),
                unit="",
                height=max(20 * len(groups), 60),
                traces=[stacks],
                y=row_axis(names),
            ),
        ],
        theme,
        axis="own",
        x_title=say("Threads"),
    )


def _stacks_title(points: Points, *, folded: bool) -> str:
    title = say("Equal stacks together: threads at once")
    return (
        say("{title} · {parked} parked threads folded", title=title, parked=points["parked"])
        if folded and points.get("parked")
        else title
    )


def _short(frame: str) -> str:
    return ".".join(frame.rsplit(".", 2)[-2:])


def _group_text(group: Mapping[str, Any]) -> str:
    state = group["state"]
    lines = [
        say(
            "<b>{threads} threads {state}</b>, in {dumps} dumps",
            threads=group["threads"],
            state=say(state),
            dumps=group["dumps"],
        )
    ]
    lines += [escaped(shortened(frame, 90)) for frame in group["frames"][:10]]
    lines.append(say("e.g. {threads}", threads=escaped(shortened(", ".join(group["names"][:2]), 90))))
    return "<br>".join(lines)


def summary(points: Points) -> str:
    """Deadlocks, the locks that most threads wait for, the states of the last dump and the largest group."""
    parts = []
    circles = {tuple(sorted(lock["circle"])): lock["circle"] for lock in points["locks"] if lock["circle"]}
    for circle in circles.values():
        parts.append(say("Deadlock: {circle}.", circle=say(" waits for ").join([*circle, circle[0]])))
    locks = _most_contended(points)
    parts += map(_waits, locks[:NAMED_LOCKS])
    if len(locks) > NAMED_LOCKS:
        parts.append(say("{count} more locks have as many.", count=len(locks) - NAMED_LOCKS))
    if not parts:
        parts.append(say("No thread waits for a lock that another one holds."))
    last = points["dumps"][-1]["states"]
    counted = ((last[state], say(state)) for state in (*STATES, UNKNOWN) if last.get(state))
    states = say(", ").join(say("{count} {state}", count=count, state=state) for count, state in counted)
    parts.append(say("{dumps} dumps; the last one has {states}.", dumps=len(points["dumps"]), states=states))
    if points.get("parked"):
        count = points["parked"]
        parts.append(
            say_counted(
                "Up to {count} thread waits for work at once (parked, folded).",
                "Up to {count} threads wait for work at once (parked, folded).",
                count,
            )
        )
    group = next((group for group in points["groups"] if not group.get("parked")), None)
    if group and group["threads"] > 1:
        parts.append(
            say("{threads} threads have one stack, in {frame}.", threads=group["threads"], frame=group["told"])
        )
    return joined_sentences(parts)


def _most_contended(points: Points) -> list[Mapping[str, Any]]:
    """The locks without a deadlock that most threads wait for at once: all of one dump, the last one that has as many
    of them.
    """
    locks = [lock for lock in points["locks"] if not lock["circle"]]
    most = max((lock["waiting"] for lock in locks), default=0)
    by_dump: dict[int, list[Mapping[str, Any]]] = {}
    for lock in locks:
        if lock["waiting"] == most:
            by_dump.setdefault(lock["dump"], []).append(lock)
    return max(by_dump.values(), key=lambda found: (len(found), found[0]["dump"]), default=[])


def _waits(lock: Mapping[str, Any]) -> str:
    """How many threads wait for a lock, and who holds it."""
    if lock["holder"]:
        return say_counted(
            "{count} thread waits for {lock}, held by {holder} in {frame}.",
            "{count} threads wait for {lock}, held by {holder} in {frame}.",
            lock["waiting"],
            lock=lock["lock"],
            holder=lock["holder"],
            frame=lock["holder_frame"],
        )
    return say_counted(
        "{count} thread waits for {lock}.", "{count} threads wait for {lock}.", lock["waiting"], lock=lock["lock"]
    )


def table(points: Points) -> list[list[Any]]:
    """Locks that threads wait for, then the groups of equal stacks, top frame first."""
    header = [
        say("What"),
        say("State"),
        say("Threads"),
        say("Dumps"),
        say("Lock or frames, top first"),
        say("Held by"),
        say("Threads, e.g."),
    ]
    rows: list[list[Any]] = []
    for lock in points["locks"]:
        what = say("deadlock") if lock["circle"] else say("lock")
        chain = say(" waits for ").join(lock["chain"]) or None
        names = ", ".join(lock["names"])
        rows.append([what, "BLOCKED", lock["waiting"], _label(points, lock["dump"]), lock["lock"], chain, names])
    for group in points["groups"]:
        frames, names = " < ".join(group["frames"]), ", ".join(group["names"])
        rows.append([say("equal stacks"), group["state"], group["threads"], group["dumps"], frames, None, names])
    return [header, *rows]


CHART = Chart(
    id="threads",
    title=to_say("Threads"),
    order=65,
    axis="own",
    missing=to_say(
        "A few thread dumps some seconds apart would fill this chart: `jstack -l <pid>`, or "
        "`curl -s $REST/taskmanagers/<id>/thread-dump`."
    ),
    panels=(),  # sampled stacks are no metric
    points=points,
    figure=figure,
    summary=summary,
    table=table,
)
