"""Threads of the JobManager that remove old checkpoints, and whether all of its pool do."""

from __future__ import annotations

import re
from collections import defaultdict

from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.stacks.sampled_stacks import MOST_THREADS, sampled_stacks
from diagnostics.signals.signal import (
    MOST_CITATIONS,
    Measured,
    NotMeasured,
    Signal,
    SignalDefinition,
    known_facts,
)
from diagnostics.wording.cited_text import STATE_OF_THREAD, cited_text

POOL = re.compile(r"(?:jobmanager|cluster)-io-thread-\d{1,6}$")
"""Threads that complete and remove checkpoints. Source: Flink's ClusterEntrypoint and JobManagerSharedServices."""
REMOVES = (
    "org.apache.flink.runtime.state.StateUtil.discard",
    "org.apache.flink.runtime.state.SharedStateRegistryImpl$AsyncDisposalRunnable",
    "org.apache.flink.runtime.checkpoint.CompletedCheckpoint.discard",
    "org.apache.flink.runtime.checkpoint.CompletedCheckpoint$",
    "org.apache.flink.runtime.checkpoint.CheckpointsCleaner",
)
"""Beginnings of frames in which the state of a checkpoint is removed. Source: these classes."""


def measure(evidence: Evidence) -> Measured:
    """The dump of a JobManager in which most of its threads remove checkpoints.

    Reads   stack_sample, only thread dumps.
    Gives   one signal of the case where a dump shows a thread of the pool.
    Empty   NotMeasured without such a dump.
    """
    stacks = sampled_stacks(evidence)
    pools: dict[tuple[int, int], list[bool]] = defaultdict(list)
    cited: list[Citation] = []
    if stacks is not None:
        for row in stacks.rows(stacks.threads[:MOST_THREADS]):
            if POOL.match(row["thread"] or ""):
                place = next((each for each in map(_method, row["frames"]) if each.startswith(REMOVES)), None)
                pools[row["file_id"], row["ts_ms"] or 0].append(place is not None)
                if place is not None:
                    state = row["state"] or "unknown"
                    said = cited_text(STATE_OF_THREAD, thread=row["thread"], state=state, frame=place)
                    cited.append(Citation.cite_row(row, "thread", said))
    if not pools:
        yield NotMeasured("checkpoint_removal", "thread-dumps", "no thread dump of a JobManager was given")
        return
    busiest = max(pools.values(), key=lambda each: (sum(each), len(each)))
    facts: dict[str, FactValue] = {
        "pool": len(busiest),
        "removing": sum(busiest),
        "dumps": sum(all(each) for each in pools.values()),
    }
    shown = tuple(cited[:MOST_CITATIONS])
    yield Signal("checkpoint_removal", Subject(), known_facts(facts), shown, citation_count=len(cited))


def _method(frame: str) -> str:
    """The class and method of a frame, without the module before it."""
    return frame.rpartition("/")[2]


FACTS = {
    "pool": "threads of the JobManager's pool for checkpoints in a dump",
    "removing": "threads of that pool that remove old checkpoints",
    "dumps": "dumps in which all threads of that pool remove old checkpoints",
}

SIGNALS = (SignalDefinition("checkpoint_removal", "case", FACTS, measure),)
