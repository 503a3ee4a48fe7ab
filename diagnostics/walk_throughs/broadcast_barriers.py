"""Barriers to all parallel subtasks: a record goes to one of them, a barrier is broadcast to every one."""

from __future__ import annotations

from diagnostics.language import say, to_say
from diagnostics.walk_throughs.walk_through import Item, Lane, Step, WalkThrough

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
                items.append(Item(say("barrier"), "barrier"))
            lanes.append(Lane(say("{source} to {target}", source=source, target=target), tuple(items)))
    return tuple(lanes)


def _operators(*waits: str) -> tuple[Lane, ...]:
    return tuple(Lane(name, (Item(text, "event"),)) for name, text in zip(SUMS, waits, strict=True))


ALL = frozenset((source, target) for source in SOURCES for target in SUMS)
TO_THIRD = frozenset({("Source 1", "Sum 3")})


def _steps() -> tuple[Step, ...]:
    none_yet, both, second = say("no barrier yet"), say("waits for 2 barriers"), say("waits for 1 of 2 barriers")
    first_offset, second_offset = (say("{source}: offset", source=source) for source in SOURCES)
    return (
        Step(
            say("A record goes to one subtask"),
            say(
                "Records are partitioned by key: a goes to Sum 1 whoever sends it, b to Sum 2, c to Sum 3. Each "
                "pair of a sending and a receiving subtask has a channel of its own: 2 x 3 = 6."
            ),
            (*_channels(FILLED, (), frozenset()), *_operators(none_yet, none_yet, none_yet)),
        ),
        Step(
            say("A barrier goes to every subtask"),
            say(
                "Source 1 stores its offset and broadcasts the barrier: one on each of its three channels, behind the "
                "records that wait there, and also on the channel to Sum 3, which has no record at all."
            ),
            (*_channels(FILLED, ("Source 1",), frozenset()), *_operators(both, both, both)),
            (first_offset,),
        ),
        Step(
            say("The empty channel is quick"),
            say(
                "The barrier arrives at Sum 3 at once. Without it Sum 3 could not know that nothing of Source 1 is "
                "under way: that is why it is broadcast and not partitioned."
            ),
            (*_channels(FILLED, ("Source 1",), TO_THIRD), *_operators(both, both, second)),
            (first_offset,),
        ),
        Step(
            say("Each source sends its own barriers"),
            say(
                "Source 2 broadcasts too. Six barriers are sent for one checkpoint, one for each channel; each subtask "
                "waits for one of every sender."
            ),
            (*_channels(FILLED, SOURCES, TO_THIRD), *_operators(both, both, second)),
            (first_offset, second_offset),
        ),
        Step(
            say("A subtask stores its state when it has all of them"),
            say(
                "Sum 1 had most records before its barriers and is the last one: the checkpoint waits for the slowest "
                "channel of all six."
            ),
            (*_channels({}, SOURCES, ALL), *_operators(say("stored"), say("stored"), say("stored"))),
            (first_offset, second_offset, "Sum 1: a 6", "Sum 2: b 1", "Sum 3: c 1"),
        ),
    )


WALK_THROUGH = WalkThrough(
    id="broadcast-barriers",
    title=to_say("Barriers to all parallel subtasks"),
    summary=to_say("A record goes to one parallel subtask; a barrier is broadcast to all of them, on every channel."),
    make_steps=_steps,
    afterwards=(
        to_say(
            "The barriers of a checkpoint are as many as the channels: with twice the parallelism on both sides four "
            "times as many."
        ),
        to_say(
            "One subtask that does not read holds back the barriers of all its channels, and with them the checkpoint."
        ),
    ),
    own=(
        to_say(
            "One checkpoint of this job sends {job_overview.barriers|number} barriers, one on each channel between two "
            "subtasks."
        ),
        to_say(
            "Each subtask of {job_overview.barriers_task} waits for {job_overview.barriers_waited_for|number} of them."
        ),
        to_say(
            "The barriers reach subtask {channel_barriers.subtask} of {channel_barriers.task} up to "
            "{channel_barriers.spread_max_ms|duration} apart."
        ),
    ),
    docs=("S101", "S130"),
    order=8,
)
