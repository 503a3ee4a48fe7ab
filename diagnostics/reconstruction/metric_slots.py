"""Every metric in slots of time, measured in Spark's Python workers; counters as rates.

Each worker makes slots of the samples that it reads, over all subtasks of a task; the slots of a series are brought
together; and of the series those are told that vary most. Few samples take one Spark job, since each costs as much as
their whole arithmetic: workers hand on a slot for each moment, and where all are known, so is the time to be cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from diagnostics.notation.coded_text import coded
from diagnostics.time_slot import slot_ms

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from diagnostics.evidence import Evidence, Work

    Numbers = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]
    Slots = npt.NDArray[np.void]

COUNTERS = re.compile("^num(?!.*PerSecond$)|^(fullRestarts|uptime|downtime)$|[.](Count|Time|TimeMsTotal)$")
"""Metrics that only grow, whose rate is told. Source: reference/metrics.csv, type counter."""

LEAST_VARIATION = 0.001
"""Standard deviation of the slots' means over the mean of their sizes, above which a series varies. Our choice."""

FEW_SAMPLES = 500_000
"""Samples up to which this process brings the slots together, and cuts the time afterwards. Our choice: 16 MB."""

SAMPLES_OF_TASK = 2_000_000
"""Samples of more whose slots a task brings together. Our choice: 64 MB at most, where no two fall in one slot."""

SERIES = ("metric", "job_id", "vertex_id", "vertex", "operator", "task_manager")
"""What tells series apart. A subtask may move to another TaskManager: with a subtask that column does not count."""

DATED = ("ts_ms", "value", "aggregate", "quantile")
"""The columns that tell whether a sample has its place in time."""

READ = (*SERIES, "subtask", "file_id", *DATED)

SLOT = [("begin_ms", "i8"), ("sum", "f8"), ("count", "i8"), ("peak", "f8")]
"""A slot among the `slots` of a series: its first moment, and of its readings the sum, how many, and the highest."""
SLOT_OCTETS = 32

SPAN_DDL = "from_ms BIGINT, to_ms BIGINT"
KEYS_DDL = ", ".join(f"{name} STRING" for name in SERIES)
SLOTS_DDL = f"{KEYS_DDL}, slots BINARY, {SPAN_DDL}"
VARYING_DDL = f"{KEYS_DDL}, slots BINARY, variation DOUBLE, left_out BIGINT"


@dataclass(frozen=True, slots=True)
class SlottedSeries:
    """A metric over all subtasks of a task or an operator, or of one process.

    is_rate       a counter, told as its growth in a second
    means, peaks  place of a slot from 0 -> mean and highest reading; slots without one are not there
    """

    metric: str
    job_id: str | None
    vertex_id: str | None
    vertex: str | None
    operator: str | None
    task_manager: str | None
    is_rate: bool
    means: Mapping[int, float]
    peaks: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class VaryingMetrics:
    """The metrics of an analysis in slots of time.

    from_ms, to_ms  the first and the last moment of a sample, epoch ms; the first slot begins with the first
    slot_ms         length of a slot
    series          those that vary most, these first
    left_out        how many more vary
    """

    from_ms: int
    to_ms: int
    slot_ms: int
    series: Sequence[SlottedSeries]
    left_out: int


@dataclass(frozen=True, slots=True)
class Cut:
    """Time cut in slots: where the first begins, and their length in ms."""

    from_ms: int
    slot_ms: int

    def begins(self, times: Numbers) -> Numbers:
        """The first moment of the slot of each time."""
        return times - (times - self.from_ms) % self.slot_ms

    def places(self, times: Numbers) -> Numbers:
        """The place of the slot of each time, from 0."""
        return (times - self.from_ms) // self.slot_ms


UNCUT = Cut(0, 1)
"""A slot for each moment."""


def varying_metrics(evidence: Evidence, most_slots: int, least_ms: int, most: int) -> VaryingMetrics | None:
    """The series that vary most. One Spark job, two where there are more than FEW_SAMPLES.

    Reads       metric_sample: those with a time and a value that are no aggregate and no quantile.
    most_slots  in how many slots the time is cut at most
    least_ms    length of a slot at least
    most        how many series are told
    Empty       None where no two samples differ in time.

    A counter's rate is that between two samples of one subtask in one file. Where no worker holds both together, since
    they stand in different ranges of a large file or millions of rows apart, that one rate is not known.
    """
    samples = evidence.rows["metric_sample"]
    is_few = samples <= FEW_SAMPLES
    told = (
        evidence.worked("metric_sample", READ, _slotted(UNCUT), SLOTS_DDL)
        if is_few
        else evidence.worked("metric_sample", DATED, _spanned, SPAN_DDL)
    ).toArrow()
    from_ms, to_ms = _span(told)
    if from_ms == to_ms:
        return None
    cut = Cut(from_ms, slot_ms(from_ms, to_ms, most_slots, least_ms))
    if is_few:
        found = most_varying(told, cut, most)
    else:
        slots = evidence.worked("metric_sample", READ, _slotted(cut), SLOTS_DDL)
        together = slots.repartition(-(-samples // SAMPLES_OF_TASK), *SERIES)
        found = together.mapInArrow(evidence.for_workers(_varying(cut, most)), VARYING_DDL).toArrow()
    rows = sorted(found.to_pylist(), key=_most_varying_first)
    left_out = max(len(rows) - most, 0) + sum(row["left_out"] for row in rows)
    return VaryingMetrics(from_ms, to_ms, cut.slot_ms, [_series(row, cut) for row in rows[:most]], left_out)


def _span(told: pa.Table) -> tuple[int, int]:
    """The first and the last moment, both 0 where there is none."""
    import pyarrow.compute as pc

    return pc.min(told["from_ms"]).as_py() or 0, pc.max(told["to_ms"]).as_py() or 0


def _most_varying_first(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return -row["variation"], *((row[name] is not None, row[name] or "") for name in SERIES)


def _series(row: Mapping[str, Any], cut: Cut) -> SlottedSeries:
    import numpy as np

    slots = np.frombuffer(row["slots"], SLOT)
    places = cut.places(slots["begin_ms"]).tolist()
    return SlottedSeries(
        **{name: row[name] for name in SERIES},
        is_rate=is_counter(row["metric"]),
        means=dict(zip(places, (slots["sum"] / slots["count"]).tolist(), strict=True)),
        peaks=dict(zip(places, slots["peak"].tolist(), strict=True)),
    )


def is_counter(metric: str | None) -> bool:
    """Whether the metric only grows."""
    return COUNTERS.search(metric or "") is not None


def _dated(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The samples with a time and a value that are no aggregate and no quantile."""
    import pyarrow.compute as pc

    known = pc.and_(pc.is_valid(batch.column("ts_ms")), pc.is_valid(batch.column("value")))
    summed_up = pc.or_(pc.is_valid(batch.column("aggregate")), pc.is_valid(batch.column("quantile")))
    return batch.filter(pc.and_not(known, summed_up))


def _spanned(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """In a worker: the first and the last moment of some samples."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for batch in map(_dated, batches):
        if batch.num_rows:
            ends = pc.min_max(batch.column("ts_ms"))
            yield pa.RecordBatch.from_pydict({"from_ms": [ends["min"].as_py()], "to_ms": [ends["max"].as_py()]})


def _slotted(cut: Cut) -> Work:
    """In a worker: the slots of each series in some samples, and between which moments all of these are."""

    def slotted(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import numpy as np
        import pyarrow as pa

        parts = [part for part in map(_dated, batches) if part.num_rows]
        if not parts:
            return
        rows = pa.Table.from_batches(parts)
        texts, codes = _coded(rows)
        subtasks = rows["subtask"].fill_null(-1).to_numpy()
        codes["task_manager"][subtasks >= 0] = len(texts["task_manager"]) - 1
        first, series = combined(*codes.values())
        keys = _texts_at(first, texts, codes)
        times, values = rows["ts_ms"].to_numpy(), rows["value"].to_numpy()

        counters = np.array([is_counter(text) for text in texts["metric"]])[codes["metric"]]
        gauges, counted = np.flatnonzero(~counters), np.flatnonzero(counters)
        _, of_subtask = combined(series[counted], subtasks[counted], rows["file_id"].to_numpy()[counted])
        later, rates = growth(of_subtask, times[counted], values[counted])
        told = np.concatenate([gauges, counted[later]])
        slots = slots_of(cut.begins(times[told]), np.concatenate([values[gauges], rates]))
        found = _of_series(keys, *merged(series[told], slots))
        for name, moment in (("from_ms", times.min()), ("to_ms", times.max())):
            found = found.append_column(name, pa.repeat(pa.scalar(int(moment), pa.int64()), found.num_rows))
        yield from found.to_batches()

    return slotted


def _varying(cut: Cut, most: int) -> Work:
    """In a worker: `most_varying` of all series that it gets."""

    def varying(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        parts = [batch for batch in batches if batch.num_rows]
        if parts:
            yield from most_varying(pa.Table.from_batches(parts), cut, most).to_batches()

    return varying


def most_varying(rows: pa.Table, cut: Cut, most: int) -> pa.Table:
    """The series that vary most, in columns of VARYING_DDL.

    rows  any number for each series, with slots that are no longer than those of `cut`, which they become
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    texts, codes = _coded(rows)
    first, series = combined(*codes.values())
    octets = rows["slots"].to_pylist()
    slots = np.frombuffer(b"".join(octets), SLOT).copy()
    slots["begin_ms"] = cut.begins(slots["begin_ms"])
    lengths = np.array([len(each) // SLOT_OCTETS for each in octets], np.int64)
    series, slots = merged(np.repeat(series, lengths), slots)
    variation = variations(series, slots["sum"] / slots["count"], len(first))
    found = _of_series(_texts_at(first, texts, codes), series, slots)
    found = found.append_column("variation", pa.array(variation))
    found = found.filter(pc.greater(found["variation"], LEAST_VARIATION))
    order = [("variation", "descending", "at_end"), *((name, "ascending", "at_start") for name in SERIES)]
    kept = found.take(pc.sort_indices(found, sort_keys=order)[:most])
    left_out = np.zeros(kept.num_rows, np.int64)
    left_out[:1] = found.num_rows - kept.num_rows
    return kept.append_column("left_out", pa.array(left_out))


def _coded(rows: pa.Table) -> tuple[Mapping[str, Sequence[str | None]], dict[str, Numbers]]:
    """The different texts of each column of SERIES, and which of them each row has."""
    texts, codes = {}, {}
    for name in SERIES:
        texts[name], codes[name] = coded(rows[name])
    return texts, codes


def _texts_at(
    places: Numbers, texts: Mapping[str, Sequence[str | None]], codes: Mapping[str, Numbers]
) -> Mapping[str, pa.Array]:
    """The columns of SERIES of these rows."""
    import pyarrow as pa

    return {name: pa.array(texts[name], pa.string()).take(pa.array(codes[name][places])) for name in SERIES}


def combined(*columns: Numbers) -> tuple[Numbers, Numbers]:
    """Of each different combination of whole numbers a row that has it, and the number of each row's combination."""
    import numpy as np

    groups: Numbers = np.zeros(len(columns[0]), np.int64)
    distinct: Numbers = groups[:1]
    for column in columns:
        values, places = _numbered(column)
        distinct, groups = _numbered(groups * len(values) + places)
    first = np.empty(len(distinct), np.int64)
    first[groups] = np.arange(len(groups))
    return first, groups


def _numbered(values: Numbers) -> tuple[Numbers, Numbers]:
    """The different values, and the place of each among them: by hash, which is ten times as quick as by order."""
    import numpy as np
    import pyarrow as pa

    encoded = pa.array(values).dictionary_encode()
    return encoded.dictionary.to_numpy(), encoded.indices.to_numpy().astype(np.int64)


def growth(series: Numbers, times: Numbers, values: Floats) -> tuple[Numbers, Floats]:
    """What counters grew by in a second: of which samples that is known, and by how much.

    series  of which each sample is one; the samples are in any order
    times   epoch ms

    It is not known of the first sample, where no time has passed, and where a counter has begun again.
    """
    import numpy as np

    order = np.lexsort((times, series))
    passed, grown = np.diff(times[order]), np.diff(values[order])
    known = (np.diff(series[order]) == 0) & (passed > 0) & (grown >= 0)
    return order[1:][known], grown[known] * 1000 / passed[known]


def slots_of(begins: Numbers, readings: Floats) -> Slots:
    """A slot for each reading."""
    import numpy as np

    slots = np.empty(len(readings), SLOT)
    slots["begin_ms"] = begins
    slots["sum"] = slots["peak"] = readings
    slots["count"] = 1
    return slots


def merged(series: Numbers, slots: Slots) -> tuple[Numbers, Slots]:
    """One slot for each series and beginning, in their order, of slots in any order; with the series of each."""
    import numpy as np

    first, cells = combined(series, slots["begin_ms"])
    found = np.empty(len(first), SLOT)
    found["begin_ms"] = slots["begin_ms"][first]
    found["sum"] = np.bincount(cells, slots["sum"], len(first))
    found["count"] = np.bincount(cells, slots["count"], len(first))
    peaks = np.full(len(first), -np.inf)
    np.maximum.at(peaks, cells, slots["peak"])
    found["peak"] = peaks
    order = np.lexsort((found["begin_ms"], series[first]))
    return series[first][order], found[order]


def variations(series: Numbers, means: Floats, count: int) -> Floats:
    """Of each series the standard deviation of its slots' means, over the mean of their sizes; 0 without a slot.

    series  of which each mean is one, below `count`
    """
    import numpy as np

    slots = np.maximum(np.bincount(series, minlength=count), 1)
    centres = np.bincount(series, means, count) / slots
    scatter = np.sqrt(np.bincount(series, (means - centres[series]) ** 2, count) / slots)
    found: Floats = scatter / (np.bincount(series, np.abs(means), count) / slots + 1e-9)
    return found


def _of_series(keys: Mapping[str, pa.Array], ordered_series: Numbers, slots: Slots) -> pa.Table:
    """One row for each series, with its slots.

    keys  the columns of SERIES, a row for each series
    """
    import numpy as np
    import pyarrow as pa

    count = len(keys["metric"])
    bounds = (np.searchsorted(ordered_series, np.arange(count + 1)) * SLOT_OCTETS).astype(np.int32)
    octets = pa.Array.from_buffers(pa.binary(), count, [None, pa.py_buffer(bounds), pa.py_buffer(slots.tobytes())])
    return pa.table({**keys, "slots": octets})
