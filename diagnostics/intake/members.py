"""Every file inside an uploaded file, at any depth, one after the other, with its name inside the upload."""

from __future__ import annotations

import io
import os
import re
import stat
import tempfile
import zipfile
from collections.abc import Generator, Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from errno import ELOOP
from pathlib import Path
from typing import BinaryIO, cast

from diagnostics.errors import LimitExceeded, UnreadableInput
from diagnostics.intake.compression import Decompressed, Inflate, bunzip
from diagnostics.intake.history_archive import archived_answers
from diagnostics.intake.limits import Allowance, Spent, in_words
from diagnostics.intake.pasted_answers import MOST_BYTES, pasted_answers
from diagnostics.intake.process_entries import MOST_BYTES as MOST_ENTRY_BYTES
from diagnostics.intake.process_entries import entries_of_processes, may_be_of_several
from diagnostics.intake.process_logs import HEAD_BYTES, flink_process_namer, process_logs
from diagnostics.intake.signatures import COMPRESSIONS, SIGNATURE_BYTES, Container, archive_not_read, container_of
from diagnostics.intake.sources import Names, SourceFile, readable_name
from diagnostics.intake.streams import ByteStream, Checked, Peekable, Region, pieces
from diagnostics.intake.tar_archive import tar_entries
from diagnostics.intake.yarn_logs import container_logs
from diagnostics.intake.zip_archive import ZipEntry, content_start, zip_directory, zip_remains
from diagnostics.language import say

_DRIVE = re.compile(r"[A-Za-z]:")
_SHOWN_CHARACTERS = 100


@dataclass(slots=True)
class Member:
    """A file inside an upload, or the upload itself.

    name          path inside the upload
    stream        its decompressed content, to be read before the next member; None when refused
    refusal       the reason for refusal
    notes         its defects; complete once the stream is read
    on_disk       whether it is the upload itself, uncompressed
    stated_bytes  its decompressed size as stated before reading; unverified
    """

    name: str
    stream: Peekable | None = None
    refusal: str | None = None
    notes: list[str] = field(default_factory=list)
    on_disk: bool = False
    stated_bytes: int | None = None


def members(
    source: SourceFile,
    allowance: Allowance,
    spool_folder: Path | None,
    spooled_bytes: int,
    whole: Set[str] | None = None,
) -> Generator[Member, None, None]:
    """Each file of an upload. A defect of an archive is a refused member with the archive's name.

    spool_folder   where a zip within an archive may be written, without a name; None keeps it in memory
    spooled_bytes  the largest zip within an archive, and the largest file with the logs of several processes
    whole          names of files that stay one even if they hold the logs of several processes; None for all files
    Raises Spent and AllSpent.
    """
    try:
        with _regular_file(source.path) as file:
            size = os.fstat(file.fileno()).st_size
            allowance.begin_upload(size)
            walk = _Walk(allowance, spool_folder, spooled_bytes, whole)
            yield from walk.opened(Member(source.name, stated_bytes=size), Region(file, 0, None), file, 0)
    except OSError as error:
        reason = (
            say("a link, which is not followed")
            if error.errno == ELOOP
            else say("cannot be read: {reason}", reason=error.strerror or error)
        )
        yield Member(source.name, refusal=reason)


class _Walk:
    def __init__(
        self, allowance: Allowance, spool_folder: Path | None, spooled_bytes: int, whole: Set[str] | None
    ) -> None:
        self._whole = whole
        self._allowance = allowance
        self._limits = allowance.limits
        self._spool_folder = spool_folder
        self._spooled_bytes = spooled_bytes
        self._names = Names()

    def opened(self, member: Member, stream: ByteStream, file: BinaryIO | None, archives: int) -> Iterator[Member]:
        """The member itself, or the files inside it.

        file      the member's own file when it is on disk uncompressed
        archives  number of archives around the member
        """
        try:
            content, kind, layers = self._decompressed(stream, member.notes)
        except Spent:
            raise
        except UnreadableInput as error:
            member.refusal = "; ".join([str(error), *member.notes])
            yield member
            return
        if layers:
            file, member.stated_bytes = None, None
        if kind is None:
            yield from self._file(member, content, file, archives)
        elif archives >= self._limits.nesting:
            member.refusal = say(
                "a {kind} inside {archives} other archives: {nesting} is the bound",
                kind=kind.value,
                archives=archives,
                nesting=self._limits.nesting,
            )
            yield member
        else:
            yield from self._archive(member, kind, content, file, archives + 1)

    def _file(self, member: Member, content: Peekable, file: BinaryIO | None, archives: int) -> Iterator[Member]:
        """The file itself, or the log of each process in it."""
        stays_whole = self._whole is None or member.name in self._whole or archives >= self._limits.nesting
        head = b"" if stays_whole else content.head(HEAD_BYTES)
        namer = flink_process_namer(head)
        entries = entries_of_processes(content.head(MOST_ENTRY_BYTES + 1)) if may_be_of_several(head) else {}
        for name, answer in entries.items():
            inside = self._inside(member.name, name, [*member.notes])
            inside.stream = Peekable(io.BytesIO(answer))
            yield inside
        if entries:
            return
        if namer is None or self._spool_folder is None:
            member.stream, member.on_disk = content, file is not None
            yield member
            return
        try:
            with process_logs(content, namer, self._spool_folder, self._spooled_bytes) as logs:
                if len(logs) > 1:
                    for name, log in logs.items():
                        inside = self._inside(member.name, name, [*member.notes])
                        inside.stream = Peekable(log)
                        yield inside
                    return
                (log,) = logs.values()
                member.stream = Peekable(log if file is None else Region(file, 0, None))
                member.on_disk = file is not None
                yield member
        except Spent:
            raise
        except UnreadableInput as error:
            member.refusal = "; ".join([str(error), *member.notes])
            yield member

    def _decompressed(self, stream: ByteStream, notes: list[str]) -> tuple[Peekable, Container | None, int]:
        """The stream after all decompressions, its kind of archive, and the number of compressions."""
        layers = 0
        while True:
            content = Peekable(stream)
            head = content.head(SIGNATURE_BYTES)
            kind = container_of(head)
            if kind not in COMPRESSIONS:
                break
            layers += 1
            if layers > self._limits.compressions:
                raise LimitExceeded(
                    say(
                        "compressed more than {compressions} times over, which is the bound",
                        compressions=self._limits.compressions,
                    )
                )
            stream = Decompressed.of(kind, content, self._allowance, notes)
        reason = archive_not_read(head) if kind is None else None
        if reason:
            raise UnreadableInput(reason)
        if kind is None and pasted_answers(content.head(MOST_BYTES + 1)):
            kind = Container.PASTED
        return content, kind, layers

    def _archive(
        self, archive: Member, kind: Container, content: Peekable, file: BinaryIO | None, archives: int
    ) -> Iterator[Member]:
        before = len(self._names)
        try:
            if kind is Container.TAR:
                yield from self._tar(archive.name, content, archives)
            elif kind is Container.HISTORY:
                yield from self._history(archive.name, content, archives)
            elif kind is Container.YARN:
                yield from self._yarn(archive.name, content, archives)
            elif kind is Container.PASTED:
                yield from self._pasted(archive.name, content, archives)
            elif file is not None:
                yield from self._zip(archive.name, file, archives)
            else:
                with self._spooled(content) as spooled:
                    yield from self._zip(archive.name, spooled, archives)
            if len(self._names) == before:
                archive.notes.append(say("empty: the archive holds no file"))
        except Spent:
            raise
        except UnreadableInput as error:
            archive.notes.insert(0, str(error))
        if archive.notes:
            archive.refusal = "; ".join(dict.fromkeys(archive.notes))
            yield archive

    def _tar(self, archive: str, stream: ByteStream, archives: int) -> Iterator[Member]:
        for entry in tar_entries(stream, self._limits.entries):
            if entry.is_folder:
                continue
            member = self._inside(archive, entry.name, entry.notes)
            member.refusal = member.refusal or entry.refusal
            if member.refusal or entry.content is None:
                yield member
                continue
            member.stated_bytes = entry.content.size
            yield from self.opened(member, entry.content, None, archives)

    def _history(self, archive: str, stream: ByteStream, archives: int) -> Iterator[Member]:
        for answer in archived_answers(stream, self._limits.entries):
            member = self._inside(archive, answer.name, [])
            if member.refusal:
                yield member
                continue
            member.stated_bytes = len(answer.content)
            yield from self.opened(member, io.BytesIO(answer.content), None, archives)

    def _yarn(self, archive: str, stream: ByteStream, archives: int) -> Iterator[Member]:
        for log in container_logs(stream, self._limits.entries):
            member = self._inside(archive, log.name, [])
            if member.refusal:
                yield member
                continue
            yield from self.opened(member, log.content, None, archives)

    def _pasted(self, archive: str, stream: Peekable, archives: int) -> Iterator[Member]:
        for answer in pasted_answers(stream.head(MOST_BYTES + 1)):
            member = self._inside(archive, answer.name, [])
            member.stated_bytes, member.stream = len(answer.content), Peekable(io.BytesIO(answer.content))
            yield member

    def _zip(self, archive: str, file: BinaryIO, archives: int) -> Iterator[Member]:
        entries = zip_directory(file)
        if entries is not None and _is_java_archive(entries):
            raise UnreadableInput(say("a Java archive (jar): programs are no evidence"))
        most = self._limits.entries
        for entry in zip_remains(file, most) if entries is None else entries[:most]:
            if entry.is_folder:
                continue
            member = self._inside(archive, entry.name, [])
            member.refusal = member.refusal or entry.refusal()
            try:
                content = None if member.refusal else self._content(file, entry, member.notes)
            except UnreadableInput as error:
                member.refusal, content = str(error), None
            if content is None:
                yield member
                continue
            member.stated_bytes = entry.file_bytes
            yield from self.opened(member, content, None, archives)
        if entries is None:
            raise UnreadableInput(
                say("cut off or damaged: its directory at the end is missing; what could be found was read")
            )
        if len(entries) > most:
            raise LimitExceeded(say("more than {most:,} entries, which is the bound; the rest was not read", most=most))

    def _content(self, file: BinaryIO, entry: ZipEntry, notes: list[str]) -> ByteStream:
        start = content_start(file, entry)
        if entry.method == zipfile.ZIP_STORED:
            if entry.stored_bytes is None:
                raise UnreadableInput(say("cut off: the archive does not say how long it is"))
            stored = Region(file, start, start + entry.stored_bytes)
            return Checked(stored, entry.stored_bytes, entry.checksum, notes)
        make = bunzip if entry.method == zipfile.ZIP_BZIP2 else Inflate
        packed = Decompressed(Region(file, start, None), make, self._allowance, notes)
        return Checked(packed, None, entry.checksum, notes)

    @contextmanager
    def _spooled(self, stream: ByteStream) -> Iterator[BinaryIO]:
        """A zip within an archive as a seekable file, because its directory is at its end."""
        folder = None if self._spool_folder is None else str(self._spool_folder)
        in_memory = self._limits.spooled_bytes if folder else 0
        with tempfile.SpooledTemporaryFile(in_memory, dir=folder) as spooled:
            size = 0
            for piece in pieces(stream):
                size += len(piece)
                if size > self._spooled_bytes:
                    bound = in_words(self._spooled_bytes)
                    raise LimitExceeded(
                        say("a zip of more than {bound} inside an archive; {bound} is the bound", bound=bound)
                    )
                spooled.write(piece)
            yield cast(BinaryIO, spooled)

    def _inside(self, archive: str, raw: str, notes: list[str]) -> Member:
        """A file of an archive under a unique name, refused when its name is invalid."""
        path = raw.replace("\\", "/")
        refusal = _name_refusal(path, self._limits.name_characters)
        if refusal:
            shown = path if len(path) <= self._limits.name_characters else path[:_SHOWN_CHARACTERS] + "..."
        else:
            shown = "/".join(part for part in path.split("/") if part not in ("", ".")) or "unnamed"
        wanted = f"{archive}!/{readable_name(shown)}"
        name = self._names.take(wanted)
        if name != wanted:
            notes.append(say("the archive holds several files of this name: this one got a number"))
        return Member(name, refusal=refusal, notes=notes)


@contextmanager
def _regular_file(path: Path) -> Iterator[BinaryIO]:
    """The file, opened without following links or waiting for a pipe. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb", buffering=0) as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(say("not a regular file"))
        yield cast(BinaryIO, file)


def _name_refusal(path: str, most: int) -> str | None:
    if len(path) > most:
        return say("its name has {path:,} characters; {most:,} is the bound", path=len(path), most=most)
    if path.startswith("/"):
        return say("its name is an absolute path")
    if _DRIVE.match(path):
        return say("its name begins with a drive letter")
    if ".." in path.split("/"):
        return say("its name leads out of the archive (..)")
    return None


def _is_java_archive(entries: list[ZipEntry]) -> bool:
    return any(entry.name == "META-INF/MANIFEST.MF" for entry in entries) and any(
        entry.name.endswith(".class") for entry in entries
    )
