"""Lists the formats in an upload from the heads of its files, without writing anything."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from diagnostics.errors import UnreadableInput
from diagnostics.formats import Recognition
from diagnostics.intake.limits import MIB, USUAL, Allowance, Limits, Spent, unexpected
from diagnostics.intake.log_layout import LogLayout
from diagnostics.intake.members import Member, members
from diagnostics.intake.sources import SourceFile
from diagnostics.intake.text_head import read_head
from diagnostics.language import to_say

PEEKED_FILES = 1_000
"""Files of one upload that are examined: about half a second's work. Our choice."""

PEEKED_BYTES = 128 * MIB
"""Bytes decompressed to reach the files of a tar: about half a second's work. Our choice."""

PEEKED_SECONDS = 2.0
"""Time limit for one upload, while its sender waits. Our choice: a thousand costly heads take 15 s."""

PEEKED_ZIP_BYTES = 32 * MIB
"""A larger zip within an archive is not loaded into memory for this. Our choice."""

NOT_LOOKED_AT = Recognition(None, to_say("More files, recognised during the analysis"), 0.0)
REFUSED = Recognition(None, to_say("Refused"), 0.0)


class Peeked(NamedTuple):
    """A file of an upload.

    bytes    decompressed size as stated by the upload, else None
    refusal  why it will not be read
    """

    name: str
    bytes: int | None
    recognition: Recognition
    refusal: str | None


def peek(
    path: Path,
    name: str,
    limits: Limits = USUAL,
    layouts: Sequence[LogLayout] = (),
    seconds: float = PEEKED_SECONDS,
) -> list[Peeked]:
    """The files of an upload. One last entry reports what the limits above left out."""
    allowance = Allowance(limits, most_decompressed_bytes=PEEKED_BYTES, seconds=seconds)
    peeked: list[Peeked] = []
    looked_into = members(SourceFile(path, name), allowance, None, PEEKED_ZIP_BYTES)
    try:
        for member in looked_into:
            allowance.require_time()
            if len(peeked) >= PEEKED_FILES:
                peeked.append(Peeked(name, None, NOT_LOOKED_AT, None))
                break
            peeked.append(_peeked(member, layouts))
    except Spent:
        peeked.append(Peeked(name, None, NOT_LOOKED_AT, None))
    except Exception as error:
        peeked.append(Peeked(name, None, REFUSED, unexpected(error)))
    finally:
        looked_into.close()
    return peeked


def _peeked(member: Member, layouts: Sequence[LogLayout]) -> Peeked:
    if member.stream is None:
        return Peeked(member.name, member.stated_bytes, REFUSED, member.refusal)
    try:
        head = read_head(member.name, member.stream, layouts)
    except Spent:
        raise
    except UnreadableInput as error:
        return Peeked(member.name, member.stated_bytes, REFUSED, str(error))
    return Peeked(member.name, head.bytes if head.complete else member.stated_bytes, head.recognition, None)
