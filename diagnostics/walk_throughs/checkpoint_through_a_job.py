"""A checkpoint from its trigger to its completion: barriers cut the stream, each task stores its part."""

from __future__ import annotations

from diagnostics.language import say, to_say
from diagnostics.walk_throughs.walk_through import Item, Lane, Step, WalkThrough


def _lanes(
    coordinator: str, source: str, first: tuple[Item, ...], sums: str, second: tuple[Item, ...], sink: str
) -> tuple[Lane, ...]:
    return (
        Lane(say("Checkpoint coordinator"), (Item(coordinator, "event"),)),
        Lane(say("Source"), (Item(source, "event"),)),
        Lane(say("Source to sum"), first),
        Lane(say("Sum"), (Item(sums, "event"),)),
        Lane(say("Sum to sink"), second),
        Lane(say("Sink"), (Item(sink, "event"),)),
    )


def _records(*texts: str) -> tuple[Item, ...]:
    return tuple(Item(say("barrier 2"), "barrier") if text == "|" else Item(text) for text in texts)


def _offset(offset: int) -> str:
    return say("offset {offset}", offset=offset)


def _steps() -> tuple[Step, ...]:
    writes = say("writes")
    source, total = say("source: offset {offset}", offset=5), say("sum: {total}", total=15)
    return (
        Step(
            say("Checkpoint 2 is triggered"),
            say(
                "The coordinator in the JobManager asks the sources. Whatever came before belongs to checkpoint 2, the "
                "rest to 3."
            ),
            _lanes(
                say("triggers 2"), _offset(5), _records("4", "5"), say("sum {total}", total=6), _records("3"), writes
            ),
        ),
        Step(
            say("The source stores its offset and sends the barrier"),
            say("Local snapshot first, then the barrier to every task below. The upload runs beside the work."),
            _lanes(
                say("1 of 3 pending"),
                say("offset {offset} stored", offset=5),
                _records("4", "5", "|"),
                say("sum {total}", total=6),
                _records("3"),
                writes,
            ),
            (source,),
        ),
        Step(
            say("Sum works off what is before the barrier"),
            say("Under back pressure this is where the time goes: the start delay."),
            _lanes(
                say("1 of 3 pending"),
                _offset(7),
                _records("|", "6", "7"),
                say("sum {total}", total=15),
                _records("4", "5"),
                writes,
            ),
            (source,),
        ),
        Step(
            say("Sum stores its state and sends the barrier on"),
            say("The synchronous part copies, the asynchronous part uploads; then the task acknowledges."),
            _lanes(
                say("2 of 3 acknowledged"),
                _offset(8),
                _records("6", "7", "8"),
                say("sum {total} stored", total=15),
                _records("5", "|"),
                writes,
            ),
            (source, total),
        ),
        Step(
            say("The sink acknowledges: the checkpoint is complete"),
            say(
                "It is complete when every task has acknowledged. The tasks are notified, and a transactional sink "
                "commits."
            ),
            _lanes(
                say("2 is complete"),
                _offset(9),
                _records("8", "9"),
                say("sum {total}", total=28),
                _records("6", "7"),
                say("commits"),
            ),
            (source, total, say("sink: acknowledged")),
        ),
    )


WALK_THROUGH = WalkThrough(
    id="checkpoint-through-a-job",
    title=to_say("A checkpoint through a job"),
    summary=to_say("Barriers cut the stream into periods; a checkpoint is complete when all tasks have acknowledged."),
    make_steps=_steps,
    afterwards=(
        to_say(
            "If one task does not acknowledge within the timeout, the checkpoint expires and everything stored for it "
            "was in vain."
        ),
        to_say("Nothing sends a lost barrier again: a broken channel fails the task."),
    ),
    own=(
        to_say(
            "In this case {checkpoint_progress.completed} checkpoints completed and {checkpoint_progress.failed} "
            "failed; the timeout is {settings.timeout_ms|duration}."
        ),
        to_say(
            "When checkpoint {checkpoint_phases.unacknowledged_id} expired, "
            "{checkpoint_phases.unacknowledged_count} subtasks of {checkpoint_phases.unacknowledged_vertices|list} had "
            "not acknowledged it."
        ),
        to_say(
            "From the trigger of the last completed checkpoint to where the job last ran in these files it is "
            "{checkpoint_progress.goes_back_ms|duration}: a restart repeats that work."
        ),
    ),
    docs=("S100", "S101", "S105"),
    order=1,
)
