"""Whether full or incremental checkpoints can be uploaded within the timeout."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from diagnostics.calculators.calculator import Calculator, Input, Line, Outcome
from diagnostics.evidence.subject import Lookup, number_of
from diagnostics.language import say, to_say
from diagnostics.reconstruction.checkpoints.interval import SAFE
from diagnostics.wording.phrase import duration, percent, size

WAITING = 0.5
"""From this share of start delay and alignment on, the upload does not dominate (the same source)."""

MEASURED_RATE = ("checkpoint_sizes.bytes_per_s_max", "checkpoint_phases.upload_bytes_per_s_max")
"""Facts of the bandwidth that was measured, the first that is known counts."""
SLOWEST_RATE = ("checkpoint_phases.upload_bytes_per_s_min", "checkpoint_phases.upload_bytes_per_s_max")
"""Facts of the slowest upload that was measured; with a single one the highest is the lowest, too."""
IN_MEMORY = "jobmanager"
"""Checkpoint storage in the JobManager's memory."""
ABOUT = 0.01
"""States and bandwidths that differ by up to this part are taken as one. Our choice."""


NEEDS = ("state_bytes", "new_bytes", "bytes_per_s", "timeout_ms")


def _nothing_to_compute(values: Mapping[str, float], lookup: Lookup) -> Outcome | None:
    """Why no upload can be computed, or need not be; None where it can."""
    if lookup("settings.storage") == IN_MEMORY:
        refusal = say(
            "Checkpoint storage is the JobManager's memory: it refuses the state of a subtask that is larger than its "
            "limit, however fast the upload and however long the timeout is."
        )
        return Outcome("do not", say("Not here. {reason}", reason=refusal), refusals=[refusal])
    if any(name not in values for name in NEEDS):
        return Outcome(
            "do not", say("Not here. {reason}", reason=_why_not_incremental()), refusals=[_why_not_incremental()]
        )
    if values["bytes_per_s"] <= 0:
        return Outcome("not known", say("Without bandwidth nothing is uploaded; set one."))
    if values["state_bytes"] <= 0 or values["timeout_ms"] <= 0:
        return Outcome("not known", say("Without a state or a timeout there is nothing to compare; set both."))
    return None


def _compute(values: Mapping[str, float], lookup: Lookup) -> Outcome:
    if nothing := _nothing_to_compute(values, lookup):
        return nothing
    state, new, rate, timeout = (values[name] for name in NEEDS)
    full, incremental, safe = state / rate * 1000, new / rate * 1000, SAFE * timeout
    most = max(values["later_bytes"], state)
    needed = most / (safe / 1000)
    room = rate * timeout / 1000 - state
    measured = _as_measured(lookup, state, rate)
    lines = [
        *([Line(say("Full upload, as measured"), size(state), duration(measured))] if measured else []),
        Line(say("Full upload"), f"{size(state)} / {size(rate)}/s", duration(full)),
        Line(say("Incremental upload"), f"{size(new)} / {size(rate)}/s", duration(incremental)),
        Line(say("Half of the timeout"), f"{duration(timeout)} / 2", duration(safe)),
        Line(say("Bandwidth for a full upload within it"), f"{size(most)} / {duration(safe)}", f"{size(needed)}/s"),
    ]
    growth = values["growth_bytes_per_s"]
    if growth > 0 and room > 0:
        arithmetic = f"({size(rate)}/s x {duration(timeout)} - {size(state)}) / {size(growth)}/s"
        lines.append(
            Line(
                say("A full upload reaches the timeout, if this growth lasts, in"),
                arithmetic,
                duration(room / growth * 1000),
            )
        )
    results = {"full_ms": full, "incremental_ms": incremental, "needed_bytes_per_s": needed}
    waits = number_of(lookup, "checkpoint_phases.barrier_share_ratio")
    if waits is not None and waits > WAITING:
        refusals = [
            say(
                "{waits} of slow checkpoints is waiting for barriers, not upload: writing less changes little.",
                waits=percent(waits),
            )
        ]
        return Outcome("do not", refusals[0], lines, refusals, results)
    if max(full, measured) <= safe:
        fits = _fits(state * safe / max(full, measured) - state, growth)
        slower = _at_slowest(lookup, state, rate, timeout)
        return Outcome("depends", slower or fits, lines, results=results)
    if _writes_all(lookup):
        return Outcome(
            "do not", say("Not here. {reason}", reason=_why_not_incremental()), lines, [_why_not_incremental()], results
        )
    longer = _longer_timeout(lookup, timeout)
    if incremental <= max(safe, SAFE * longer):
        interval = number_of(lookup, "checkpoint_sizes.next_interval_ms")
        parts = {
            "incremental": duration(incremental),
            "full": duration(measured or full),
            "again": _after_compaction(lookup, new, rate),
        }
        at_interval = to_say(
            "at an interval of {interval} one takes at least {incremental}, a full one {full}. {again}; half of the "
            "timeout of {timeout} asks for {needed}/s."
        )
        at_any = to_say(
            "one takes at least {incremental}, a full one {full}. {again}; half of the timeout of {timeout} asks for "
            "{needed}/s."
        )
        is_of_interval = interval is not None and new == lookup("checkpoint_sizes.next_incremental_bytes")
        sizes = say(
            at_interval if is_of_interval else at_any,
            **parts,
            interval=duration(interval),
            timeout=duration(max(timeout, longer)),
            needed=size(most / (SAFE * max(timeout, longer) / 1000)),
        )
        if lookup("settings.incremental") is True:
            return Outcome(
                "depends", say("Incremental checkpoints are on already: {sizes}", sizes=sizes), lines, results=results
            )
        compacted = _compacted_ms(lookup, new, rate)
        if interval is not None and compacted > interval:
            slow = say(
                "Incremental checkpoints are not enough alone: one takes at least {incremental}, a full one {full}. "
                "{again}, longer than the interval of {interval}. The storage must become faster too: {needed}/s end "
                "such an upload within the interval.",
                **parts,
                interval=duration(interval),
                needed=size(compacted * rate / interval),
            )
            return Outcome("depends", slow, lines, results=results)
        if incremental <= safe:
            return Outcome("do", say("Incremental checkpoints fit: {sizes}", sizes=sizes), lines, results=results)
        fit = say(
            "Incremental checkpoints fit with a timeout of {longer}, as the plan has it: {sizes}",
            longer=duration(longer),
            sizes=sizes,
        )
        return Outcome("do", fit, lines, results=results)
    refusals = [
        say(
            "Writing only what is new takes {incremental}, more than half of the timeout: the storage must "
            "become faster or the state smaller. A longer timeout alone hides that.",
            incremental=duration(incremental),
        )
    ]
    return Outcome(
        "do not",
        say("Incremental checkpoints alone do not suffice. {reason}", reason=refusals[0]),
        lines,
        refusals,
        results,
    )


def _writes_all(lookup: Lookup) -> bool:
    """Whether the state backend writes the whole state with every checkpoint: HashMapStateBackend ignores
    execution.checkpointing.incremental.
    """
    return lookup("settings.state_backend") == "hashmap"


def _why_not_incremental() -> str:
    return say(
        "The state backend is hashmap: it writes the whole state with every checkpoint, and "
        "execution.checkpointing.incremental has no effect on it."
    )


def _unneeded(lookup: Lookup) -> Collection[str]:
    """What is not needed to say that a backend has no incremental checkpoints, or a storage no room."""
    says_so = _writes_all(lookup) or lookup("settings.storage") == IN_MEMORY
    return NEEDS if says_so else ()


def _fits(room: float, growth: float) -> str:
    """That the whole state fits into half of the timeout, and for how long it will at this growth, bytes per second."""
    if growth <= 0:
        return say("Even a full upload fits into half of the timeout.")
    return say(
        "Even a full upload fits into half of the timeout by what was measured; while the state grows by {growth}/s, "
        "for {more} more.",
        growth=size(growth),
        more=duration(room / growth * 1000),
    )


def _at_slowest(lookup: Lookup, state: float, rate: float, timeout: float) -> str | None:
    """That the whole state fits at the fastest rate that was measured, not at the slowest one of an upload; None where
    it fits at that too, none is known, or the user tries another bandwidth.
    """
    fastest = next((each for fact in MEASURED_RATE if (each := number_of(lookup, fact)) is not None), None)
    slowest = next((each for fact in SLOWEST_RATE if (each := number_of(lookup, fact)) is not None), None)
    if not slowest or fastest is None or abs(rate - fastest) > ABOUT * fastest:
        return None
    took = state / slowest * 1000
    if took <= SAFE * timeout:
        return None
    beyond = to_say(
        "At the fastest rate that was measured, {rate}/s, even a full upload fits into half of the timeout; at the "
        "slowest upload, {slowest}/s, it takes {took}, longer than the timeout."
    )
    within = to_say(
        "At the fastest rate that was measured, {rate}/s, even a full upload fits into half of the timeout; at the "
        "slowest upload, {slowest}/s, it takes {took}, more than half of it."
    )
    return say(beyond if took > timeout else within, rate=size(rate), slowest=size(slowest), took=duration(took))


def _as_measured(lookup: Lookup, state: float, rate: float) -> float:
    """How long a checkpoint took that wrote about this state, ms, however long it took; 0 where none is known, or where
    the user tries another bandwidth.
    """
    written, took = (number_of(lookup, f"checkpoint_phases.largest_upload_{each}") for each in ("bytes", "ms"))
    measured = [each for fact in MEASURED_RATE if (each := number_of(lookup, fact)) is not None]
    if not measured or written is None or took is None:
        return 0.0
    is_same = abs(written - state) <= ABOUT * state and abs(rate - measured[0]) <= ABOUT * measured[0]
    return took if is_same else 0.0


def _after_compaction(lookup: Lookup, new: float, rate: float) -> str:
    """What an incremental checkpoint writes after a compaction; `new` are the bytes that are new without it."""
    took_ms = _compacted_ms(lookup, new, rate)
    if took_ms:
        written = size(took_ms / 1000 * rate)
        return say("After a compaction up to {most} are written, in {took}", most=written, took=duration(took_ms))
    return say("After a compaction nearly everything is written again")


def _compacted_ms(lookup: Lookup, new: float, rate: float) -> float:
    """How long the upload after a compaction takes, ms; 0 where it is not known for these new bytes."""
    most = number_of(lookup, "checkpoint_sizes.next_incremental_most_bytes")
    if new != lookup("checkpoint_sizes.next_incremental_bytes") or most is None:
        return 0.0
    return most / rate * 1000


def _longer_timeout(lookup: Lookup, timeout: float) -> float:
    """The timeout that the runbook proposes, ms; 0 where it proposes none, or the user tries another one."""
    proposed = number_of(lookup, "checkpoint_progress.proposed_timeout_ms")
    now = lookup("checkpoint_progress.timeout_ms")
    return proposed if proposed is not None and timeout == now else 0.0


CALCULATOR = Calculator(
    id="upload",
    title=to_say("Incremental checkpoints and upload bandwidth"),
    question=to_say("Does the upload fit into the timeout, in full and incrementally?"),
    formula=to_say("upload = bytes / bandwidth, to be less than half of the timeout"),
    inputs=(
        Input("state_bytes", to_say("Full state"), "bytes", ("checkpoint_sizes.max_state_bytes",), high=1e12),
        Input(
            "later_bytes",
            to_say("Full state with the growth until two checkpoints later"),
            "bytes",
            ("checkpoint_sizes.needed_bytes",),
            assumed=0.0,
            because=to_say("no growth was measured: the full state"),
            high=1e12,
        ),
        Input(
            "new_bytes",
            to_say("New bytes from one checkpoint to the next"),
            "bytes",
            (
                "checkpoint_sizes.next_incremental_bytes",
                "checkpoint_sizes.growth_by_checkpoint_bytes",
                "checkpoint_sizes.partial_max_bytes",
            ),
            high=1e11,
        ),
        Input(
            "bytes_per_s",
            to_say("Upload bandwidth"),
            "byte_rate",
            MEASURED_RATE,
            high=1e9,
        ),
        Input(
            "timeout_ms",
            to_say("Checkpoint timeout"),
            "duration",
            ("checkpoint_progress.timeout_ms", "settings.timeout_ms"),
            high=3_600_000,
            choice=True,
        ),
        Input(
            "growth_bytes_per_s",
            to_say("Growth of the state"),
            "byte_rate",
            (
                "checkpoint_sizes.state_growth_bytes_per_s",
                "checkpoint_sizes.settled_growth_bytes_per_s",
                "checkpoint_sizes.growth_bytes_per_s",
            ),
            assumed=0.0,
            because=to_say("no growth was measured"),
            high=1e8,
        ),
    ),
    assumptions=(
        (
            to_say(
                "The growth of the state is taken as the amount of new data; entries that change are written again "
                "too, "
                "and compaction adds to it."
            )
        ),
        to_say("The highest bandwidth seen is what the storage can do. It may be more: test it with a plain write."),
        to_say("The time shrinks in proportion to the bytes at most: half of the bytes take half of the time."),
    ),
    compute=_compute,
    unneeded=_unneeded,
    symptoms=("rocksdb_slow_upload",),
    docs=("S061", "S120"),
)
