"""From uploads to text: archives opened within bounds, files decompressed, decoded and recognised.

Nothing is written outside the workspace, and file names on disk never come from an upload.
"""

from __future__ import annotations

from diagnostics.intake.inputs import InputFile, Intake, unpack
from diagnostics.intake.limits import Limits
from diagnostics.intake.log_layout import LogLayout
from diagnostics.intake.peeking import Peeked, peek
from diagnostics.intake.sources import SourceFile, sources_in
from diagnostics.intake.viewing import read_document, read_lines

__all__ = [
    "InputFile",
    "Intake",
    "Limits",
    "LogLayout",
    "Peeked",
    "SourceFile",
    "peek",
    "read_document",
    "read_lines",
    "sources_in",
    "unpack",
]
