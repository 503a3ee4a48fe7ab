"""Chandy and Lamport: the first marker triggers the snapshot, and the channels' contents are recorded."""

from __future__ import annotations

from diagnostics.language import listed, say, to_say
from diagnostics.walk_throughs.walk_through import Board, Step, WalkThrough

RECORDED = (9, 7)
"""What channel 2 holds between the recording of the state and its marker."""


def _steps() -> tuple[Step, ...]:
    board = Board()
    board.note(
        say("The same channels"),
        say(
            "The rule: when a marker arrives and the process has not recorded its state, it records it now and sends "
            "markers on; otherwise the state of that channel is what came after the recording and before the marker."
        ),
    )
    for channel in (0, 1):
        board.read(channel)
        board.note(
            say("{value} of channel {number} is read", value=2, number=channel + 1),
            say("The sum is {total}.", total=board.total),
        )
    board.take_barrier(0)
    board.send_barrier()
    board.checkpoint += [say("state: sum {total}", total=5), say("channel 1: empty")]
    board.note(
        say("The first marker arrives: the state is recorded now"),
        say(
            "Nobody waits. The marker goes out at once, channel 1 counts as empty, and the recording of channel 2 "
            "begins."
        ),
    )
    board.saved = {("ch1", 0), ("ch1", 1)}
    board.read(0)
    board.note(
        say("Channel 1 is not blocked"),
        say("3 is read although it belongs to the next checkpoint; the state is recorded already."),
    )
    for place, value in enumerate(RECORDED):
        board.read(1)
        board.checkpoint[2:] = [
            say("channel {number}: {values}", number=2, values=listed(map(str, RECORDED[: place + 1])))
        ]
        board.note(
            say("{value} of channel 2 is recorded and read", value=value),
            say("It was under way when the state was recorded: channel state."),
        )
    board.take_barrier(1)
    board.note(
        say("The marker of channel 2 arrives: done"),
        say(
            "The checkpoint holds the sum 5 and the records 9 and 7. Replayed, they give 5 + 9 + 7 = 21: what "
            "alignment would have stored."
        ),
    )
    return tuple(board.steps)


WALK_THROUGH = WalkThrough(
    id="chandy-lamport",
    title=to_say("Chandy and Lamport's snapshot"),
    summary=to_say("The model behind it: nodes and channels are recorded while everything goes on."),
    make_steps=_steps,
    afterwards=(
        to_say(
            "First difference: the first marker triggers the snapshot here, the last barrier does in Flink's aligned "
            "mode."
        ),
        to_say(
            "Second difference: nothing is blocked here, and what is in the channels becomes part of the checkpoint."
        ),
    ),
    own=(),
    docs=("S099", "S111", "S113", "S114"),
    order=4,
)
