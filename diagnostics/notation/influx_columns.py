"""Reads lines of InfluxDB's line protocol by column: those whose fields are numbers without escapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from diagnostics.notation.text_cuts import first_mark

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from diagnostics.notation.text_cuts import Flags, Floats, Numbers, TextCuts

BACKSLASH = ord("\\")
MOST_NUMBER = 41
"""Characters of a number. Our choice."""
_WHOLE = r"^-?(?:\d{1,18}|[1-8]\d{18})$"
"""A time that surely fits into 64 bits."""

SECONDS_BELOW, MILLISECONDS_BELOW, MICROSECONDS_BELOW = 10**11, 10**14, 10**17


@dataclass(frozen=True, slots=True)
class FieldColumns:
    """The fields that count, in the order of their lines.

    places  index of the line of each
    series  its series as printed, a line end, and the name of the field; a dictionary
    times   epoch ms, 0 where the line has no time
    others  indexes of the lines in another layout
    """

    places: Numbers
    series: pa.DictionaryArray
    times: Numbers
    values: Floats
    others: Numbers

    @classmethod
    def of(cls, text: TextCuts, most: int, several: Sequence[str], single: Sequence[str]) -> FieldColumns:
        """The fields of some lines.

        most     bytes of a line; a longer line has another layout
        several  names of fields that all count
        single   names; the first of them counts in a line without one of `several`
        """
        import numpy as np

        spaces, begins, ends = _plain(text, b" "), text.starts, text.ends
        head_ends = first_mark(spaces, begins, ends)
        field_ends = first_mark(spaces, np.minimum(head_ends + 1, ends), ends)
        usual = (head_ends > begins) & (field_ends > head_ends + 1) & (ends - begins <= most)
        backslashes = text.marks(b"\\")
        doubled = backslashes[text.letters[backslashes + 1] == BACKSLASH]
        usual &= first_mark(doubled, begins, ends) == ends
        usual &= first_mark(np.union1d(backslashes, text.marks(b'"')), head_ends, ends) == ends
        known, times = _times(text, np.minimum(field_ends + 1, ends), ends, usual)
        usual &= known

        of_line, field_begins, field_ends = _fields(_plain(text, b","), head_ends, field_ends, usual)
        equals = first_mark(text.marks(b"="), field_begins, field_ends)
        value_begins = np.minimum(equals + 1, field_ends)
        last = text.letters[field_ends - 1]
        value_ends = np.maximum(field_ends - ((last == ord("i")) | (last == ord("u"))), value_begins)
        printed = text.start_digits(value_begins) & (value_ends - value_begins <= MOST_NUMBER)
        is_number, values = text.floats(value_begins, value_ends, printed)
        usual[of_line[~is_number]] = False

        names = [name.encode() for name in (*several, *single)]
        ranks = _ranks(text.slices(field_begins, equals), names)
        wanted = np.flatnonzero((ranks >= 0) & usual[of_line])
        wanted = wanted[np.lexsort((ranks[wanted], of_line[wanted]))]
        wanted = wanted[_count(of_line[wanted], ranks[wanted], len(several))]
        places, ranks = of_line[wanted], ranks[wanted]
        return cls(
            places=places,
            series=_named(text.slices(begins[usual], head_ends[usual]), np.cumsum(usual)[places] - 1, ranks, names),
            times=times[places],
            values=values[wanted],
            others=np.flatnonzero(~usual & (ends > begins)),
        )


def _plain(text: TextCuts, mark: bytes) -> Numbers:
    """The offsets of a mark that has no backslash before it."""
    marks = text.marks(mark)
    plain: Numbers = marks[text.letters[marks - 1] != BACKSLASH]
    return plain


def _times(text: TextCuts, begins: Numbers, ends: Numbers, wanted: Flags) -> tuple[Flags, Numbers]:
    """Which of the wanted lines have a whole number or nothing as their time, and epoch ms, 0 for nothing.

    The magnitude shows the precision, which is nanoseconds by default.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    timed = wanted & (ends > begins)
    texts = text.slices(begins[timed], ends[timed])
    whole = pc.match_substring_regex(texts, _WHOLE)
    known, numbers = wanted.copy(), np.zeros(len(wanted), np.int64)
    known[timed] = whole.to_numpy(zero_copy_only=False)
    numbers[known & timed] = pc.cast(texts.filter(whole).cast(pa.string()), pa.int64()).to_numpy()
    size = np.abs(numbers)
    fine = np.where(size < MICROSECONDS_BELOW, numbers // 1000, numbers // 1_000_000)
    return known, np.where(size < SECONDS_BELOW, numbers * 1000, np.where(size < MILLISECONDS_BELOW, numbers, fine))


def _fields(commas: Numbers, head_ends: Numbers, field_ends: Numbers, usual: Flags) -> tuple[Numbers, Numbers, Numbers]:
    """Index of the line, begin and end of each field of the usual lines, in the order of the text."""
    import numpy as np

    rows = np.flatnonzero(usual)
    row = np.searchsorted(head_ends[rows], commas) - 1
    inside = commas < np.append(field_ends[rows], -1)[row]
    commas, row = commas[inside], row[inside]
    begins = np.append(head_ends[rows], commas) + 1
    order = np.argsort(begins)
    of_line, begins = np.append(rows, rows[row])[order], begins[order]
    return of_line, begins, first_mark(commas, begins, field_ends[of_line])


def _ranks(texts: pa.Array, names: Sequence[bytes]) -> Numbers:
    """The place of each text among the names, -1 for others."""
    import pyarrow as pa
    import pyarrow.compute as pc

    places: Numbers = pc.index_in(texts, pa.array(names, texts.type)).fill_null(-1).to_numpy()
    return places


def _count(places: Numbers, ranks: Numbers, several: int) -> Flags:
    """Which fields count, of fields in the order of lines and ranks: of equal names the last one."""
    import numpy as np

    is_first = np.diff(places, prepend=-1) != 0
    is_last_of_name = (np.diff(places, append=-1) != 0) | (np.diff(ranks, append=-1) != 0)
    first_rank = ranks[np.maximum.accumulate(np.where(is_first, np.arange(len(ranks)), 0))]
    counting: Flags = is_last_of_name & ((ranks < several) | (ranks == first_rank))
    return counting


def _named(heads: pa.Array, of_head: Numbers, ranks: Numbers, names: Sequence[bytes]) -> pa.DictionaryArray:
    """Heads with the names of fields: for each field the index of its head and of its name."""
    import numpy as np
    import pyarrow as pa

    coded = heads.dictionary_encode()
    pairs = coded.indices.to_numpy()[of_head].astype(np.int64) * len(names) + ranks
    used, codes = np.unique(pairs, return_inverse=True)
    told = coded.dictionary.take(pa.array(used // len(names))).to_pylist()
    texts = [head + b"\n" + names[rank] for head, rank in zip(told, (used % len(names)).tolist(), strict=True)]
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(texts, pa.binary()))
