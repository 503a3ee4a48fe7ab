"""With more rows than a state may hold, the answer is coarser, but independent of how the rows are cut."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

from diagnostics.aggregators import (
    AGGREGATORS,
    device_lag_cells,
    event_keys,
    gc_pauses,
    highest_event_times,
    lags_over_time,
    partition_lags,
)
from diagnostics.evidence.tables import TABLES
from tests.diagnostics.hand_made import START
from tests.diagnostics.reconstruction.gc.test_pauses import made_up as pauses

BOUNDS = (
    (device_lag_cells, "MOST_CELLS", 600),
    (device_lag_cells, "MOST_CELLS", 40),
    (event_keys, "MOST_KEYS", 30),
    (highest_event_times, "MOST_SLOTS", 50),
    (lags_over_time, "MOST_CELLS", 50),
    (partition_lags, "MOST_CELLS", 500),
    (gc_pauses, "MOST_PAUSES", 150),
)


def made_up(rows: int) -> pa.Table:
    """Events of a hundred devices in three partitions, some without a device or a time."""
    chance = random.Random(7)
    events = []
    for line in range(rows):
        arrival = START + chance.randrange(3_600_000)
        events.append(
            {
                "key": chance.choice((None, *(f"device-{number}" for number in range(100)))),
                "event_ms": chance.choice((None, *[arrival - round(chance.expovariate(1e-3))] * 9)),
                "arrival_ms": arrival,
                "partition": chance.choice((None, "0", "1", "2")),
                "file_id": chance.randrange(2),
                "line": line,
            }
        )
    return pa.Table.from_pylist(events, schema=TABLES["event"].arrow_schema())


def made_up_pauses() -> pa.Table:
    rows = [{**row, "line": line} for line, row in enumerate(pauses(), 1)]
    return pa.Table.from_pylist(rows, schema=TABLES["gc_pause"].arrow_schema())


@pytest.mark.parametrize(("module", "bound", "most"), BOUNDS, ids=lambda each: str(each).rpartition(".")[2])
def test_parts_in_any_order_give_the_same_coarse_answer(
    monkeypatch: pytest.MonkeyPatch, module: Any, bound: str, most: int
) -> None:
    monkeypatch.setattr(module, bound, most)
    if module is event_keys:
        monkeypatch.setattr(module, "MOST_FREQUENT", 0)
    aggregator = AGGREGATORS[module.__name__.rpartition(".")[2]]
    rows = made_up_pauses() if module is gc_pauses else made_up(3_000)
    whole = aggregator.reduce_rows(rows)
    assert max(whole["level"].to_pylist()) > 0
    for seed in range(6):
        chance = random.Random(seed)
        cuts = sorted(chance.randrange(rows.num_rows) for _ in range(4))
        bounds = zip([0, *cuts], [*cuts, rows.num_rows], strict=True)
        states = [aggregator.reduce_rows(rows.slice(start, end - start)) for start, end in bounds]
        chance.shuffle(states)
        merged = aggregator.merge_states([aggregator.merge_states(states[:2]), *states[2:]])
        assert merged.num_rows <= 3 * most
        assert aggregator.finish(merged) == aggregator.finish(whole)
