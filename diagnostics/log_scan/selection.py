"""Selects the records of a log that become rows, by one search for all constants."""

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
from diagnostics.notation.printed_options import MARKS as LISTS_OF_OPTIONS
from diagnostics.notation.thread_stack import TITLE

START_UP = (
    "Loading configuration property: ",
    "Maximum heap size: ",
    "JVM Options:",
    "Program Arguments:",
    "Classpath: ",
    "Using standard YAML parser to load flink configuration file from ",
    "Using legacy YAML parser to load flink configuration file from ",
)
"""Beginnings of start-up messages that state settings, or where a process has its files."""

OPTION_MARKS = ("-     ", ":     ", "|     ")
"""An option of the banner, indented by four spaces, after each possible separator before a message."""

METRICS_REPORT = "= Starting metrics report ="
"""Text in a record of Flink's Slf4jReporter."""

VERSION_MARK = "(Version: "
"""Text before Flink's version in the start-up banner."""

MARKS = (*START_UP, *OPTION_MARKS, *SCOPES, *LISTS_OF_OPTIONS, METRICS_REPORT, VERSION_MARK, TITLE)
"""Texts, besides catalogued events, that readers of logs need; records with one of them are always rows."""

CONTEXT = "log_selection"
"""Key of a RecordSelection in a range's context; without one every record is a row, as in the log book."""


@dataclass(frozen=True)
class RecordSelection:
    """The records that an aggregator reads; the others are only counted, by second and level.

    events  ids of the catalogued events whose records are rows
    texts   constants whose records are rows

    Records from WARN on, records of several lines and records in an unusual layout are always rows.
    """

    events: frozenset[str]
    texts: frozenset[str]


@dataclass(frozen=True, slots=True)
class Hits:
    """Matches of constants in the records of a stretch.

    numbers  of the constants, in the scanner's order
    offsets  of their last bytes
    records  indexes of their records in the stretch
    """

    scanner: Scanner
    numbers: Offsets
    offsets: Offsets
    records: Offsets

    def part(self, first: int, last: int) -> Hits:
        """The matches in the records from `first` to before `last`, with record indexes from `first`."""
        kept = (self.records >= first) & (self.records < last)
        return Hits(self.scanner, self.numbers[kept], self.offsets[kept], self.records[kept] - first)

    def chosen(self, is_chosen: npt.NDArray[np.bool_]) -> Hits:
        """The matches in the chosen records, with indexes among the chosen ones."""
        kept = is_chosen[self.records]
        places = np.cumsum(is_chosen) - 1
        return Hits(self.scanner, self.numbers[kept], self.offsets[kept], places[self.records[kept]])

    def selected_records(self) -> Offsets:
        """Records that a constant selects as rows; may contain duplicates."""
        found: Offsets = self.records[self.scanner.selects[self.numbers]]
        return found

    def have_any(self, marks: Iterable[str]) -> bool:
        """Whether any record contains one of these MARKS."""
        return bool(np.isin(self.numbers, [self.scanner.number_of[mark] for mark in marks]).any())

    def first_end(self, mark: str) -> int | None:
        """The offset after the first occurrence of one of MARKS; None when no record contains it."""
        offsets = self.offsets[self.numbers == self.scanner.number_of[mark]]
        return int(offsets.min()) + 1 if len(offsets) else None

    def records_with(self, mark: str) -> list[int]:
        """Distinct records that contain one of MARKS, ascending."""
        found: list[int] = np.unique(self.records[self.numbers == self.scanner.number_of[mark]]).tolist()
        return found


class Scanner:
    """Finds the constants of all catalogued events, MARKS and a selection's texts in one pass over a buffer.

    owners   for each constant the catalogue indexes of the events that have it
    selects  for each constant whether a record that contains it is a row
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
        """The matches in the records of a buffer, which begin at the ascending `starts`."""
        numbers, offsets = self._texts.find(buffer)
        records = np.searchsorted(starts, offsets, side="right") - 1
        inside = records >= 0
        return Hits(self, numbers[inside], offsets[inside], records[inside])


@cache
def scanner_of(selection: RecordSelection | None) -> Scanner:
    """The scanner of a selection, built once per process."""
    return Scanner(selection)
