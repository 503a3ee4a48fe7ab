"""Savings and costs of unaligned checkpoints, immediate or after an aligned timeout."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from diagnostics.calculators.calculator import Calculator, Input, Line, Outcome
from diagnostics.diagnosis.flink_version import within
from diagnostics.evidence.subject import Lookup, number_of
from diagnostics.language import joined_sentences, say, to_say
from diagnostics.wording.phrase import duration, percent, size

UPLOAD_SHARE = 0.6
"""An asynchronous part above this takes the time, not the barriers. Source: `rocks.async_dominates`."""

LATE_MS = 1000.0
"""From this delay of a source on it is part of what a checkpoint takes, and from this duration on a checkpoint is slow.
Our choice: a second is no wait."""


def _refusals(lookup: Lookup, now: float) -> Iterator[str]:
    share = number_of(lookup, "checkpoint_phases.async_share_ratio")
    if share is not None and share > UPLOAD_SHARE and now >= LATE_MS:
        yield (
            say(
                "The asynchronous part, in which the state is written, is {share} of slow checkpoints: barriers take "
                "little of them, and in-flight data would be written besides.",
                share=percent(share),
            )
        )
    if lookup("settings.mode") == "AT_LEAST_ONCE":
        yield say("The mode is at-least-once: no channel is blocked there, and the option has no effect.")
    concurrent = number_of(lookup, "settings.max_concurrent")
    if concurrent is not None and concurrent > 1:
        yield say(
            "max-concurrent-checkpoints is {concurrent:.0f}; unaligned checkpoints need 1.", concurrent=concurrent
        )
    if unaligned := number_of(lookup, "checkpoint_progress.unaligned_count"):
        yield say(
            "{unaligned:.0f} of the checkpoints are unaligned already: these numbers are not those of aligned ones.",
            unaligned=unaligned,
        )
    version = lookup("job_overview.flink_version") or lookup("settings.flink_version")
    if version is not None and not within(">=1.11", version):
        yield say("Flink {version} has no unaligned checkpoints; they came with 1.11.", version=version)


def _compute(values: Mapping[str, float], lookup: Lookup) -> Outcome:
    """The time of an unaligned checkpoint, and what it writes.

    The barrier waits for the record in work; meanwhile the tasks upstream write their in-flight data, so that the
    longer of both is expected. A storage that was never the limit has no measured rate, and its time is not counted
    then: what a checkpoint wrote in its asynchronous part shows what it takes at least; at worst all is written after
    the record, at that rate.
    """
    travel = max(values["end_to_end_ms"] - values["sync_ms"] - values["async_ms"], 0.0)
    by_rate = travel / 1000 * values["bytes_per_s"]
    in_flight = values["in_flight_bytes"] or by_rate
    if not in_flight and travel > 0:
        return Outcome("not known", say("Not measured here: in-flight data, and the bytes that the bottleneck reads."))
    waits, switches = min(travel, values["timeout_ms"]), travel > values["timeout_ms"]
    persisted = in_flight * (1 - waits / travel) if travel > 0 else 0.0
    upload = _duration(persisted, values["upload_bytes_per_s"])
    slowest = _duration(persisted, max(values["upload_bytes_per_s"], values["written_bytes_per_s"]))
    now, record = values["end_to_end_ms"], values["record_ms"]
    wait = _source_wait(lookup, now)
    parts = waits + values["sync_ms"] + values["async_ms"]
    least, expected, most = (
        late + parts + rest if switches else now
        for late, rest in (
            (wait.least_ms, record),
            (wait.most_ms, max(record, upload)),
            (wait.most_ms, record + slowest),
        )
    )

    def shown_parts(late: float) -> str:
        named = (*([late] if wait.most_ms else []), waits, values["sync_ms"], values["async_ms"])
        return " + ".join(map(duration, named))

    lines = [
        Line(
            say("Travel of the barriers, aligned"),
            f"{duration(now)} - {duration(values['sync_ms'])} - {duration(values['async_ms'])}",
            duration(travel),
        ),
        Line(say("In-flight data before the barriers"), *_in_flight(values, travel, in_flight)),
        Line(
            say("Persisted in-flight data"),
            f"{size(in_flight)} x (1 - {duration(waits)} / {duration(travel)})",
            size(persisted),
        ),
        Line(say("Upload of it"), *_upload(values, persisted, upload)),
        Line(
            say("Checkpoint, unaligned, at best"), f"{shown_parts(wait.least_ms)} + {duration(record)}", duration(least)
        ),
        Line(
            say("Checkpoint, unaligned, expected"),
            say(
                "{parts} + the longer of {record} and {upload}",
                parts=shown_parts(wait.most_ms),
                record=duration(record),
                upload=duration(upload),
            ),
            duration(expected),
        ),
        Line(
            say("Checkpoint, unaligned, at worst"),
            f"{shown_parts(wait.most_ms)} + {duration(record)} + {duration(slowest)}",
            duration(most),
        ),
        _saved(wait, expected),
        *(_gains(lookup, record) if switches and not waits else ()),
    ]
    refusals = list(_refusals(lookup, now))
    results = {
        "low_ms": least,
        "expected_ms": expected,
        "high_ms": most,
        "persisted_bytes": persisted,
        "saved_ms": wait.lasted_ms - expected,
    }
    if refusals:
        return Outcome("do not", say("Not here. {reason}", reason=refusals[0]), lines, refusals, results)
    if not switches:
        headline = say(
            "Nothing changes: the barriers arrive within the aligned timeout of {timeout}.",
            timeout=duration(values["timeout_ms"]),
        )
        return Outcome("depends", headline, lines, results=results)
    if wait.most_ms:
        return _beside_the_wait(lookup, wait, lines, results, now)
    if expected >= now:
        reason = _nothing_to_save(now, expected, lookup)
        return Outcome("do not", reason, lines, [reason], results)
    if most >= now:
        headline = say(
            "It may save nothing: the upload of the in-flight data can take as long as the barriers wait now."
        )
        return Outcome("depends", headline, lines, results=results)
    return Outcome("do", _saves(least, expected, most, now, persisted), lines, results=results)


def _saves(least: float, expected: float, most: float, now: float, persisted: float) -> str:
    """What is saved; without a measured upload the estimate is its own lower end."""
    words = {"least": duration(least), "most": duration(most), "now": duration(now), "persisted": size(persisted)}
    if duration(expected) == words["least"]:
        return say(
            "A checkpoint takes {least} to {most} in place of {now}, and writes about {persisted} more. The back "
            "pressure stays: repair the bottleneck too.",
            **words,
        )
    return say(
        "A checkpoint takes about {expected} ({least} to {most}) in place of "
        "{now}, and writes about {persisted} more. The back pressure stays: repair the bottleneck too.",
        expected=duration(expected),
        **words,
    )


def _nothing_to_save(now: float, expected: float, lookup: Lookup) -> str:
    """Why not, where an unaligned checkpoint would take as long. Below a second the estimate says nothing: the time in
    one record is assumed, and the travel of the barriers takes in the messages of the acknowledgements.
    """
    if now < LATE_MS:
        longest_of_all = number_of(lookup, "checkpoint_progress.max_duration_ms") or 0.0
        if now == lookup("checkpoint_phases.reference_ms") and now < longest_of_all:
            return say(
                "The slowest checkpoint whose subtasks are in the files takes only {now}: there is nothing to save.",
                now=duration(now),
            )
        return say("A checkpoint takes only {now}: there is nothing to save.", now=duration(now))
    return say(
        "A checkpoint takes {now}, and an unaligned one would take about {expected}: there is nothing to save.",
        now=duration(now),
        expected=duration(expected),
    )


@dataclass(frozen=True, slots=True)
class _SourceWait:
    """How late sources react to the trigger of a checkpoint, which is part of what a checkpoint takes; zeros if none
    waits.

    least_ms   in the checkpoint in which they reacted soonest
    most_ms    in that in which they reacted latest
    lasted_ms  how long that one took: what it would take is compared with this
    """

    least_ms: float
    most_ms: float
    lasted_ms: float


def _source_wait(lookup: Lookup, now: float) -> _SourceWait:
    least, most, lasted = (
        number_of(lookup, f"checkpoint_phases.source_delay_{name}") for name in ("least_ms", "ms", "lasted_ms")
    )
    if most is None or most < LATE_MS:
        return _SourceWait(0.0, 0.0, now)
    return _SourceWait(most if least is None else least, most, now if lasted is None else lasted)


def _saved(wait: _SourceWait, expected: float) -> Line:
    label = say("Saved where a source reacted latest") if wait.most_ms else say("Saved for each checkpoint")
    return Line(label, f"{duration(wait.lasted_ms)} - {duration(expected)}", duration(wait.lasted_ms - expected))


def _beside_the_wait(
    lookup: Lookup, wait: _SourceWait, lines: Sequence[Line], results: Mapping[str, float], now: float
) -> Outcome:
    """The outcome where a source reacts late: one range that contains its wait, against what checkpoints took."""
    least, most = results["low_ms"], results["high_ms"]
    if most >= wait.lasted_ms:
        headline = say(
            "A source reacted to the trigger of a checkpoint only after {late}: no barrier waits there, so this time "
            "stays. That checkpoint would take {expected} to {most}; it took {lasted}.",
            late=duration(wait.most_ms),
            expected=duration(results["expected_ms"]),
            most=duration(most),
            lasted=duration(wait.lasted_ms),
        )
        return Outcome("depends", headline, lines, results=results)
    longest = max(now, wait.lasted_ms, number_of(lookup, "checkpoint_phases.longest_ms") or 0.0)
    timeout = number_of(lookup, "checkpoint_progress.timeout_ms") or 0.0
    took = duration(longest)
    if timeout and abs(longest - timeout) < 0.01 * timeout:
        took = say("{took} or more", took=took)  # it expired, and no acknowledgement tells how long it would have taken
    headline = say(
        "A checkpoint takes {least} to {most} in place of {now}, and writes about {persisted} more. Up to {late} of it "
        "pass until a source reacts to the trigger: no barrier waits there, so this time stays. The back pressure "
        "stays too: repair the bottleneck.",
        least=duration(least),
        most=duration(most),
        now=duration(now) if longest < 1.05 * now else say("{least} to {most}", least=duration(now), most=took),
        persisted=size(results["persisted_bytes"]),
        late=duration(wait.most_ms),
    )
    if most < timeout <= longest:
        within_timeout = say("None would exceed the timeout of {timeout}.", timeout=duration(timeout))
        headline = joined_sentences([headline, within_timeout])
    return Outcome("do", headline, lines, results=results)


def _in_flight(values: Mapping[str, float], travel: float, in_flight: float) -> tuple[str, str]:
    if values["in_flight_bytes"]:
        return "measured", size(in_flight)
    return f"{duration(travel)} x {size(values['bytes_per_s'])}/s", size(in_flight)


def _upload(values: Mapping[str, float], persisted: float, upload: float) -> tuple[str, str]:
    if values["upload_bytes_per_s"]:
        return f"{size(persisted)} / {size(values['upload_bytes_per_s'])}/s", duration(upload)
    return say("no upload was long enough to measure the storage"), say("not counted")


def _duration(data: float, bytes_per_s: float) -> float:
    """Milliseconds; 0 for an unknown rate."""
    return data / bytes_per_s * 1000 if bytes_per_s > 0 else 0.0


def _gains(lookup: Lookup, record: float) -> Iterator[Line]:
    """What each subtask that waited longest in the slowest checkpoint would gain: start delay and alignment."""
    names, delays, alignments = (
        value if isinstance(value := lookup(f"in_flight_data.waiting_{name}"), list) else []
        for name in ("subtasks", "start_delay_ms", "alignment_ms")
    )
    for name, delay, alignment in zip(names, delays, alignments, strict=False):
        gain = float(delay) + float(alignment) - record
        if gain > 0:
            yield Line(
                say("Earlier at {name}", name=name),
                say(
                    "{delay} start delay + {alignment} alignment - {record}",
                    delay=duration(float(delay)),
                    alignment=duration(float(alignment)),
                    record=duration(record),
                ),
                duration(gain),
            )


CALCULATOR = Calculator(
    id="unaligned-checkpoints",
    title=to_say("Unaligned checkpoints"),
    question=to_say("How long would checkpoints take if barriers overtook the queued data?"),
    formula=(
        to_say(
            "unaligned = aligned timeout + synchronous and asynchronous part + the longer of one record and the "
            "upload of "
            "the in-flight data"
        )
    ),
    inputs=(
        Input(
            "end_to_end_ms",
            to_say("Aligned checkpoint, end to end"),
            "duration",
            ("checkpoint_phases.reference_ms",),
            high=900_000,
        ),
        Input("sync_ms", to_say("Synchronous part"), "duration", ("checkpoint_phases.sync_ms",), high=60_000),
        Input("async_ms", to_say("Asynchronous part"), "duration", ("checkpoint_phases.async_ms",), high=600_000),
        Input(
            "in_flight_bytes",
            to_say("In-flight data before the barriers"),
            "bytes",
            ("in_flight_data.bytes",),
            assumed=0.0,
            because=to_say(
                "no metric of queues: it is the travel of the barriers times the bytes that the bottleneck reads"
            ),
            high=1e10,
        ),
        Input(
            "bytes_per_s",
            to_say("Bytes that the bottleneck reads"),
            "byte_rate",
            ("record_rate.bytes_per_s",),
            assumed=0.0,
            because=to_say("only needed where in-flight data is not measured"),
            high=1e9,
        ),
        Input(
            "upload_bytes_per_s",
            to_say("Upload of the storage"),
            "byte_rate",
            ("checkpoint_phases.upload_bytes_per_s_max",),
            assumed=0.0,
            because=to_say("no upload took a second: the storage was never the limit"),
            high=1e9,
        ),
        Input(
            "written_bytes_per_s",
            to_say("Written in the asynchronous part of a checkpoint"),
            "byte_rate",
            ("checkpoint_phases.written_bytes_per_s",),
            assumed=0.0,
            because=to_say("only needed for the worst case, where the upload is not measured"),
            high=1e9,
        ),
        Input(
            "record_ms",
            to_say("Longest time inside one record or request"),
            "duration",
            ("outside_system.slow_median_ms",),
            assumed=500.0,
            because=to_say(
                "typically under a second (Flink documentation, Checkpointing under Backpressure, section 4)"
            ),
            high=30_000,
        ),
        Input(
            "timeout_ms",
            to_say("Aligned timeout: stay aligned for so long"),
            "duration",
            (),
            assumed=0.0,
            because=to_say("Flink's default: unaligned at once"),
            high=120_000,
            choice=True,
        ),
    ),
    assumptions=(
        to_say("Rates are constant over the checkpoint; bursts and GC are not covered."),
        to_say("In-flight data is a lower end: an aligned checkpoint drains the queues while it blocks channels."),
        to_say("Savepoints stay aligned: they get no faster."),
        to_say("After a failure the in-flight data is read and processed first: recovery takes longer by that."),
    ),
    compute=_compute,
    symptoms=("slow_sink", "slow_dimension_join", "cpu_hotspot", "data_skew"),
    docs=("S091", "S117"),
)
