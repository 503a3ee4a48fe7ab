"""Two-phase commit: what a transactional sink writes becomes visible with the checkpoint that holds it."""

from __future__ import annotations

from diagnostics.language import say, to_say
from diagnostics.walk_throughs.walk_through import Item, Lane, Step, WalkThrough


def _lanes(coordinator: str, sink: str, open_one: str, done: tuple[str, ...]) -> tuple[Lane, ...]:
    return (
        Lane(say("Checkpoint coordinator"), (Item(coordinator, "event"),)),
        Lane(say("Sink"), (Item(sink, "event"),)),
        Lane(say("Kafka: open transaction"), (Item(open_one, "record"),) if open_one else ()),
        Lane(say("Kafka: committed, visible to readers"), tuple(Item(each, "later") for each in done)),
    )


def _steps() -> tuple[Step, ...]:
    stored = (say("sink: transaction 1 is to be committed"),)
    written = ("a", "b", "c")
    flushed = say("1: a, b, c (flushed)")
    return (
        Step(
            "beginTransaction",
            say("The sink opens transaction 1 and writes into it. Readers of committed records see nothing yet."),
            _lanes(say("waits"), "begin 1", "1: a, b", ()),
        ),
        Step(
            "preCommit",
            say(
                "The barrier arrives: the sink flushes what it holds, writes no more into transaction 1 and opens "
                "transaction 2. The checkpoint stores that 1 is to be committed."
            ),
            _lanes(say("checkpoint 7 under way"), "preCommit 1, begin 2", flushed, ()),
            stored,
        ),
        Step(
            say("The checkpoint completes"),
            say("Every task has acknowledged. From now on the transaction must be committed, whatever happens."),
            _lanes(say("checkpoint 7 complete"), say("notified"), flushed, ()),
            stored,
        ),
        Step(
            "commit",
            say("The sink commits transaction 1. Its records become visible, one checkpoint late."),
            _lanes(say("waits"), "commit 1", "2: d", written),
        ),
        Step(
            say("A failure before the commit"),
            say(
                "If the job fails between completion and commit, it is restored from checkpoint 7 and commits 1 again: "
                "committing twice does no harm."
            ),
            _lanes(say("restores 7"), say("recover and commit 1"), "", written),
            stored,
        ),
        Step(
            "abort",
            say(
                "What was written since, transaction 2, belongs to no checkpoint: it is aborted, and its records come "
                "again."
            ),
            _lanes(say("restores 7"), "abort 2, begin 3", "3: d", written),
        ),
        Step(
            say("The timeout"),
            say(
                "If the job is down for longer than transaction.timeout.ms, Kafka aborts transaction 1 by itself "
                "although the checkpoint counts it as written: these records are lost."
            ),
            _lanes(say("restores 7"), say("commit 1 fails"), "", ()),
            stored,
        ),
    )


WALK_THROUGH = WalkThrough(
    id="two-phase-commit",
    title=to_say("Two-phase commit"),
    summary=to_say("Pre-commit with the barrier, commit when the checkpoint is complete, abort what belongs to none."),
    make_steps=_steps,
    afterwards=(
        to_say(
            "Flink before 1.14 calls it TwoPhaseCommitSinkFunction; later sinks have a writer and a committer that do "
            "the same."
        ),
        to_say("The transaction timeout must be longer than interval, checkpoint and the longest down time together."),
    ),
    own=(
        to_say(
            "In this case the transaction timeout is {kafka_transactions.timeout_ms|duration}; interval, checkpoints "
            "and the longest outage need {kafka_transactions.needed_ms|duration}."
        ),
        to_say(
            "Producers were fenced {kafka_transactions.fenced|often}; {kafka_transactions.expired} commits came after "
            "the timeout."
        ),
    ),
    docs=("S155",),
    order=7,
)
