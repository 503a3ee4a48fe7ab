"""Corrections by a person of how a stored file is read: its format, its clock, the fields of its events."""

from __future__ import annotations

from typing import Any

from diagnostics.errors import UnknownFormat, UnreadableInput
from diagnostics.formats import FORMATS, format_by_id
from diagnostics.intake.peeking import NOT_LOOKED_AT
from diagnostics.notation.event_field import NamedFields
from diagnostics.reading.clock import FileClock
from workbench.languages.sentences import say
from workbench.uploads.models import FileKind, UploadedFile
from workbench.uploads.refusals import UploadRefused


def kind_of(members: list[dict[str, Any]], overrides: dict[str, str]) -> FileKind:
    """Evidence when a member is recognised, or some were not examined yet."""
    known = any(
        member["format"] or member["name"] in overrides or member["title"] == NOT_LOOKED_AT.title for member in members
    )
    return FileKind.EVIDENCE if known else FileKind.ATTACHMENT


def override_set(*, file: UploadedFile, member: str, format_id: str | None) -> None:
    """Sets the format of a member, or restores the recognised one with None.

    Raises UploadRefused for an unknown member or format, and when only one of them is text. Effective from the next
    analysis on.
    """
    recognised = file.member(member)
    if recognised is None:
        raise UploadRefused(say("{name} holds no {member}.", name=file.name, member=member))
    if format_id is None:
        file.overrides.pop(member, None)
    else:
        try:
            chosen = format_by_id(format_id)
        except UnknownFormat as error:
            raise UploadRefused(str(error)) from None
        is_binary = recognised["format"] in FORMATS and FORMATS[recognised["format"]].binary
        if chosen.binary != is_binary:
            raise UploadRefused(
                say(
                    "{member} cannot be read as {title}: one is text, the other is not.",
                    member=member,
                    title=chosen.title,
                )
            )
        file.overrides[member] = format_id
    if file.kind != FileKind.REFUSED:
        file.kind = kind_of(file.members, file.overrides)
    file.save(update_fields=["overrides", "kind"])


def clock_set(*, file: UploadedFile, member: str, zone: str, shift: str) -> None:
    """Sets the time zone of a member's times, and a shift; without both the times are correct.

    Raises UploadRefused for an unknown member or zone, or an invalid shift. Effective from the next analysis on.
    """
    if file.member(member) is None:
        raise UploadRefused(say("{name} holds no {member}.", name=file.name, member=member))
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
    """Sets the event fields of a member; without any, fields are recognised by their names again.

    Raises UploadRefused for an unknown member, and for a key without a time. Effective from the next analysis on.
    """
    if file.member(member) is None:
        raise UploadRefused(say("{name} holds no {member}.", name=file.name, member=member))
    try:
        named = NamedFields.checked(key, event_time, arrival)
    except UnreadableInput as error:
        raise UploadRefused(f"{str(error)[:1].upper()}{str(error)[1:]}.") from None
    if named is None:
        file.event_fields.pop(member, None)
    else:
        file.event_fields[member] = [named.key, named.event_time, named.arrival]
    file.save(update_fields=["event_fields"])
