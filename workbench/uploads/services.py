"""Receives, bounds, hashes, recognises and stores files. `UploadRefused` states why a file is not accepted."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import tempfile
import time
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import IO, Any, TypeAlias

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile as ReceivedFile
from django.db import transaction
from django.utils import timezone

from diagnostics.errors import UnreadableInput
from diagnostics.intake import LogLayout, SourceFile, peek
from diagnostics.intake.peeking import PEEKED_SECONDS
from diagnostics.language import ENGLISH, reading_in
from diagnostics.redaction import Redactor, nobody, redact_upload
from workbench.accounts.models import Team, User
from workbench.cases.holds import OnHold, require_no_hold
from workbench.cases.models import Case, LegalHold
from workbench.cases.services import case_lock
from workbench.languages.sentences import say
from workbench.layouts.selectors import layouts_now
from workbench.limits.selectors import UploadLimits, limits_now
from workbench.machine.disk import full_disk_refused, require_room
from workbench.redaction.selectors import redactor_for
from workbench.untrusted.storable import storable
from workbench.uploads.corrections import kind_of
from workbench.uploads.models import FileKind, UploadedFile
from workbench.uploads.refusals import TooLarge, UploadRefused
from workbench.uploads.reservations import require_share, stored_bytes
from workbench.uploads.scanning import refuse_infected
from workbench.uploads.shelf import Shelf

PIECE_BYTES = 1024 * 1024
LONGEST_NAME = 900
LOOKED_SECONDS = 5.0
"""Time limit for recognising the files of an upload while its sender waits; the analysis recognises the rest. Our
choice.
"""
REDACTED_SECONDS = 10.0
"""Time limit for redacting the files of one request while its sender waits. Our choice."""
REMOVED_KEPT = timedelta(hours=1)
"""How long a removed file can be restored. Our choice: longer than noticing a mistake takes."""


@dataclass(slots=True)
class RequestTime:
    """Seconds that remain for the files of one request, however many calls store them.

    recognition  for recognising contents; the analysis recognises the rest
    redaction    for redacting; a worker redacts the rest, where a file may wait for it (`arrivals.upload_take`)
    """

    recognition: float = field(default_factory=lambda: LOOKED_SECONDS)
    redaction: float = field(default_factory=lambda: REDACTED_SECONDS)


Content: TypeAlias = "ReceivedFile[bytes] | IO[bytes] | Path"
"""Content of a request, a readable stream, or a file on disk, which is moved."""


def upload_add(
    *,
    case: Case,
    user: User,
    content: Content,
    name: str,
    redact: Collection[str] = (),
    progress: Callable[[int], None] = nobody,
    remaining: RequestTime | None = None,
) -> UploadedFile:
    """Stores one uploaded file and recognises its contents, as `uploads_add`.

    progress  called with the bytes of text redacted
    Raises NoRoom, TooLarge, AlreadyInCase; UploadRefused for a file that cannot be redacted or is infected.
    """
    [taken] = uploads_add(
        case=case, user=user, drops=[(name, content)], redact=redact, progress=progress, remaining=remaining
    )
    if isinstance(taken, UploadRefused):
        raise taken
    return taken


def uploads_add(
    *,
    case: Case,
    user: User,
    drops: Iterable[tuple[str, Content]],
    redact: Collection[str] = (),
    progress: Callable[[int], None] = nobody,
    remaining: RequestTime | None = None,
) -> list[UploadedFile | UploadRefused]:
    """Stores uploaded files and recognises their contents; gives each as a row or as its refusal.

    An unknown format is kept as an attachment, an unreadable file is kept with the reason. The files belong to the
    newest snapshot.

    drops        (path inside the upload, content)
    redact       ids of the redaction rules that are applied before anything is stored
    remaining    where the files of one request are stored by several calls: reduced by what these files take
    Raises NoRoom, with nothing stored.
    """
    limits, layouts, redactor = limits_now(), layouts_now(), redactor_for(redact)
    folder = settings.UPLOADS_DIR / str(case.pk)
    folder.mkdir(exist_ok=True, mode=0o700)
    answers: list[UploadedFile | UploadRefused] = []
    remaining = remaining or RequestTime()
    try:
        for name, content in drops:
            file = UploadedFile(case=case, uploaded_by=user, name=_clean(name), stored=f"{case.pk}/{uuid.uuid4().hex}")
            answers.append(file)
            begun = time.monotonic()
            try:
                file.bytes, file.sha256, file.redacted = _store_redacted(
                    content, file.path, file.name, redactor, limits, progress
                )
                refuse_infected(file.path)
            except UploadRefused as refusal:
                file.path.unlink(missing_ok=True)
                answers[-1] = refusal
            else:
                stored = time.monotonic()
                remaining.redaction -= stored - begun
                _recognise(file, limits, layouts, max(0.0, min(remaining.recognition, PEEKED_SECONDS)))
                remaining.recognition -= time.monotonic() - stored
        return _placed(case, answers, limits)
    except BaseException:
        for each in answers:
            if isinstance(each, UploadedFile):
                each.path.unlink(missing_ok=True)
        raise


def _placed(
    case: Case, answers: Iterable[UploadedFile | UploadRefused], limits: UploadLimits
) -> list[UploadedFile | UploadRefused]:
    """The results, with the files that fit as rows of the case."""
    placed: list[UploadedFile | UploadRefused] = []
    unplaced: list[Path] = []
    with transaction.atomic():
        # Serialises files that arrive concurrently, for limits and names.
        case_lock(case)
        team = Team.objects.select_for_update().get(pk=case.team_id)
        shelf, snapshot, held = Shelf.read(case, limits), case.snapshot_number, stored_bytes(team)
        for stored in answers:
            answer = stored
            if isinstance(stored, UploadedFile):
                stored.snapshot = snapshot
                try:
                    require_share(team, held, stored.bytes, limits)
                    shelf.place(stored)
                    held += stored.bytes
                    stored.save()
                except UploadRefused as refusal:
                    answer = refusal
                    unplaced.append(stored.path)
            placed.append(answer)
    for path in unplaced:
        path.unlink(missing_ok=True)
    return placed


def redaction_in_time() -> Callable[[int], None]:
    """A `progress` for a request whose sender waits: raises UploadRefused after the time limit."""
    end = time.monotonic() + REDACTED_SECONDS

    def progress(_seen: int) -> None:
        if time.monotonic() > end:
            raise UploadRefused(
                say(
                    "Not stored: taking secrets out takes longer than {seconds:g} seconds. Send it by "
                    "itself, not packed, or in parts.",
                    seconds=REDACTED_SECONDS,
                )
            )

    return progress


def text_add(*, case: Case, user: User, text: str, name: str = "", redact: str = "") -> UploadedFile:
    """Stores pasted text as a file. Raises UploadRefused when it is empty, TooLarge, AlreadyInCase."""
    if not text.strip():
        raise UploadRefused(say("Nothing was pasted."))
    content, called = io.BytesIO(text.encode()), name.strip() or "pasted.txt"
    return upload_add(
        case=case, user=user, content=content, name=called, redact=redact.split(), progress=redaction_in_time()
    )


def file_remove(*, file: UploadedFile) -> None:
    """Removes a file from the case; `file_restore` undoes it for a while. Raises UploadRefused once it is cited, and
    under legal hold.
    """
    try:
        require_no_hold(file.case.team_id)
    except OnHold as error:
        raise UploadRefused(str(error)) from None
    removed = UploadedFile.objects.present().filter(pk=file.pk, analysed_at=None).update(removed_at=timezone.now())
    if not removed:
        raise UploadRefused(say("{name} was analysed; findings cite its lines, so it stays.", name=file.name))


@transaction.atomic
def file_restore(*, file: UploadedFile) -> None:
    """Undoes `file_remove`. Raises UploadRefused when it is deleted."""
    is_kept = UploadedFile.objects.select_for_update().filter(pk=file.pk).exists()
    if not is_kept or not file.path.exists():
        raise UploadRefused(say("{name} was removed too long ago.", name=file.name))
    Shelf.read(file.case, limits_now()).place(file)
    file.removed_at = None
    file.save()


def case_discard(*, case: Case) -> None:
    """Undoes the opening of a case whose files were refused."""
    shutil.rmtree(settings.UPLOADS_DIR / str(case.pk), ignore_errors=True)
    case.delete()


def removed_files_purge() -> int:
    """Deletes the bytes of files removed longer ago than REMOVED_KEPT, but of teams under legal hold.

    Gives how many files.
    """
    old = UploadedFile.objects.filter(removed_at__lt=timezone.now() - REMOVED_KEPT)
    old = old.exclude(case__team__in=LegalHold.objects.in_force().values("team"))
    count = 0
    for file in list(old):
        # The row first, and only while it is removed: one that was restored meanwhile keeps its bytes.
        deleted, _ = old.filter(pk=file.pk).delete()
        if deleted:
            file.path.unlink(missing_ok=True)
            count += 1
    return count


def _store(content: Content, path: Path, most: int) -> tuple[int, str]:
    """Writes the bytes and gives their number and SHA-256. A file on disk is moved."""
    received = _on_disk(content)
    digest = hashlib.sha256()
    size = 0
    with full_disk_refused(PIECE_BYTES), open(os.devnull if received else path, "wb") as target:
        for piece in _pieces(content):
            size += len(piece)
            if size > most:
                raise TooLarge(say("The file is larger than {most} bytes.", most=most))
            digest.update(piece)
            if not received:
                require_room(len(piece))
                target.write(piece)
    if received:
        received.replace(path)
    path.chmod(0o600)
    return size, digest.hexdigest()


def _store_redacted(
    content: Content,
    path: Path,
    name: str,
    redactor: Redactor | None,
    limits: UploadLimits,
    progress: Callable[[int], None],
) -> tuple[int, str, dict[str, Any] | None]:
    """As `_store`, with the content redacted. Raises UploadRefused.

    A request's content is consumed; a file on disk is kept, for its owner to delete.
    """

    def watched(seen: int) -> None:
        require_room(0)
        progress(seen)

    if redactor is None:
        return *_store(content, path, limits.file_bytes), None
    with tempfile.TemporaryDirectory(dir=settings.INCOMING_DIR) as folder:
        original, cleaned = Path(folder) / "original", Path(folder) / "cleaned"
        if isinstance(content, Path):
            original = content
        else:
            _store(content, original, limits.file_bytes)
        try:
            with full_disk_refused(original.stat().st_size):
                done = redact_upload(SourceFile(original, name), cleaned, redactor, limits.unpacked, watched)
        except UnreadableInput as error:
            raise UploadRefused(
                say("It is not stored, since it cannot be read and so not be redacted: {error}", error=error)
            ) from None
        size, sha256 = _store(cleaned, path, limits.file_bytes)
    counts = {rule_id: found.count for rule_id, found in done.replacements.items()}
    return size, sha256, storable({"found": counts, "left_out": done.left_out})


def _on_disk(content: Content) -> Path | None:
    if isinstance(content, Path):
        return content
    written = getattr(content, "temporary_file_path", None)
    return Path(written()) if written else None


def _pieces(content: Content) -> Iterator[bytes]:
    if isinstance(content, ReceivedFile):
        yield from content.chunks(PIECE_BYTES)
        return
    if isinstance(content, Path):
        with content.open("rb") as opened:
            yield from _pieces(opened)
        return
    while piece := content.read(PIECE_BYTES):
        yield piece


def _recognise(file: UploadedFile, limits: UploadLimits, layouts: Sequence[LogLayout], seconds: float) -> None:
    """Sets the kind and contents of the file on its row, as far as they are recognised within the time."""
    try:
        with reading_in(ENGLISH):  # what is stored
            peeked = peek(file.path, file.name, limits.unpacked, layouts, seconds)
    except UnreadableInput as error:
        file.kind, file.refused_reason = FileKind.REFUSED, storable(str(error))
        return
    members = [
        {
            "name": member.name,
            "format": member.recognition.format_id,
            "title": member.recognition.title,
            "confidence": member.recognition.confidence,
            "bytes": member.bytes,
            "refused": member.refusal,
        }
        for member in peeked
    ]
    reasons = [each.refusal for each in peeked if each.refusal]
    file.members = storable(members)
    if reasons and len(reasons) == len(peeked):
        file.kind, file.refused_reason = FileKind.REFUSED, storable(reasons[0])
    else:
        file.kind = kind_of(members, {})


def _clean(name: str) -> str:
    """The path inside the upload without misleading parts: no root, no `..`, no control characters, no `!/`."""
    readable = "".join(letter if letter.isprintable() else "_" for letter in name).replace("\\", "/")
    parts = [part.rstrip("!") for part in readable.split("/") if part not in ("", ".", "..")]
    return "/".join(part for part in parts if part)[-LONGEST_NAME:] or "unnamed"
