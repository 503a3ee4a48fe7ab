"""Bytes that checkpoints write: full or incremental, write rate, and uploads that outlive the expiry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from diagnostics.arithmetic.quantiles import highest, known, lowest, middle, ratio, total
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.checkpoints.compaction import compacted_bytes
from diagnostics.reconstruction.checkpoints.history import Checkpoint, History, checkpoint_histories
from diagnostics.reconstruction.checkpoints.interval import next_interval_ms
from diagnostics.reconstruction.checkpoints.state_growth import growth_per_second, lasting_growth, metered_states
from diagnostics.reconstruction.checkpoints.timeout import proposed_timeout_ms
from diagnostics.reconstruction.configuration.stated_settings import settings_of, stated_options
from diagnostics.reconstruction.job.planner_names import printed_names_by_job
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.operators_at_limit import bound_of_state

SECONDS_A_DAY = 86_400
LEAST_BYTES = 1_000_000.0
"""Checkpoints that write less show neither full or incremental, nor a rate. Our choice: 1 MB."""
LEAST_MS = 1000.0
"""Checkpoints that take less time give no rate, because fixed costs dominate. Our choice."""
NEARLY_ALL = 0.95
"""From this share of the state on a checkpoint counts as full. Our choice; rocks.full_snapshots has 0.9 on average."""
WRITTEN_AGAIN = 0.5
"""A full checkpoint of an incremental job counts when this share of it had been written before. Our choice."""
GROWTH_LEFT = 2.0
"""The needed rate leaves room for the state growth of this many checkpoints. Our choice."""
SETTLED_SHARE, LEAST_SETTLED = 0.01, 5
"""A state that differs by at most a hundredth in the last 5 checkpoints or more has stopped growing. Our choice."""
UP_AND_DOWN = 0.5
"""A state whose falls between checkpoints are half of its rises or more goes up and down. Our choice."""
LEAST_MANY = 8
"""From 8 checkpoints on, a largest state in the first half shows that it no longer grows. Our choice, as for trends."""


def measure(evidence: Evidence) -> Measured:
    """Sizes and write rates of each job's checkpoints.

    Reads   checkpoint (REST), log_record (completed, expired and late ones), config_option (incremental, timeout),
            metric_sample (lastCheckpointFullSize, what RocksDB's compaction wrote).
    Gives   one signal per job with a checkpoint of known size or a late acknowledgement.
    Units   bytes; bytes per second of the end to end duration; milliseconds.
    Empty   NotMeasured when no checkpoint's size is known.
    """
    measured, metered = 0, metered_states(metric_series(evidence))
    histories = {**{job_id: History(job_id) for job_id in metered}, **checkpoint_histories(evidence)}
    for job_id, history in histories.items():
        stated, _ = settings_of(stated_options(evidence), job_id)
        state = _state(history)
        if "state_growth_bytes_per_s" not in known_facts(state) and job_id in metered:
            state |= _metered_state(metered[job_id])
        facts = {**_written(history, stated), **_late(history), **state}
        facts = known_facts({**facts, **_most_of_next(evidence, job_id, facts)})
        if facts:
            facts |= known_facts({"bound": bound_of_state(printed_names_by_job(evidence).get(job_id, ()))})
        if facts:
            measured += 1
            telling = _notable_checkpoints(history, facts)
            citations = [citation for each in telling for citation in reversed(each.citations)]
            yield Signal(
                "checkpoint_sizes", Subject(job=job_id), facts, tuple(citations), citation_count=len(citations)
            )
    if not measured:
        yield NotMeasured("checkpoint_sizes", "checkpoint-history", "no file shows the size of a checkpoint")


def _written_state(checkpoint: Checkpoint) -> float:
    """Bytes written, without in-flight data."""
    return (checkpoint.checkpointed_bytes or 0.0) - (checkpoint.persisted_bytes or 0.0)


def _full_state(checkpoint: Checkpoint) -> float:
    """Size of the full state in bytes, without in-flight data."""
    return checkpoint.own_state_bytes or 0.0


def _sized(history: History) -> list[Checkpoint]:
    """Checkpoints whose written bytes cover all stateful subtasks: completed, or acknowledged after expiry."""
    sized: list[Checkpoint] = []
    largest = 0.0
    for checkpoint in history.select_statuses("completed", "expired"):
        if (
            checkpoint.checkpointed_bytes is None
            or checkpoint.state_bytes is None
            or _written_state(checkpoint) < LEAST_BYTES
        ):
            continue
        if checkpoint.status == "expired" and _full_state(checkpoint) < NEARLY_ALL * largest:
            continue
        largest = max(largest, _full_state(checkpoint))
        sized.append(checkpoint)
    return sized


def _written(history: History, stated: Mapping[str, FactValue]) -> dict[str, FactValue]:
    sized = _sized(history)
    if not sized:
        return _rates(history, history.select_statuses("completed"), stated)
    full = [each for each in sized if _written_state(each) >= NEARLY_ALL * _full_state(each)]
    always = stated.get("incremental") is False
    again = [] if always else [later for before, later in pairwise(sized) if later in full and _again(before, later)]
    facts: dict[str, FactValue] = {
        "sized": len(sized),
        "full": len(full),
        "full_ids": [each.number for each in full],
        "full_share_ratio": len(full) / len(sized),
        "full_again": len(again),
        "full_again_ids": [each.number for each in again] or None,
        "full_again_bytes": [each.checkpointed_bytes for each in again] or None,
        "partial_max_bytes": highest(each.checkpointed_bytes for each in sized if each not in full),
        "partial_min_bytes": lowest(each.checkpointed_bytes for each in sized if each not in full),
    }
    return facts | _rates(history, sized, stated)


def _again(earlier: Checkpoint, later: Checkpoint) -> bool:
    """Whether at least WRITTEN_AGAIN of what `later` wrote was already in `earlier`."""
    written = _written_state(later)
    return written - max(_full_state(later) - _full_state(earlier), 0.0) >= WRITTEN_AGAIN * written


def _rates(
    history: History, checkpoints: Sequence[Checkpoint], stated: Mapping[str, FactValue]
) -> dict[str, FactValue]:
    """Bytes over end to end duration: a lower bound of the upload rate, since other phases are included."""
    rates = []
    for each in checkpoints:
        written = each.checkpointed_bytes if each.checkpointed_bytes is not None else each.state_bytes
        if each.status == "completed" and written and written >= LEAST_BYTES and (each.duration_ms or 0) >= LEAST_MS:
            rates.append(written / (each.duration_ms or LEAST_MS) * 1000)
    return {
        "bytes_per_s_min": lowest(rates),
        "bytes_per_s_max": highest(rates),
        "needed_bytes": (needed := _needed(checkpoints)),
        "needed_bytes_per_s": _needed_per_s(needed, stated.get("timeout_ms")),
        "planned_bytes_per_s": _needed_per_s(needed, _longer_timeout_ms(history, stated.get("timeout_ms"))),
        **_increments(checkpoints, highest(rates)),
        **_next_increment(history, checkpoints, highest(rates), stated),
    }


def _increments(checkpoints: Sequence[Checkpoint], bytes_per_s: float | None) -> dict[str, FactValue]:
    """Bytes of an incremental checkpoint, estimated from the state's growth, and their write time at the observed rate.

    A lower bound: compaction makes RocksDB write some files again.
    """
    state = known(each.own_state_bytes for each in checkpoints)
    growth = [later - earlier for earlier, later in pairwise(state) if later > earlier]
    usual = middle(growth)
    if usual is None:
        return {}
    expected = ratio(usual * 1000, bytes_per_s)
    return {"growth_by_checkpoint_bytes": usual, "expected_incremental_ms": expected}


def _next_increment(
    history: History,
    checkpoints: Sequence[Checkpoint],
    bytes_per_s: float | None,
    stated: Mapping[str, FactValue],
) -> dict[str, FactValue]:
    """The same lower bound for the interval to come, see `next_interval_ms`."""
    sized = [
        (float(each.triggered_ms), _full_state(each)) for each in checkpoints if each.triggered_ms and each.state_bytes
    ]
    steps = [
        (later_bytes - earlier_bytes) * 1000 / (later_ms - earlier_ms)
        for (earlier_ms, earlier_bytes), (later_ms, later_bytes) in pairwise(sized)
        if later_ms > earlier_ms and later_bytes > earlier_bytes
    ]
    usual, interval_ms = middle(steps), stated.get("interval_ms")
    if usual is None or not isinstance(interval_ms, (int, float)):
        return {}
    timeout_ms = stated.get("timeout_ms")
    next_ms = next_interval_ms(
        history, float(interval_ms), float(timeout_ms) if isinstance(timeout_ms, (int, float)) else None
    )
    grown = usual * next_ms / 1000
    return {
        "growth_bytes_per_s": None if _stands_still(checkpoints) else usual,
        "next_interval_ms": next_ms,
        "next_incremental_bytes": grown,
        "next_incremental_ms": ratio(grown * 1000, bytes_per_s),
    }


def _most_of_next(evidence: Evidence, job_id: str | None, facts: Mapping[str, FactValue]) -> dict[str, FactValue]:
    """The upper bound for that interval: the growth and all that compaction rewrites, at most the whole state."""
    names = ("next_interval_ms", "next_incremental_bytes", "max_state_bytes", "bytes_per_s_max")
    interval_ms, grown, state, rate = (
        value if isinstance(value := facts.get(name), (int, float)) else None for name in names
    )
    rewritten = compacted_bytes(evidence, job_id, interval_ms) if interval_ms else None
    if not rewritten or grown is None or state is None:
        return {}
    most = grown + min(rewritten, state)
    most_ms = ratio(most * 1000, rate)
    return {
        "compacted_bytes": rewritten,
        "next_incremental_most_bytes": most,
        "next_incremental_most_ms": most_ms,
        "next_incremental_interval_ratio": ratio(most_ms, interval_ms),
    }


def _needed(checkpoints: Sequence[Checkpoint]) -> float | None:
    """What the largest checkpoint would write in full plus GROWTH_LEFT checkpoints' growth of the state, in bytes."""
    whole = known(each.state_bytes for each in checkpoints)
    state = known(each.own_state_bytes for each in checkpoints)
    growth = max((later - earlier for earlier, later in pairwise(state)), default=0.0)
    return max(whole) + GROWTH_LEFT * max(growth, 0.0) if whole else None


def _longer_timeout_ms(history: History, timeout_ms: FactValue) -> float | None:
    """The timeout that is proposed, where it is longer than the present one."""
    if not isinstance(timeout_ms, (int, float)):
        return None
    proposed_ms = proposed_timeout_ms(history, timeout_ms)
    return proposed_ms if proposed_ms is not None and proposed_ms > timeout_ms else None


def _needed_per_s(needed_bytes: float | None, timeout_ms: FactValue) -> float | None:
    """Rate in bytes/s that writes them within half of a timeout."""
    if needed_bytes is None or not isinstance(timeout_ms, (int, float)):
        return None
    return needed_bytes / (timeout_ms / 2 / 1000)


def _late(history: History) -> dict[str, FactValue]:
    """Acknowledgements of expired checkpoints: tasks that continued after the JobManager had given up."""
    late = [each for each in history.checkpoints if each.late_ms]
    delays = [
        stamp - each.ended_ms
        for each in late
        for stamp in each.late_ms
        if each.ended_ms is not None and stamp >= each.ended_ms
    ]
    if not late:
        return {}
    return {
        "late_acks": len([stamp for each in late for stamp in each.late_ms]),
        "late_ids": [each.number for each in late],
        "late_min_ms": lowest(delays),
        "late_max_ms": highest(delays),
    }


def _state(history: History) -> dict[str, FactValue]:
    """Growth of the full size over the checkpoints of known size."""
    sized = [each for each in [*history.select_statuses("completed"), *_sized(history)] if each.state_bytes]
    sized.sort(key=lambda each: each.number)
    if not sized:
        return {}
    first, last = sized[0], sized[-1]
    persisted = highest(each.persisted_bytes for each in sized)
    worst = max(sized, key=lambda each: each.persisted_bytes or 0)
    with_persisted = [each for each in sized if each.persisted_bytes]
    growth, settled = lasting_growth(sized), _settled(sized)
    return {
        "first_state_bytes": first.own_state_bytes,
        "last_state_bytes": last.own_state_bytes,
        "max_state_bytes": highest(each.state_bytes for each in sized),
        "state_growth_ratio": ratio(last.own_state_bytes, first.own_state_bytes),
        "state_growth_bytes_per_s": growth,
        "state_growth_day_bytes": growth * SECONDS_A_DAY if growth is not None else None,
        "state_settled_count": settled[0] if settled else None,
        "settled_growth_bytes_per_s": 0.0 if settled and growth is None else None,
        "settled_spread_ratio": settled[1] if settled and growth is None else None,
        "persisted_count": len(with_persisted),
        "persisted_max_bytes": persisted,
        "persisted_median_bytes": _middle_of_large(with_persisted),
        "persisted_share_ratio": ratio(
            total(each.persisted_bytes for each in with_persisted),
            total(each.checkpointed_bytes for each in with_persisted),
        )
        if with_persisted
        else None,
        "persisted_max_share_ratio": ratio(worst.persisted_bytes, worst.checkpointed_bytes) if persisted else None,
        "own_state_max_bytes": highest(_full_state(each) for each in with_persisted),
    }


def _metered_state(states: Sequence[tuple[float, float]]) -> dict[str, FactValue]:
    """Growth by the gauge of the full size, where no file has the checkpoints themselves over that time."""
    first, last = states[0][1], states[-1][1]
    growth = growth_per_second(states)
    return {
        "first_state_bytes": first,
        "last_state_bytes": last,
        "state_growth_ratio": ratio(last, first),
        "state_growth_bytes_per_s": growth,
        "state_growth_day_bytes": growth * SECONDS_A_DAY if growth is not None else None,
    }


def _settled(sized: Sequence[Checkpoint]) -> tuple[int, float] | None:
    """How many of the last checkpoints have the same state, within SETTLED_SHARE, and the part by which the largest of
    these exceeds the smallest; None for fewer than LEAST_SETTLED.
    """
    sizes = {each.number: _full_state(each) for each in sized}
    largest, smallest = 0.0, float("inf")
    count, spread = 0, 0.0
    for size in reversed(sizes.values()):
        largest, smallest = max(largest, size), min(smallest, size)
        if largest > smallest * (1 + SETTLED_SHARE):
            break
        count, spread = count + 1, largest / smallest - 1 if smallest else 0.0
    return (count, spread) if count >= LEAST_SETTLED else None


def _stands_still(checkpoints: Sequence[Checkpoint]) -> bool:
    """Whether the state has settled, was largest in the first half of LEAST_MANY checkpoints or more, or goes up and
    down in these, and no trend lasts until the end: its rises are no growth that goes on.
    """
    sized = [each for each in checkpoints if each.state_bytes]
    states = [_full_state(each) for each in sized]
    steps = [later - earlier for earlier, later in pairwise(states)]
    rises, falls = sum(each for each in steps if each > 0), -sum(each for each in steps if each < 0)
    is_past = len(states) >= LEAST_MANY and (
        max(states[len(states) // 2 :]) < max(states) or falls >= UP_AND_DOWN * rises
    )
    return (_settled(sized) is not None or is_past) and lasting_growth(sized) is None


def _middle_of_large(checkpoints: Sequence[Checkpoint]) -> float | None:
    """Median bytes among the checkpoints that persisted at least half of the largest."""
    persisted = sorted(known(each.persisted_bytes for each in checkpoints))
    large = [value for value in persisted if value >= persisted[-1] / 2]
    return large[len(large) // 2] if large else None


def _notable_checkpoints(history: History, facts: Mapping[str, FactValue]) -> list[Checkpoint]:
    """Checkpoints to cite: full ones of an incremental job, late ones, the largest and the first."""
    wanted = facts.get("full_again_ids")
    again = [each for each in history.checkpoints if isinstance(wanted, list) and each.number in wanted]
    late = [each for each in history.checkpoints if each.late_ms]
    sized = sorted(
        (each for each in history.checkpoints if each.state_bytes), key=lambda each: -(each.state_bytes or 0)
    )
    return list(dict.fromkeys([*again[:3], *late[:2], *sized[:2], *sized[-1:]]))


FACTS = {
    "sized": "checkpoints of known size that wrote at least 1 MB",
    "full": "how many of them wrote (nearly) the whole state",
    "full_ids": "which",
    "full_share_ratio": "share of checkpoints that wrote nearly the whole state",
    "full_again": "checkpoints that wrote the whole state although most of it had been written before",
    "full_again_ids": "which",
    "full_again_bytes": "what they wrote",
    "partial_max_bytes": "most that another one wrote",
    "partial_min_bytes": "least that another one wrote",
    "bytes_per_s_min": "lowest rate of bytes written over the end to end duration",
    "bytes_per_s_max": "highest rate of bytes written over the end to end duration",
    "needed_bytes": "full size of the largest state and two checkpoints of its growth",
    "needed_bytes_per_s": "rate that writes the largest state and two checkpoints of its growth in half of the timeout",
    "planned_bytes_per_s": "the same in half of the longer timeout that the durations ask for",
    "growth_by_checkpoint_bytes": "usual growth of the state from one checkpoint to the next",
    "expected_incremental_ms": "how long writing that growth alone takes at the highest rate seen",
    "growth_bytes_per_s": "usual growth of the state per second, by its steps, unless it no longer grows at the end",
    "next_interval_ms": "the interval, or the longer one that the durations of the checkpoints ask for",
    "next_incremental_bytes": "growth of the state in that interval",
    "next_incremental_ms": "how long writing that growth alone takes at the highest rate seen",
    "compacted_bytes": "most that RocksDB's compaction wrote in an interval of that length",
    "next_incremental_most_bytes": "growth in that interval and the files that compaction rewrote, at most the state",
    "next_incremental_most_ms": "how long writing both takes at the highest rate seen",
    "next_incremental_interval_ratio": "time to write the growth and what compaction rewrote over that interval",
    "late_acks": "acknowledgements that came after the checkpoint had expired",
    "late_ids": "of which checkpoints",
    "late_min_ms": "how long after the expiry the first came",
    "late_max_ms": "how long after the expiry the last came",
    "first_state_bytes": "full state size at first, without in-flight data",
    "last_state_bytes": "full state size in the last checkpoint, without in-flight data",
    "max_state_bytes": "largest full state size",
    "bound": "act that bounds the state of an operator of the job, by its name",
    "state_growth_ratio": "full state size of the last checkpoint over that of the first, without in-flight data",
    "state_growth_day_bytes": "what the state would grow by in a day at that rate",
    "state_growth_bytes_per_s": "growth of the state, where it has a trend that lasts until the end",
    "state_settled_count": "last checkpoints whose state has the same size, within 1 %, where they are 5 or more",
    "settled_growth_bytes_per_s": "growth of a state whose last checkpoints have the same size, within 1 %, without a "
    "trend that lasts: taken as none",
    "settled_spread_ratio": "part by which the largest of these last checkpoints exceeds the smallest, without a trend "
    "that lasts",
    "persisted_count": "checkpoints that persisted in-flight data",
    "persisted_max_bytes": "most in-flight data of one checkpoint",
    "persisted_median_bytes": "usual in-flight data of those with much of it",
    "persisted_share_ratio": "in-flight data as a part of the bytes written",
    "persisted_max_share_ratio": "the same for the one with most in-flight data",
    "own_state_max_bytes": "largest full state size without in-flight data, of those that persisted some",
}

SIGNALS = (SignalDefinition("checkpoint_sizes", "job", FACTS, measure),)
