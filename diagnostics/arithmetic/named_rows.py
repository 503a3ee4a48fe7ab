"""Rows of an Arrow table as named tuples, for row-by-row code in the driver."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

NAMED_TUPLE: Callable[..., Any] = namedtuple
"""`namedtuple` untyped, because a type checker needs the column names beforehand."""


def named_rows(rows: pa.Table) -> list[Any]:
    """The rows in their order, each with its columns as attributes."""
    row = NAMED_TUPLE("row", rows.column_names)
    return [row(*values) for values in zip(*(column.to_pylist() for column in rows.columns), strict=True)]
