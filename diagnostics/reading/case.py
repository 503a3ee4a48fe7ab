"""The input of a diagnosis: files, the user's choices about them, and limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from diagnostics.intake import Limits, LogLayout, SourceFile
from diagnostics.intake.limits import USUAL
from diagnostics.notation.event_field import NamedFields
from diagnostics.reading.beginning import Beginning
from diagnostics.reading.clock import FileClock

LARGE_BYTES = 50_000_000
"""Unpacked size above which a case is large and gives way to others. Our choice: two cores read this much in about a
second (`make bench PARTS=logs`), the longest that a small case should wait for another one.
"""


@dataclass(frozen=True, slots=True)
class FileChoices:
    """The user's choices about single files, by the file's name inside the upload.

    formats       id of the format to read it as; an unknown one raises UnknownFormat when the case is read
    clocks        correction of its times
    event_fields  fields of its events for key, event time and arrival time
    """

    formats: Mapping[str, str] = field(default_factory=dict)
    clocks: Mapping[str, FileClock] = field(default_factory=dict)
    event_fields: Mapping[str, NamedFields] = field(default_factory=dict)

    @property
    def names(self) -> Set[str]:
        """The files that the user chose something for: they are read as the files that the choice was made for."""
        return self.formats.keys() | self.clocks.keys() | self.event_fields.keys()


@dataclass(frozen=True, slots=True)
class Case:
    """The input of a diagnosis.

    sources  the files as uploaded, including archives
    choices  the user's choices about files inside them
    limits   sizes, counts and nesting that an upload may have
    layouts  user-defined log layouts beyond the known ones
    beginning  the moment before which evidence does not count; None: all of it counts
    """

    sources: Sequence[SourceFile]
    choices: FileChoices = field(default_factory=FileChoices)
    limits: Limits = USUAL
    layouts: Sequence[LogLayout] = ()
    beginning: Beginning | None = None
