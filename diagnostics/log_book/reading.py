"""Opens a log book: which records a search finds, a few of their rows, and the next one of a kind.

Nothing here reads the file as a whole: conditions are tried row group by row group, on the columns they need and only
where the group's statistics allow them; rows are read of the groups that hold them.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from diagnostics.errors import DiagnosticsError
from diagnostics.log_book.columns import CONTENTS, RECORDS
from diagnostics.log_book.condition import Condition, Mask, Statistics, conditions_of, repeating
from diagnostics.log_book.search import Search

T = TypeVar("T")

MOST_SECONDS = 10.0
"""How long one search may take. Our choice: people narrow the time rather than wait longer."""

THREADS = min(4, os.cpu_count() or 1)
"""Row groups that are searched at once; Arrow does so without Python's lock."""

LAST = 2**62
"""A time behind all others, for records without one."""

STATISTICS = ("order_ms", "level", "pattern", "checkpoint_id", "attempt", "subtask", "file_id", "line", "last_line")

Positions = npt.NDArray[np.int32]
Moved = npt.NDArray[np.int64]
Span = tuple[int, int]


class SearchTooSlow(DiagnosticsError):
    """A search took longer than MOST_SECONDS."""


@dataclass(frozen=True, slots=True)
class View:
    """The records that a search found, in the order they are shown.

    positions  their places in the log book; None for all of them
    repeats    how many records each one stands for, None where each stands for itself
    moved      milliseconds that are added to the times of each file, by its number
    """

    total: int
    positions: Positions | None = None
    repeats: Positions | None = None
    moved: Moved | None = None

    def slice(self, start: int, count: int) -> Positions:
        """The positions of the records from `start` on."""
        start = min(max(start, 0), self.total)
        end = min(start + count, self.total)
        return np.arange(start, end, dtype=np.int32) if self.positions is None else self.positions[start:end]

    def nearest(self, position: int) -> int:
        """The place in the view of a record, of the next one when it is not there, 0 in an empty view."""
        if self.positions is None:
            return max(min(position, self.total - 1), 0)
        exact = np.flatnonzero(self.positions == position)
        if len(exact):
            return int(exact[0])
        return max(min(int(np.searchsorted(self.positions, position)), self.total - 1), 0)

    @property
    def bytes(self) -> int:
        """What it costs to keep."""
        return sum(each.nbytes for each in (self.positions, self.repeats) if each is not None)


class LogBook:
    """A log book on disk."""

    def __init__(self, folder: Path) -> None:
        self.name = f"{folder}@{(folder / CONTENTS).stat().st_mtime_ns}"
        self._path = folder / RECORDS
        self._contents = json.loads((folder / CONTENTS).read_text("utf-8"))
        self._metadata = parquet.read_metadata(self._path)
        self._names = {self._metadata.schema.column(at).name: at for at in range(self._metadata.num_columns)}
        sizes = [self._metadata.row_group(at).num_rows for at in range(self._metadata.num_row_groups)]
        self._starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    @property
    def contents(self) -> Mapping[str, Any]:
        """See `diagnostics.log_book.writing.Contents`."""
        found: Mapping[str, Any] = self._contents
        return found

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
        """The time of all records, None when none has a time."""
        first, last = self._contents["from_ms"], self._contents["to_ms"]
        return None if first is None else (first, last)

    def span_of(self, view: View) -> Span | None:
        """The time that the log covers, with the clocks of its files moved as in the view."""
        if view.moved is None or self.span is None:
            return self.span
        told = self.each_part(
            View(self.records, moved=view.moved), ("order_ms",), lambda part: pc.min_max(part["order_ms"])
        )
        ends = [(each["min"].as_py(), each["max"].as_py()) for each in told if each["min"].is_valid]
        return min(first for first, _ in ends), max(last for _, last in ends)

    @cached_property
    def _statistics(self) -> list[dict[str, tuple[int, int]]]:
        return [self._statistics_of(at) for at in range(self._metadata.num_row_groups)]

    def _statistics_of(self, group: int) -> dict[str, tuple[int, int]]:
        found = {}
        for name in STATISTICS:
            told = self._metadata.row_group(group).column(self._names[name]).statistics
            if told is not None and told.has_min_max:
                found[name] = (told.min, told.max)
            elif told is not None and told.null_count == self._metadata.row_group(group).num_rows:
                found[name] = (0, -1)
        return found

    def find(self, search: Search, span: Span | None = None, shifts: Mapping[int, int] | None = None) -> View:
        """The records that fit.

        span    first and last epoch ms, both included
        shifts  milliseconds that are added to the times of a file
        Raises  InvalidSearch, SearchTooSlow
        """
        conditions = self.conditions(search)
        moved = _moves(shifts, len(self._contents["files"])) if shifts else None
        if not conditions and span is None and moved is None:
            return View(self.records)
        deadline = time.monotonic() + MOST_SECONDS

        def found_in(group: int) -> Positions:
            if time.monotonic() > deadline:
                raise SearchTooSlow(
                    f"The search took longer than {MOST_SECONDS:.0f} s. Choose a shorter time, or add a field."
                )
            return self._found_in(group, conditions, span, moved)

        with ThreadPoolExecutor(THREADS, thread_name_prefix="search") as pool:
            parts = list(pool.map(found_in, self._groups(span, moved)))
        positions = np.concatenate(parts) if parts else np.zeros(0, np.int32)
        if moved is not None:
            times = self.columns(View(len(positions), positions, moved=moved), ("order_ms",))["order_ms"]
            times = times.fill_null(LAST).to_numpy(zero_copy_only=False)
            positions = positions[np.argsort(times, kind="stable")]
        return View(len(positions), positions, moved=moved)

    def conditions(self, search: Search) -> list[Condition]:
        """The terms of a search, ready to be tried. Raises InvalidSearch."""
        return conditions_of(search, self._contents["files"], self._contents["patterns"])

    def _groups(self, span: Span | None, moved: Moved | None) -> Iterator[int]:
        """The row groups that may hold a record of the time."""
        early, late = (int(moved.min()), int(moved.max())) if moved is not None else (0, 0)
        for group in range(self._metadata.num_row_groups):
            least, greatest = self._statistics[group].get("order_ms", (0, -1))
            if span is None or (least + early <= span[1] and greatest + late >= span[0]):
                yield group

    def _found_in(
        self, group: int, conditions: Sequence[Condition], span: Span | None, moved: Moved | None
    ) -> Positions:
        start, end = int(self._starts[group]), int(self._starts[group + 1])
        statistics: Statistics = self._statistics[group]
        mask = np.ones(end - start, bool)
        read: dict[str, pa.Array] = {}
        if span is not None:
            mask &= self._in_span(group, span, moved)
        for condition in conditions:
            if not mask.any() or not condition.is_possible(statistics):
                return np.zeros(0, np.int32)
            mask = condition.narrowed(mask, self._also(group, condition.columns, read))
        return (start + np.flatnonzero(mask)).astype(np.int32)

    def _also(self, group: int, names: Sequence[str], read: dict[str, pa.Array]) -> dict[str, pa.Array]:
        """What was read of a row group, with these columns too."""
        missing = [name for name in names if name not in read]
        read |= self._columns(group, missing) if missing else {}
        return read

    def _in_span(self, group: int, span: Span, moved: Moved | None) -> Mask:
        least, greatest = self._statistics[group].get("order_ms", (0, -1))
        if moved is None and span[0] <= least <= greatest <= span[1] and not self._undated(group):
            return np.ones(int(self._starts[group + 1] - self._starts[group]), bool)
        columns = self._columns(group, ("order_ms", "file_id"))
        times = columns["order_ms"].fill_null(0).to_numpy(zero_copy_only=False)
        if moved is not None:
            times = times + moved[columns["file_id"].to_numpy()]
        known = columns["order_ms"].is_valid().to_numpy(zero_copy_only=False)
        return np.asarray(known & (times >= span[0]) & (times <= span[1]))

    def _undated(self, group: int) -> bool:
        told = self._metadata.row_group(group).column(self._names["order_ms"]).statistics
        return told is None or not told.has_null_count or told.null_count > 0

    def _columns(self, group: int, names: Sequence[str]) -> dict[str, pa.Array]:
        with self._open(names) as opened:
            table = opened.read_row_group(group, columns=list(names), use_threads=False)
        return {name: _one_array(table[name]) for name in names}

    def _open(self, names: Sequence[str]) -> parquet.ParquetFile:
        return parquet.ParquetFile(
            self._path, metadata=self._metadata, read_dictionary=repeating(names), memory_map=True
        )

    def columns(self, view: View, names: Sequence[str]) -> dict[str, pa.Array]:
        """Columns of all records of a view, in its order: of numbers, or few different values.

        The strings of REPEATING come back as dictionaries.
        """
        parts = self.each_part(view, names, lambda columns: columns)
        types = self._metadata.schema.to_arrow_schema()
        found = {
            name: _one_array(
                pa.chunked_array([each[name] for each in parts], None if parts else types.field(name).type)
            )
            for name in names
        }
        if view.positions is not None and len(view.positions) and np.any(np.diff(view.positions) < 0):
            place = pa.array(np.argsort(np.argsort(view.positions, kind="stable"), kind="stable"))
            found = {name: column.take(place) for name, column in found.items()}
        return found

    def each_part(self, view: View, names: Sequence[str], told: Callable[[dict[str, pa.Array]], T]) -> list[T]:
        """What is told of the columns of a view, row group by row group in the order of the log book.

        `order_ms` is the time that the view gives to a record. Nothing is held for longer than its group is told of.
        """
        positions = np.arange(self.records) if view.positions is None else np.sort(view.positions)
        bounds = np.searchsorted(positions, self._starts)

        def part(group: int) -> T:
            return told(self._part(group, names, positions[bounds[group] : bounds[group + 1]], view.moved))

        with ThreadPoolExecutor(THREADS, thread_name_prefix="columns") as pool:
            return list(pool.map(part, np.flatnonzero(np.diff(bounds)).tolist()))

    def _part(
        self, group: int, names: Sequence[str], positions: npt.NDArray[Any], moved: Moved | None
    ) -> dict[str, pa.Array]:
        """Columns of some records of one row group."""
        is_moved = moved is not None and "order_ms" in names
        columns = self._columns(group, list(dict.fromkeys([*names, "file_id"])) if is_moved else names)
        if is_moved and moved is not None:
            shift = pa.array(moved[columns["file_id"].to_numpy()])
            columns["order_ms"] = pc.add(columns["order_ms"], shift)
        start = int(self._starts[group])
        if len(positions) == int(self._starts[group + 1]) - start:
            return columns
        places = pa.array(positions - start)
        return {name: column.take(places) for name, column in columns.items()}

    def rows(self, positions: Positions, names: Sequence[str]) -> list[dict[str, Any]]:
        """These columns of a few records, in the order of the positions."""
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
        """The record that a line of a file belongs to."""
        for group, statistics in enumerate(self._statistics):
            files, first, last = (statistics.get(name, (0, -1)) for name in ("file_id", "line", "last_line"))
            if not (files[0] <= file_id <= files[1] and first[0] <= line <= last[1]):
                continue
            read = self._columns(group, ("file_id", "line", "last_line"))
            numbers = {name: column.fill_null(0).to_numpy(zero_copy_only=False) for name, column in read.items()}
            inside = (numbers["file_id"] == file_id) & (numbers["line"] <= line) & (numbers["last_line"] >= line)
            if inside.any():
                return int(self._starts[group] + np.flatnonzero(inside)[0])
        return None

    def step(self, view: View, place: int, conditions: Sequence[Condition], direction: int) -> int | None:
        """The next place in the view, or the one before, whose record fits; None when there is none.

        place      where to start from; it does not count itself
        direction  1 or -1
        """
        rest = view.slice(place + 1, view.total) if direction > 0 else view.slice(0, place)
        groups = np.searchsorted(self._starts, rest, side="right") - 1
        borders = np.flatnonzero(np.diff(groups)) + 1
        stretches = list(zip([0, *borders], [*borders, len(rest)], strict=True)) if len(rest) else []
        deadline = time.monotonic() + MOST_SECONDS
        for start, end in stretches[::direction]:
            if time.monotonic() > deadline:
                raise SearchTooSlow(f"Nothing was found within {MOST_SECONDS:.0f} s.")
            group = int(groups[start])
            if not all(each.is_possible(self._statistics[group]) for each in conditions):
                continue
            mask = np.ones(int(self._starts[group + 1] - self._starts[group]), bool)
            read: dict[str, pa.Array] = {}
            for condition in conditions:
                mask = condition.narrowed(mask, self._also(group, condition.columns, read))
            fits = np.flatnonzero(mask[rest[start:end] - self._starts[group]])
            if len(fits):
                found = int(start + fits[0 if direction > 0 else -1])
                return found + (place + 1 if direction > 0 else 0)
        return None

    def neighbours(self, position: int, count: int, *, same_file: bool) -> Positions:
        """Records around one, so many on each side: of its own file, or of all."""
        if not same_file:
            return np.arange(max(position - count, 0), min(position + count + 1, self.records), dtype=np.int32)
        file_id = self.rows(np.array([position], np.int32), ["file_id"])[0]["file_id"]
        before = self._of_file(position, count, file_id, -1)
        after = self._of_file(position, count, file_id, 1)
        return np.concatenate([before, np.array([position], np.int32), after])

    def _of_file(self, position: int, count: int, file_id: int, direction: int) -> Positions:
        group = int(np.searchsorted(self._starts, position, side="right")) - 1
        found: list[int] = []
        while 0 <= group < self._metadata.num_row_groups and len(found) < count:
            least, greatest = self._statistics[group].get("file_id", (0, -1))
            if least <= file_id <= greatest:
                same = np.flatnonzero(self._columns(group, ("file_id",))["file_id"].to_numpy() == file_id)
                same = same + self._starts[group]
                beside = same[same > position] if direction > 0 else same[same < position][::-1]
                found += beside[: count - len(found)].tolist()
            group += direction
        return np.array(sorted(found), np.int32)


def _moves(shifts: Mapping[int, int], files: int) -> Moved:
    moved = np.zeros(max(files, 1), np.int64)
    for file_id, shift in shifts.items():
        moved[file_id] = shift
    return moved


def _one_array(column: pa.ChunkedArray) -> pa.Array:
    """The chunks as one array; dictionaries that differ are made one."""
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
    """The log book in a folder, None when there is none. What its footer tells is kept in memory."""
    try:
        return _opened(folder, (folder / CONTENTS).stat().st_mtime_ns)
    except FileNotFoundError:
        return None
