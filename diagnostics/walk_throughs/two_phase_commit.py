"""Two-phase commit: what a transactional sink writes becomes visible with the checkpoint that holds it."""

from __future__ import annotations

from diagnostics.walk_throughs.walk_through import Item, Lane, Step, WalkThrough


def _lanes(coordinator: str, sink: str, open_one: str, done: tuple[str, ...]) -> tuple[Lane, ...]:
    return (
        Lane("Checkpoint coordinator", (Item(coordinator, "event"),)),
        Lane("Sink", (Item(sink, "event"),)),
        Lane("Kafka: open transaction", (Item(open_one, "record"),) if open_one else ()),
        Lane("Kafka: committed, visible to readers", tuple(Item(each, "later") for each in done)),
    )


STEPS = (
    Step(
        "beginTransaction",
        "The sink opens transaction 1 and writes into it. Readers of committed records see nothing yet.",
        _lanes("waits", "begin 1", "1: a, b", ()),
    ),
    Step(
        "preCommit",
        "The barrier arrives: the sink flushes what it holds, writes no more into transaction 1 and opens "
        "transaction 2. The "
        "checkpoint stores that 1 is to be committed.",
        _lanes("checkpoint 7 under way", "preCommit 1, begin 2", "1: a, b, c (flushed)", ()),
        ("sink: transaction 1 is to be committed",),
    ),
    Step(
        "The checkpoint completes",
        "Every task has acknowledged. From now on the transaction must be committed, whatever happens.",
        _lanes("checkpoint 7 complete", "notified", "1: a, b, c (flushed)", ()),
        ("sink: transaction 1 is to be committed",),
    ),
    Step(
        "commit",
        "The sink commits transaction 1. Its records become visible, one checkpoint late.",
        _lanes("waits", "commit 1", "2: d", ("a", "b", "c")),
    ),
    Step(
        "A failure before the commit",
        "If the job fails between completion and commit, it is restored from checkpoint 7 and commits 1 again: "
        "committing "
        "twice does no harm.",
        _lanes("restores 7", "recover and commit 1", "", ("a", "b", "c")),
        ("sink: transaction 1 is to be committed",),
    ),
    Step(
        "abort",
        "What was written since, transaction 2, belongs to no checkpoint: it is aborted, and its records come again.",
        _lanes("restores 7", "abort 2, begin 3", "3: d", ("a", "b", "c")),
    ),
    Step(
        "The timeout",
        "If the job is down for longer than transaction.timeout.ms, Kafka aborts transaction 1 by itself although the "
        "checkpoint counts it as written: these records are lost.",
        _lanes("restores 7", "commit 1 fails", "", ()),
        ("sink: transaction 1 is to be committed",),
    ),
)


WALK_THROUGH = WalkThrough(
    id="two-phase-commit",
    title="Two-phase commit",
    summary="Pre-commit with the barrier, commit when the checkpoint is complete, abort what belongs to none.",
    steps=STEPS,
    afterwards=(
        "Flink before 1.14 calls it TwoPhaseCommitSinkFunction; later sinks have a writer and a committer that "
        "do the same.",
        "The transaction timeout must be longer than interval, checkpoint and the longest down time together.",
    ),
    own=(
        "In this case the transaction timeout is {kafka_transactions.timeout_ms|duration}; interval, checkpoints "
        "and the longest outage "
        "need {kafka_transactions.needed_ms|duration}.",
        "Producers were fenced {kafka_transactions.fenced|often}; {kafka_transactions.expired} commits came "
        "after the timeout.",
    ),
    docs=("S155",),
    order=7,
)
