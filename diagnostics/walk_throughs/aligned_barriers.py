"""Aligned barriers: a channel whose barrier has arrived waits for the barriers of the others."""

from __future__ import annotations

from diagnostics.language import say, to_say
from diagnostics.walk_throughs.walk_through import Board, Step, WalkThrough


def _steps() -> tuple[Step, ...]:
    board = Board()
    board.note(
        say("Two channels, one operator"),
        say(
            "Records wait in two input channels. In each one the barrier of the checkpoint is between the records that "
            "belong to it and those of the next one. 1 has been processed and waits in the output."
        ),
    )
    board.read(0)
    board.note(
        say("{value} of channel {number} is read", value=2, number=1),
        say("It comes before the barrier, so it belongs to this checkpoint: the sum is 3."),
    )
    board.take_barrier(0)
    board.blocked.add(0)
    board.note(
        say("The first barrier arrives: channel 1 is blocked"),
        say("3 belongs to the next checkpoint and must wait. The time from here to the last barrier is the alignment."),
    )
    for value in (2, 9, 7):
        board.read(1)
        board.note(
            say("{value} of channel {number} is read", value=value, number=2),
            say(
                "Channel 2 goes on; channel 1 stays blocked, and its queue fills. The sum is {total}.",
                total=board.total,
            ),
        )
    board.take_barrier(1)
    board.send_barrier()
    board.blocked.clear()
    board.checkpoint += [say("state: sum {total}", total=21), say("in-flight data: none")]
    board.note(
        say("The last barrier arrives: snapshot"),
        say(
            "All barriers are there. The state is copied (copy-on-write, so the operator goes on at once), the barrier "
            "goes out behind what waits in the output, and the copy is uploaded asynchronously. No in-flight data is "
            "needed."
        ),
    )
    board.read(0)
    board.note(say("Channel 1 is free again"), say("3 is read; it changes the sum to 24, but not the checkpoint."))
    return tuple(board.steps)


WALK_THROUGH = WalkThrough(
    id="aligned-barriers",
    title=to_say("Aligned barriers"),
    summary=to_say("The default: the last barrier triggers the snapshot, and channels wait for it."),
    make_steps=_steps,
    afterwards=(
        to_say(
            "A barrier moves with the records: under back pressure it needs as long as the queue before it (start "
            "delay)."
        ),
        to_say(
            "A slow channel holds a fast one back, also one that has nothing to do with it: alignment itself can make "
            "back pressure. Splitting the job avoids it, at the price of two jobs to run."
        ),
    ),
    own=(
        to_say(
            "In checkpoint {checkpoint_phases.reference_id} of this case the barriers travelled for up to "
            "{checkpoint_phases.start_delay_ms|duration} (start delay, subtask {checkpoint_phases.start_delay_subtask} "
            "of {checkpoint_phases.start_delay_vertex})."
        ),
        to_say(
            "Its channels were blocked for up to {checkpoint_phases.alignment_ms|duration} (alignment, subtask "
            "{checkpoint_phases.alignment_subtask} of {checkpoint_phases.alignment_vertex})."
        ),
        to_say("The copy took {checkpoint_phases.sync_ms|duration}, the upload {checkpoint_phases.async_ms|duration}."),
        to_say("Persisted in-flight data: {checkpoint_phases.persisted_bytes|bytes}."),
    ),
    docs=("S100", "S102", "S103", "S104", "S108", "S110", "S112", "S114"),
    order=3,
)
