"""The checkpoint timeout of a job: as configured, as expired checkpoints show it, and a longer one to propose."""

from __future__ import annotations

from diagnostics.aggregators import config_options
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.arithmetic.quantiles import highest, middle
from diagnostics.evidence import Evidence, read_once
from diagnostics.evidence.subject import FactValue
from diagnostics.notation.flink_values import duration_ms
from diagnostics.reconstruction.checkpoints.history import Checkpoint, History, checkpoint_histories

WHOLE_SECONDS = 0.05
"""Relative tolerance within which the duration of an expired checkpoint matches a timeout. Our choice."""
TIMEOUT_OPTION = "execution.checkpointing.timeout"


@read_once
def checkpoint_timeouts(evidence: Evidence) -> dict[str | None, float]:
    """Job (None: not known which) -> checkpoint timeout in ms, configured or as expired checkpoints show it.

    A default that no file states is not among them: a chart draws no line for it.

    Reads   config_option; checkpoint and log_record (through the shared history).
    """
    rows = named_rows(evidence.answer(config_options.AGGREGATOR))
    written = sorted((row.job_id or "", row.value) for row in rows if row.key == TIMEOUT_OPTION and row.value)
    configured = {job_id or None: duration_ms(value) for job_id, value in written}
    timeouts: dict[str | None, float] = {}
    for job_id, history in checkpoint_histories(evidence).items():
        stated = configured.get(job_id, configured.get(None))
        timeout = timeout_in_effect(history, stated, is_default=False).get("timeout_ms")
        if isinstance(timeout, (int, float)):
            timeouts[job_id] = timeout
    return timeouts


def timeout_in_effect(history: History, stated: FactValue, *, is_default: bool) -> dict[str, FactValue]:
    """The timeout in effect: what the job states, else what its expired checkpoints show, else Flink's default.

    stated      the timeout of the configuration in ms, None when no configuration is known
    is_default  whether that is Flink's default, because the configuration does not mention it
    Gives       {timeout_ms, timeout_from}, where `timeout_from` is configuration, expiry or default; empty when no
                timeout is known.
    """
    expired_ms = middle(each.duration_ms for each in history.select_statuses("expired"))
    if expired_ms is not None and (stated is None or is_default or not _is_near(expired_ms, stated)):
        rounded = round(expired_ms / 1000) * 1000
        return {"timeout_ms": rounded if _is_near(expired_ms, rounded) else expired_ms, "timeout_from": "expiry"}
    if stated is None:
        return {}
    return {"timeout_ms": stated, "timeout_from": "default" if is_default else "configuration"}


def _is_near(value_ms: float, timeout: FactValue) -> bool:
    return isinstance(timeout, (int, float)) and timeout > 0 and abs(value_ms - timeout) <= WHOLE_SECONDS * timeout


def proposed_timeout_ms(history: History, timeout_ms: float | None) -> float | None:
    """Twice the longest duration of a checkpoint, in whole minutes; never below the present timeout.

    Source: `rocks.expired_async` of vocabulary/sources (twice the p99 duration, after the cause is repaired).
    """
    longest = highest(_whole_duration_ms(each) for each in history.checkpoints if not each.is_savepoint)
    if longest is None:
        return None
    minutes = -(-2 * longest // 60_000)
    return max(minutes * 60_000.0, timeout_ms or 0.0)


def lasted_ms(checkpoint: Checkpoint, timeout_ms: float | None) -> float | None:
    """How long a checkpoint took that completed or expired, in ms: one that expired at least its timeout, and until the
    last acknowledgement that came later. None where that is not known.
    """
    if checkpoint.status != "expired":
        return checkpoint.duration_ms
    return highest((_whole_duration_ms(checkpoint), timeout_ms))


def _whole_duration_ms(checkpoint: Checkpoint) -> float | None:
    """How long the tasks took, including acknowledgements that arrived after the checkpoint had expired."""
    start = checkpoint.start_ms
    late = max(checkpoint.late_ms, default=None)
    return highest((checkpoint.duration_ms, None if late is None or start is None else late - start))
