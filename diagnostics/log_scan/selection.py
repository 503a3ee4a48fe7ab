"""Which records of a log become rows, and where the constants stand that decide so: one search for all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from diagnostics.log_scan.kafka_client import SCOPES
from diagnostics.log_scan.slices import Offsets
from diagnostics.notation.constant_text import ConstantTexts
from diagnostics.notation.log_event import catalogue
from diagnostics.notation.thread_stack import TITLE

START_UP = ("Loading configuration property: ", "Maximum heap size: ", "JVM Options:", "Program Arguments:")
"""How messages of the start-up banner begin that state settings."""

OPTION_MARKS = ("-     ", ":     ", "|     ")
"""How an option of the banner, which is indented by four blanks, follows what stands before a message."""

METRICS_REPORT = "= Starting metrics report ="
"""What stands in a record of Flink's Slf4jReporter."""

VERSION_MARK = "(Version: "
"""What stands before Flink's version in the start-up banner."""

MARKS = (*START_UP, *OPTION_MARKS, *SCOPES, METRICS_REPORT, VERSION_MARK, TITLE)
"""What readers of logs look for beside catalogued events; records that hold one of these are always rows."""

CONTEXT = "log_selection"
"""The name of a RecordSelection in a range's context; without one every record is a row, as in the log book."""


@dataclass(frozen=True)
class RecordSelection:
    """The records that somebody looks at; the others are only counted, by second and level.

    events  ids of the catalogued events whose records are looked at
    texts   constants whose records are looked at

    Records from WARN on, those of several lines and those of an unusual layout are rows whatever is selected.
    """

    events: frozenset[str]
    texts: frozenset[str]


@dataclass(frozen=True, slots=True)
class Hits:
    """Where constants stand in the records of a stretch.

    numbers  of the constants, in the scanner's order
    offsets  of their last octets
    records  that they stand in, by their place in the stretch
    """

    scanner: Scanner
    numbers: Offsets
    offsets: Offsets
    records: Offsets

    def part(self, first: int, last: int) -> Hits:
        """Those in the records from `first` to before `last`, whose places are counted from `first`."""
        kept = (self.records >= first) & (self.records < last)
        return Hits(self.scanner, self.numbers[kept], self.offsets[kept], self.records[kept] - first)

    def chosen(self, is_chosen: npt.NDArray[np.bool_]) -> Hits:
        """Those in the chosen records, whose places are counted among the chosen ones only."""
        kept = is_chosen[self.records]
        places = np.cumsum(is_chosen) - 1
        return Hits(self.scanner, self.numbers[kept], self.offsets[kept], places[self.records[kept]])

    def selected_records(self) -> Offsets:
        """The records that hold a constant which makes them rows; one may be there several times."""
        found: Offsets = self.records[self.scanner.selects[self.numbers]]
        return found

    def have_any(self, marks: Iterable[str]) -> bool:
        """Whether one of these MARKS stands in any record."""
        return bool(np.isin(self.numbers, [self.scanner.number_of[mark] for mark in marks]).any())

    def first_end(self, mark: str) -> int | None:
        """The offset behind the first of one of MARKS; None where it stands in no record."""
        offsets = self.offsets[self.numbers == self.scanner.number_of[mark]]
        return int(offsets.min()) + 1 if len(offsets) else None

    def records_with(self, mark: str) -> list[int]:
        """The records in which one of MARKS stands, each once, ascending."""
        found: list[int] = np.unique(self.records[self.numbers == self.scanner.number_of[mark]]).tolist()
        return found


class Scanner:
    """Finds the constants of all catalogued events, MARKS and the texts of a selection in one pass over a buffer.

    owners   for each constant the places in the catalogue of the events that have it
    selects  for each constant whether a record that holds it is a row
    """

    def __init__(self, selection: RecordSelection | None) -> None:
        owners: dict[str, list[int]] = defaultdict(list)
        for place, event in enumerate(catalogue()):
            for constant in event.constants:
                owners[constant].append(place)
        texts = frozenset(MARKS) | (selection.texts if selection else frozenset())
        for text in sorted(texts):
            owners.setdefault(text, [])
        events = catalogue()
        wanted = selection.events if selection else frozenset()
        self.number_of = {constant: number for number, constant in enumerate(owners)}
        self.owners = list(owners.values())
        self.selects: npt.NDArray[np.bool_] = np.array(
            [
                constant in texts or any(events[place].id in wanted for place in places)
                for constant, places in owners.items()
            ]
        )
        self._texts = ConstantTexts([constant.encode() for constant in owners])

    def hits_in(self, buffer: bytes, starts: Offsets) -> Hits:
        """The constants in the records of a buffer, which begin at `starts`, ascending."""
        numbers, offsets = self._texts.find(buffer)
        records = np.searchsorted(starts, offsets, side="right") - 1
        inside = records >= 0
        return Hits(self, numbers[inside], offsets[inside], records[inside])


@cache
def scanner_of(selection: RecordSelection | None) -> Scanner:
    """The scanner of a selection, built once in each process."""
    return Scanner(selection)
