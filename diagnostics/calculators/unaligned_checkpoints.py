"""Savings and costs of unaligned checkpoints, immediate or after an aligned timeout."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from diagnostics.calculators.calculator import Calculator, Input, Line, Outcome
from diagnostics.diagnosis.flink_version import within
from diagnostics.evidence.subject import Lookup
from diagnostics.wording.phrase import duration, percent, size

UPLOAD_SHARE = 0.6
"""An asynchronous part above this makes the upload the bottleneck. Source: `ua.avoid` of vocabulary/sources."""


def _refusals(lookup: Lookup) -> Iterator[str]:
    share = lookup("checkpoint_phases.async_share_ratio")
    if isinstance(share, (int, float)) and share > UPLOAD_SHARE:
        yield (
            f"The asynchronous part is {percent(share)} of slow checkpoints: the upload is the "
            f"bottleneck, and in-flight "
            "data would be added to it."
        )
    if lookup("settings.mode") == "AT_LEAST_ONCE":
        yield "The mode is at-least-once: no channel is blocked there, and the option has no effect."
    concurrent = lookup("settings.max_concurrent")
    if isinstance(concurrent, (int, float)) and concurrent > 1:
        yield f"max-concurrent-checkpoints is {concurrent:.0f}; unaligned checkpoints need 1."
    unaligned = lookup("checkpoint_progress.unaligned_count")
    if isinstance(unaligned, (int, float)) and unaligned > 0:
        yield f"{unaligned:.0f} of the checkpoints are unaligned already: these numbers are not those of aligned ones."
    version = lookup("job_overview.flink_version") or lookup("settings.flink_version")
    if version is not None and not within(">=1.11", version):
        yield f"Flink {version} has no unaligned checkpoints; they came with 1.11."


def _compute(values: Mapping[str, float], lookup: Lookup) -> Outcome:
    """The time of an unaligned checkpoint, and what it writes.

    The barrier waits for the record in work; meanwhile the tasks upstream write their in-flight data, so that the
    longer of both is expected. A storage that was never the limit has no measured rate, and its time is not counted
    then: the fastest checkpoint shows what it takes at least; at worst all is written after the record, at that rate.
    """
    travel = max(values["end_to_end_ms"] - values["sync_ms"] - values["async_ms"], 0.0)
    by_rate = travel / 1000 * values["bytes_per_s"]
    in_flight = values["in_flight_bytes"] or by_rate
    if not in_flight and travel > 0:
        return Outcome("not known", "Not measured here: in-flight data, and the bytes that the bottleneck reads.")
    waits, switches = min(travel, values["timeout_ms"]), travel > values["timeout_ms"]
    persisted = in_flight * (1 - waits / travel) if travel > 0 else 0.0
    upload = _duration(persisted, values["upload_bytes_per_s"])
    slowest = _duration(persisted, max(values["upload_bytes_per_s"], values["fastest_bytes_per_s"]))
    parts, record = values["sync_ms"] + values["async_ms"], values["record_ms"]
    now = values["end_to_end_ms"]
    least, expected, most = (
        waits + parts + rest if switches else now for rest in (record, max(record, upload), record + slowest)
    )
    shown_parts = f"{duration(waits)} + {duration(values['sync_ms'])} + {duration(values['async_ms'])}"
    lines = [
        Line(
            "Travel of the barriers, aligned",
            f"{duration(now)} - {duration(values['sync_ms'])} - {duration(values['async_ms'])}",
            duration(travel),
        ),
        Line("In-flight data before the barriers", *_in_flight(values, travel, in_flight)),
        Line(
            "Persisted in-flight data",
            f"{size(in_flight)} x (1 - {duration(waits)} / {duration(travel)})",
            size(persisted),
        ),
        Line("Upload of it", *_upload(values, persisted, upload)),
        Line("Checkpoint, unaligned, at best", f"{shown_parts} + {duration(record)}", duration(least)),
        Line(
            "Checkpoint, unaligned, expected",
            f"{shown_parts} + the longer of {duration(record)} and {duration(upload)}",
            duration(expected),
        ),
        Line(
            "Checkpoint, unaligned, at worst",
            f"{shown_parts} + {duration(record)} + {duration(slowest)}",
            duration(most),
        ),
        Line("Saved for each checkpoint", f"{duration(now)} - {duration(expected)}", duration(now - expected)),
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
        return Outcome("do not", f"Not here. {refusals[0]}", lines, refusals, results)
    if not switches:
        headline = (
            f"Nothing changes: the barriers arrive within the aligned timeout of {duration(values['timeout_ms'])}."
        )
        return Outcome("depends", headline, lines, results=results)
    if most >= now:
        headline = "It may save nothing: the upload of the in-flight data can take as long as the barriers wait now."
        return Outcome("depends", headline, lines, results=results)
    headline = (
        f"A checkpoint takes about {duration(expected)} ({duration(least)} to {duration(most)}) in place of "
        f"{duration(now)}, and writes about {size(persisted)} more. The back pressure stays: repair the bottleneck too."
    )
    return Outcome("do", headline, lines, results=results)


def _in_flight(values: Mapping[str, float], travel: float, in_flight: float) -> tuple[str, str]:
    if values["in_flight_bytes"]:
        return "measured", size(in_flight)
    return f"{duration(travel)} x {size(values['bytes_per_s'])}/s", size(in_flight)


def _upload(values: Mapping[str, float], persisted: float, upload: float) -> tuple[str, str]:
    if values["upload_bytes_per_s"]:
        return f"{size(persisted)} / {size(values['upload_bytes_per_s'])}/s", duration(upload)
    return "no upload was long enough to measure the storage", "not counted"


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
                f"Earlier at {name}",
                f"{duration(float(delay))} start delay + {duration(float(alignment))} alignment - {duration(record)}",
                duration(gain),
            )


CALCULATOR = Calculator(
    id="unaligned-checkpoints",
    title="Unaligned checkpoints",
    question="How long would checkpoints take if barriers overtook the queued data?",
    formula=(
        "unaligned = aligned timeout + synchronous and asynchronous part + the longer of one record and the upload of "
        "the in-flight data"
    ),
    inputs=(
        Input(
            "end_to_end_ms",
            "Aligned checkpoint, end to end",
            "duration",
            ("checkpoint_phases.reference_ms",),
            high=900_000,
        ),
        Input("sync_ms", "Synchronous part", "duration", ("checkpoint_phases.sync_ms",), high=60_000),
        Input("async_ms", "Asynchronous part", "duration", ("checkpoint_phases.async_ms",), high=600_000),
        Input(
            "in_flight_bytes",
            "In-flight data before the barriers",
            "bytes",
            ("in_flight_data.bytes",),
            assumed=0.0,
            because="no metric of queues: it is the travel of the barriers times the bytes that the bottleneck reads",
            high=1e10,
        ),
        Input(
            "bytes_per_s",
            "Bytes that the bottleneck reads",
            "byte_rate",
            ("record_rate.bytes_per_s",),
            assumed=0.0,
            because="only needed where in-flight data is not measured",
            high=1e9,
        ),
        Input(
            "upload_bytes_per_s",
            "Upload of the storage",
            "byte_rate",
            ("checkpoint_phases.upload_bytes_per_s_max",),
            assumed=0.0,
            because="no upload took a second: the storage was never the limit",
            high=1e9,
        ),
        Input(
            "fastest_bytes_per_s",
            "Written by the fastest checkpoint",
            "byte_rate",
            ("checkpoint_progress.fastest_bytes_per_s",),
            assumed=0.0,
            because="only needed for the worst case, where the upload is not measured",
            high=1e9,
        ),
        Input(
            "record_ms",
            "Longest time inside one record or request",
            "duration",
            ("outside_system.slow_median_ms",),
            assumed=500.0,
            because="typically under a second (Flink documentation, Checkpointing under Backpressure, section 4)",
            high=30_000,
        ),
        Input(
            "timeout_ms",
            "Aligned timeout: stay aligned for so long",
            "duration",
            (),
            assumed=0.0,
            because="Flink's default: unaligned at once",
            high=120_000,
            choice=True,
        ),
    ),
    assumptions=(
        "Rates are constant over the checkpoint; bursts and GC are not covered.",
        "In-flight data is a lower end: an aligned checkpoint drains the queues while it blocks channels.",
        "Savepoints stay aligned: they get no faster.",
        "After a failure the in-flight data is read and processed first: recovery takes longer by that.",
    ),
    compute=_compute,
    symptoms=("slow_sink", "slow_dimension_join", "cpu_hotspot", "data_skew"),
    docs=("S091", "S117"),
)
