"""Recovery of a word count: back to the last checkpoint, and the records since then once more."""

from __future__ import annotations

from collections import Counter

from diagnostics.language import listed, say, to_say
from diagnostics.walk_throughs.walk_through import Item, Lane, Step, WalkThrough

WORDS = ("hello", "world", "hello", "flink", "world", "flink")
CHECKPOINT_AT, FAILS_AT = 3, 5


def counted(offset: int) -> str:
    """The state of the sum after `offset` records."""
    counts = sorted(Counter(WORDS[:offset]).items())
    return listed(f"{word} {count}" for word, count in counts) or say("empty")


def _lanes(offset: int, stored: int | None, note: str = "") -> tuple[Lane, ...]:
    records = tuple(
        Item(
            f"{place} {word}", "record" if place > offset else "later", FAILS_AT >= place > CHECKPOINT_AT and note != ""
        )
        for place, word in enumerate(WORDS, 1)
    )
    checkpoint = (
        say("none yet") if stored is None else say("offset {offset}; {counts}", offset=stored, counts=counted(stored))
    )
    return (
        Lane(say("Records of the source"), records, note),
        Lane(say("Source"), (Item(say("offset {offset}", offset=offset), "event"),)),
        Lane("Map", (Item(say("no state"), "event"),)),
        Lane(say("Sum"), (Item(counted(offset), "event"),)),
        Lane(say("Last checkpoint"), (Item(checkpoint, "event"),)),
    )


def _steps() -> tuple[Step, ...]:
    stored = (
        say("source: offset {offset}", offset=CHECKPOINT_AT),
        say("map: nothing, it has no state"),
        say("sum: {total}", total=counted(CHECKPOINT_AT)),
    )
    return (
        Step(
            say("Three records are counted"),
            say("The source remembers how far it has read, the sum how often each word came."),
            _lanes(3, None),
        ),
        Step(
            say("A checkpoint"),
            say(
                "The source stores its offset, the map has nothing to store, the sum stores its counts. The results "
                "are written."
            ),
            _lanes(3, 3),
            stored,
        ),
        Step(
            say("Two more records"),
            say("Records 4 and 5 are counted. No checkpoint holds them yet."),
            _lanes(5, 3),
            stored,
        ),
        Step(
            say("The job fails after record 5, world"),
            say("What the tasks knew since the checkpoint is gone. They are started again, on other machines perhaps."),
            _lanes(5, 3, say("failed")),
            stored,
        ),
        Step(
            say("The checkpoint is loaded"),
            say(
                "The source is at offset 3 again, the sum has its counts of then. It looks as if 4 and 5 had never "
                "come."
            ),
            _lanes(3, 3, say("to be replayed")),
            stored,
        ),
        Step(
            say("Records 4 and 5 are replayed"),
            say(
                "2 records are read a second time. In the state each counts once; a sink without transactions writes "
                "them twice."
            ),
            _lanes(5, 3),
            stored,
        ),
        Step(
            say("It goes on with record 6"),
            say("As if nothing had happened, only later: that is the lag to catch up."),
            _lanes(6, 3),
            stored,
        ),
    )


WALK_THROUGH = WalkThrough(
    id="recovery",
    title=to_say("Recovery from a checkpoint"),
    summary=to_say("State and offsets go back together, so every record counts exactly once in the state."),
    make_steps=_steps,
    afterwards=(
        to_say(
            "Replayed are the records since the trigger of the last completed checkpoint: its duration, what passed "
            "since then, and the down time."
        ),
        to_say("The sources must be able to read them again (Kafka's retention), or they are lost."),
    ),
    own=(
        to_say("In this case the job restarted {restarts.restarts|often}."),
        to_say("It was restored from the checkpoints {high_availability.restored_from|list}."),
        to_say(
            "From the trigger of the last completed checkpoint to where the job last ran in these files it is "
            "{checkpoint_progress.goes_back_ms|duration}; at {record_rate.records_per_s|rate} so much is replayed."
        ),
    ),
    docs=("S105", "S127", "S128"),
    order=6,
)
