"""How the slots in use are spread over the TaskManagers."""

from __future__ import annotations

from typing import Any

from diagnostics.aggregators import task_managers
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import Subject
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition
from diagnostics.wording.cited_text import sample_text

MOST_CITED = 4


def measure(evidence: Evidence) -> Measured:
    """The slots that the fullest and the emptiest TaskManager have in use.

    Reads   task_manager (REST).
    Gives   one signal of the case, of two or more TaskManagers whose free slots are known.
    Empty   NotMeasured without TaskManagers.
    """
    newest: dict[str, Any] = {}
    for row in named_rows(evidence.answer(task_managers.AGGREGATOR)):
        if row.slots and row.free_slots is not None:
            newest.setdefault(row.task_manager, row)
    if not newest:
        yield NotMeasured("slot_spread", "task-managers", "no file lists the slots of the TaskManagers")
        return
    if len(newest) < 2:
        return
    rows = sorted(newest.values(), key=lambda row: (row.free_slots - row.slots, row.task_manager))
    used = [row.slots - row.free_slots for row in rows]
    yield Signal(
        key="slot_spread",
        subject=Subject(),
        facts={
            "task_managers": len(rows),
            "used": sum(used),
            "used_most": used[0],
            "used_least": used[-1],
            "most_ratio": used[0] / rows[0].slots,
            "least_ratio": used[-1] / rows[-1].slots,
            "fullest": rows[0].task_manager,
            "emptiest": rows[-1].task_manager,
            "even_slots": -(-sum(used) // len(rows)),
        },
        citations=tuple(_cite(row) for row in (rows[0], *rows[:0:-1])[:MOST_CITED]),
        citation_count=len(rows),
    )


def _cite(row: Any) -> Citation:
    text = sample_text("freeSlots", None, row.task_manager, str(row.free_slots))
    return Citation.of(row, "rest", text, name="freeSlots", value=float(row.free_slots))


SIGNALS = (
    SignalDefinition(
        key="slot_spread",
        level="case",
        facts={
            "task_managers": "TaskManagers whose free slots are known",
            "used": "slots in use on all of them",
            "used_most": "slots in use on the fullest TaskManager",
            "used_least": "slots in use on the emptiest one",
            "most_ratio": "slots in use on the fullest TaskManager as part of its slots, 0 to 1",
            "least_ratio": "slots in use on the emptiest TaskManager as part of its slots, 0 to 1",
            "fullest": "the fullest TaskManager",
            "emptiest": "the emptiest TaskManager",
            "even_slots": "slots that each would have in use if they were spread evenly, rounded up",
        },
        measure=measure,
    ),
)
