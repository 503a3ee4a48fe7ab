"""Plans the reading of an upload: the format of each file, its ranges, and files that repeat another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from diagnostics.formats import FORMATS, format_by_id
from diagnostics.formats.format import Format
from diagnostics.intake import InputFile, Intake
from diagnostics.intake.repeated_content import repeated_content
from diagnostics.intake.snapshot_time import snapshot_times
from diagnostics.reading.beginning import Beginning, cut_at
from diagnostics.reading.case import FileChoices
from diagnostics.reading.one_cluster import OneCluster
from diagnostics.reading.ranges import PlannedRange, ranges_of


@dataclass(frozen=True, slots=True)
class ReadingPlan:
    """The files and ranges to read of an upload.

    formats   file id -> the format it is read as; None for an attachment
    ranges    of the files that are read, in file order
    repeated  file id -> name of the file that holds its content, too, and is read instead
    """

    formats: Mapping[int, Format | None]
    ranges: list[PlannedRange]
    repeated: Mapping[int, str]


def plan_ranges(
    intake: Intake, choices: FileChoices, beginning: Beginning | None = None, cluster: OneCluster | None = None
) -> ReadingPlan:
    """Decide the format and the byte ranges of each file, and which of their rows do not count."""
    formats = {each.file_id: _format_of(each, choices.formats) for each in intake.inputs}
    taken = snapshot_times(intake.inputs)
    repeated = repeated_content(intake.inputs)
    cut = cut_at(beginning, intake.inputs) if beginning else None
    ranges = [
        part
        for file in intake.inputs
        if file.file_id not in repeated
        for part in ranges_of(
            file,
            formats[file.file_id],
            taken.get(file.file_id),
            choices.clocks.get(file.name),
            choices.event_fields.get(file.name),
            cut,
            cluster,
        )
    ]
    return ReadingPlan(formats, ranges, repeated)


def _format_of(file: InputFile, chosen_formats: Mapping[str, str]) -> Format | None:
    if file.path is None:
        return None
    format_id = chosen_formats.get(file.name, file.format_id)
    chosen = format_by_id(format_id) if format_id else None
    recognised = FORMATS.get(file.format_id or "")
    # Binary files have no lines, and may look like a single endless one to a reader of lines.
    return recognised if recognised is not None and recognised.binary else chosen
