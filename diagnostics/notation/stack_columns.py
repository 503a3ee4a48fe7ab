"""Parses many lines of collapsed stacks at once; each distinct text is parsed once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.notation.profiler_stack import thread_of
from diagnostics.notation.stack_frame import MOST_FRAMES, frame_name
from diagnostics.notation.task_name import task_of_thread

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[np.int64]

WEIGHED = r"^(?P<frame>(?s:.*)) (?P<weight>\d{1,18})[ \t\r\n]*$"
"""The last frame of a stack with its weight."""


def collapsed_stacks(lines: pa.LargeBinaryArray, most: int) -> tuple[pa.Table, list[int]]:
    """Columns of the table `stack_sample` for lines that are clearly stacks, and the indexes of the other lines.

    most  bytes of a line; a longer line counts as another
    The column `line` is the index of each stack's line, from 0.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    split = pc.split_pattern(lines, b";")
    offsets = split.offsets.to_numpy().astype(np.int64)
    begins, ends, depths = offsets[:-1], offsets[1:], np.diff(offsets)
    coded = split.values.dictionary_encode()
    texts, codes = coded.dictionary, coded.indices.to_numpy()

    used, last = np.unique(codes[ends - 1], return_inverse=True)
    weighed = pc.extract_regex(texts.take(pa.array(used)), WEIGHED)
    frames, weights = weighed.field("frame"), pc.if_else(weighed.is_valid(), weighed.field("weight"), None)
    is_frame = pc.greater(pc.binary_length(frames), 0).fill_null(False).to_numpy(zero_copy_only=False)
    is_stack = weighed.is_valid().to_numpy(zero_copy_only=False)[last] & (is_frame[last] | (depths > 1))

    is_stack &= pc.less_equal(pc.binary_length(lines), most).to_numpy(zero_copy_only=False)
    names = [*_names(texts), *_names(frames)]
    number_of = {name: number for number, name in enumerate(dict.fromkeys(names))}
    numbers = np.array([number_of[name] for name in names], np.int32)
    of_frame = numbers[codes]
    of_frame[ends - 1] = numbers[len(texts) :][last]

    threads, thread = _threads(texts, np.where(depths > 1, codes[begins], -1))
    begins = np.maximum(begins + (thread >= 0), ends - MOST_FRAMES)
    kept = (np.arange(len(of_frame)) >= np.repeat(begins, depths)) & np.repeat(is_stack, depths)
    rows = np.flatnonzero(is_stack)
    bounds = np.concatenate([[0], np.cumsum((ends - begins)[rows])]).astype(np.int32)
    told = pa.DictionaryArray.from_arrays(pa.array(of_frame[kept]), pa.array(list(number_of), pa.string()))
    columns = {
        **{name: column.take(pa.array(thread[rows], mask=thread[rows] < 0)) for name, column in threads.items()},
        "frames": pa.ListArray.from_arrays(pa.array(bounds), told),
        "weight": pc.cast(pc.cast(weights, pa.string()), pa.float64()).take(pa.array(last[rows])),
        "line": pa.array(rows),
    }
    return pa.table(columns), np.flatnonzero(~is_stack).tolist()


def _names(texts: pa.LargeBinaryArray) -> list[str]:
    return [frame_name((text or b"").decode("utf-8", "replace")) for text in texts.to_pylist()]


def _threads(texts: pa.LargeBinaryArray, codes: Numbers) -> tuple[dict[str, pa.Array], Numbers]:
    """The threads that root frames name, with their tasks, and the index of each stack's thread, -1 for none.

    codes  the index of each stack's root among the texts, -1 when it cannot be a thread
    """
    import numpy as np
    import pyarrow as pa

    used, place = np.unique(codes, return_inverse=True)
    roots = [texts[code].as_py().decode("utf-8", "replace") if code >= 0 else None for code in used.tolist()]
    threads = [thread_of(root) if root is not None else None for root in roots]
    tasks = [task_of_thread(thread) if thread else None for thread in threads]
    columns = {
        "thread": pa.array(threads, pa.string()),
        "vertex": pa.array([task.vertex if task else None for task in tasks], pa.string()),
        "subtask": pa.array([task.subtask if task else None for task in tasks], pa.int32()),
    }
    known = np.array([bool(thread) for thread in threads])
    return columns, np.where(known[place], place, -1)
