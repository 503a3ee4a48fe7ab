"""A checkpoint from its trigger to its completion: barriers cut the stream, each task stores its part."""

from __future__ import annotations

from diagnostics.walk_throughs.walk_through import Item, Lane, Step, WalkThrough

BARRIER = Item("barrier 2", "barrier")


def _lanes(
    coordinator: str, source: str, first: tuple[Item, ...], sums: str, second: tuple[Item, ...], sink: str
) -> tuple[Lane, ...]:
    return (
        Lane("Checkpoint coordinator", (Item(coordinator, "event"),)),
        Lane("Source", (Item(source, "event"),)),
        Lane("Source to sum", first),
        Lane("Sum", (Item(sums, "event"),)),
        Lane("Sum to sink", second),
        Lane("Sink", (Item(sink, "event"),)),
    )


def _records(*texts: str) -> tuple[Item, ...]:
    return tuple(BARRIER if text == "|" else Item(text) for text in texts)


STEPS = (
    Step(
        "Checkpoint 2 is triggered",
        "The coordinator in the JobManager asks the sources. Whatever came before belongs to checkpoint 2, the "
        "rest to 3.",
        _lanes("triggers 2", "offset 5", _records("4", "5"), "sum 6", _records("3"), "writes"),
    ),
    Step(
        "The source stores its offset and sends the barrier",
        "Local snapshot first, then the barrier to every task below. The upload runs beside the work.",
        _lanes("1 of 3 pending", "offset 5 stored", _records("4", "5", "|"), "sum 6", _records("3"), "writes"),
        ("source: offset 5",),
    ),
    Step(
        "Sum works off what is before the barrier",
        "Under back pressure this is where the time goes: the start delay.",
        _lanes("1 of 3 pending", "offset 7", _records("|", "6", "7"), "sum 15", _records("4", "5"), "writes"),
        ("source: offset 5",),
    ),
    Step(
        "Sum stores its state and sends the barrier on",
        "The synchronous part copies, the asynchronous part uploads; then the task acknowledges.",
        _lanes(
            "2 of 3 acknowledged", "offset 8", _records("6", "7", "8"), "sum 15 stored", _records("5", "|"), "writes"
        ),
        ("source: offset 5", "sum: 15"),
    ),
    Step(
        "The sink acknowledges: the checkpoint is complete",
        "It is complete when every task has acknowledged. The tasks are notified, and a transactional sink commits.",
        _lanes("2 is complete", "offset 9", _records("8", "9"), "sum 28", _records("6", "7"), "commits"),
        ("source: offset 5", "sum: 15", "sink: acknowledged"),
    ),
)


WALK_THROUGH = WalkThrough(
    id="checkpoint-through-a-job",
    title="A checkpoint through a job",
    summary="Barriers cut the stream into periods; a checkpoint is complete when all tasks have acknowledged.",
    steps=STEPS,
    afterwards=(
        "If one task does not acknowledge within the timeout, the checkpoint expires and everything stored for "
        "it was in vain.",
        "Nothing sends a lost barrier again: a broken channel fails the task.",
    ),
    own=(
        "In this case {checkpoint_progress.completed} checkpoints completed and {checkpoint_progress.failed} "
        "failed; the timeout is "
        "{settings.timeout_ms|duration}.",
        "Checkpoint {checkpoint_phases.unacknowledged_id} was never acknowledged by "
        "{checkpoint_phases.unacknowledged_count} subtasks "
        "of {checkpoint_phases.unacknowledged_vertices|list}.",
        "At the end of these files the last completed checkpoint was "
        "{checkpoint_progress.since_last_completed_ms|duration} old: a "
        "restart repeats the work since then.",
    ),
    docs=("S100", "S101", "S105"),
    order=1,
)
