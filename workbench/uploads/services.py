"""Writes about files: received, bounded, hashed, recognised, stored. `UploadRefused` says why a file is not taken."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import tempfile
import uuid
from collections.abc import Callable, Collection, Iterator
from datetime import timedelta
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile as ReceivedFile
from django.db import transaction
from django.db.models import Sum
from django.utils import timezone

from diagnostics.clock import FileClock
from diagnostics.errors import UnknownFormat, UnreadableInput
from diagnostics.formats import FORMATS, format_by_id
from diagnostics.intake import SourceFile, peek
from diagnostics.intake.peeking import NOT_LOOKED_AT
from diagnostics.notation.event_field import NamedFields
from diagnostics.redaction import Redactor, nobody, redact_upload
from workbench.accounts.models import User
from workbench.cases.models import Case
from workbench.cases.services import case_lock
from workbench.layouts.selectors import layouts_now
from workbench.limits.selectors import UploadLimits, limits_now
from workbench.redaction.selectors import redactor_for
from workbench.storable import storable
from workbench.uploads.models import FileKind, UploadedFile

PIECE_BYTES = 1024 * 1024
LONGEST_NAME = 900
REMOVED_KEPT = timedelta(hours=1)
"""How long a removed file can be brought back. Our choice: longer than anybody needs to notice a slip."""


class UploadRefused(Exception):
    """A file is not taken; the text says why, for the user."""


class TooLarge(UploadRefused):
    """A bound on sizes or numbers was reached; the text names the bound."""


class AlreadyInCase(UploadRefused):
    """The case has this file already, under the same path; `file` is the earlier one."""

    def __init__(self, file: UploadedFile) -> None:
        super().__init__(f"The same file is already in this case as {file.name}.")
        self.file = file


Content = ReceivedFile | IO[bytes] | Path
"""What came with a request, what can be read, or a file of ours on the disk, which is moved."""


def upload_add(
    *,
    case: Case,
    user: User,
    content: Content,
    name: str,
    redact: Collection[str] = (),
    progress: Callable[[int], None] = nobody,
) -> UploadedFile:
    """Stores one file of a drop and recognises what is in it. `name` is its path inside the drop.

    An unknown format is kept as an attachment, one that cannot be opened is kept with the reason.
    It belongs to the newest snapshot.

    redact    ids of the redaction rules that are applied before anything is stored
    progress  is told how many bytes of text that went through
    Raises TooLarge, AlreadyInCase; UploadRefused for a file that cannot be redacted.
    """
    limits = limits_now()
    stored = f"{case.pk}/{uuid.uuid4().hex}"
    path = settings.UPLOADS_DIR / stored
    path.parent.mkdir(exist_ok=True, mode=0o700)
    try:
        dropped = _clean(name)
        size, sha256, redacted = _store_redacted(content, path, dropped, redactor_for(redact), limits, progress)
        recognised = _recognise(path, dropped, limits)
        with transaction.atomic():
            # Orders the files that arrive at the same time, for bounds and names.
            case_lock(case)
            snapshot = case.snapshot_number
            _refuse_what_does_not_fit(case, limits, snapshot, dropped, size, sha256)
            file = UploadedFile(
                case=case,
                snapshot=snapshot,
                name=dropped,
                stored=stored,
                bytes=size,
                sha256=sha256,
                redacted=redacted,
                uploaded_by=user,
                **recognised,
            )
            _name_freely(file)
            file.save()
            return file
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def text_add(*, case: Case, user: User, text: str, name: str = "", redact: str = "") -> UploadedFile:
    """Stores pasted text as a file. Raises UploadRefused when there is none, TooLarge, AlreadyInCase."""
    if not text.strip():
        raise UploadRefused("Nothing was pasted.")
    content, called = io.BytesIO(text.encode()), name.strip() or "pasted.txt"
    return upload_add(case=case, user=user, content=content, name=called, redact=redact.split())


def override_set(*, file: UploadedFile, member: str, format_id: str | None) -> None:
    """Says which format a member has, or with None that the recognition counts again.

    Raises UploadRefused for a member or a format that does not exist, and where one of them is text and the other none.
    It counts from the next analysis on.
    """
    recognised = file.member(member)
    if recognised is None:
        raise UploadRefused(f"{file.name} holds no {member}.")
    if format_id is None:
        file.overrides.pop(member, None)
    else:
        try:
            chosen = format_by_id(format_id)
        except UnknownFormat as error:
            raise UploadRefused(str(error)) from None
        is_binary = recognised["format"] in FORMATS and FORMATS[recognised["format"]].binary
        if chosen.binary != is_binary:
            raise UploadRefused(f"{member} cannot be read as {chosen.title}: one is text, the other is not.")
        file.overrides[member] = format_id
    if file.kind != FileKind.REFUSED:
        file.kind = _kind(file.members, file.overrides)
    file.save(update_fields=["overrides", "kind"])


def clock_set(*, file: UploadedFile, member: str, zone: str, shift: str) -> None:
    """Says in which zone the times of a member are, and what is added to them; with neither they are what they say.

    Raises UploadRefused for a member that does not exist, an unknown zone, or a shift that is no time.
    It counts from the next analysis on.
    """
    if file.member(member) is None:
        raise UploadRefused(f"{file.name} holds no {member}.")
    try:
        clock = FileClock.checked(zone, shift)
    except UnreadableInput as error:
        raise UploadRefused(f"{str(error)[:1].upper()}{str(error)[1:]}.") from None
    if clock == FileClock():
        file.clocks.pop(member, None)
    else:
        file.clocks[member] = clock.as_json()
    file.save(update_fields=["clocks"])


def event_fields_set(*, file: UploadedFile, member: str, key: str, event_time: str, arrival: str) -> None:
    """Says which fields of a member's events are what; with none of them the names that are known count again.

    Raises UploadRefused for a member that does not exist, and for a key without a time. Counts from the next analysis.
    """
    if file.member(member) is None:
        raise UploadRefused(f"{file.name} holds no {member}.")
    try:
        named = NamedFields.checked(key, event_time, arrival)
    except UnreadableInput as error:
        raise UploadRefused(f"{str(error)[:1].upper()}{str(error)[1:]}.") from None
    if named is None:
        file.event_fields.pop(member, None)
    else:
        file.event_fields[member] = [named.key, named.event_time, named.arrival]
    file.save(update_fields=["event_fields"])


def file_remove(*, file: UploadedFile) -> None:
    """Takes a file out of the case; `file_restore` brings it back for a while. Raises UploadRefused once cited."""
    removed = UploadedFile.objects.present().filter(pk=file.pk, analysed_at=None).update(removed_at=timezone.now())
    if not removed:
        raise UploadRefused(f"{file.name} was analysed; findings cite its lines, so it stays.")


@transaction.atomic
def file_restore(*, file: UploadedFile) -> None:
    """Undoes `file_remove`. Raises UploadRefused when the bytes are gone."""
    if not file.path.exists():
        raise UploadRefused(f"{file.name} was removed too long ago.")
    _refuse_what_does_not_fit(file.case, limits_now(), file.snapshot, file.name, file.bytes, file.sha256)
    _name_freely(file)
    file.removed_at = None
    file.save()


def case_discard(*, case: Case) -> None:
    """Undoes the opening of a case that could not get its files."""
    shutil.rmtree(settings.UPLOADS_DIR / str(case.pk), ignore_errors=True)
    case.delete()


def removed_files_purge() -> int:
    """Deletes for good what was removed longer ago than REMOVED_KEPT. Gives how many files that were."""
    old = UploadedFile.objects.filter(removed_at__lt=timezone.now() - REMOVED_KEPT)
    for file in old:
        file.path.unlink(missing_ok=True)
        file.delete()
    return len(old)


def _store(content: Content, path: Path, most: int) -> tuple[int, str]:
    """Writes the bytes and gives their number and SHA-256. A file that is on the disk already is moved."""
    received = _on_disk(content)
    digest = hashlib.sha256()
    size = 0
    with open(os.devnull if received else path, "wb") as target:
        for piece in _pieces(content):
            size += len(piece)
            if size > most:
                raise TooLarge(f"The file is larger than {most} bytes.")
            digest.update(piece)
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
    """As `_store`, without what the redactor finds. Raises UploadRefused.

    What came with a request is gone afterwards; a file of ours stays where it is, for its owner to delete.
    """
    if redactor is None:
        return *_store(content, path, limits.file_bytes), None
    with tempfile.TemporaryDirectory(dir=settings.INCOMING_DIR) as folder:
        original, cleaned = Path(folder) / "original", Path(folder) / "cleaned"
        if isinstance(content, Path):
            original = content
        else:
            _store(content, original, limits.file_bytes)
        try:
            done = redact_upload(SourceFile(original, name), cleaned, redactor, limits.unpacked, progress)
        except UnreadableInput as error:
            raise UploadRefused(f"It is not stored, since it cannot be read and so not be redacted: {error}") from None
        size, sha256 = _store(cleaned, path, limits.file_bytes)
    counts = {rule_id: found.count for rule_id, found in done.found.items()}
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


def _recognise(path: Path, name: str, limits: UploadLimits) -> dict[str, Any]:
    """What the file is and holds, as columns of its row."""
    try:
        peeked = peek(path, name, limits.unpacked, layouts_now())
    except UnreadableInput as error:
        return {"kind": FileKind.REFUSED, "refused_reason": storable(str(error))}
    members = [
        {
            "name": each.name,
            "format": each.recognition.format_id,
            "title": each.recognition.title,
            "confidence": each.recognition.confidence,
            "bytes": each.bytes,
            "refused": each.refusal,
        }
        for each in peeked
    ]
    reasons = [each.refusal for each in peeked if each.refusal]
    return {
        "kind": FileKind.REFUSED if reasons and len(reasons) == len(peeked) else _kind(members, {}),
        "refused_reason": storable(reasons[0]) if reasons and len(reasons) == len(peeked) else "",
        "members": storable(members),
    }


def _kind(members: list[dict[str, Any]], overrides: dict[str, str]) -> FileKind:
    """Evidence as soon as one member is known, or some were not looked at yet."""
    known = any(
        member["format"] or member["name"] in overrides or member["title"] == NOT_LOOKED_AT.title for member in members
    )
    return FileKind.EVIDENCE if known else FileKind.ATTACHMENT


def _refuse_what_does_not_fit(
    case: Case, limits: UploadLimits, snapshot: int, name: str, size: int, sha256: str
) -> None:
    """The same bytes under another path stay: an answer of the REST API that did not change is evidence too."""
    present = case.files.present()
    earlier = present.filter(snapshot=snapshot, sha256=sha256, name=name).first()
    if earlier:
        raise AlreadyInCase(earlier)
    if present.count() >= limits.case_files:
        raise TooLarge(f"A case holds at most {limits.case_files} files; an archive counts as one.")
    held = present.aggregate(bytes=Sum("bytes"))["bytes"] or 0
    if held + size > limits.case_bytes:
        raise TooLarge(f"A case holds at most {limits.case_bytes} bytes; {held} are in it.")


def _clean(name: str) -> str:
    """The path inside the drop without what could mislead: no root, no `..`, no control characters, no `!/`."""
    readable = "".join(letter if letter.isprintable() else "_" for letter in name).replace("\\", "/")
    parts = [part.rstrip("!") for part in readable.split("/") if part not in ("", ".", "..")]
    return "/".join(part for part in parts if part)[-LONGEST_NAME:] or "unnamed"


def _name_freely(file: UploadedFile) -> None:
    """Puts a number before the ending when the snapshot has another file of that name; members are named after it."""
    dropped = file.name
    stem, dot, ending = dropped.rpartition(".")
    if not stem or "/" in ending:
        stem, dot, ending = dropped, "", ""
    beside = file.case.files.filter(removed_at=None).filter(snapshot=file.snapshot, name__startswith=stem)
    taken = set(beside.values_list("name", flat=True))
    count = 1
    while file.name in taken:
        count += 1
        file.name = f"{stem} ({count}){dot}{ending}"
    renamed = {member["name"]: file.name + member["name"].removeprefix(dropped) for member in file.members}
    file.members = [member | {"name": renamed[member["name"]]} for member in file.members]
    file.overrides = {renamed.get(name, name): format_id for name, format_id in file.overrides.items()}
    file.clocks = {renamed.get(name, name): clock for name, clock in file.clocks.items()}
    file.event_fields = {renamed.get(name, name): fields for name, fields in file.event_fields.items()}
