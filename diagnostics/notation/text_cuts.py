"""Lines of a block of text, cut at marks: positions in arrays, and stretches of the text as columns.

Cutting at marks costs a tenth of matching an expression with groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from diagnostics.notation.number_columns import usual_floats
from diagnostics.notation.text_lines import ARRAY_BYTES, line_blocks

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from diagnostics.notation.file_range import Range

    Numbers = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]
    Flags = npt.NDArray[np.bool_]
    Letters = npt.NDArray[np.uint8]

NEWLINE, RETURN, MINUS = b"\n\r-"
NOWHERE = -1


@dataclass(frozen=True, slots=True)
class TextCuts:
    """The lines of a block, numbered from 0.

    letters  the text, and some line ends behind it
    starts   start offset of each line
    ends     end offset of each line, without its line end
    """

    block: bytes
    letters: Letters
    starts: Numbers
    ends: Numbers

    @classmethod
    def of(cls, block: bytes) -> TextCuts:
        """The lines of a text; the last one may have no line end."""
        import numpy as np

        text = np.frombuffer(block, np.uint8)
        ends = np.flatnonzero(text == NEWLINE)
        if not block.endswith(b"\n"):
            ends = np.append(ends, len(block))
        starts = np.append(0, ends[:-1] + 1)
        ends = ends - ((ends > starts) & (text[ends - 1] == RETURN))
        return cls(block, np.append(text, np.full(8, NEWLINE, np.uint8)), starts, ends)

    def line(self, place: int) -> bytes:
        """The text of a line."""
        return self.block[int(self.starts[place]) : int(self.ends[place])].rstrip(b"\r")

    def marks(self, mark: bytes) -> Numbers:
        """The offsets of a letter, ascending."""
        import numpy as np

        return np.flatnonzero(self.letters == mark[0])

    def controls(self) -> Numbers:
        """The offsets of control characters but line ends: other white space than spaces is among them."""
        import numpy as np

        return np.flatnonzero((self.letters < ord(" ")) & (self.letters != NEWLINE))

    def slices(self, begins: Numbers, ends: Numbers) -> pa.Array:
        """Stretches of the text, in its order."""
        import numpy as np
        import pyarrow as pa

        bounds = np.empty(2 * len(begins) + 1, np.int32)
        bounds[0:-1:2], bounds[1::2] = begins, ends
        bounds[-1] = ends[-1] if len(ends) else 0
        buffers = [None, pa.py_buffer(bounds), pa.py_buffer(self.block)]
        with_gaps = pa.Array.from_buffers(pa.binary(), len(bounds) - 1, buffers)
        return with_gaps.take(pa.array(np.arange(0, len(bounds) - 1, 2)))

    def floats(self, begins: Numbers, ends: Numbers, wanted: Flags) -> tuple[Flags, Floats]:
        """Which of the wanted stretches of text are numbers, and their values; NaN for the others."""
        import numpy as np

        known, numbers = wanted.copy(), np.full(len(wanted), np.nan)
        known[wanted], numbers[wanted] = usual_floats(self.slices(begins[wanted], ends[wanted]))
        return known, numbers

    def start_digits(self, begins: Numbers) -> Flags:
        """Whether a digit, perhaps with a minus sign, begins at each offset."""
        found: Flags = self.are_digits(begins) | ((self.letters[begins] == MINUS) & self.are_digits(begins + 1))
        return found

    def are_digits(self, places: Numbers) -> Flags:
        """Whether there is a digit at each offset."""
        found: Flags = (self.letters[places] >= ord("0")) & (self.letters[places] <= ord("9"))
        return found


def first_mark(marks: Numbers, begins: Numbers, ends: Numbers) -> Numbers:
    """The first of the marks in each stretch, or the stretch's end."""
    import numpy as np

    found: Numbers = np.append(marks, np.iinfo(np.int64).max)[np.searchsorted(marks, begins)]
    return np.minimum(found, ends)


def last_mark(marks: Numbers, begins: Numbers, ends: Numbers) -> Numbers:
    """The last of the marks in each stretch, or NOWHERE."""
    import numpy as np

    found: Numbers = np.append(marks, NOWHERE)[np.searchsorted(marks, ends) - 1]
    return np.where(found >= begins, found, NOWHERE)


def text_cuts(part: Range, most: int) -> Iterator[tuple[int, TextCuts]]:
    """The lines of a range in blocks, each with the number of its first line, from 1.

    Lines longer than `most` bytes may be truncated.
    """
    number = 1
    for block in line_blocks(part, most, ARRAY_BYTES):
        lines = TextCuts.of(block)
        yield number, lines
        number += len(lines.starts)
