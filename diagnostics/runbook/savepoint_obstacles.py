"""Why a savepoint of a running job would probably not complete."""

from __future__ import annotations

from diagnostics.evidence.subject import Lookup, number_of
from diagnostics.runbook.restart_sentences import (
    BARRIERS,
    BARRIERS_TOO_LONG,
    FAILING,
    TASK_MANAGERS_FIRST,
    TOO_LONG,
    TOO_LONG_SEEN,
    TOO_SLOW,
    TOO_SLOW_SEEN,
    WITHOUT_TASK_MANAGERS,
)
from diagnostics.runbook.savepoint_duration import recent_ms, savepoint_ms, wrote_as_much

HEAD_ROOM = 2.0
"""How many times a savepoint's duration must fit into its timeout. Our choice: as for checkpoints."""

MOSTLY = 0.5
"""Share of a checkpoint's duration from which its barriers take most of it. Our choice: more than half."""


def against_savepoint(lookup: Lookup, *, starts_none: bool) -> str | None:
    """The sentence with the reason; None where nothing speaks against a savepoint.

    Where barriers take most of the time, the bytes of a checkpoint by its duration are no rate of an upload.

    starts_none  whether the change starts no TaskManager
    """
    if lookup("task_manager_loss.all.registered_end") == 0:
        return TASK_MANAGERS_FIRST if starts_none else WITHOUT_TASK_MANAGERS
    failing = FAILING if number_of(lookup, "checkpoint_progress.consecutive_failed") else None
    timeout = number_of(lookup, "settings.timeout_ms")
    waits = (number_of(lookup, "checkpoint_phases.barrier_share_ratio") or 0) > MOSTLY
    needed = (
        recent_ms(lookup, timeout)
        if waits
        else savepoint_ms(lookup, number_of(lookup, "checkpoint_sizes.bytes_per_s_max"))
    )
    if needed is None or timeout is None or needed * HEAD_ROOM <= timeout:
        return failing
    if waits:
        late = number_of(lookup, "checkpoint_phases.late_complete_ms")
        return failing or (BARRIERS_TOO_LONG if late is not None and late > timeout else BARRIERS)
    if wrote_as_much(lookup):
        took = number_of(lookup, "checkpoint_phases.largest_upload_ms")
        return TOO_LONG_SEEN if took is not None and took >= timeout else TOO_SLOW_SEEN
    return TOO_LONG if needed >= timeout else TOO_SLOW
