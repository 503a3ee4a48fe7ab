"""Chandy and Lamport: the first marker triggers the snapshot, and the channels' contents are recorded."""

from __future__ import annotations

from diagnostics.walk_throughs.walk_through import Board, Step, WalkThrough


def _steps() -> tuple[Step, ...]:
    board = Board()
    board.note(
        "The same channels",
        "The rule: when a marker arrives and the process has not recorded its state, it records it now and sends "
        "markers on; "
        "otherwise the state of that channel is what came after the recording and before the marker.",
    )
    board.read(0)
    board.note("2 of channel 1 is read", "The sum is 3.")
    board.read(1)
    board.note("2 of channel 2 is read", "The sum is 5.")
    board.take_barrier(0)
    board.send_barrier()
    board.checkpoint += ["state: sum 5", "channel 1: empty"]
    board.note(
        "The first marker arrives: the state is recorded now",
        "Nobody waits. The marker goes out at once, channel 1 counts as empty, and the recording of channel 2 begins.",
    )
    board.saved = {("ch1", 0), ("ch1", 1)}
    board.read(0)
    board.note(
        "Channel 1 is not blocked",
        "3 is read although it belongs to the next checkpoint; the state is recorded already.",
    )
    for value in (9, 7):
        board.read(1)
        board.checkpoint[2:] = [f"channel 2: {', '.join(map(str, (9, 7)[: (9, 7).index(value) + 1]))}"]
        board.note(
            f"{value} of channel 2 is recorded and read", "It was under way when the state was recorded: channel state."
        )
    board.take_barrier(1)
    board.note(
        "The marker of channel 2 arrives: done",
        "The checkpoint holds the sum 5 and the records 9 and 7. Replayed, they give 5 + 9 + 7 = 21: what "
        "alignment would "
        "have stored.",
    )
    return tuple(board.steps)


WALK_THROUGH = WalkThrough(
    id="chandy-lamport",
    title="Chandy and Lamport's snapshot",
    summary="The model behind it: nodes and channels are recorded while everything goes on.",
    steps=_steps(),
    afterwards=(
        "First difference: the first marker triggers the snapshot here, the last barrier does in Flink's aligned mode.",
        "Second difference: nothing is blocked here, and what is in the channels becomes part of the checkpoint.",
    ),
    own=(),
    docs=("S099", "S111", "S113", "S114"),
    order=4,
)
