"""What slow checkpoints wrote, and how fast: of each, the task that writes most."""

from __future__ import annotations

from collections.abc import Sequence

from diagnostics.arithmetic.quantiles import highest, lowest, total
from diagnostics.evidence.subject import FactValue
from diagnostics.reconstruction.checkpoints.parts import Part, slowest_part

UPLOAD_BYTES, UPLOAD_MS = 1_000_000.0, 1000.0
"""Below these an asynchronous part gives no upload rate, because fixed costs dominate. Our choice."""


def upload_facts(slow: Sequence[Sequence[Part]]) -> dict[str, FactValue]:
    """Bytes per second of the asynchronous part of the task that writes most; includes late acknowledgements."""
    rates: list[tuple[float, int]] = []
    for parts in slow:
        part = max(parts, key=lambda each: (each.checkpointed_bytes or 0, each.vertex_id))
        at = part.by_phase.get("async")
        written, took_ms = part.checkpointed_bytes, at.async_ms if at else None
        if written and took_ms and written >= UPLOAD_BYTES and took_ms >= UPLOAD_MS:
            rates.append((written / took_ms * 1000, part.acknowledged))
    return {
        **_largest_upload(slow),
        "upload_bytes_per_s_min": lowest(rate for rate, _ in rates) if len(rates) > 1 else None,
        "upload_bytes_per_s_max": highest(rate for rate, _ in rates),
        "upload_bytes_per_s_by_subtask": highest(rate / subtasks for rate, subtasks in rates),
        "upload_checkpoints": len(rates) or None,
    }


def written_per_s(parts: Sequence[Part]) -> float | None:
    """Bytes per second of the asynchronous part of the task that writes most in a checkpoint, however little that is:
    a lower end of what the storage takes. The time in which barriers wait writes nothing and does not count.
    """
    part = max(parts, key=lambda each: (each.checkpointed_bytes or 0, each.vertex_id))
    at = part.by_phase.get("async")
    return part.checkpointed_bytes / at.async_ms * 1000 if part.checkpointed_bytes and at and at.async_ms else None


def _largest_upload(slow: Sequence[Sequence[Part]]) -> dict[str, FactValue]:
    """What a slow checkpoint that all subtasks acknowledged, late or not, wrote at most, and how long that took."""
    whole = [
        (written, each.slowest.end_to_end_ms, each.number)
        for parts in slow
        if all(part.acknowledged == part.subtasks for part in parts)
        and (written := total(part.checkpointed_bytes for part in parts)) is not None
        and (each := slowest_part(parts)) is not None
        and each.slowest is not None
    ]
    written, took_ms, number = max(whole, default=(None, None, None), key=lambda each: (each[0], each[2]))
    return {"largest_upload_bytes": written, "largest_upload_ms": took_ms, "largest_upload_id": number}
