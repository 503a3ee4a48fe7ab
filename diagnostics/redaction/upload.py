"""Rewrites an uploaded file (plain, compressed or an archive) without redacted values."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from diagnostics.errors import UnreadableInput
from diagnostics.intake.limits import USUAL, Allowance, Limits, Spent
from diagnostics.intake.lines import CleanText
from diagnostics.intake.members import Member, members
from diagnostics.intake.sources import SourceFile
from diagnostics.intake.streams import Metered
from diagnostics.intake.text_head import read_head
from diagnostics.language import say
from diagnostics.redaction.redactor import Redactor, Replacement


@dataclass(slots=True)
class Redacted:
    """The result of redacting an upload.

    replacements  by the rule's id
    left_out      files that are not in the result, with the reason: what cannot be read cannot be redacted
    """

    replacements: dict[str, Replacement] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        """Values replaced."""
        return sum(each.count for each in self.replacements.values())


def nobody(_bytes: int) -> None:
    """For callers that show no progress."""


def redact_upload(
    source: SourceFile,
    target: Path,
    redactor: Redactor,
    limits: Limits = USUAL,
    progress: Callable[[int], None] = nobody,
    seconds: float | None = None,
) -> Redacted:
    """Writes the upload to `target` with every value replaced, under the same names inside, an archive as zip.

    progress  called repeatedly with the number of bytes processed
    seconds   time limit
    Raises UnreadableInput when nothing of it can be read; Spent when it is too large or takes too long.
    """
    seen = 0

    def watched(pieces: Iterator[bytes]) -> Iterator[bytes]:
        nonlocal seen
        for piece in pieces:
            seen += len(piece)
            progress(seen)
            yield piece

    done = Redacted(redactor.replacements)
    allowance = Allowance(limits, seconds=seconds)
    written = 0
    walked = members(source, allowance, target.parent, limits.file_bytes)
    archive: zipfile.ZipFile | None = None
    try:
        for member in walked:
            try:
                cleaned = _cleaned(member, allowance, redactor)
            except Spent:
                raise
            except UnreadableInput as error:
                done.left_out.append(f"{member.name}: {error}")
                continue
            cleaned = watched(cleaned)
            if member.name == source.name:
                _write_alone(cleaned, target, packed=not member.on_disk)
                return done
            archive = archive or zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED)
            with archive.open(member.name.removeprefix(f"{source.name}!/"), "w", force_zip64=True) as opened:
                for piece in cleaned:
                    opened.write(piece)
            written += 1
    finally:
        walked.close()
        if archive is not None:
            archive.close()
    if not written:
        raise UnreadableInput("; ".join(done.left_out[:3]) or say("nothing in it can be read"))
    return done


def _cleaned(member: Member, allowance: Allowance, redactor: Redactor) -> Iterator[bytes]:
    if member.stream is None:
        raise UnreadableInput(member.refusal or say("cannot be read"))
    head = read_head(member.name, member.stream)
    if head.encoding is None:
        raise UnreadableInput(say("no text, so secrets in it cannot be found"))
    text = CleanText(Metered(member.stream, allowance), head.encoding, None)
    return redactor.pieces(text.pieces())


def _write_alone(cleaned: Iterator[bytes], target: Path, *, packed: bool) -> None:
    with target.open("wb") as plain:
        if not packed:
            plain.writelines(cleaned)
            return
        with gzip.GzipFile(fileobj=plain, mode="wb", mtime=0) as opened:
            opened.writelines(cleaned)
