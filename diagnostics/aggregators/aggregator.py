"""The type of an aggregator: a reduction of one evidence table, as three pure functions over Arrow tables.

`reduce` runs in Spark's workers while a file is read, `merge` wherever states are combined, `finish` once in the
driver. Files are cut into ranges at any line, ranges are read in any order, and small cases run the same code as large
ones; so

* `reduce` depends on its rows only, and its state stays small for any number of rows;
* `merge` gets concatenated states and gives one state of the same schema, whatever their order and grouping (it is
  associative and commutative, and merging a single state does not change the answer);
* ties are decided by the citation (file, line, pointer), never by the order of arrival.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from diagnostics.arithmetic.row_choice import contains_any, is_any, shortened
from diagnostics.arithmetic.row_order import Order, first_rows, sort_rows
from diagnostics.citation import CITATION_COLUMNS
from diagnostics.evidence.tables import TABLES

if TYPE_CHECKING:
    import pyarrow as pa

Answer = TypeVar("Answer")

CITATION_ORDER: Order = (("file_id", "ascending"), ("line", "ascending"), ("pointer", "ascending"))
"""Last columns of any sort order: the citation breaks all ties."""


STATES_AT_ONCE = 16
STATE_BYTES_AT_ONCE = 64 * 1024**2
"""States of an aggregator that wait to be merged, and the bytes of all but the first. Our choice."""


@dataclass(frozen=True, slots=True, eq=False)
class Aggregator(Generic[Answer]):
    """A reduction of one evidence table.

    name     of its module in `diagnostics/aggregators`
    table    the evidence table that it reads
    columns  of the table, besides the citation, that `reduce` reads
    reduce   rows -> state; for no rows the empty state
    merge    concatenated states -> state
    finish   the state of all rows -> answer
    events   for `log_record`: ids of the catalogued events whose records it reads; `*` is a wildcard
    texts    for `log_record`: constants; records with one of them in their head line are read too

    On `log_record`, records from WARN on, of several lines, or with only an exception are always available. Other
    records are available only when `events` or `texts` select them.
    """

    name: str
    table: str
    columns: tuple[str, ...]
    reduce: Callable[[pa.Table], pa.Table]
    merge: Callable[[pa.Table], pa.Table]
    finish: Callable[[pa.Table], Answer]
    events: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

    def asks_for(self, event: str) -> bool:
        """Whether it reads the records of a catalogued event."""
        return any(fnmatchcase(event, pattern) for pattern in self.events)

    def reduce_rows(self, rows: pa.Table) -> pa.Table:
        """The state of rows with the table's whole schema."""
        return self.reduce(rows.select([*self.columns, *CITATION_COLUMNS]))

    def merge_states(self, states: Iterable[pa.Table]) -> pa.Table:
        """One state from several; the empty state from none. Few of many states are in memory at the same time."""
        import pyarrow as pa

        waiting: list[pa.Table] = []
        for state in states:
            waiting = self.merged_if_many([*waiting, state])
        if not waiting:
            return self.reduce_rows(TABLES[self.table].arrow_schema().empty_table())
        return waiting[0] if len(waiting) == 1 else self.merge(pa.concat_tables(waiting))

    def merged_if_many(self, states: list[pa.Table]) -> list[pa.Table]:
        """The states, as one when they are many or large: merging in pairs would copy the first one every time."""
        import pyarrow as pa

        many = len(states) >= STATES_AT_ONCE or sum(each.nbytes for each in states[1:]) >= STATE_BYTES_AT_ONCE
        return [self.merge(pa.concat_tables(states))] if many else states


def first_rows_aggregator(
    name: str,
    table: str,
    columns: Sequence[str],
    choose: Callable[[pa.Table], pa.Table],
    *,
    order: Order,
    most: int,
    events: Sequence[str] = (),
    texts: Sequence[str] = (),
) -> Aggregator[pa.Table]:
    """An aggregator that keeps rows: at most `most`, the first in an order, and in that order.

    columns  that `choose` reads, besides the citation
    choose   rows -> the selected rows with the columns of the answer; may shorten and derive, row by row
    order    columns of the answer; end it with the citation, so that ties are broken
    """
    keep = partial(first_rows, order=order, most=most)
    return Aggregator(
        name=name,
        table=table,
        columns=tuple(columns),
        reduce=lambda rows: keep(choose(rows)),
        merge=keep,
        finish=partial(sort_rows, order=order),
        events=tuple(events),
        texts=tuple(texts),
    )


def event_records_aggregator(
    name: str,
    columns: Sequence[str],
    *,
    events: Sequence[str],
    causes: Sequence[str] = (),
    characters: int,
    most: int,
    order: Order = (("ts_ms", "ascending"), *CITATION_ORDER),
) -> Aggregator[pa.Table]:
    """An aggregator that keeps the log records of some events: these columns, the message and the citation.

    causes      records whose exception chain contains one of these texts are kept too
    characters  kept of the message
    """

    def choose(records: pa.Table) -> pa.Table:
        import pyarrow.compute as pc

        asked = is_any(records["event"], events)
        chosen = records.filter(pc.or_(asked, contains_any(records["causes"], causes)) if causes else asked)
        kept = chosen.select([*columns, *CITATION_COLUMNS])
        return kept.append_column("message", shortened(chosen["message"], characters))

    looked_at = dict.fromkeys([*columns, "event", "message", *(["causes"] if causes else [])])
    return first_rows_aggregator(name, "log_record", tuple(looked_at), choose, order=order, most=most, events=events)


def failures_aggregator(name: str, *, causes: Sequence[str] = (), most: int) -> Aggregator[pa.Table]:
    """An aggregator that keeps failures of REST answers, the earliest.

    causes  only those whose exception chain contains one of these texts; without any, all
    """

    def choose(failures: pa.Table) -> pa.Table:
        return failures.filter(contains_any(failures["causes"], causes)) if causes else failures

    columns = [column.name for column in TABLES["failure"].own_columns]
    order = (("ts_ms", "ascending"), *CITATION_ORDER)
    return first_rows_aggregator(name, "failure", columns, choose, order=order, most=most)


def jvm_statements_aggregator(name: str, key: str, *, most: int) -> Aggregator[pa.Table]:
    """An aggregator that keeps what files state about their JVM under a key of scope `jvm`: the value and its place."""

    def choose(options: pa.Table) -> pa.Table:
        import pyarrow.compute as pc

        stated = pc.and_(pc.equal(options["scope"], "jvm"), pc.equal(options["key"], key))
        return options.filter(stated).drop_columns(["scope", "key"])

    order = (*CITATION_ORDER, ("value", "ascending"))
    return first_rows_aggregator(name, "config_option", ("scope", "key", "value"), choose, order=order, most=most)
