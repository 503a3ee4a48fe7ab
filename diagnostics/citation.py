"""Citations: the file and line, or the position in a JSON document, behind a claim, with the text there."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, Self

Kind = Literal["log", "metric", "rest", "frame", "config", "event", "gc", "thread"]

CITATION_COLUMNS = ("file_id", "line", "last_line", "pointer")
"""The columns that every row of every evidence table carries."""


class Placed(Protocol):
    """A row of an evidence table, or an object derived from one that keeps its citation columns."""

    @property
    def file_id(self) -> int: ...
    @property
    def line(self) -> int | None: ...
    @property
    def last_line(self) -> int | None: ...
    @property
    def pointer(self) -> str | None: ...
    @property
    def ts_ms(self) -> int | None: ...


def is_known(value: Any) -> bool:
    """Whether JSON can represent the value; an overflowed number is useless."""
    if isinstance(value, list):
        return all(map(is_known, value))
    return not isinstance(value, float) or math.isfinite(value)


@dataclass(frozen=True, slots=True)
class Citation:
    """One piece of evidence.

    file_id    position of the file in the inputs of the analysis, from 0
    line       first line in the decompressed text, from 1
    last_line  last line of the record (a stack trace belongs to its head line)
    pointer    JSON pointer (RFC 6901) inside a JSON file, else None
    kind       kind of evidence, in the contract's words
    ts_ms      epoch milliseconds UTC, None when the evidence has no time
    text       the cited text, shortened, for people
    name       the metric's, option's or field's name, if it has one
    value      its value, if it has one
    """

    file_id: int
    line: int | None
    kind: Kind
    text: str
    last_line: int | None = None
    pointer: str | None = None
    ts_ms: int | None = None
    name: str | None = None
    value: float | int | str | bool | None = None

    @classmethod
    def of(
        cls, row: Placed, kind: Kind, text: str, *, name: str | None = None, value: float | str | bool | None = None
    ) -> Self:
        """The citation of a row."""
        return cls(
            file_id=row.file_id,
            line=row.line,
            kind=kind,
            text=text,
            last_line=row.last_line,
            pointer=row.pointer,
            ts_ms=row.ts_ms,
            name=name,
            value=value,
        )

    @classmethod
    def cite_row(
        cls,
        row: Mapping[str, Any],
        kind: Kind,
        text: str,
        *,
        name: str | None = None,
        value: float | str | bool | None = None,
    ) -> Self:
        """The citation of a row that maps columns to values."""
        return cls(
            file_id=row["file_id"],
            line=row["line"],
            kind=kind,
            text=text,
            last_line=row["last_line"],
            pointer=row["pointer"],
            ts_ms=row["ts_ms"],
            name=name,
            value=value,
        )

    def as_json(self) -> dict[str, Any]:
        """A mapping of JSON values, the inverse of `from_json`. A non-finite value becomes None."""
        told = {field: getattr(self, field) for field in self.__slots__}
        return told | {"value": self.value if is_known(self.value) else None}

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Citation:
        """The citation that `as_json` wrote."""
        return cls(**stored)
