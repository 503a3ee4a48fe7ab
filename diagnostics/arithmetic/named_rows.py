"""Rows of an Arrow table as values with names, for what is done row by row in the driver."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

NAMED_TUPLE: Callable[..., Any] = namedtuple
"""Names of columns are not known before there is a table, and a type checker wants them written down."""


def named_rows(rows: pa.Table) -> list[Any]:
    """The rows in their order, each with its columns as attributes."""
    row = NAMED_TUPLE("row", rows.column_names)
    return [row(*values) for values in zip(*(column.to_pylist() for column in rows.columns), strict=True)]
