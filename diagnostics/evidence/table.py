"""The type of an evidence table: a name, a grain, typed columns with a meaning, and citations in every row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pyarrow

ColumnType = Literal["string", "word", "int", "long", "double", "boolean", "strings"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column; every column is nullable, null means unknown (never 0, -1, NaN or an empty string).

    A `word` is a text with few distinct values, which batches store as a dictionary.
    """

    name: str
    type: ColumnType
    meaning: str


MOMENTS = frozenset(
    ("ts_ms", "trigger_ms", "latest_ack_ms", "failure_ms", "ack_ms", "start_ms", "end_ms", "first_ms", "last_ms")
)
"""Columns of any table with a time by the file's clock. Times of input events are data and excluded."""

CITATION = (
    Column("file_id", "int", "position of the file in the inputs of the analysis, from 0"),
    Column("line", "long", "first line of the record in the decompressed text, from 1"),
    Column("last_line", "long", "last line of the record"),
    Column("pointer", "string", "JSON pointer inside a JSON file"),
)


@dataclass(frozen=True, slots=True)
class Table:
    """An evidence table.

    name         also the file's name in `diagnostics/evidence/tables`
    grain        what one row represents
    own_columns  without the citation columns, which every table has
    happened     the column with the time of what a row reports; None where a row holds whenever it was written
    """

    name: str
    grain: str
    own_columns: tuple[Column, ...]
    happened: str | None = "ts_ms"

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns, the citation columns last."""
        return self.own_columns + CITATION

    def arrow_schema(self) -> pyarrow.Schema:
        """The schema for Arrow batches."""
        import pyarrow as pa

        arrow_types = {
            "string": pa.string(),
            "word": pa.dictionary(pa.int32(), pa.string()),
            "int": pa.int32(),
            "long": pa.int64(),
            "double": pa.float64(),
            "boolean": pa.bool_(),
            "strings": pa.list_(pa.string()),
        }
        return pa.schema([pa.field(column.name, arrow_types[column.type]) for column in self.columns])
