"""Opens a log book and reads columns of its row groups.

Nothing here reads the whole file: columns are read from the relevant row groups only.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from diagnostics.log_book.columns import CONTENTS, RECORDS
from diagnostics.log_book.condition import Condition, conditions_of, repeating
from diagnostics.log_book.search import Search
from diagnostics.log_book.view import Moved, Positions, Span, View

T = TypeVar("T")

THREADS = min(4, os.cpu_count() or 1)
"""Row groups searched in parallel; Arrow releases Python's lock."""

STATISTICS = ("order_ms", "level", "pattern", "checkpoint_id", "attempt", "subtask", "file_id", "line", "last_line")


class LogBook:
    """A log book on disk."""

    def __init__(self, folder: Path) -> None:
        self.name = f"{folder}@{(folder / CONTENTS).stat().st_mtime_ns}"
        self._path = folder / RECORDS
        self._contents = json.loads((folder / CONTENTS).read_text("utf-8"))
        self._metadata = parquet.read_metadata(self._path)
        self._names = {self._metadata.schema.column(at).name: at for at in range(self._metadata.num_columns)}
        sizes = [self._metadata.row_group(at).num_rows for at in range(self.groups)]
        self.starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    @property
    def contents(self) -> Mapping[str, Any]:
        """See `diagnostics.log_book.writing.Contents`."""
        found: Mapping[str, Any] = self._contents
        return found

    @property
    def groups(self) -> int:
        """How many row groups there are."""
        return int(self._metadata.num_row_groups)

    @property
    def records(self) -> int:
        return int(self._contents["records"])

    @cached_property
    def _file_ids(self) -> Mapping[str, int]:
        return {each["name"]: at for at, each in enumerate(self._contents["files"])}

    def file_id(self, path: str) -> int | None:
        """The number of a file of the upload."""
        return self._file_ids.get(path)

    @property
    def span(self) -> Span | None:
        """The time range of all records, None when none has a time."""
        first, last = self._contents["from_ms"], self._contents["to_ms"]
        return None if first is None else (first, last)

    def later(self, ts_ms: int) -> View:
        """The records from a moment on, and those without a time."""
        times = self.columns(View(self.records), ("order_ms",))["order_ms"]
        kept = pc.fill_null(pc.greater_equal(times, ts_ms), True)
        positions = np.flatnonzero(kept.to_numpy(zero_copy_only=False)).astype(np.int32)
        return View(len(positions), positions)

    def span_of(self, view: View) -> Span | None:
        """The time range of the log, with the clocks of its files shifted as in the view."""
        if view.moved is None or self.span is None:
            return self.span
        told = self.map_row_groups(
            View(self.records, moved=view.moved), ("order_ms",), lambda part: pc.min_max(part["order_ms"])
        )
        ends = [(each["min"].as_py(), each["max"].as_py()) for each in told if each["min"].is_valid]
        return min(first for first, _ in ends), max(last for _, last in ends)

    @cached_property
    def statistics(self) -> list[dict[str, tuple[int, int]]]:
        """The least and greatest values of the columns of STATISTICS, per row group."""
        return [self._statistics_of(at) for at in range(self.groups)]

    def _statistics_of(self, group: int) -> dict[str, tuple[int, int]]:
        by_column = {}
        for name in STATISTICS:
            told = self._metadata.row_group(group).column(self._names[name]).statistics
            if told is not None and told.has_min_max:
                by_column[name] = (told.min, told.max)
            elif told is not None and told.null_count == self._metadata.row_group(group).num_rows:
                by_column[name] = (0, -1)
        return by_column

    def conditions(self, search: Search) -> list[Condition]:
        """The terms of a search as conditions. Raises InvalidSearch."""
        return conditions_of(search, self._contents["files"], self._contents["patterns"])

    def group_columns(self, group: int, names: Sequence[str]) -> dict[str, pa.Array]:
        """Columns of all records of one row group."""
        with self._open(names) as opened:
            table = opened.read_row_group(group, columns=list(names), use_threads=False)
        return {name: _one_array(table[name]) for name in names}

    def _open(self, names: Sequence[str]) -> parquet.ParquetFile:
        return parquet.ParquetFile(
            self._path, metadata=self._metadata, read_dictionary=repeating(names), memory_map=True
        )

    def has_undated(self, group: int) -> bool:
        """Whether a row group may contain a record without a time."""
        told = self._metadata.row_group(group).column(self._names["order_ms"]).statistics
        return told is None or not told.has_null_count or told.null_count > 0

    def columns(self, view: View, names: Sequence[str]) -> dict[str, pa.Array]:
        """Columns of all records of a view, in its order: numbers, or few distinct values.

        Strings of REPEATING are returned as dictionaries.
        """
        parts = self.map_row_groups(view, names, lambda columns: columns)
        types = self._metadata.schema.to_arrow_schema()
        by_name = {
            name: _one_array(
                pa.chunked_array([each[name] for each in parts], None if parts else types.field(name).type)
            )
            for name in names
        }
        if view.positions is not None and len(view.positions) and np.any(np.diff(view.positions) < 0):
            place = pa.array(np.argsort(np.argsort(view.positions, kind="stable"), kind="stable"))
            by_name = {name: column.take(place) for name, column in by_name.items()}
        return by_name

    def map_row_groups(self, view: View, names: Sequence[str], measure: Callable[[dict[str, pa.Array]], T]) -> list[T]:
        """The result of `told` on the columns of each row group of a view, in the order of the log book.

        `order_ms` is the time of a record in the view. Columns of a group are released before the next group.
        """
        positions = np.arange(self.records) if view.positions is None else np.sort(view.positions)
        bounds = np.searchsorted(positions, self.starts)

        def part(group: int) -> T:
            return measure(self._part(group, names, positions[bounds[group] : bounds[group + 1]], view.moved))

        groups = np.flatnonzero(np.diff(bounds)).tolist()
        if len(groups) < 2:  # as most often; a thread would take longer to start than to read
            return list(map(part, groups))
        with ThreadPoolExecutor(THREADS, thread_name_prefix="columns") as pool:
            return list(pool.map(part, groups))

    def _part(
        self, group: int, names: Sequence[str], positions: npt.NDArray[Any], moved: Moved | None
    ) -> dict[str, pa.Array]:
        """Columns of some records of one row group."""
        is_moved = moved is not None and "order_ms" in names
        columns = self.group_columns(group, list(dict.fromkeys([*names, "file_id"])) if is_moved else names)
        if is_moved and moved is not None:
            shift = pa.array(moved[columns["file_id"].to_numpy()])
            columns["order_ms"] = pc.add(columns["order_ms"], shift)
        start = int(self.starts[group])
        if len(positions) == int(self.starts[group + 1]) - start:
            return columns
        places = pa.array(positions - start)
        return {name: column.take(places) for name, column in columns.items()}

    def rows(self, positions: Positions, names: Sequence[str]) -> list[dict[str, Any]]:
        """These columns of some records, in the order of the positions."""
        if not len(positions):
            return []
        table = pa.Table.from_pydict(
            {
                name: column.cast(pa.string()) if isinstance(column, pa.DictionaryArray) else column
                for name, column in self.columns(View(len(positions), positions), names).items()
            }
        )
        rows: list[dict[str, Any]] = table.to_pylist()
        return rows

    def position_of(self, file_id: int, line: int) -> int | None:
        """The record that contains a line of a file."""
        for group, statistics in enumerate(self.statistics):
            files, first, last = (statistics.get(name, (0, -1)) for name in ("file_id", "line", "last_line"))
            if not (files[0] <= file_id <= files[1] and first[0] <= line <= last[1]):
                continue
            read = self.group_columns(group, ("file_id", "line", "last_line"))
            numbers = {name: column.fill_null(0).to_numpy(zero_copy_only=False) for name, column in read.items()}
            inside = (numbers["file_id"] == file_id) & (numbers["line"] <= line) & (numbers["last_line"] >= line)
            if inside.any():
                return int(self.starts[group] + np.flatnonzero(inside)[0])
        return None


def _one_array(column: pa.ChunkedArray) -> pa.Array:
    """The chunks as one array, with unified dictionaries."""
    if pa.types.is_dictionary(column.type):
        column = column.unify_dictionaries()
    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        return array.chunk(0) if array.num_chunks == 1 else pa.concat_arrays(array.chunks)
    return array


@lru_cache(maxsize=16)
def _opened(folder: Path, _written_ns: int) -> LogBook:
    return LogBook(folder)


def open_log_book(folder: Path) -> LogBook | None:
    """The log book in a folder, None when there is none. Its footer is cached."""
    try:
        return _opened(folder, (folder / CONTENTS).stat().st_mtime_ns)
    except FileNotFoundError:
        return None
