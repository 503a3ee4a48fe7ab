"""Files uploaded in pieces: started, resumed after interruptions, verified per piece, added to the case.

Each piece is appended and counts once it is complete and its checksum matches; incomplete pieces are truncated. The
writer holds a lock on the file, which the system releases even when the process is killed.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import time
import zlib
from collections.abc import Callable, Collection, Iterator
from datetime import timedelta
from pathlib import Path
from typing import IO, Protocol

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile as ReceivedFile
from django.db import transaction
from django.db.models import Q, Sum
from django.http import UnreadablePostError
from django.utils import timezone

from diagnostics.intake.signatures import SIGNATURE_BYTES, container_of
from diagnostics.redaction import nobody
from workbench.accounts.models import User
from workbench.cases.models import Case, LegalHold
from workbench.cases.services import case_lock
from workbench.languages.sentences import say
from workbench.limits.selectors import limits_now
from workbench.machine import broker
from workbench.machine.disk import full_disk_refused, require_room
from workbench.redaction.selectors import redactor_for
from workbench.uploads.awaiting import files_settle
from workbench.uploads.models import Arrival, ArrivalState, UploadedFile
from workbench.uploads.refusals import AlreadyInCase, TooLarge, UploadRefused
from workbench.uploads.reservations import coming_bytes, require_room_for, require_share, stored_bytes
from workbench.uploads.services import PIECE_BYTES, RequestTime, upload_add

REDACT_ARRIVAL = "workbench.uploads.tasks.redact_arrival"
"""The task, which imports this module."""
MOST_PIECE_BYTES = 64 * 1024 * 1024
"""Bytes of one request: the most that an interruption loses. Our choice; the page sends a sixteenth of it."""
MOST_REDACTED_AT_ONCE = 4 * 1024 * 1024
"""Bytes of a file that is redacted while its sender waits; a worker redacts larger ones."""
MOST_PACKED_REDACTED_AT_ONCE = 64 * 1024
"""The same for a compressed file, which may hold two hundred times as much."""
SHOWN_EVERY_SECONDS = 0.5
UNSENT = timedelta(seconds=30)
"""As for analyses: a file that waits this long while the queue is empty has lost its message or its worker."""
LEFT_OVER = timedelta(hours=1)
"""A file in the incoming folder that is unchanged for this long belongs to a killed process."""


class _Digest(Protocol):
    def update(self, data: bytes, /) -> None: ...

    def digest(self) -> bytes: ...


class _Crc32:
    """CRC-32 as in zlib, in network byte order: browsers can compute it on a page without TLS."""

    def __init__(self) -> None:
        self._value = 0

    def update(self, data: bytes, /) -> None:
        self._value = zlib.crc32(data, self._value)

    def digest(self) -> bytes:
        return self._value.to_bytes(4, "big")


CHECKSUMS: dict[str, Callable[[], _Digest]] = {"sha256": hashlib.sha256, "sha1": hashlib.sha1, "crc32": _Crc32}
"""By their names in the protocol, which requires sha1."""


class OffsetConflict(UploadRefused):
    """The piece does not begin where the last one ended."""


class ChecksumMismatch(UploadRefused):
    """The piece differs from what was sent."""


class Busy(UploadRefused):
    """Another request is writing the same file."""


class Gone(UploadRefused):
    """It was added, cancelled or has expired."""


def arrival_begin(
    *, case: Case, user: User, name: str, size: int, modified: int = 0, redact: Collection[str] = ()
) -> Arrival:
    """Reserves room for a file of `size` bytes. Raises TooLarge or NoRoom before any byte is sent."""
    limits = limits_now()
    if size > limits.file_bytes:
        raise TooLarge(say("The file is larger than {file_bytes} bytes.", file_bytes=limits.file_bytes))
    with transaction.atomic():
        case_lock(case)
        coming, present = case.arrivals.unfinished(), case.files.present()
        if coming.count() + present.count() >= limits.case_files:
            raise TooLarge(
                say("A case holds at most {case_files} files; an archive counts as one.", case_files=limits.case_files)
            )
        held = sum(each.aggregate(bytes=Sum("bytes"))["bytes"] or 0 for each in (coming, present))
        if held + size > limits.case_bytes:
            raise TooLarge(
                say(
                    "A case holds at most {case_bytes} bytes; {held} are in it or on their way.",
                    case_bytes=limits.case_bytes,
                    held=held,
                )
            )
        require_share(case.team, stored_bytes(case.team) + coming_bytes(case.team), size, limits)
        require_room_for(user, size)
        arrival = Arrival.objects.create(
            case=case, user=user, name=name, bytes=size, modified=modified, redact=list(redact)
        )
    arrival.path.touch(mode=0o600)
    return arrival


def arrival_append(
    *,
    arrival: Arrival,
    offset: int,
    length: int,
    stream: IO[bytes],
    checksum: tuple[str, bytes] | None = None,
    is_here: bool = False,
) -> None:
    """Writes one piece of `length` bytes at `offset`; afterwards `arrival.offset` is the end of the verified bytes.

    checksum  (one of CHECKSUMS, its value). Without one, an incomplete piece is kept
    is_here   it came with a request already, whose size is bounded elsewhere
    Raises OffsetConflict, TooLarge, NoRoom, ChecksumMismatch, Busy, Gone; nothing of the piece counts then.
    """
    if length > MOST_PIECE_BYTES and not is_here:
        raise TooLarge(say("A piece has at most {most} bytes.", most=MOST_PIECE_BYTES))
    with _held(arrival) as target:
        if offset != arrival.offset:
            raise OffsetConflict(
                say("{offset} bytes are here; the piece begins at {begin}.", offset=arrival.offset, begin=offset)
            )
        if offset + length > arrival.bytes:
            raise TooLarge(say("The file was said to have {bytes} bytes.", bytes=arrival.bytes))
        digest = CHECKSUMS[checksum[0]]() if checksum else None
        target.truncate(offset)
        target.seek(offset)
        with full_disk_refused(length):
            received = _received(stream, length, target, digest)
        if checksum and digest and (received < length or digest.digest() != checksum[1]):
            target.truncate(offset)
            raise ChecksumMismatch(say("The piece is not what was sent; send it again."))
        arrival.offset = offset + received
        arrival.touched_at = timezone.now()
        arrival.save(update_fields=["offset", "touched_at"])


def _received(stream: IO[bytes], length: int, target: IO[bytes], digest: _Digest | None) -> int:
    """Writes the received bytes and gives their number, which is less than `length` when the connection breaks."""
    received = 0
    with contextlib.suppress(UnreadablePostError, ConnectionError):
        while received < length and (piece := stream.read(min(PIECE_BYTES, length - received))):
            if digest:
                digest.update(piece)
            require_room(len(piece))
            target.write(piece)
            received += len(piece)
    target.flush()
    return received


def arrival_complete(*, arrival: Arrival, may_redact: bool = True) -> None:
    """Adds a completely received file to the case, or queues it for redaction by a worker.

    may_redact  whether a small file may be redacted at once
    `arrival.state` is the outcome. Idempotent. Raises Busy.
    """
    if arrival.state != ArrivalState.RECEIVING or arrival.offset < arrival.bytes:
        return
    with _held(arrival):
        if arrival.state != ArrivalState.RECEIVING:
            return
        with arrival.path.open("rb") as content:
            is_quick = may_redact and arrival.bytes <= _most_redacted_at_once(content)
        if is_quick or redactor_for(arrival.redact) is None:
            _take(arrival, nobody)
            return
        arrival.state = ArrivalState.REDACTING
        arrival.save(update_fields=["state"])
    broker.send_when_committed(REDACT_ARRIVAL, str(arrival.pk))


def arrival_redact(*, arrival: Arrival, on_progress: Callable[[int], None] = nobody) -> None:
    """Redacts a file and adds it to the case, in a worker. The original is deleted.

    on_progress  called with the bytes of text processed; an exception from it interrupts the work, which is repeated
                 later
    Raises Busy while another worker does it, Gone.
    """
    written = 0.0

    def progress(seen: int) -> None:
        nonlocal written
        on_progress(seen)
        if time.monotonic() - written > SHOWN_EVERY_SECONDS:
            written = time.monotonic()
            shown = Arrival.objects.filter(pk=arrival.pk).update(redacted_bytes=seen, touched_at=timezone.now())
            if not shown:
                raise Gone(say("It was given up."))

    with _held(arrival):
        if arrival.state != ArrivalState.REDACTING:
            return
        if redactor_for(arrival.redact) is None:
            _close(arrival, ArrivalState.REFUSED, say("The rules that were chosen for it are gone; send it again."))
            return
        _take(arrival, progress)


def upload_take(
    *,
    case: Case,
    user: User,
    content: ReceivedFile[bytes] | IO[bytes],
    name: str,
    redact: Collection[str] = (),
    remaining: RequestTime | None = None,
) -> UploadedFile | Arrival:
    """As `upload_add`, but a file that must be redacted waits for a worker, as an Arrival, when it is large or the
    request's time for redaction is used up.
    """
    if isinstance(content, ReceivedFile):
        size = content.size or 0
    else:
        size = content.seek(0, os.SEEK_END)
        content.seek(0)
    remaining = remaining or RequestTime()
    is_quick = remaining.redaction > 0 and size <= _most_redacted_at_once(content)
    if is_quick or redactor_for(redact) is None:
        return upload_add(case=case, user=user, content=content, name=name, redact=redact, remaining=remaining)
    arrival = arrival_begin(case=case, user=user, name=name[-1000:], size=size, redact=redact)
    try:
        arrival_append(arrival=arrival, offset=0, length=size, stream=content, is_here=True)
        arrival_complete(arrival=arrival, may_redact=False)
    except BaseException:
        arrival_discard(arrival=arrival)
        raise
    return arrival


def _most_redacted_at_once(content: ReceivedFile[bytes] | IO[bytes]) -> int:
    """Limit for redacting such a file while its sender waits; leaves the file at its beginning."""
    head = content.read(SIGNATURE_BYTES)
    content.seek(0)
    return MOST_REDACTED_AT_ONCE if container_of(head) is None else MOST_PACKED_REDACTED_AT_ONCE


def redactions_resume() -> int:
    """Queues redactions again whose worker or message was lost. Gives how many."""
    now = timezone.now()
    # One updated "in the future" was updated before the clock was set back.
    unsent = list(Arrival.objects.redacting().exclude(touched_at__range=(now - UNSENT, now + UNSENT)))
    if not unsent or broker.messages_waiting():
        return 0
    for arrival in unsent:
        broker.send_when_committed(REDACT_ARRIVAL, str(arrival.pk))
    return len(unsent)


def _take(arrival: Arrival, progress: Callable[[int], None]) -> None:
    """The bytes are deleted in any case, unless the work was interrupted and is repeated later."""
    try:
        arrival.file = upload_add(
            case=arrival.case,
            user=arrival.user,
            content=arrival.path,
            name=arrival.name,
            redact=arrival.redact,
            progress=progress,
        )
    except Gone:
        raise
    except UploadRefused as error:
        repeats = isinstance(error, AlreadyInCase)
        _close(arrival, ArrivalState.REPEATED if repeats else ArrivalState.REFUSED, str(error))
    else:
        _close(arrival, ArrivalState.TAKEN)


def _close(arrival: Arrival, state: ArrivalState, detail: str = "") -> None:
    """Deletes everything that was received; the file is not awaited any more."""
    arrival.path.unlink(missing_ok=True)
    arrival.state, arrival.detail = state, detail
    arrival.save(update_fields=["file", "state", "detail"])
    files_settle(case=arrival.case, names=[arrival.name])


def arrival_discard(*, arrival: Arrival) -> None:
    """Cancels an upload: its bytes are deleted at once."""
    arrival.path.unlink(missing_ok=True)
    Arrival.objects.filter(pk=arrival.pk).delete()


def arrivals_expire() -> int:
    """Deletes uploads without progress for Arrival.KEPT, or never started, and bytes without a row. Gives how many
    files.
    """
    before = timezone.now() - Arrival.KEPT
    never_begun = Q(state=ArrivalState.RECEIVING, offset=0, touched_at__lt=timezone.now() - Arrival.RESERVED)
    never_redacted = Q(state=ArrivalState.REDACTING, began_at__lt=before)
    held = Q(case__team__in=LegalHold.objects.in_force().values("team"), offset__gt=0)
    old = list(Arrival.objects.filter(Q(touched_at__lt=before) | never_redacted | never_begun).exclude(held))
    for arrival in old:
        arrival_discard(arrival=arrival)
    # Files before rows: a file that starts meanwhile has no path yet.
    paths = list(settings.INCOMING_DIR.iterdir())
    known = {each.path for each in Arrival.objects.unfinished()} if paths else set()
    count = len(old)
    for path in paths:
        if path not in known and (path.name.startswith("arrival-") or _is_left_over(path)):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
            count += 1
    return count


def _is_left_over(path: Path) -> bool:
    """Whether a killed request or worker left it: it may hold text to be redacted."""
    try:
        changed = max(each.stat().st_mtime for each in (path, *path.glob("*")))
    except FileNotFoundError:
        return False
    return time.time() - changed > LEFT_OVER.total_seconds()


@contextlib.contextmanager
def _held(arrival: Arrival) -> Iterator[IO[bytes]]:
    """The bytes, locked for this request, with the refreshed row. Raises Busy, Gone."""
    with contextlib.ExitStack() as stack:
        try:
            opened = stack.enter_context(open(arrival.path, "r+b"))
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            arrival.refresh_from_db()
        except BlockingIOError:
            raise Busy(say("Another request sends the same file.")) from None
        except (FileNotFoundError, Arrival.DoesNotExist):
            raise Gone(say("It is not expected any more; send the file again.")) from None
        yield opened
