"""Lines of Prometheus' text exposition as columns: lines in the usual layout, a block of text at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from diagnostics.notation.text_cuts import NOWHERE, TextCuts, first_mark, last_mark

if TYPE_CHECKING:
    import pyarrow as pa

    from diagnostics.notation.text_cuts import Flags, Floats, Numbers

HASH, SPACE, BRACE = b"# }"
EXEMPLAR = b" # "
"""Separator before the exemplar of an OpenMetrics sample."""


@dataclass(frozen=True, slots=True)
class SampleLines:
    """Lines of samples.

    scrapes  lines about a scrape: `# scrape_...`
    places   lines with a sample in the usual layout: `name{labels} value` or `name value`, and optionally a time
    heads    the printed series of each sample, without the closing brace
    values   values of the samples
    times    times as printed; NaN where a sample has none
    others   lines that are not empty, not comments and not in the usual layout
    """

    scrapes: Numbers
    places: Numbers
    heads: pa.Array
    values: Floats
    times: Floats
    others: Numbers

    @classmethod
    def of(cls, text: TextCuts) -> SampleLines:
        """The lines of a block."""
        import numpy as np

        letters = text.letters
        comments = letters[text.starts] == HASH
        scrapes = np.flatnonzero(comments)
        for place, letter in enumerate(b" scr", 1):
            scrapes = scrapes[letters[text.starts[scrapes] + place] == letter]
        places = np.flatnonzero((text.ends > text.starts) & ~comments)
        begins, ends = text.starts[places], text.ends[places]

        spaces = text.marks(b" ")
        head_ends, values = _heads(text, spaces, begins, ends)
        value_ends = first_mark(spaces, values, ends)
        usual = _start_numbers(text, values) & (value_ends > values)
        if EXEMPLAR in text.block:
            usual &= ~_with_exemplar(text, begins, ends)
        known, numbers = text.floats(values, value_ends, usual)
        _, times = text.floats(np.minimum(value_ends + 1, ends), ends, known & (value_ends < ends))
        known &= np.isfinite(times) | (value_ends == ends)
        return cls(
            scrapes=scrapes,
            places=places[known],
            heads=text.slices(begins[known], head_ends[known]),
            values=numbers[known],
            times=times[known],
            others=places[~known],
        )


def _heads(text: TextCuts, spaces: Numbers, begins: Numbers, ends: Numbers) -> tuple[Numbers, Numbers]:
    """End of each line's series, and start of its value."""
    import numpy as np

    closings = spaces[text.letters[spaces - 1] == BRACE] - 1
    last, plain = last_mark(closings, begins, ends), first_mark(spaces, begins, ends)
    labelled = last != NOWHERE
    return np.where(labelled, last, plain), np.where(labelled, last + 2, np.minimum(plain + 1, ends))


def _start_numbers(text: TextCuts, values: Numbers) -> Flags:
    """Whether a number with or without a sign, or `Na`, begins at each offset."""
    one, other = text.letters[values], text.letters[values + 1]
    signed = (one == ord("+")) & text.are_digits(values + 1)
    found: Flags = text.start_digits(values) | signed | ((one == ord("N")) & (other == ord("a")))
    return found


def _with_exemplar(text: TextCuts, begins: Numbers, ends: Numbers) -> Flags:
    """Whether each line contains EXEMPLAR."""
    marks, letters = text.marks(b"#"), text.letters
    marks = marks[(letters[marks - 1] == SPACE) & (letters[marks + 1] == SPACE)]
    found: Flags = last_mark(marks, begins, ends) != NOWHERE
    return found
