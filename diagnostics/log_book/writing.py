"""Writes the records of an analysis as one Parquet file in time order.

Spark's workers wrote the records in file order. The keys of all records are sorted in memory, 24 bytes each; the
records themselves go through files that each hold a time range, so memory does not grow with the log.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from diagnostics.log_book.columns import CONTENTS, LEVELS, RECORDS, REPEATING, SCHEMA
from diagnostics.log_book.pattern import pattern_id, patterns_of
from diagnostics.log_book.place import file_place
from diagnostics.log_book.template import templates_of
from diagnostics.storage.shared_folder import SharedFolder

MOST_RECORDS = 10_000_000
"""Records kept of one analysis, the last in time, because logs are collected after an incident. Our choice: about 1 GB
on disk, and 240 MB of memory while they are sorted.
"""

MOST_PATTERNS = 10_000
"""Distinct patterns kept; a job that logs words of its records has more. Our choice."""

OTHER_PATTERN = "(one of too many different messages)"

STRETCH_BYTES = 128 * 1024 * 1024
"""Uncompressed bytes of records that are sorted at once. Our choice."""

GROUP_ROWS = 8_192
"""Records of a row group, the unit of reading. Measured: 65,536 made a page four times as slow to read, 4,096 doubled
the time of a search through everything.
"""

BATCH_ROWS = 50_000

_TASK = r"^(?P<task>.{1,500}) \((?P<subtask>\d{1,6})/\d{1,6}\)(?:#(?P<attempt>\d{1,6}))?"
_CHECKPOINT = r"(?i)\b(?:checkpoint|savepoint) (?:with id |id:? ?)?#?(?P<number>\d{1,18})\b"

RANKED = SCHEMA.append(pa.field("rank", pa.int64()))
"""With the rank in time order, which is dropped once the records are sorted."""

READ = (
    *("ts_ms", "level", "logger", "thread", "message", "continuation", "event", "job_id", "vertex", "subtask"),
    *("attempt", "checkpoint_id", "task_manager", "exception_class", "root_cause_class", "root_cause_message"),
    *("causes", "file_id", "line", "last_line"),
)
"""Columns of the evidence table `log_record` that are read."""


@dataclass(slots=True)
class Contents:
    """Metadata that a reader needs before it opens the records.

    files     {name, role, host, records} by file id
    patterns  {id, text, level, logger, records} by number; `level` is the most severe of its records
    left_out  number of records beyond the limit
    """

    records: int = 0
    left_out: int = 0
    undated: int = 0
    from_ms: int | None = None
    to_ms: int | None = None
    files: list[dict[str, Any]] = field(default_factory=list)
    patterns: list[dict[str, Any]] = field(default_factory=list)


def write_log_book(source: SharedFolder, target: Path, inputs: Sequence[Mapping[str, Any]]) -> Contents | None:
    """Write the log book of an analysis into a new folder.

    source  the folder with the Parquet files of the evidence table `log_record`
    inputs  the contract's `inputs[]`, in file id order
    Gives   None, and writes nothing, when there is no record.
    """
    parts = [each.name for each in source.files()]
    order = _Order.of(source, parts)
    if order is None:
        return None
    hidden = target.with_name(f".{target.name}.new")
    shutil.rmtree(hidden, ignore_errors=True)
    hidden.mkdir(parents=True, mode=0o700)
    try:
        book = _Book(order, [file_place(each["file"], each.get("role")) for each in inputs])
        stretches = book.divide(source, parts, hidden)
        book.write(stretches, hidden / RECORDS)
        contents = book.contents()
        (hidden / CONTENTS).write_text(json.dumps(asdict(contents)), "utf-8")
        shutil.rmtree(target, ignore_errors=True)
        hidden.rename(target)
    except BaseException:
        shutil.rmtree(hidden, ignore_errors=True)
        raise
    return contents


@dataclass(frozen=True, slots=True)
class _Order:
    """The target position of each record, for records that are read part by part.

    rank       index in time order, negative for those left out
    order_ms   the time for ordering; `dated` says where there is one
    """

    rank: npt.NDArray[np.int64]
    order_ms: npt.NDArray[np.int64]
    dated: npt.NDArray[np.bool_]
    goes_back: npt.NDArray[np.bool_]
    left_out: int
    bytes: int

    @classmethod
    def of(cls, source: SharedFolder, parts: Sequence[str]) -> _Order | None:
        files = [parquet.ParquetFile(source.for_arrow(each)) for each in parts]
        tables = [each.read(["ts_ms", "file_id", "line"]) for each in files]
        if not sum(each.num_rows for each in tables):
            return None
        keys = pa.concat_tables(tables)
        size = sum(
            each.metadata.row_group(number).total_byte_size
            for each in files
            for number in range(each.metadata.num_row_groups)
        )
        has_time = keys["ts_ms"].is_valid().to_numpy()
        ts_ms = keys["ts_ms"].fill_null(0).to_numpy()
        file_id, line = keys["file_id"].to_numpy(), keys["line"].fill_null(0).to_numpy()
        as_written = np.lexsort((line, file_id))
        order_ms, dated = _filled(ts_ms[as_written], has_time[as_written], file_id[as_written])
        back = np.zeros(len(as_written), bool)
        back[1:] = (np.diff(order_ms) < 0) & (np.diff(file_id[as_written]) == 0)
        sequence = np.lexsort((np.arange(len(as_written)), order_ms, ~dated))
        left_out = max(len(sequence) - MOST_RECORDS, 0)
        rank = np.empty(len(sequence), np.int64)
        rank[as_written[sequence]] = np.arange(len(sequence)) - left_out
        placed = np.empty_like(order_ms)
        placed[as_written] = order_ms
        is_dated, goes_back = np.empty_like(dated), np.empty_like(back)
        is_dated[as_written], goes_back[as_written] = dated, back
        return cls(rank, placed, is_dated, goes_back, left_out, size)


def _filled(
    ts_ms: npt.NDArray[np.int64], has_time: npt.NDArray[np.bool_], file_id: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """The times, with missing ones taken from the next record of the file, else from the previous one."""
    if has_time.all():
        return ts_ms, has_time
    filled, known = ts_ms.copy(), has_time.copy()
    timed = np.flatnonzero(has_time)
    missing = np.flatnonzero(~has_time)
    after = np.searchsorted(timed, missing)
    for place in (after, after - 1):
        inside = (place >= 0) & (place < len(timed))
        other = timed[np.clip(place, 0, max(len(timed) - 1, 0))] if len(timed) else missing
        fits = inside & (file_id[other] == file_id[missing]) & ~known[missing]
        filled[missing[fits]], known[missing[fits]] = ts_ms[other[fits]], True
    return filled, known


class _Book:
    """Writes the records and counts them."""

    def __init__(self, order: _Order, places: Sequence[dict[str, Any]]) -> None:
        self._order = order
        self._files = [{**each, "records": 0} for each in places]
        self._patterns: dict[str, int] = {}
        self._logger: list[str | None] = []
        self._count = np.zeros(MOST_PATTERNS + 1, np.int64)
        self._level = np.full(MOST_PATTERNS + 1, -1, np.int64)
        self._kept = len(order.rank) - order.left_out
        self._stretches = max(1, -(-order.bytes // STRETCH_BYTES))

    def divide(self, source: SharedFolder, parts: Sequence[str], folder: Path) -> list[Path]:
        """Read everything once into a file per time range, unsorted."""
        paths = [folder / f"stretch-{number}.arrow" for number in range(self._stretches)]
        writers = [pa.ipc.new_file(str(path), RANKED) for path in paths]
        try:
            for batch in self._batches(source, parts):
                stretch = batch["rank"].to_numpy() * self._stretches // self._kept
                for number in np.unique(stretch).tolist():
                    writers[number].write_table(batch.filter(pa.array(stretch == number)))
        finally:
            for writer in writers:
                writer.close()
        return paths

    def write(self, stretches: Sequence[Path], target: Path) -> None:
        """Write the time ranges in sequence, each sorted, with templates for patterns."""
        template = self._mine_templates()
        with parquet.ParquetWriter(
            target, SCHEMA, compression="zstd", compression_level=1, use_dictionary=list(REPEATING)
        ) as writer:
            for path in stretches:
                with pa.OSFile(str(path)) as opened:
                    table = pa.ipc.open_file(opened).read_all()
                table = table.take(pc.sort_indices(table["rank"])).drop_columns(["rank"])
                place = table.schema.get_field_index("pattern")
                numbers = pa.array(template[table["pattern"].to_numpy()], pa.int32())
                table = table.set_column(place, table.schema.field(place), numbers)
                writer.write_table(table, row_group_size=GROUP_ROWS)
                path.unlink()

    def _mine_templates(self) -> npt.NDArray[np.int32]:
        """Replaces the patterns by their templates; gives the template's number of each pattern."""
        texts = list(self._patterns)
        groups = [(self._logger[number], int(self._level[number])) for number in range(len(texts))]
        mined = templates_of(texts, groups)
        numbers: dict[str, int] = {}
        template = np.array([numbers.setdefault(text, len(numbers)) for text in mined], np.int32)
        count, level = np.zeros(len(numbers), np.int64), np.full(len(numbers), -1, np.int64)
        np.add.at(count, template, self._count[: len(texts)])
        np.maximum.at(level, template, self._level[: len(texts)])
        first = np.full(len(numbers), len(texts))
        np.minimum.at(first, template, np.arange(len(texts)))
        self._logger = [self._logger[number] for number in first.tolist()]
        self._patterns, self._count, self._level = numbers, count, level
        return template

    def contents(self) -> Contents:
        dated = self._order.order_ms[self._order.dated & (self._order.rank >= 0)]
        patterns = [
            {
                "id": pattern_id(text),
                "text": text,
                "level": LEVELS[self._level[number]] if self._level[number] >= 0 else None,
                "logger": self._logger[number],
                "records": int(self._count[number]),
            }
            for text, number in self._patterns.items()
        ]
        return Contents(
            records=self._kept,
            left_out=self._order.left_out,
            undated=self._kept - len(dated),
            from_ms=int(dated.min()) if len(dated) else None,
            to_ms=int(dated.max()) if len(dated) else None,
            files=self._files,
            patterns=patterns,
        )

    def _batches(self, source: SharedFolder, parts: Sequence[str]) -> Iterator[pa.Table]:
        begin = 0
        for part in parts:
            for batch in parquet.ParquetFile(source.for_arrow(part)).iter_batches(BATCH_ROWS, columns=list(READ)):
                end = begin + batch.num_rows
                kept = np.flatnonzero(self._order.rank[begin:end] >= 0)
                if len(kept):
                    chosen = batch if len(kept) == batch.num_rows else batch.take(pa.array(kept))
                    yield self._kept_columns(chosen, begin + kept)
                begin = end

    def _kept_columns(self, read: pa.RecordBatch, places: npt.NDArray[np.int64]) -> pa.Table:
        columns = {name: read[name] for name in read.schema.names}
        dated = self._order.dated[places]
        columns["order_ms"] = pa.array(self._order.order_ms[places], pa.int64(), mask=~dated)
        columns["goes_back"] = pa.array(self._order.goes_back[places])
        columns["rank"] = pa.array(self._order.rank[places])
        columns["level"] = pc.index_in(columns["level"], pa.array(LEVELS)).cast(pa.int8())
        columns |= _task_columns(columns)
        columns["checkpoint_id"] = _checkpoint(columns)
        columns["pattern"] = self._numbered(columns)
        for file_id, count in zip(*np.unique(columns["file_id"].to_numpy(), return_counts=True), strict=True):
            self._files[int(file_id)]["records"] += int(count)
        return pa.table({name: columns[name] for name in RANKED.names}).cast(RANKED)

    def _numbered(self, columns: Mapping[str, pa.Array]) -> pa.Array:
        """The number of each record's pattern; counts its records, most severe level and first logger."""
        told = patterns_of(columns["message"].fill_null("")).dictionary_encode()
        first = np.zeros(len(told.dictionary), np.int64)
        indices = told.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        first[indices[::-1]] = np.arange(len(indices))[::-1]
        numbers = np.empty(len(told.dictionary), np.int32)
        for place, text in enumerate(told.dictionary.to_pylist()):
            known = text if text in self._patterns or len(self._patterns) < MOST_PATTERNS else OTHER_PATTERN
            if known not in self._patterns:
                self._patterns[known] = len(self._patterns)
                self._logger.append(columns["logger"][int(first[place])].as_py())
            numbers[place] = self._patterns[known]
        found = numbers[indices]
        np.add.at(self._count, found, 1)
        level = columns["level"].fill_null(-1).to_numpy(zero_copy_only=False)
        np.maximum.at(self._level, found, level)
        return pa.array(found, pa.int32())


def _task_columns(columns: Mapping[str, pa.Array]) -> dict[str, pa.Array]:
    """Task, subtask and attempt from the event, else from the thread's name."""
    parts = pc.extract_regex(columns["thread"].dictionary_encode().dictionary, pattern=_TASK)
    parts = parts.take(columns["thread"].dictionary_encode().indices)
    silent = columns["vertex"].is_null()
    nothing = pa.scalar(None, pa.string())
    task = pc.struct_field(parts, "task")
    subtask = pc.subtract(pc.struct_field(parts, "subtask").cast(pa.int32()), 1)
    attempt = pc.struct_field(parts, "attempt")
    attempt = pc.if_else(pc.equal(attempt, ""), nothing, attempt).cast(pa.int32())
    return {
        "task": pc.if_else(silent, task, columns["vertex"]),
        "subtask": pc.if_else(silent, pc.coalesce(columns["subtask"], subtask), columns["subtask"]),
        "attempt": pc.if_else(silent, pc.coalesce(columns["attempt"], attempt), columns["attempt"]),
    }


def _checkpoint(columns: Mapping[str, pa.Array]) -> pa.Array:
    """The checkpoint in the event, else the first one in the message."""
    told = pc.extract_regex(columns["message"], pattern=_CHECKPOINT)
    return pc.coalesce(columns["checkpoint_id"], pc.struct_field(told, "number").cast(pa.int64()))
