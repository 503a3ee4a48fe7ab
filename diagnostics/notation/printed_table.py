"""Tables as clients print them: psql and mysql, aligned or one column per line, and CSV; rows of kubectl."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from diagnostics.notation.file_range import Range
from diagnostics.notation.text_lines import numbered_lines

MOST_LINE = 20_000
"""Characters of a line that are read. Our choice: psql pads every query to the longest one."""
MOST_COLUMNS = 60

_RULE = re.compile(r"[+-]{3,}$")
_RECORD = re.compile(r"-\[ RECORD \d{1,9} \][-+]{0,400}$|\*{5,60} \d{1,9}\. row \*{5,60}$")
_FIRST = re.compile(r"-\[ RECORD 1 \]|\*{5,60} 1\. row ")
_FIELD = re.compile(r"\s{0,60}([A-Za-z_][\w ]{0,60}?)\s{0,60}(?:\||:)(?: (.*))?$")
_BLANKS = re.compile(r" {2,200}|\t{1,20}")


@dataclass(frozen=True, slots=True)
class PrintedRow:
    """One row: its line, the number of its table in the file, and its values.

    values  by the names of their columns in lower case
    """

    line: int
    table: int
    values: Mapping[str, str]


def printed_rows(part: Range, views: Sequence[frozenset[str]]) -> Iterator[PrintedRow | tuple[int, str]]:
    """The rows of every table that has all columns of one of the views; other lines, with their number, unchanged.

    A cell that psql continues on further lines is kept up to the end of its first one.
    """
    names: Sequence[str] = ()
    record: dict[str, str] | None = None
    begin, table = 0, 0
    for at, line in numbered_lines(part, MOST_LINE):
        plain = line.strip()
        if _RECORD.match(plain):
            if record:
                yield PrintedRow(begin, table, record)
            record, begin = {}, at
            table += bool(_FIRST.match(plain))
            continue
        field = _FIELD.match(line) if record is not None else None
        if record is not None and field and len(record) < MOST_COLUMNS:
            record[field[1].lower()] = (field[2] or "").strip()
            continue
        if record:
            yield PrintedRow(begin, table, record)
        record = None
        cells = cells_of(plain)
        lowered = {each.lower() for each in cells}
        if any(view <= lowered for view in views):
            names = [each.lower() for each in cells]
            table += 1
        elif names and len(cells) == len(names) and lowered != {""}:
            if cells[0]:
                yield PrintedRow(at, table, dict(zip(names, cells, strict=True)))
        elif plain and not _RULE.match(plain):
            yield at, plain
    if record:
        yield PrintedRow(begin, table, record)


def cells_of(line: str) -> list[str]:
    """The cells of a row: between `|`, tabs, or commas as in CSV; none where the line is no row."""
    inside = line.strip("|") if line.startswith("|") else line
    if " | " in line or line.startswith("|"):
        return [each.strip().removesuffix("+").rstrip() for each in inside.split("|")[:MOST_COLUMNS]]
    if "\t" in line:
        return [each.strip() for each in line.split("\t")[:MOST_COLUMNS]]
    if "," in line:
        try:
            return [each.strip() for each in next(csv.reader([line]), [])[:MOST_COLUMNS]]
        except csv.Error:
            return []
    return []


def cells_at(line: str, columns: Collection[tuple[int, int | None]]) -> Sequence[str]:
    """The cells of a row whose columns begin and end where their titles do, as kubectl prints them.

    A copy that has moved them begins a cell within another one: there, several blanks or a tab divide them.
    """
    if any(start and line[start - 1 : start].strip() for start, _ in columns):
        parts = _BLANKS.split(line.strip(), maxsplit=len(columns) - 1)
        if len(parts) == len(columns):
            return parts
    return [line[start:end].strip() for start, end in columns]
