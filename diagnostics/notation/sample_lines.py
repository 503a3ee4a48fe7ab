"""Lines of Prometheus' text exposition as columns: lines in the usual layout, a block of text at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]
    Flags = npt.NDArray[np.bool_]

NEWLINE, RETURN, SPACE, HASH, BRACE = b"\n\r #}"

EXEMPLAR = b" # "
"""Separator before the exemplar of an OpenMetrics sample."""

_NUMBER = r"^[-+]?\d+\.?\d*([eE][-+]?\d+)?$|^NaN$"


@dataclass(frozen=True, slots=True)
class SampleLines:
    """The lines of a block of text, numbered from 0.

    ends     end offset of each line
    scrapes  lines about a scrape: `# scrape_...`
    places   lines with a sample in the usual layout: `name{labels} value` or `name value`, and optionally a time
    heads    the printed series of each sample, without the closing brace
    values   values of the samples
    times    times as printed; NaN where a sample has none
    others   lines that are not empty, not comments and not in the usual layout
    """

    block: bytes
    ends: Numbers
    scrapes: Numbers
    places: Numbers
    heads: pa.Array
    values: Floats
    times: Floats
    others: Numbers

    def line(self, place: int) -> bytes:
        """The text of a line."""
        return self.block[int(self.ends[place - 1]) + 1 if place else 0 : int(self.ends[place])].rstrip(b"\r")

    @classmethod
    def of(cls, block: bytes) -> SampleLines:
        """The lines of a text that ends with a line end."""
        import numpy as np

        text = np.frombuffer(block, np.uint8)
        line_ends = np.flatnonzero(text == NEWLINE)
        if not block.endswith(b"\n"):
            line_ends = np.append(line_ends, len(block))
        starts = np.append(0, line_ends[:-1] + 1)
        ends = line_ends - ((line_ends > starts) & (text[line_ends - 1] == RETURN))
        letters = np.append(text, np.full(8, NEWLINE, np.uint8))
        comments = letters[starts] == HASH
        scrapes = np.flatnonzero(comments)
        for place, letter in enumerate(b" scr", 1):
            scrapes = scrapes[letters[starts[scrapes] + place] == letter]
        places = np.flatnonzero((ends > starts) & ~comments)
        begins, ends = starts[places], ends[places]

        spaces = np.flatnonzero(text == SPACE)
        head_ends, values = _heads(text, spaces, begins, ends)
        value_ends = _first_at(spaces, values, ends)
        usual = _starts_number(letters, values) & (value_ends > values)
        if EXEMPLAR in block:
            usual &= ~_with_exemplar(letters, begins, ends)
        known, numbers = _floats(block, values, value_ends, usual)
        _, times = _floats(block, np.minimum(value_ends + 1, ends), ends, known & (value_ends < ends))
        known &= np.isfinite(times) | (value_ends == ends)
        return cls(
            block=block,
            ends=line_ends,
            scrapes=scrapes,
            places=places[known],
            heads=_slices(block, begins[known], head_ends[known]),
            values=numbers[known],
            times=times[known],
            others=places[~known],
        )


def _heads(text: npt.NDArray[np.uint8], spaces: Numbers, begins: Numbers, ends: Numbers) -> tuple[Numbers, Numbers]:
    """End of each line's series, and start of its value."""
    import numpy as np

    closings = spaces[text[spaces - 1] == BRACE] - 1
    last = np.append(closings, -1)[np.searchsorted(closings, ends) - 1]
    labelled = last >= begins
    plain = _first_at(spaces, begins, ends)
    return np.where(labelled, last, plain), np.where(labelled, last + 2, np.minimum(plain + 1, ends))


def _first_at(spaces: Numbers, begins: Numbers, ends: Numbers) -> Numbers:
    """The first space in each stretch, or the stretch's end."""
    import numpy as np

    found: Numbers = np.append(spaces, np.iinfo(np.int64).max)[np.searchsorted(spaces, begins)]
    return np.minimum(found, ends)


def _starts_number(letters: npt.NDArray[np.uint8], values: Numbers) -> Flags:
    one, other = letters[values], letters[values + 1]
    digit, next_digit = (one >= ord("0")) & (one <= ord("9")), (other >= ord("0")) & (other <= ord("9"))
    signed = ((one == ord("-")) | (one == ord("+"))) & next_digit
    found: Flags = digit | signed | ((one == ord("N")) & (other == ord("a")))
    return found


def _with_exemplar(letters: npt.NDArray[np.uint8], begins: Numbers, ends: Numbers) -> Flags:
    """Whether each line contains EXEMPLAR."""
    import numpy as np

    marks = np.flatnonzero(letters == HASH)
    marks = marks[(letters[marks - 1] == SPACE) & (letters[np.minimum(marks + 1, len(letters) - 1)] == SPACE)]
    found: Flags = np.searchsorted(marks, begins) < np.searchsorted(marks, ends)
    return found


def _floats(block: bytes, begins: Numbers, ends: Numbers, wanted: Flags) -> tuple[Flags, Floats]:
    """Which of the wanted stretches of text are numbers, and their values; NaN for the others."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    known, numbers = wanted.copy(), np.full(len(wanted), np.nan)
    texts = _slices(block, begins[wanted], ends[wanted])
    try:
        numbers[wanted] = pc.cast(texts.view(pa.string()), pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:
        known[wanted] = pc.match_substring_regex(texts, _NUMBER).to_numpy(zero_copy_only=False)
        texts = texts.filter(pa.array(known[wanted]))
        numbers[known] = pc.cast(texts.view(pa.string()), pa.float64()).to_numpy(zero_copy_only=False)
    return known, numbers


def _slices(block: bytes, begins: Numbers, ends: Numbers) -> pa.Array:
    """The stretches of the text."""
    import numpy as np
    import pyarrow as pa

    bounds = np.empty(2 * len(begins) + 1, np.int32)
    bounds[0:-1:2], bounds[1::2] = begins, ends
    bounds[-1] = ends[-1] if len(ends) else 0
    with_gaps = pa.Array.from_buffers(pa.binary(), len(bounds) - 1, [None, pa.py_buffer(bounds), pa.py_buffer(block)])
    return with_gaps.take(pa.array(np.arange(0, len(bounds) - 1, 2)))
