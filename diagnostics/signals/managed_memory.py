"""Refused reservations of managed memory, and write buffers too large for RocksDB's share."""

from __future__ import annotations

import re

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.failures.incident_log import Failure, LogEvent, incident_log
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

REFUSED = ("MemoryReservationException", "MemoryAllocationException")
"""Source: Flink's own log statements mem.managed.exhausted, mem.pages."""
BYTES = re.compile(r"Could not allocate (\d{1,18}) bytes[.,] ?[Oo]nly (\d{1,18}) bytes are remaining")
PAGES = re.compile(r"Could not allocate (\d{1,12}) pages")
ARENA = re.compile(r"arenaBlockSize (\d{1,18}) > mutableLimit (\d{1,18})")
"""RocksDB's warning about its share. Source: MemoryManager and RocksDBOperationUtils; matched in texts of a few
thousand characters.
"""
SHOWN = 6


def measure(evidence: Evidence) -> Measured:
    """Refused requests for managed memory, and RocksDB's warning that its share is too small.

    Reads   log_record, failure.
    Gives   one signal of the case, also when neither occurs.
    Units   bytes.
    Empty   NotMeasured without Flink's logs and exceptions.
    """
    if not (evidence.has_logs() or evidence.has("failure")):
        yield NotMeasured("managed_memory", "taskmanager-log", "no log and no exceptions were given")
        return
    log = incident_log(evidence)
    refused: list[LogEvent | Failure] = [*log.of("managed_refused"), *(each for each in log.failures if _refused(each))]
    small = log.of("small_arena")
    asked = next((hit for each in refused if (hit := BYTES.search(each.texts))), None)
    pages = next((hit for each in refused if (hit := PAGES.search(each.texts))), None)
    arena = next((hit for each in small if (hit := ARENA.search(each.message))), None)
    stamps = [each.ts_ms for each in refused if each.ts_ms is not None]
    facts: dict[str, FactValue] = {
        "refused": max(log.count("managed_refused"), len(refused)),
        "refused_text": (asked or pages or [None])[0],
        "asked_bytes": int(asked[1]) if asked else None,
        "left_bytes": int(asked[2]) if asked else None,
        "first_ms": min(stamps, default=None),
        "small_arenas": log.count("small_arena"),
        "arena_bytes": int(arena[1]) if arena else None,
        "arena_limit_bytes": int(arena[2]) if arena else None,
    }
    yield Signal(
        "managed_memory",
        Subject(),
        known_facts(facts),
        tuple(each.cite() for each in (*refused[:4], *small[:2]))[:SHOWN],
        citation_count=len(refused) + len(small),
    )


def _refused(failure: Failure) -> bool:
    told = f"{failure.exception_class} {failure.root_cause_class} {failure.causes}"
    return any(name in told for name in REFUSED)


FACTS = {
    "refused": "reservations of managed memory that were refused",
    "refused_text": "message of the first refused reservation",
    "asked_bytes": "what it asked for, bytes",
    "left_bytes": "what was left, bytes",
    "first_ms": "time of the first refused reservation, epoch ms",
    "small_arenas": "warnings that RocksDB's write buffers do not fit into its share of managed memory",
    "arena_bytes": "one block of such a buffer, bytes",
    "arena_limit_bytes": "what one may take, bytes",
}

SIGNALS = (SignalDefinition("managed_memory", "case", FACTS, measure),)
