"""Unaligned barriers: the first barrier overtakes queued records, which are saved with the checkpoint."""

from __future__ import annotations

from diagnostics.language import listed, say, to_say
from diagnostics.walk_throughs.walk_through import Board, Step, WalkThrough

OVERTAKEN = (2, 9, 7)
"""What channel 2 holds before its barrier."""


def _steps() -> tuple[Step, ...]:
    board = Board()
    board.note(
        say("The same channels"),
        say("Flink has output channels as well: 1 waits there. Both sides must be part of the checkpoint."),
    )
    board.take_barrier(0)
    board.send_barrier(first=True)
    board.saved = {("ch0", 0), ("out", 1), ("ch1", 0), ("ch1", 1), ("ch1", 2)}
    board.checkpoint += [
        say("state: sum {total}", total=1),
        say("channel {number}: {values}", number=1, values=2),
        say("output: {values}", values=1),
    ]
    board.note(
        say("The first barrier overtakes everything"),
        say(
            "It jumps ahead of 2 in channel 1 and of 1 in the output, and leaves at once. The state is copied now. "
            "What was overtaken is saved: 2 of channel 1 and 1 of the output. Of channel 2 everything up to its "
            "barrier will be."
        ),
    )
    board.read(0)
    board.note(
        say("{value} of channel {number} is read", value=2, number=1),
        say("Nothing is blocked: the operator goes on. The sum is 3, the saved state is still 1."),
    )
    for place, value in enumerate(OVERTAKEN):
        board.read(1)
        values = listed(map(str, OVERTAKEN[: place + 1]))
        board.checkpoint[3:] = [say("channel {number}: {values}", number=2, values=values)]
        board.note(
            say("{value} of channel 2 is saved and read", value=value),
            say("It came before the barrier of channel 2. The sum is {total}.", total=board.total),
        )
    board.take_barrier(1)
    board.note(
        say("The last barrier arrives: done"),
        say("The checkpoint holds the sum 1, and 2, 1 and 2, 9, 7 as in-flight data. Its upload is larger by these."),
    )
    board.note(
        say("After a failure"),
        say(
            "The state is 1 again, the output sends 1 again, and 2, 2, 9 and 7 are processed before anything new: "
            "1 + 2 + 2 + 9 + 7 = 21. Every record counts exactly once."
        ),
    )
    return tuple(board.steps)


WALK_THROUGH = WalkThrough(
    id="unaligned-barriers",
    title=to_say("Unaligned barriers"),
    summary=to_say("Since Flink 1.11: barriers do not wait in queues, and queued data becomes part of the checkpoint."),
    make_steps=_steps,
    afterwards=(
        to_say(
            "When the operator itself is slow, the snapshot starts at once all the same: start delay and alignment "
            "fall away."
        ),
        to_say("The back pressure stays, and recovery first processes what was saved."),
        to_say("When the upload is the bottleneck, more bytes make checkpoints slower."),
    ),
    own=(
        to_say(
            "In this case up to {checkpoint_sizes.persisted_max_bytes|bytes} of in-flight data were saved with one "
            "checkpoint."
        ),
        to_say(
            "Start delay and alignment are {checkpoint_phases.barrier_share_ratio|percent} of slow checkpoints: that "
            "part would fall away; the asynchronous part ({checkpoint_phases.async_share_ratio|percent}) would grow."
        ),
        to_say(
            "{checkpoint_progress.unaligned_count} of {checkpoint_progress.completed} completed checkpoints were "
            "unaligned."
        ),
    ),
    docs=("S115", "S116", "S117", "S118", "S119"),
    order=5,
)
