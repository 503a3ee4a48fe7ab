"""Records are counted by second, and in wider slots where seconds would be too many."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from diagnostics.aggregators import log_volume
from diagnostics.evidence.tables import TABLES

Count = tuple[int | None, int | None, str | None, int]
"""First and last second of a slot, level, records."""


def counts(*seconds: int | None) -> pa.Table:
    """A record at level INFO in each of these seconds."""
    moments = [None if second is None else 1000 * second + 633 for second in seconds]
    rows = [{"file_id": 0, "first_ms": moment, "level": "INFO", "records": 1} for moment in moments]
    return pa.Table.from_pylist(rows, schema=TABLES["log_count"].arrow_schema())


def answer(*parts: pa.Table) -> list[Count]:
    aggregator = log_volume.AGGREGATOR
    merged = aggregator.merge_states([aggregator.reduce_rows(part) for part in parts])
    return [(row["first"], row["last"], row["level"], row["records"]) for row in aggregator.finish(merged).to_pylist()]


def test_records_of_a_second_are_counted_together() -> None:
    assert answer(counts(7, 5, 7, None), counts(7)) == [(5, 5, "INFO", 1), (7, 7, "INFO", 3), (None, None, "INFO", 1)]


def test_too_many_seconds_are_counted_in_slots_of_a_power_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slots of 4 s: seconds 0 to 3, 4 to 7 and 8 to 11; the slots of 2 s are five, one too many."""
    monkeypatch.setattr(log_volume, "MOST_SLOTS", 4)
    assert answer(counts(1, 2, 5, 6, 9)) == [(1, 2, "INFO", 2), (5, 6, "INFO", 2), (9, 9, "INFO", 1)]


def test_the_slots_do_not_depend_on_how_the_seconds_were_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_volume, "MOST_SLOTS", 8)
    chance = random.Random(1)
    seconds = [chance.choice([None, *range(200)]) for _ in range(60)]
    whole = answer(counts(*seconds))
    assert len(whole) <= 8
    assert sum(records for *_, records in whole) == 60
    for _ in range(20):
        chance.shuffle(seconds)
        cut = chance.randint(0, 60)
        assert answer(counts(*seconds[:cut]), counts(*seconds[cut:])) == whole


def test_no_records_have_no_slots() -> None:
    assert answer() == []
