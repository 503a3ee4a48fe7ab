"""Reading a text with a format as the engine does, but in this process: a temporary file, one whole range."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from diagnostics.evidence.rows import Coverage
from diagnostics.evidence.tables import TABLES
from diagnostics.formats.format import Format
from diagnostics.language import say
from diagnostics.notation.file_range import HEAD_BYTES, Head, Range


@dataclass
class Read:
    """The rows of each table in file order, and what the reader said about the file."""

    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    coverage: list[Coverage] = field(default_factory=list)

    @property
    def warnings(self) -> list[str]:
        counted = [say(sentence, count=count) for each in self.coverage for sentence, count in each.counted]
        return [*(warning for each in self.coverage for warning in each.warnings), *counted]

    @property
    def records(self) -> int:
        return sum(each.records for each in self.coverage)


def head_of(text: str | bytes, name: str = "sample") -> Head:
    content = text.encode() if isinstance(text, str) else text
    first = content[:HEAD_BYTES]
    return Head(name, first, first.decode("utf-8", "replace"), len(content) <= HEAD_BYTES)


def read(
    one: Format, text: str | bytes, folder: Path, name: str = "sample", context: Mapping[str, Any] | None = None
) -> Read:
    """Every row is checked against its table: only known columns, values that Arrow takes."""
    path = folder / "input"
    content = text.encode() if isinstance(text, str) else text
    path.write_bytes(content)
    return read_path(one, path, name, context)


def read_path(one: Format, path: Path, name: str, context: Mapping[str, Any] | None = None) -> Read:
    import pyarrow as pa

    size = path.stat().st_size
    found = Read()
    for part in one.read(Range(0, name, str(path), 0, size, size, context or {})):
        if isinstance(part, Coverage):
            found.coverage.append(part)
            continue
        assert part.table in one.tables, f"{one.id} does not declare {part.table}"
        schema = TABLES[part.table].arrow_schema()
        rows = part.batch.to_pylist() if part.batch is not None else list(part.rows)
        for row in rows:
            assert set(row) <= set(schema.names), f"{part.table} has no {set(row) - set(schema.names)}"
        pa.Table.from_pylist([dict(row) for row in rows], schema=schema)
        found.rows.setdefault(part.table, []).extend(dict(row) for row in rows)
    return found
