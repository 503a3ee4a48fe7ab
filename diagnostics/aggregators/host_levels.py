"""Levels of hosts and their parts from operating system tools, per file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.row_choice import is_any, with_known
from diagnostics.arithmetic.value_classes import Spread, Total, count_values, merge_classes, spreads

if TYPE_CHECKING:
    import pyarrow as pa

MOST_LEVELS = 20_000
"""Numbers of hosts and their parts kept. Our choice: a thousand hosts with twenty each."""

LEVELS: Mapping[str, tuple[str, ...]] = {
    "cpu": ("iowait_percent", "steal_percent", "idle_percent"),
    "device": ("busy_percent", "write_await_ms", "await_ms"),
    "memory": ("available_bytes",),
    "control group": ("periods", "throttled_periods", "written_bytes", "oom_kills", "memory_limit_hits"),
}
"""Part of a host -> metrics whose level is computed."""

KEYS = ("part", "metric", "host", "name", "level_of")
TOTALS: Mapping[str, Total] = {"from_ms": "min", "until_ms": "max"}
"""Over which time the values were read."""


def _counted(samples: pa.Table) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    known = with_known(samples, ("value",))
    of_part = [pc.and_(pc.equal(known["part"], part), is_any(known["metric"], names)) for part, names in LEVELS.items()]
    chosen = pa.concat_tables([known.filter(mask) for mask in of_part])
    for name, values in (("level_of", "file_id"), ("from_ms", "ts_ms"), ("until_ms", "ts_ms")):
        chosen = chosen.append_column(name, chosen[values])
    return count_values(chosen, KEYS, "value", TOTALS, MOST_LEVELS)


AGGREGATOR: Aggregator[list[Spread]] = Aggregator(
    name="host_levels",
    table="host_sample",
    columns=("ts_ms", "host", "part", "name", "metric", "value"),
    reduce=_counted,
    merge=partial(merge_classes, keys=KEYS, totals=TOTALS, most_groups=MOST_LEVELS),
    finish=partial(spreads, keys=KEYS, totals=TOTALS),
)
