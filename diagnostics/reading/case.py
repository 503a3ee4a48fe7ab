"""A case as it is diagnosed: its files, what a user chose about them, and the bounds that hold for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from diagnostics.intake import Limits, LogLayout, SourceFile
from diagnostics.intake.limits import USUAL
from diagnostics.notation.event_field import NamedFields
from diagnostics.reading.clock import FileClock


@dataclass(frozen=True, slots=True)
class FileChoices:
    """What a user chose about single files, each by the file's name inside the upload.

    formats       id of the format that it is read as; an unknown one raises UnknownFormat when the case is read
    clocks        how its times are moved
    event_fields  which fields of its events are key, event time and time of arrival
    """

    formats: Mapping[str, str] = field(default_factory=dict)
    clocks: Mapping[str, FileClock] = field(default_factory=dict)
    event_fields: Mapping[str, NamedFields] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Case:
    """What is diagnosed.

    sources  the files as they were uploaded, archives among them
    choices  what a user chose about files inside them
    limits   sizes, counts and nesting that an upload may have
    layouts  log layouts beyond those that are recognised by themselves
    """

    sources: Sequence[SourceFile]
    choices: FileChoices = field(default_factory=FileChoices)
    limits: Limits = USUAL
    layouts: Sequence[LogLayout] = ()
