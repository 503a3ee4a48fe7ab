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
    travel = max(values["end_to_end_ms"] - values["sync_ms"] - values["async_ms"], 0.0)
    in_flight = travel / 1000 * values["bytes_per_s"]
    bandwidth = values["state_bytes"] / (values["async_ms"] / 1000) if values["async_ms"] > 0 else 0.0
    waits = min(travel, values["timeout_ms"])
    switches = travel > values["timeout_ms"]
    persisted = in_flight * (1 - waits / travel) if travel > 0 else 0.0
    upload = persisted / bandwidth * 1000 if bandwidth > 0 else 0.0
    base = values["record_ms"] + values["sync_ms"] + values["async_ms"] + (waits if switches else 0.0)
    low, high = (base, base + upload) if switches else (values["end_to_end_ms"], values["end_to_end_ms"])
    saved = values["end_to_end_ms"] - high, values["end_to_end_ms"] - low
    lines = [
        Line(
            "Travel of the barriers, aligned",
            f"{duration(values['end_to_end_ms'])} - {duration(values['sync_ms'])} - {duration(values['async_ms'])}",
            duration(travel),
        ),
        Line(
            "In-flight data before the barriers",
            f"{duration(travel)} x {size(values['bytes_per_s'])}/s",
            size(in_flight),
        ),
        Line(
            "Upload bandwidth seen",
            f"{size(values['state_bytes'])} / {duration(values['async_ms'])}",
            f"{size(bandwidth)}/s",
        ),
        Line(
            "Persisted in-flight data",
            f"{size(in_flight)} x (1 - {duration(waits)} / {duration(travel)})",
            size(persisted),
        ),
        Line("Upload of it at that bandwidth", f"{size(persisted)} / {size(bandwidth)}/s", duration(upload)),
        Line(
            "Checkpoint, unaligned, at best",
            f"{duration(waits if switches else 0)} + {duration(values['record_ms'])} + {duration(values['sync_ms'])}"
            f" + {duration(values['async_ms'])}",
            duration(low),
        ),
        Line("Checkpoint, unaligned, at worst", f"{duration(base)} + {duration(upload)}", duration(high)),
        Line(
            "Saved for each checkpoint", f"{duration(values['end_to_end_ms'])} - {duration(high)}", duration(saved[0])
        ),
    ]
    refusals = list(_refusals(lookup))
    results = {"low_ms": low, "high_ms": high, "persisted_bytes": persisted, "saved_ms": saved[0]}
    if refusals:
        return Outcome("do not", f"Not here. {refusals[0]}", lines, refusals, results)
    if not switches:
        headline = (
            f"Nothing changes: the barriers arrive within the aligned timeout of {duration(values['timeout_ms'])}."
        )
        return Outcome("depends", headline, lines, results=results)
    if saved[0] <= 0:
        headline = "It may save nothing: the upload of the in-flight data can take as long as the barriers wait now."
        return Outcome("depends", headline, lines, results=results)
    headline = (
        f"A checkpoint takes {duration(low)} to {duration(high)} in place of {duration(values['end_to_end_ms'])}, and "
        f"writes about {size(persisted)} more. The back pressure stays: repair the bottleneck too."
    )
    return Outcome("do", headline, lines, results=results)


CALCULATOR = Calculator(
    id="unaligned-checkpoints",
    title="Unaligned checkpoints",
    question="How long would checkpoints take if barriers overtook the queued data?",
    formula="unaligned = aligned timeout + one record + synchronous part + (state + in-flight data) / bandwidth",
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
        Input("state_bytes", "Written state", "bytes", ("checkpoint_phases.checkpointed_bytes",), high=1e11),
        Input("bytes_per_s", "Bytes that the bottleneck reads", "byte_rate", ("record_rate.bytes_per_s",), high=1e9),
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
        (
            "The bandwidth is that of the state's upload. Small uploads are slower by the byte, so the "
            "upper end is an upper end."
        ),
        "Savepoints stay aligned: they get no faster.",
        "After a failure the in-flight data is read and processed first: recovery takes longer by that.",
    ),
    compute=_compute,
    symptoms=("slow_sink", "slow_dimension_join", "cpu_hotspot", "data_skew"),
    docs=("S091", "S117"),
)
