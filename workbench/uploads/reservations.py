"""Reserves room for files being uploaded, and enforces the limit of a team."""

from __future__ import annotations

from django.db.models import F, Sum
from django.utils import timezone

from workbench.accounts.models import Team, User
from workbench.languages.sentences import say
from workbench.limits.catalogue import Unit
from workbench.limits.quantities import quantity_text
from workbench.limits.selectors import UploadLimits
from workbench.machine.disk import NoRoom, disk_room
from workbench.uploads.models import Arrival, ArrivalState, UploadedFile
from workbench.uploads.refusals import TooLarge


def reserved_bytes(*, user: User | None = None) -> int:
    """Bytes still to be received for announced files, of one user or of all.

    A file without progress for Arrival.RESERVED is not counted: it may continue if there is room then.
    """
    now = timezone.now()
    # A time in the future was written before the clock was set back.
    lately = (now - Arrival.RESERVED, now + Arrival.RESERVED)
    coming = Arrival.objects.filter(state=ArrivalState.RECEIVING, touched_at__range=lately)
    if user is not None:
        coming = coming.filter(user=user)
    return coming.aggregate(bytes=Sum(F("bytes") - F("offset")))["bytes"] or 0


def require_unreserved_room(size: int) -> None:
    """Raises NoRoom unless `size` more bytes fit beside all reservations."""
    free = disk_room().free - reserved_bytes()
    if size > free:
        raise NoRoom(size, free)


def require_room_for(user: User, size: int) -> None:
    """As `require_unreserved_room`, for a file announced by the user. Raises NoRoom.

    Beyond a first file, nobody may reserve more than half of the free room: announcing a file costs nothing.
    """
    own = reserved_bytes(user=user)
    left = disk_room().free - (reserved_bytes() - own)
    if own + size > left:
        raise NoRoom(size, left - own)
    if own and own + size > left // 2:
        why = say(
            "You announced {own:,} bytes that are not here yet, and one person reserves at most half of the disk",
            own=own,
        )
        raise NoRoom(size, left // 2 - own, why)


def stored_bytes(team: Team) -> int:
    """Bytes of the files of a team's cases, including removed ones that can be restored."""
    return UploadedFile.objects.filter(case__team=team, deleted_at=None).aggregate(bytes=Sum("bytes"))["bytes"] or 0


def coming_bytes(team: Team) -> int:
    """Bytes of the announced files of a team's cases, whether received yet or not."""
    return Arrival.objects.unfinished().filter(case__team=team).aggregate(bytes=Sum("bytes"))["bytes"] or 0


def require_share(team: Team, held: int, size: int, limits: UploadLimits) -> None:
    """Raises TooLarge when a team whose files have `held` bytes may not add `size` more."""
    if held + size > limits.team_bytes:
        most = quantity_text(limits.team_bytes, Unit.BYTES)
        raise TooLarge(
            say(
                "All cases of the team {team} hold at most {most}; {held:,} bytes are in them or on their way. "
                "Delete the evidence of old cases.",
                team=team,
                most=most,
                held=held,
            )
        )
