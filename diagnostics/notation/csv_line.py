"""The fields of one line of a CSV file."""

from __future__ import annotations

import csv


def csv_fields(line: str, separator: str) -> list[str]:
    """The fields of a line without line breaks in its values; empty for a line that is no CSV."""
    line = line.rstrip("\r\n")
    if '"' not in line:
        return line.split(separator)
    try:
        return next(csv.reader([line], delimiter=separator))
    except (csv.Error, StopIteration):
        return []
