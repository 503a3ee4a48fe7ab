"""Converts the files of a case, with the users' choices about them, to the library's input."""

from __future__ import annotations

from collections.abc import Sequence

from diagnostics.intake import SourceFile
from diagnostics.notation.event_field import NamedFields
from diagnostics.reading.beginning import Beginning
from diagnostics.reading.case import Case, FileChoices
from diagnostics.reading.clock import FileClock
from workbench.layouts.selectors import layouts_now
from workbench.limits.selectors import limits_now
from workbench.uploads.models import UploadedFile


def case_evidence(files: Sequence[UploadedFile], beginning: Beginning | None = None) -> Case:
    """The files as a Case, with the current limits and log layouts.

    beginning  the moment before which they do not count
    """
    choices = FileChoices(
        formats={name: format_id for file in files for name, format_id in file.overrides.items()},
        clocks={name: FileClock.from_json(clock) for file in files for name, clock in file.clocks.items()},
        event_fields={name: NamedFields(*fields) for file in files for name, fields in file.event_fields.items()},
    )
    sources = [SourceFile(file.path, file.name) for file in files]
    return Case(sources, choices, limits_now().unpacked, layouts_now(), beginning)
