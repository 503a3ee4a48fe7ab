"""Recovery of a word count: back to the last checkpoint, and the records since then once more."""

from __future__ import annotations

from collections import Counter

from diagnostics.walk_throughs.walk_through import Item, Lane, Step, WalkThrough

WORDS = ("hello", "world", "hello", "flink", "world", "flink")
CHECKPOINT_AT, FAILS_AT = 3, 5


def counted(offset: int) -> str:
    """The state of the sum after `offset` records."""
    return ", ".join(f"{word} {count}" for word, count in sorted(Counter(WORDS[:offset]).items())) or "empty"


def _lanes(offset: int, stored: int | None, note: str = "") -> tuple[Lane, ...]:
    records = tuple(
        Item(
            f"{place} {word}", "record" if place > offset else "later", FAILS_AT >= place > CHECKPOINT_AT and note != ""
        )
        for place, word in enumerate(WORDS, 1)
    )
    checkpoint = "none yet" if stored is None else f"offset {stored}; {counted(stored)}"
    return (
        Lane("Records of the source", records, note),
        Lane("Source", (Item(f"offset {offset}", "event"),)),
        Lane("Map", (Item("no state", "event"),)),
        Lane("Sum", (Item(counted(offset), "event"),)),
        Lane("Last checkpoint", (Item(checkpoint, "event"),)),
    )


STORED = (f"source: offset {CHECKPOINT_AT}", "map: nothing, it has no state", f"sum: {counted(CHECKPOINT_AT)}")

STEPS = (
    Step(
        "Three records are counted",
        "The source remembers how far it has read, the sum how often each word came.",
        _lanes(3, None),
    ),
    Step(
        "A checkpoint",
        "The source stores its offset, the map has nothing to store, the sum stores its counts. The results are "
        "written.",
        _lanes(3, 3),
        STORED,
    ),
    Step("Two more records", "Records 4 and 5 are counted. No checkpoint holds them yet.", _lanes(5, 3), STORED),
    Step(
        "The job fails after record 5, world",
        "What the tasks knew since the checkpoint is gone. They are started again, on other machines perhaps.",
        _lanes(5, 3, "failed"),
        STORED,
    ),
    Step(
        "The checkpoint is loaded",
        "The source is at offset 3 again, the sum has its counts of then. It looks as if 4 and 5 had never come.",
        _lanes(3, 3, "to be replayed"),
        STORED,
    ),
    Step(
        "Records 4 and 5 are replayed",
        "2 records are read a second time. In the state each counts once; a sink without transactions writes "
        "them twice.",
        _lanes(5, 3),
        STORED,
    ),
    Step(
        "It goes on with record 6",
        "As if nothing had happened, only later: that is the lag to catch up.",
        _lanes(6, 3),
        STORED,
    ),
)


WALK_THROUGH = WalkThrough(
    id="recovery",
    title="Recovery from a checkpoint",
    summary="State and offsets go back together, so every record counts exactly once in the state.",
    steps=STEPS,
    afterwards=(
        "Replayed are the records since the last completed checkpoint: interval, duration and down time together.",
        "The sources must be able to read them again (Kafka's retention), or they are lost.",
    ),
    own=(
        "In this case the job restarted {restarts.restarts|often}.",
        "It was restored from the checkpoints {high_availability.restored_from|list}.",
        "The last completed checkpoint is {checkpoint_progress.since_last_completed_ms|duration} old at the end "
        "of these files; at "
        "{record_rate.records_per_s|rate} so much is replayed.",
    ),
    docs=("S105", "S127", "S128"),
    order=6,
)
