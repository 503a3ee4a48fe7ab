"""The type of a walk-through: a mechanism of Flink step by step on a small example, then on a case's numbers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from diagnostics.language import say

Kind = Literal["record", "barrier", "later", "event"]


@dataclass(frozen=True, slots=True)
class Item:
    """One element of a lane.

    kind   a record, a barrier, a record of the next checkpoint, or an event
    saved  it is part of the checkpoint as in-flight data, and highlighted
    """

    text: str
    kind: Kind = "record"
    saved: bool = False


@dataclass(frozen=True, slots=True)
class Lane:
    """A channel, an operator or a system, with its items, the next one to leave first.

    blocked  it is a channel that is not read
    """

    name: str
    items: tuple[Item, ...] = ()
    note: str = ""
    blocked: bool = False


NodeState = Literal["waits", "aligns", "stored"]


@dataclass(frozen=True, slots=True)
class Node:
    """A task of a job graph at one moment.

    column, row  its place, the sources in column 0
    parents      places of its upstream tasks in the same graph
    """

    name: str
    column: int
    row: int
    state: NodeState
    text: str
    parents: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One moment, with lanes or a graph.

    checkpoint  the contents of the checkpoint so far, in words
    """

    title: str
    text: str
    lanes: tuple[Lane, ...] = ()
    checkpoint: tuple[str, ...] = ()
    graph: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class WalkThrough:
    """A mechanism.

    make_steps  makes its steps, in the reader's language
    own         sentences with facts of a case; one whose facts are unknown is left out
    docs        ids of its sources
    """

    id: str
    title: str
    summary: str
    make_steps: Callable[[], tuple[Step, ...]]
    afterwards: tuple[str, ...]
    own: tuple[str, ...]
    docs: tuple[str, ...]
    order: int

    @property
    def steps(self) -> tuple[Step, ...]:
        """The moments of its example, in the reader's language."""
        return self.make_steps()

    def read(self) -> WalkThrough:
        """The walk-through with all its texts in the reader's language."""
        return replace(
            self,
            title=say(self.title),
            summary=say(self.summary),
            afterwards=tuple(map(say, self.afterwards)),
            own=tuple(map(say, self.own)),
        )


CHANNEL_1 = ("2", "|", "3")
CHANNEL_2 = ("2", "9", "7", "|")
OUTPUT = ("1",)
LATER = "3"
"""The example of the three barrier walk-throughs, next item first: `|` is the barrier, LATER belongs to the next
checkpoint, and `1` was processed just before and waits in the output.
"""


@dataclass(slots=True)
class Board:
    """An operator that sums the records of two channels and forwards them; its moves are recorded as steps."""

    channels: list[deque[str]] = field(default_factory=lambda: [deque(CHANNEL_1), deque(CHANNEL_2)])
    output: list[str] = field(default_factory=lambda: list(OUTPUT))
    total: int = 1
    blocked: set[int] = field(default_factory=set)
    saved: set[tuple[str, int]] = field(default_factory=set)
    steps: list[Step] = field(default_factory=list)
    checkpoint: list[str] = field(default_factory=list)

    def note(self, title: str, text: str) -> None:
        """Record a step with the current board."""
        lanes = tuple(self._channel(place) for place in (0, 1))
        total = Item(say("sum {total}", total=self.total), "event")
        state = Lane(say("Operator"), (total,), say("adds up what it reads and hands it on"))
        out = Lane(say("Output"), tuple(self._item("out", place, text) for place, text in enumerate(self.output)))
        self.steps.append(Step(title, text, (*lanes, state, out), tuple(self.checkpoint)))

    def read(self, channel: int) -> int:
        """Read the next record of a channel (0 or 1) and forward it; gives its value."""
        value = self.channels[channel].popleft()
        self.saved = {(lane, place - 1 if lane == f"ch{channel}" else place) for lane, place in self.saved}
        self.saved = {(lane, place) for lane, place in self.saved if place >= 0}
        self.total += int(value)
        self.output.append(value)
        return int(value)

    def take_barrier(self, channel: int) -> None:
        """Remove the barrier from its channel, from the front or past queued records."""
        self.channels[channel].remove("|")

    def send_barrier(self, *, first: bool = False) -> None:
        """Add the barrier to the output, behind queued records or before them."""
        self.output.insert(0 if first else len(self.output), "|")

    def _channel(self, place: int) -> Lane:
        items = tuple(self._item(f"ch{place}", index, text) for index, text in enumerate(self.channels[place]))
        blocked = place in self.blocked
        return Lane(say("Channel {number}", number=place + 1), items, say("blocked") if blocked else "", blocked)

    def _item(self, lane: str, place: int, text: str) -> Item:
        if text == "|":
            return Item(say("barrier"), "barrier")
        return Item(text, "later" if text == LATER else "record", (lane, place) in self.saved)
