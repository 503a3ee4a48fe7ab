"""Unaligned barriers: the first barrier overtakes queued records, which are saved with the checkpoint."""

from __future__ import annotations

from diagnostics.walk_throughs.walk_through import Board, Step, WalkThrough


def _steps() -> tuple[Step, ...]:
    board = Board()
    board.note(
        "The same channels",
        "Flink has output channels as well: 1 waits there. Both sides must be part of the checkpoint.",
    )
    board.take_barrier(0)
    board.send_barrier(first=True)
    board.saved = {("ch0", 0), ("out", 1), ("ch1", 0), ("ch1", 1), ("ch1", 2)}
    board.checkpoint += ["state: sum 1", "channel 1: 2", "output: 1"]
    board.note(
        "The first barrier overtakes everything",
        "It jumps ahead of 2 in channel 1 and of 1 in the output, and leaves at once. The state is copied now. "
        "What was "
        "overtaken is saved: 2 of channel 1 and 1 of the output. Of channel 2 everything up to its barrier will be.",
    )
    board.read(0)
    board.note(
        "2 of channel 1 is read", "Nothing is blocked: the operator goes on. The sum is 3, the saved state is still 1."
    )
    for place, value in enumerate((2, 9, 7)):
        board.read(1)
        board.checkpoint[3:] = [f"channel 2: {', '.join(('2', '9', '7')[: place + 1])}"]
        board.note(
            f"{value} of channel 2 is saved and read",
            f"It came before the barrier of channel 2. The sum is {board.total}.",
        )
    board.take_barrier(1)
    board.note(
        "The last barrier arrives: done",
        "The checkpoint holds the sum 1, and 2, 1 and 2, 9, 7 as in-flight data. Its upload is larger by these.",
    )
    board.note(
        "After a failure",
        "The state is 1 again, the output sends 1 again, and 2, 2, 9 and 7 are processed before anything new: "
        "1 + 2 + 2 + 9 + 7 = 21. Every record counts exactly once.",
    )
    return tuple(board.steps)


WALK_THROUGH = WalkThrough(
    id="unaligned-barriers",
    title="Unaligned barriers",
    summary="Since Flink 1.11: barriers do not wait in queues, and queued data becomes part of the checkpoint.",
    steps=_steps(),
    afterwards=(
        "When the operator itself is slow, the snapshot starts at once all the same: start delay and alignment "
        "fall away.",
        "The back pressure stays, and recovery first processes what was saved.",
        "When the upload is the bottleneck, more bytes make checkpoints slower.",
    ),
    own=(
        "In this case up to {checkpoint_sizes.persisted_max_bytes|bytes} of in-flight data were saved with one "
        "checkpoint.",
        "Start delay and alignment are {checkpoint_phases.barrier_share_ratio|percent} of slow checkpoints: that "
        "part would "
        "fall away; the asynchronous part ({checkpoint_phases.async_share_ratio|percent}) would grow.",
        "{checkpoint_progress.unaligned_count} of {checkpoint_progress.completed} completed checkpoints were "
        "unaligned.",
    ),
    docs=("S115", "S116", "S117", "S118", "S119"),
    order=5,
)
