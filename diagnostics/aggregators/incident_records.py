"""Records about single events of an incident, by kind: the earliest of each kind, and their number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import CITATION_ORDER, Aggregator
from diagnostics.arithmetic.row_order import Order, first_rows_by_group, sort_rows
from diagnostics.citation import CITATION_COLUMNS
from diagnostics.vocabulary.incident_kinds import MARKED_EVENTS, MARKED_TEXTS

if TYPE_CHECKING:
    import pyarrow as pa

MOST_OF_A_KIND = 2_000
"""Records of a kind kept, the earliest; all are counted. Our choice: with some 40 kinds at most 80,000."""

COLUMNS = (
    *("ts_ms", "level", "message", "process", "event", "job_id", "vertex", "subtask", "attempt"),
    *("state_from", "state_to", "task_manager", "host", "duration_ms", "count", "reason"),
    *("exception_class", "exception_message", "root_cause_class", "root_cause_message", "root_cause_frame"),
    *("user_frame", "thrown_in", "own_frames", "causes", "frames", "deployment"),
)

ORDER: Order = (("kind", "ascending"), ("ts_ms", "ascending"), *CITATION_ORDER)


def _by_kind(records: pa.Table) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    telling = records.filter(records["kinds"].is_valid())
    kinds = pc.split_pattern(telling["kinds"].combine_chunks(), " ")
    events = telling.select([*COLUMNS, *CITATION_COLUMNS]).take(pc.list_parent_indices(kinds))
    events = events.append_column("kind", pc.list_flatten(kinds))
    events = events.append_column("of_kind", pa.nulls(events.num_rows, pa.int64()))
    return pa.concat_tables([_earliest(events), _number_by_kind(events, [([], "count_all")])])


def _merge(states: pa.Table) -> pa.Table:
    import pyarrow as pa

    counted = states["of_kind"].is_valid()
    numbers = _number_by_kind(states.filter(counted), [("of_kind", "sum")])
    return pa.concat_tables([_earliest(states.filter(states["of_kind"].is_null())), numbers])


def _number_by_kind(events: pa.Table, measure: list[tuple[object, str]]) -> pa.Table:
    """One row per kind with `of_kind`, the number of its records; other columns are null."""
    import pyarrow as pa

    numbers = events.group_by("kind", use_threads=False).aggregate(measure).rename_columns(["kind", "of_kind"])
    known = {name: numbers[name] for name in numbers.column_names}
    columns = [known.get(each.name, pa.nulls(numbers.num_rows, each.type)) for each in events.schema]
    return pa.table(columns, schema=events.schema)


def _earliest(events: pa.Table) -> pa.Table:
    """At most MOST_OF_A_KIND events of each kind."""
    return first_rows_by_group(events, "kind", ORDER[1:], MOST_OF_A_KIND)


def _in_order(state: pa.Table) -> pa.Table:
    return sort_rows(state, ORDER)


AGGREGATOR: Aggregator[pa.Table] = Aggregator(
    name="incident_records",
    table="log_record",
    columns=(*COLUMNS, "kinds"),
    reduce=_by_kind,
    merge=_merge,
    finish=_in_order,
    events=MARKED_EVENTS,
    texts=MARKED_TEXTS,
)
"""Gives the records by kind, and one row per kind with only `of_kind`, the number of its records."""
