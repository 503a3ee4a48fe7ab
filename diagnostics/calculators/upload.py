"""Whether full or incremental checkpoints can be uploaded within the timeout."""

from __future__ import annotations

from collections.abc import Mapping

from diagnostics.calculators.calculator import Calculator, Input, Line, Outcome
from diagnostics.evidence.subject import Lookup
from diagnostics.wording.phrase import duration, percent, size

SAFE = 0.5
"""A checkpoint should take less than half of its timeout (vocabulary/sources/bounds.yaml)."""

WAITING = 0.5
"""From this share of start delay and alignment on, the upload does not dominate (the same source)."""


def _compute(values: Mapping[str, float], lookup: Lookup) -> Outcome:
    state, new, rate, timeout = (values[name] for name in ("state_bytes", "new_bytes", "bytes_per_s", "timeout_ms"))
    if rate <= 0:
        return Outcome("not known", "Without bandwidth nothing is uploaded; set one.")
    full, incremental, safe = state / rate * 1000, new / rate * 1000, SAFE * timeout
    needed = state / (safe / 1000) if safe > 0 else 0.0
    room = rate * timeout / 1000 - state
    lines = [
        Line("Full upload", f"{size(state)} / {size(rate)}/s", duration(full)),
        Line("Incremental upload", f"{size(new)} / {size(rate)}/s", duration(incremental)),
        Line("Half of the timeout", f"{duration(timeout)} / 2", duration(safe)),
        Line("Bandwidth for a full upload within it", f"{size(state)} / {duration(safe)}", f"{size(needed)}/s"),
    ]
    growth = values["growth_bytes_per_s"]
    if growth > 0 and room > 0:
        arithmetic = f"({size(rate)}/s x {duration(timeout)} - {size(state)}) / {size(growth)}/s"
        lines.append(
            Line(
                "A full upload reaches the timeout, if this growth lasts, in",
                arithmetic,
                duration(room / growth * 1000),
            )
        )
    results = {"full_ms": full, "incremental_ms": incremental, "needed_bytes_per_s": needed}
    waits = lookup("checkpoint_phases.barrier_share_ratio")
    if isinstance(waits, (int, float)) and waits > WAITING:
        refusals = [
            f"{percent(waits)} of slow checkpoints is waiting for barriers, not upload: writing less changes little."
        ]
        return Outcome("do not", refusals[0], lines, refusals, results)
    if full <= safe:
        return Outcome("depends", "Even a full upload fits into half of the timeout.", lines, results=results)
    if incremental <= safe:
        sizes = (
            f"{duration(incremental)} in place of {duration(full)}. After a compaction nearly everything is written "
            f"again; that needs {size(needed)}/s."
        )
        if lookup("settings.incremental") is True:
            return Outcome("depends", f"Incremental checkpoints are on already: {sizes}", lines, results=results)
        return Outcome("do", f"Incremental checkpoints fit: {sizes}", lines, results=results)
    refusals = [
        f"Writing only what is new takes {duration(incremental)}, more than half of the timeout: the storage must "
        "become faster or the state smaller. A longer timeout alone hides that."
    ]
    return Outcome("do not", f"Incremental checkpoints alone do not suffice. {refusals[0]}", lines, refusals, results)


CALCULATOR = Calculator(
    id="upload",
    title="Incremental checkpoints and upload bandwidth",
    question="Does the upload fit into the timeout, in full and incrementally?",
    formula="upload = bytes / bandwidth, to be less than half of the timeout",
    inputs=(
        Input("state_bytes", "Full state", "bytes", ("checkpoint_sizes.max_state_bytes",), high=1e12),
        Input(
            "new_bytes",
            "New bytes from one checkpoint to the next",
            "bytes",
            ("checkpoint_sizes.growth_by_checkpoint_bytes", "checkpoint_sizes.partial_max_bytes"),
            high=1e11,
        ),
        Input(
            "bytes_per_s",
            "Upload bandwidth",
            "byte_rate",
            ("checkpoint_phases.upload_bytes_per_s_max", "checkpoint_sizes.bytes_per_s_max"),
            high=1e9,
        ),
        Input(
            "timeout_ms",
            "Checkpoint timeout",
            "duration",
            ("checkpoint_progress.timeout_ms", "settings.timeout_ms"),
            high=3_600_000,
            choice=True,
        ),
        Input(
            "growth_bytes_per_s",
            "Growth of the state",
            "byte_rate",
            ("checkpoint_sizes.state_growth_bytes_per_s",),
            assumed=0.0,
            because="no lasting growth was measured",
            high=1e8,
        ),
    ),
    assumptions=(
        (
            "The growth of the state is taken as the amount of new data; entries that change are written again too, "
            "and compaction adds to it."
        ),
        "The highest bandwidth seen is what the storage can do. It may be more: test it with a plain write.",
        "A share less is that share less: 70 % less of 15 min is 0.3 x 15 min = 4.5 min, not 3 min.",
    ),
    compute=_compute,
    symptoms=("rocksdb_slow_upload",),
    docs=("S061", "S120"),
)
