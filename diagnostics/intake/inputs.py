"""Prepares an upload: every file is decompressed, decoded to UTF-8 and recognised, or refused with a reason."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from diagnostics.errors import LimitExceeded, UnreadableInput
from diagnostics.intake.encoding import Encoding
from diagnostics.intake.limits import USUAL, Allowance, AllSpent, Limits, Spent, in_words, unexpected
from diagnostics.intake.lines import CleanText, is_clean
from diagnostics.intake.log_layout import LogLayout
from diagnostics.intake.members import Member, members
from diagnostics.intake.sources import SourceFile, uniquely_named
from diagnostics.intake.streams import Metered, pieces
from diagnostics.intake.text_head import TextHead, read_head
from diagnostics.language import say, to_say


@dataclass(frozen=True, slots=True)
class InputFile:
    r"""One file of an upload.

    file_id     its index in the intake
    name        path inside the upload: `logs/tm.log`, `x.log.gz`, `bundle.zip!/logs/jm.log`
    path        its text: decompressed, UTF-8, lines ended by `\n`, or the bytes of a binary format; None when refused
    bytes       decompressed size before decoding; for a refused file the bytes read of it
    format_id   the recognised format; None for an attachment
    title       the format's title
    confidence  0..1
    warnings    defects of the file
    error       the reason for refusal; for an archive, why it is incomplete
    """

    file_id: int
    name: str
    path: Path | None
    bytes: int
    format_id: str | None
    title: str
    confidence: float
    warnings: tuple[str, ...]
    error: str | None


@dataclass(frozen=True, slots=True)
class Intake:
    """The files of an upload, in the order of the sources and of the archives' entries."""

    inputs: list[InputFile]


def unpack(
    sources: Sequence[SourceFile],
    workspace: Path,
    limits: Limits = USUAL,
    layouts: Sequence[LogLayout] = (),
    whole: Set[str] = frozenset(),
) -> Intake:
    """Every file in the sources; logs in one of the given layouts are rewritten in Flink's own.

    Writes only below `workspace`/inputs, under generated names. A file that already is clean text is used in place.

    whole  names of files that stay one even if they hold the logs of several processes
    """
    unpacking = _Unpacking(workspace, limits, layouts, whole)
    for source in uniquely_named(sources):
        unpacking.take(source)
    return Intake(unpacking.inputs)


class _Unpacking:
    def __init__(self, workspace: Path, limits: Limits, layouts: Sequence[LogLayout], whole: Set[str]) -> None:
        self._whole = whole
        self._layouts = layouts
        self._folder = workspace.resolve() / "inputs"
        self._folder.mkdir(parents=True, exist_ok=True)
        self._limits = limits
        self._allowance = Allowance(limits)
        self._ended: str | None = None
        self.inputs: list[InputFile] = []

    def take(self, source: SourceFile) -> None:
        """Add all files of one upload."""
        if self._ended is None and len(self.inputs) >= self._limits.files:
            self._ended = say("not read: {most:,} files in one upload is the bound", most=self._limits.files)
        if self._ended:
            self._refuse(source.name, self._ended)
            return
        archive_members = members(source, self._allowance, self._folder, self._limits.file_bytes, self._whole)
        try:
            for member in archive_members:
                if len(self.inputs) >= self._limits.files:
                    self._refuse(
                        source.name,
                        say(
                            "more than {most:,} files in one upload, which is the bound: {name} and what comes after "
                            "it were not read",
                            most=self._limits.files,
                            name=member.name,
                        ),
                    )
                    break
                self._take(source, member)
        except Spent as error:
            if not self.inputs or self.inputs[-1].name != source.name:
                self._refuse(source.name, say("{error}; the files before that were read", error=error))
            if isinstance(error, AllSpent):
                self._ended = say("not read: {error}", error=error)
        except Exception as error:
            self._refuse(source.name, unexpected(error))
        finally:
            archive_members.close()

    def _take(self, source: SourceFile, member: Member) -> None:
        if member.stream is None:
            self._refuse(member.name, member.refusal or say("cannot be read"))
            return
        content = Metered(member.stream, self._allowance)
        path, done = self._folder / f"{len(self.inputs)}.txt", tuple[str, ...]()
        try:
            _refuse_what_says_it_is_too_large(member, self._limits)
            head = read_head(member.name, member.stream, self._layouts)
            if member.on_disk and _is_clean_upload(source, member, head, self._limits):
                path, size = source.path.absolute(), member.stated_bytes or 0
                self._allowance.spend(size)
            else:
                done = self._write(content, head, path)
                size = content.bytes
        except (UnreadableInput, OSError) as error:
            reason = (
                str(error)
                if isinstance(error, UnreadableInput)
                else say("cannot be unpacked: {reason}", reason=error.strerror or error)
            )
            self._refuse(member.name, "; ".join([reason, *member.notes]), content.bytes)
            if isinstance(error, Spent):
                raise
            return
        recognition = head.recognition
        self.inputs.append(
            InputFile(
                file_id=len(self.inputs),
                name=member.name,
                path=path,
                bytes=size,
                format_id=recognition.format_id,
                title=recognition.title,
                confidence=recognition.confidence,
                warnings=(*dict.fromkeys(member.notes), *head.warnings, *done),
                error=None,
            )
        )

    def _write(self, content: Metered, head: TextHead, path: Path) -> tuple[str, ...]:
        line_bytes = self._limits.line_bytes if head.has_lines else None
        text = None if head.encoding is None else CleanText(content, head.encoding, line_bytes)
        try:
            with open(path, "wb") as target:
                texts = pieces(content) if text is None else text.pieces()
                for piece in texts if head.layout is None else head.layout.pieces(texts):
                    target.write(piece)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return () if text is None else text.warnings()

    def _refuse(self, name: str, reason: str, size: int = 0) -> None:
        self.inputs.append(InputFile(len(self.inputs), name, None, size, None, to_say("Refused"), 0.0, (), reason))


def _refuse_what_says_it_is_too_large(member: Member, limits: Limits) -> None:
    """Refuse a member by its stated size before copying it; false or missing sizes are caught while reading."""
    if (member.stated_bytes or 0) > limits.file_bytes:
        raise LimitExceeded(
            say("larger than {size}, which is the bound for one file", size=in_words(limits.file_bytes))
        )


def _is_clean_upload(source: SourceFile, member: Member, head: TextHead, limits: Limits) -> bool:
    """Whether an uncompressed upload can be used in place."""
    if head.encoding is None:
        return True
    if head.layout is not None:
        return False
    return head.encoding == Encoding("utf-8") and is_clean(source.path, limits.line_bytes if head.has_lines else None)
