"""What the columns of the evidence tables hold, noted while they are written.

Most logs tell nothing of most events, and a query for what no row has costs as much as any other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

    from diagnostics.table import Table

MOST_WORDS = 2_000
"""Different values of a column that are kept; of a column with more it is only known that it has some. Our choice:
Flink has some hundred metrics and options."""

MOST_BYTES = 256 * 1024
"""How long these may be together, as one task notes them. Our choice."""

Told = Iterable[tuple[str, Collection[str] | None]]
"""`table.column` of each column with any value, and its different values; None for those that are not kept."""

Wanted = Collection[str] | Callable[[str], bool]
"""Values of a column that somebody asks for: these, or those that it says yes to."""


class Contents:
    """The columns that have any value, and the different values of those that a table calls its words."""

    def __init__(self, told: Told = ()) -> None:
        self._columns: dict[str, set[str] | None] = {}
        self.add(told)

    def add(self, told: Told) -> None:
        """What another writer noted."""
        for column, values in told:
            self._note(column, values)

    def add_rows(self, table: Table, rows: pa.Table) -> None:
        """Rows as they are written."""
        import pyarrow.compute as pc

        for name, column in zip(rows.column_names, rows.columns, strict=True):
            if column.null_count < len(column):
                words = pc.unique(column).drop_null() if name in table.words else None
                few = words is not None and words.nbytes <= MOST_BYTES and len(words) <= MOST_WORDS
                self._note(f"{table.name}.{name}", words.to_pylist() if words is not None and few else None)

    def told(self) -> Mapping[str, list[str] | None]:
        """What `add` takes."""
        return {column: None if values is None else sorted(values) for column, values in self._columns.items()}

    def may_have(self, table: str, column: str, wanted: Wanted | None = None) -> bool:
        """Whether any row may have a value in that column, or a wanted one."""
        key = f"{table}.{column}"
        if key not in self._columns:
            return False
        known = self._columns[key]
        if known is None or wanted is None:
            return True
        return any(map(wanted, known)) if callable(wanted) else not known.isdisjoint(wanted)

    def _note(self, column: str, values: Collection[str] | None) -> None:
        known = self._columns.get(column, set())
        together = None if known is None or values is None else known | set(values)
        self._columns[column] = together if together is None or len(together) <= MOST_WORDS else None
