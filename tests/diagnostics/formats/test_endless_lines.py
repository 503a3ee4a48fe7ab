"""Every format reads endless lines in bounded memory and, when splittable, gives the same rows in ranges."""

from __future__ import annotations

import os
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest

from diagnostics.errors import DiagnosticsError
from diagnostics.evidence.rows import Rows
from diagnostics.formats import FORMATS
from diagnostics.formats.format import Format
from diagnostics.notation.file_range import Range

FILE_BYTES = 48 * 1024 * 1024
MOST_HELD_BYTES = 12 * 1024 * 1024
"""A quarter of the file: what is held at once of a text has nothing to do with its size."""

TEXTS = [one for one in FORMATS.values() if not one.binary and one.id != "flink-log"]
"""All but the one that takes its range as a whole, for speed: the engine bounds ranges, the intake a log's lines."""
CUT = [one for one in FORMATS.values() if one.splittable]


@pytest.mark.parametrize("one", TEXTS, ids=[one.id for one in TEXTS])
def test_an_endless_line_is_never_held_as_a_whole(one: Format, tmp_path: Path) -> None:
    sample = one.samples[0]
    path = tmp_path / "input"
    path.write_bytes(sample.content)
    # What is imported on the way is not what is held.
    _rows(one, Range(0, sample.name, str(path), 0, len(sample.content), len(sample.content)))
    os.truncate(path, FILE_BYTES)
    rows, refusal, held = _traced(one, Range(0, sample.name, str(path), 0, FILE_BYTES, FILE_BYTES))
    assert held < MOST_HELD_BYTES
    assert rows or f"{FILE_BYTES:,} bytes" in refusal, "the lines before it are read, or the file is too large at all"


def _traced(one: Format, part: Range) -> tuple[Counter[str], str, int]:
    """The rows of a file, or why it is not read, and how many bytes that took at most at once."""
    rows, refusal = Counter[str](), ""
    tracemalloc.start()
    try:
        rows = _rows(one, part)
    except DiagnosticsError as error:
        refusal = str(error)
    finally:
        _, held = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return rows, refusal, held


@pytest.mark.parametrize("one", CUT, ids=[one.id for one in CUT])
def test_two_ranges_of_a_file_give_what_the_whole_gives(one: Format, tmp_path: Path) -> None:
    content = one.samples[0].content
    path = tmp_path / "input"
    path.write_bytes(content)
    size, cut = len(content), content.rindex(b"\n", 0, -1) + 1
    name = one.samples[0].name
    parts = [Range(0, name, str(path), start, end, size) for start, end in ((0, cut), (cut, size))]
    whole = _rows(one, Range(0, name, str(path), 0, size, size))
    assert sum((_rows(one, part) for part in parts), Counter()) == whole


def _rows(one: Format, part: Range) -> Counter[str]:
    """Rows of each table, of which there are any."""
    found: Counter[str] = Counter()
    for given in one.read(part):
        if isinstance(given, Rows):
            found[given.table] += given.batch.num_rows if given.batch is not None else len(given.rows)
    return +found
