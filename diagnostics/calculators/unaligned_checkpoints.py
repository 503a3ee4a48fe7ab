"""Savings and costs of unaligned checkpoints, immediate or after an aligned timeout."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from diagnostics.calculators.calculator import Calculator, Input, Line, Outcome
from diagnostics.diagnosis.flink_version import within
from diagnostics.evidence.subject import Lookup
from diagnostics.language import joined_sentences, say, to_say
from diagnostics.wording.phrase import duration, percent, size

UPLOAD_SHARE = 0.6
"""An asynchronous part above this makes the upload the bottleneck. Source: `ua.avoid` of vocabulary/sources."""

LATE_MS = 1000.0
"""From this delay of a source on it is part of what a checkpoint takes. Our choice: a second is no wait."""


def _refusals(lookup: Lookup) -> Iterator[str]:
    share = lookup("checkpoint_phases.async_share_ratio")
    if isinstance(share, (int, float)) and share > UPLOAD_SHARE:
        yield (
            say(
                "The asynchronous part is {share} of slow checkpoints: the upload is the "
                "bottleneck, and in-flight "
                "data would be added to it.",
                share=percent(share),
            )
        )
    if lookup("settings.mode") == "AT_LEAST_ONCE":
        yield say("The mode is at-least-once: no channel is blocked there, and the option has no effect.")
    concurrent = lookup("settings.max_concurrent")
    if isinstance(concurrent, (int, float)) and concurrent > 1:
        yield say(
            "max-concurrent-checkpoints is {concurrent:.0f}; unaligned checkpoints need 1.", concurrent=concurrent
        )
    unaligned = lookup("checkpoint_progress.unaligned_count")
    if isinstance(unaligned, (int, float)) and unaligned > 0:
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
    late = _late_ms(lookup)
    parts, record = late + values["sync_ms"] + values["async_ms"], values["record_ms"]
    now = values["end_to_end_ms"]
    least, expected, most = (
        waits + parts + rest if switches else now for rest in (record, max(record, upload), record + slowest)
    )
    shown_parts = " + ".join(map(duration, (*([late] if late else []), waits, values["sync_ms"], values["async_ms"])))
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
        Line(say("Checkpoint, unaligned, at best"), f"{shown_parts} + {duration(record)}", duration(least)),
        Line(
            say("Checkpoint, unaligned, expected"),
            say(
                "{parts} + the longer of {record} and {upload}",
                parts=shown_parts,
                record=duration(record),
                upload=duration(upload),
            ),
            duration(expected),
        ),
        Line(
            say("Checkpoint, unaligned, at worst"),
            f"{shown_parts} + {duration(record)} + {duration(slowest)}",
            duration(most),
        ),
        Line(say("Saved for each checkpoint"), f"{duration(now)} - {duration(expected)}", duration(now - expected)),
        *(_gains(lookup, record) if switches and not waits else ()),
    ]
    refusals = list(_refusals(lookup))
    results = {
        "low_ms": least,
        "expected_ms": expected,
        "high_ms": most,
        "persisted_bytes": persisted,
        "saved_ms": now - expected,
    }
    if refusals:
        return Outcome("do not", say("Not here. {reason}", reason=refusals[0]), lines, refusals, results)
    if not switches:
        headline = say(
            "Nothing changes: the barriers arrive within the aligned timeout of {timeout}.",
            timeout=duration(values["timeout_ms"]),
        )
        return Outcome("depends", headline, lines, results=results)
    times = {
        "expected": duration(expected),
        "least": duration(least),
        "most": duration(most),
        "now": duration(now),
    }
    if most >= now and late:
        would_take = say(
            "A checkpoint would take about {expected} ({least} to {most}); the longest that completed took {now}.",
            **times,
        )
        return Outcome("depends", joined_sentences([_source_stays(late), would_take]), lines, results=results)
    if expected >= now:
        reason = say(
            "A checkpoint takes {now}, and barriers travel for {travel} of it: there is nothing to save.",
            travel=duration(travel),
            now=duration(now),
        )
        return Outcome("do not", reason, lines, [reason], results)
    if most >= now:
        headline = say(
            "It may save nothing: the upload of the in-flight data can take as long as the barriers wait now."
        )
        return Outcome("depends", headline, lines, results=results)
    headline = say(
        "A checkpoint takes about {expected} ({least} to {most}) in place of "
        "{now}, and writes about {persisted} more. The back pressure stays: repair the bottleneck too.",
        persisted=size(persisted),
        **times,
    )
    if late:
        headline = joined_sentences([_source_stays(late), headline])
    return Outcome("do", headline, lines, results=results)


def _late_ms(lookup: Lookup) -> float:
    """How late a source reacts to the trigger of a checkpoint, which is part of what the checkpoint takes; 0 if it does
    not wait.
    """
    late = lookup("checkpoint_phases.source_delay_ms")
    return float(late) if isinstance(late, (int, float)) and late >= LATE_MS else 0.0


def _source_stays(late: float) -> str:
    return say(
        "A source reacted to the trigger of a checkpoint only after {late}: no barrier waits there, so this time "
        "stays.",
        late=duration(late),
    )


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
