"""What an aggregator is: one question to one evidence table, as three plain functions over Arrow tables.

`reduce` runs in Spark's workers while a file is read, `merge` wherever states meet, `finish` once in the driver. Files
are cut into ranges anywhere, ranges are read in any order, and a small case takes the same way as a large one; so

* `reduce` looks at the rows that it gets and at nothing else, and its state stays small however many rows there are;
* `merge` gets states one below the other and gives one state of the same schema, whatever their order and however they
  were merged before (it is associative and commutative, and merging one state leaves its answer as it is);
* ties are decided by the citation (file, line, pointer), never by the order of arrival.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
"""What ends an order of rows: their places, so that no tie is left."""


@dataclass(frozen=True, slots=True, eq=False)
class Aggregator(Generic[Answer]):
    """One question to one evidence table.

    name     of its module in `diagnostics/aggregators`
    table    the evidence table that it asks
    columns  of the table, beside the citation, that `reduce` looks at
    reduce   rows -> state; of no rows it gives the empty state
    merge    states, one below the other -> state
    finish   the state of all rows -> answer
    events   of a question to `log_record`: the catalogued events whose records it looks at; `*` stands for anything
    texts    of a question to `log_record`: records with one of these constants in their head line are looked at, too

    A question to `log_record` may look at records from WARN on, and at those that have further lines or are nothing but
    an exception, without more ado. Of all others it looks only at those that its `events` or `texts` name.
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
        """Whether it looks at the records of a catalogued event."""
        return any(fnmatchcase(event, pattern) for pattern in self.events)

    def reduce_rows(self, rows: pa.Table) -> pa.Table:
        """The state of rows of the table's whole schema."""
        return self.reduce(rows.select([*self.columns, *CITATION_COLUMNS]))

    def merge_states(self, states: Sequence[pa.Table]) -> pa.Table:
        """One state of several; the empty state of none."""
        import pyarrow as pa

        if not states:
            return self.reduce_rows(TABLES[self.table].arrow_schema().empty_table())
        return states[0] if len(states) == 1 else self.merge(pa.concat_tables(states))


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
    """The question for some rows themselves: at most so many, the first in an order, which is also theirs.

    columns  that `choose` looks at, beside the citation
    choose   rows -> those that are asked for, with the columns of the answer; may shorten and derive, row by row
    order    of columns of the answer; end it with the citation, so that no tie is left
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
    """The question for the log records of some events: these columns, the message and the citation.

    causes      records whose chain of exceptions holds one of these texts are asked for, too
    characters  of the message that are kept
    """

    def choose(records: pa.Table) -> pa.Table:
        import pyarrow.compute as pc

        asked = is_any(records["event"], events)
        chosen = records.filter(pc.or_(asked, contains_any(records["causes"], causes)) if causes else asked)
        kept = chosen.select([*columns, *CITATION_COLUMNS])
        return kept.append_column("message", shortened(chosen["message"], characters))

    looked_at = dict.fromkeys([*columns, "event", "message", *(["causes"] if causes else [])])
    return first_rows_aggregator(name, "log_record", tuple(looked_at), choose, order=order, most=most, events=events)
