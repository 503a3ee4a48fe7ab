"""Finds the records of a log book that match a search, and the next match from a given record.

Conditions are evaluated row group by row group, on the columns they need and only where the group's statistics allow a
match.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa

from diagnostics.errors import DiagnosticsError
from diagnostics.language import say
from diagnostics.log_book.condition import Condition, Mask
from diagnostics.log_book.reading import THREADS, LogBook
from diagnostics.log_book.search import Search
from diagnostics.log_book.view import Moved, Positions, Span, View

MOST_SECONDS = 10.0
"""Time limit of one search. Our choice: people narrow the time range rather than wait longer."""

LAST = 2**62
"""Time used for records without one, after all others."""


class SearchTooSlow(DiagnosticsError):
    """A search took longer than MOST_SECONDS."""


def find(book: LogBook, search: Search, span: Span | None = None, shifts: Mapping[int, int] | None = None) -> View:
    """The records that match.

    span    first and last epoch ms, inclusive
    shifts  milliseconds added to the times of a file
    Raises  InvalidSearch, SearchTooSlow
    """
    conditions = book.conditions(search)
    moved = _moves(shifts, len(book.contents["files"])) if shifts else None
    if not conditions and span is None and moved is None:
        return View(book.records)
    deadline = time.monotonic() + MOST_SECONDS

    def positions_in(group: int) -> Positions:
        if time.monotonic() > deadline:
            raise SearchTooSlow(
                say(
                    "The search took longer than {seconds:.0f} s. Choose a shorter time, or add a field.",
                    seconds=MOST_SECONDS,
                )
            )
        return _positions_in(book, group, conditions, span, moved)

    with ThreadPoolExecutor(THREADS, thread_name_prefix="search") as pool:
        parts = list(pool.map(positions_in, _groups(book, span, moved)))
    positions = np.concatenate(parts) if parts else np.zeros(0, np.int32)
    if moved is not None:
        times = book.columns(View(len(positions), positions, moved=moved), ("order_ms",))["order_ms"]
        times = times.fill_null(LAST).to_numpy(zero_copy_only=False)
        positions = positions[np.argsort(times, kind="stable")]
    return View(len(positions), positions, moved=moved)


def _groups(book: LogBook, span: Span | None, moved: Moved | None) -> Iterator[int]:
    """The row groups that may contain a record of the time range."""
    early, late = (int(moved.min()), int(moved.max())) if moved is not None else (0, 0)
    for group in range(book.groups):
        least, greatest = book.statistics[group].get("order_ms", (0, -1))
        if span is None or (least + early <= span[1] and greatest + late >= span[0]):
            yield group


def _positions_in(
    book: LogBook, group: int, conditions: Sequence[Condition], span: Span | None, moved: Moved | None
) -> Positions:
    start, end = int(book.starts[group]), int(book.starts[group + 1])
    statistics = book.statistics[group]
    mask = np.ones(end - start, bool)
    read: dict[str, pa.Array] = {}
    if span is not None:
        mask &= _in_span(book, group, span, moved)
    for condition in conditions:
        if not mask.any() or not condition.is_possible(statistics):
            return np.zeros(0, np.int32)
        mask = condition.narrowed(mask, also_read(book, group, condition.columns, read))
    return (start + np.flatnonzero(mask)).astype(np.int32)


def also_read(book: LogBook, group: int, names: Sequence[str], read: dict[str, pa.Array]) -> dict[str, pa.Array]:
    """The columns already read of a row group, and these columns too."""
    missing = [name for name in names if name not in read]
    read |= book.group_columns(group, missing) if missing else {}
    return read


def _in_span(book: LogBook, group: int, span: Span, moved: Moved | None) -> Mask:
    least, greatest = book.statistics[group].get("order_ms", (0, -1))
    if moved is None and span[0] <= least <= greatest <= span[1] and not book.has_undated(group):
        return np.ones(int(book.starts[group + 1] - book.starts[group]), bool)
    columns = book.group_columns(group, ("order_ms", "file_id"))
    times = columns["order_ms"].fill_null(0).to_numpy(zero_copy_only=False)
    if moved is not None:
        times = times + moved[columns["file_id"].to_numpy()]
    known = columns["order_ms"].is_valid().to_numpy(zero_copy_only=False)
    return np.asarray(known & (times >= span[0]) & (times <= span[1]))


def step(book: LogBook, view: View, place: int, conditions: Sequence[Condition], direction: int) -> int | None:
    """The next or previous matching place in the view; None when there is none.

    place      starting point, which is not matched itself
    direction  1 or -1
    """
    rest = view.slice(place + 1, view.total) if direction > 0 else view.slice(0, place)
    groups = np.searchsorted(book.starts, rest, side="right") - 1
    borders = np.flatnonzero(np.diff(groups)) + 1
    stretches = list(zip([0, *borders], [*borders, len(rest)], strict=True)) if len(rest) else []
    deadline = time.monotonic() + MOST_SECONDS
    for start, end in stretches[::direction]:
        if time.monotonic() > deadline:
            raise SearchTooSlow(say("Nothing was found within {seconds:.0f} s.", seconds=MOST_SECONDS))
        group = int(groups[start])
        if not all(each.is_possible(book.statistics[group]) for each in conditions):
            continue
        mask = np.ones(int(book.starts[group + 1] - book.starts[group]), bool)
        read: dict[str, pa.Array] = {}
        for condition in conditions:
            mask = condition.narrowed(mask, also_read(book, group, condition.columns, read))
        fits = np.flatnonzero(mask[rest[start:end] - book.starts[group]])
        if len(fits):
            found = int(start + fits[0 if direction > 0 else -1])
            return found + (place + 1 if direction > 0 else 0)
    return None


def neighbours(book: LogBook, position: int, count: int, *, same_file: bool) -> Positions:
    """Records around one, up to `count` on each side: of its own file, or of all."""
    if not same_file:
        return np.arange(max(position - count, 0), min(position + count + 1, book.records), dtype=np.int32)
    file_id = book.rows(np.array([position], np.int32), ["file_id"])[0]["file_id"]
    before = _positions_in_file(book, position, count, file_id, -1)
    after = _positions_in_file(book, position, count, file_id, 1)
    return np.concatenate([before, np.array([position], np.int32), after])


def _positions_in_file(book: LogBook, position: int, count: int, file_id: int, direction: int) -> Positions:
    group = int(np.searchsorted(book.starts, position, side="right")) - 1
    positions: list[int] = []
    while 0 <= group < book.groups and len(positions) < count:
        least, greatest = book.statistics[group].get("file_id", (0, -1))
        if least <= file_id <= greatest:
            same = np.flatnonzero(book.group_columns(group, ("file_id",))["file_id"].to_numpy() == file_id)
            same = same + book.starts[group]
            beside = same[same > position] if direction > 0 else same[same < position][::-1]
            positions += beside[: count - len(positions)].tolist()
        group += direction
    return np.array(sorted(positions), np.int32)


def _moves(shifts: Mapping[int, int], files: int) -> Moved:
    moved = np.zeros(max(files, 1), np.int64)
    for file_id, shift in shifts.items():
        moved[file_id] = shift
    return moved
