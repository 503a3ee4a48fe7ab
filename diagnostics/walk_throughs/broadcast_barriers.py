"""Barriers to all parallel subtasks: a record goes to one of them, a barrier is broadcast to every one."""

from __future__ import annotations

from diagnostics.walk_throughs.walk_through import Item, Lane, Step, WalkThrough

BARRIER = Item("barrier", "barrier")
SOURCES, SUMS = ("Source 1", "Source 2"), ("Sum 1", "Sum 2", "Sum 3")
"""Two subtasks that send by key to three: six channels."""

Channels = dict[tuple[str, str], tuple[str, ...]]

FILLED: Channels = {
    ("Source 1", "Sum 1"): ("a 1",),
    ("Source 1", "Sum 2"): ("b 1",),
    ("Source 2", "Sum 1"): ("a 2", "a 3"),
    ("Source 2", "Sum 3"): ("c 1",),
}


def _channels(channels: Channels, sent: tuple[str, ...], taken: frozenset[tuple[str, str]]) -> tuple[Lane, ...]:
    """A lane for each channel.

    sent   sources whose barrier is in their channels, behind their records
    taken  channels whose barrier has arrived
    """
    lanes = []
    for source in SOURCES:
        for target in SUMS:
            items = [Item(text) for text in channels.get((source, target), ())]
            if source in sent and (source, target) not in taken:
                items.append(BARRIER)
            lanes.append(Lane(f"{source} to {target}", tuple(items)))
    return tuple(lanes)


def _operators(*waits: str) -> tuple[Lane, ...]:
    return tuple(Lane(name, (Item(text, "event"),)) for name, text in zip(SUMS, waits, strict=True))


ALL = frozenset((source, target) for source in SOURCES for target in SUMS)
TO_THIRD = frozenset({("Source 1", "Sum 3")})

STEPS = (
    Step(
        "A record goes to one subtask",
        "Records are partitioned by key: `a` goes to Sum 1 whoever sends it, `b` to Sum 2, `c` to Sum 3. Each pair "
        "of a "
        "sending and a receiving subtask has a channel of its own: 2 x 3 = 6.",
        (*_channels(FILLED, (), frozenset()), *_operators("no barrier yet", "no barrier yet", "no barrier yet")),
    ),
    Step(
        "A barrier goes to every subtask",
        "Source 1 stores its offset and broadcasts the barrier: one on each of its three channels, behind the "
        "records that "
        "wait there, and also on the channel to Sum 3, which has no record at all.",
        (
            *_channels(FILLED, ("Source 1",), frozenset()),
            *_operators("waits for 2 barriers", "waits for 2 barriers", "waits for 2 barriers"),
        ),
        ("Source 1: offset",),
    ),
    Step(
        "The empty channel is quick",
        "The barrier arrives at Sum 3 at once. Without it Sum 3 could not know that nothing of Source 1 is under "
        "way: that "
        "is why it is broadcast and not partitioned.",
        (
            *_channels(FILLED, ("Source 1",), TO_THIRD),
            *_operators("waits for 2 barriers", "waits for 2 barriers", "waits for 1 of 2 barriers"),
        ),
        ("Source 1: offset",),
    ),
    Step(
        "Each source sends its own barriers",
        "Source 2 broadcasts too. Six barriers are sent for one checkpoint, one for each channel; each subtask waits "
        "for one "
        "of every sender.",
        (
            *_channels(FILLED, SOURCES, TO_THIRD),
            *_operators("waits for 2 barriers", "waits for 2 barriers", "waits for 1 of 2 barriers"),
        ),
        ("Source 1: offset", "Source 2: offset"),
    ),
    Step(
        "A subtask stores its state when it has all of them",
        "Sum 1 had most records before its barriers and is the last one: the checkpoint waits for the slowest "
        "channel of all "
        "six.",
        (*_channels({}, SOURCES, ALL), *_operators("stored", "stored", "stored")),
        ("Source 1: offset", "Source 2: offset", "Sum 1: a 6", "Sum 2: b 1", "Sum 3: c 1"),
    ),
)

WALK_THROUGH = WalkThrough(
    id="broadcast-barriers",
    title="Barriers to all parallel subtasks",
    summary="A record goes to one parallel subtask; a barrier is broadcast to all of them, on every channel.",
    steps=STEPS,
    afterwards=(
        "The barriers of a checkpoint are as many as the channels: with twice the parallelism on both sides four "
        "times as "
        "many.",
        "One subtask that does not read holds back the barriers of all its channels, and with them the checkpoint.",
    ),
    own=(
        "One checkpoint of this job sends {job_overview.barriers|number} barriers, one on each channel between two "
        "subtasks.",
        "Each subtask of {job_overview.barriers_task} waits for {job_overview.barriers_waited_for|number} of them.",
        "The barriers reach subtask {channel_barriers.subtask} of {channel_barriers.task} up to "
        "{channel_barriers.spread_max_ms|duration} apart.",
    ),
    docs=("S101", "S130"),
    order=8,
)
