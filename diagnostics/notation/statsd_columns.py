"""Reads lines of the StatsD protocol by column: those with a plain value, and perhaps a time before them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from diagnostics.notation.text_cuts import first_mark, last_mark

if TYPE_CHECKING:
    import pyarrow as pa

    from diagnostics.notation.text_cuts import Flags, Floats, Numbers, TextCuts

SPACE = ord(" ")
KINDS = (b"|g", b"|c", b"|ms", b"|h")
SHORTEST_TIME, LONGEST_TIME = 10, 41
MOST_NUMBER = 41
"""Characters of a time, and of a number."""


@dataclass(frozen=True, slots=True)
class ValueColumns:
    """The values of some lines.

    places  index of the line of each
    moments the time before it as printed, empty without one
    paths   its name as printed
    others  indexes of the lines in another layout, but empty ones
    """

    places: Numbers
    moments: pa.Array
    paths: pa.Array
    values: Floats
    others: Numbers

    @classmethod
    def of(cls, text: TextCuts, most_path: int) -> ValueColumns:
        """The values of some lines; one with a longer path has another layout."""
        import numpy as np

        begins, ends = text.starts, text.ends
        colons, bars = text.marks(b":"), text.marks(b"|")
        paths = _path_begins(text, text.marks(b" "))
        path_ends = last_mark(colons, begins, ends)
        value_ends = first_mark(bars, paths, ends)
        usual = (first_mark(colons, paths, ends) == path_ends) & (path_ends > paths) & (path_ends - paths <= most_path)
        usual &= (text.letters[begins] != SPACE) & (text.letters[paths] != SPACE) & (value_ends > path_ends)
        usual &= first_mark(text.controls(), begins, ends) == ends
        usual &= text.start_digits(np.maximum(path_ends + 1, 0)) & (value_ends - path_ends <= MOST_NUMBER)
        kinds = text.slices(value_ends[usual], ends[usual])
        usual[usual] = _are_any(kinds)
        known, values = text.floats(path_ends + 1, value_ends, usual)
        at = np.flatnonzero(known)
        return cls(
            places=at,
            moments=text.slices(begins[at], np.maximum(paths[at] - 1, begins[at])),
            paths=text.slices(paths[at], path_ends[at]),
            values=values[at],
            others=np.flatnonzero(~known & (ends > begins)),
        )


def _path_begins(text: TextCuts, spaces: Numbers) -> Numbers:
    """Where each line's path begins: behind what may be a time, else with the line."""
    import numpy as np

    gaps = first_mark(spaces, text.starts, text.ends)
    timed = (gaps < text.ends) & text.are_digits(text.starts)
    timed &= (gaps - text.starts >= SHORTEST_TIME) & (gaps - text.starts <= LONGEST_TIME)
    return np.where(timed, gaps + 1, text.starts)


def _are_any(kinds: pa.Array) -> Flags:
    import pyarrow as pa
    import pyarrow.compute as pc

    found: Flags = pc.is_in(kinds, pa.array(KINDS, kinds.type)).to_numpy(zero_copy_only=False)
    return found
