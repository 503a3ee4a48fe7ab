"""Prepares files for pages: by folder, with format and earlier cases that contain the same bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.formats import FORMATS
from diagnostics.reading.clock import FileClock, shift_text
from workbench.accounts.models import User
from workbench.languages.sentences import say, say_stored
from workbench.uploads.models import FileKind, UploadedFile

MOST_MEMBERS = 200
"""Members of one archive that are listed; the others are only counted."""
UNREAD_NAMED = 3
"""Files that the head of a folder names because they were not recognised. Our choice: one line."""
OPEN_FILES = 30
"""Folders are expanded while they contain no more files than this in total."""


@dataclass(frozen=True, slots=True)
class MemberShown:
    """A readable file: the uploaded one, or one inside an archive."""

    name: str
    short_name: str
    bytes: int
    title: str
    confidence: float | None
    overruled: bool
    format_id: str | None
    zone: str
    shift: str
    event_fields: Sequence[str]

    @property
    def has_events(self) -> bool:
        """Whether it is read as input events."""
        return self.format_id is not None and self.format_id in FORMATS and "event" in FORMATS[self.format_id].tables

    @property
    def clock(self) -> str:
        """The correction of its times, for people; empty without one."""
        return " ".join(part for part in (self.zone, self.shift) if part)


@dataclass(frozen=True, slots=True)
class FileShown:
    """An uploaded file.

    members   its contents; one entry, the file itself, unless it is an archive
    earlier   the newest other case that contains the same bytes
    """

    file: UploadedFile
    folder: str
    short_name: str
    members: Sequence[MemberShown]
    more_members: int
    recognised: int
    counts: str
    earlier: UploadedFile | None

    @property
    def is_archive(self) -> bool:
        return len(self.members) + self.more_members > 1 or (
            bool(self.members) and self.members[0].name != self.file.name
        )

    @property
    def only(self) -> MemberShown | None:
        """The one member of a plain file."""
        return self.members[0] if self.members and not self.is_archive else None

    @property
    def replaced(self) -> int:
        """Number of values redacted before it was stored."""
        return sum((self.file.redacted or {}).get("found", {}).values())

    @property
    def is_refused(self) -> bool:
        return self.file.kind == FileKind.REFUSED


@dataclass(frozen=True, slots=True)
class Folder:
    """The files of one folder of the upload; the outermost has no name."""

    name: str
    files: Sequence[FileShown]
    is_open: bool

    @property
    def bytes(self) -> int:
        return sum(each.file.bytes for each in self.files)

    @property
    def recognised(self) -> int:
        return sum(1 for each in self.files if each.recognised)

    @property
    def unread_words(self) -> str:
        """Which files were not recognised; empty where all were. The page's script says the same of new files."""
        names = [each.short_name for each in self.files if not each.recognised]
        if not names:
            return ""
        shown, more = say(", ").join(names[:UNREAD_NAMED]), len(names) - UNREAD_NAMED
        if more > 0:
            shown = say("{names} and {count} more", names=shown, count=more)
        return say("not recognised: {names}", names=shown)


def format_choices() -> list[tuple[str, str]]:
    """Every format by title."""
    return sorted(((name, format_title(name)) for name in FORMATS), key=lambda choice: choice[1].casefold())


def format_title(format_id: str | None) -> str:
    """In the reader's language; the id of a format that this version does not know, empty for none."""
    known = FORMATS.get(format_id or "")
    return say_stored(known.title) if known else format_id or ""


def files_listed(user: User, files: Iterable[UploadedFile]) -> list[FileShown]:
    """The files for display. Two queries for any number of files."""
    listed = list(files)
    earlier: dict[str, UploadedFile] = {}
    if listed:
        same = UploadedFile.objects.visible_to(user).filter(sha256__in={each.sha256 for each in listed})
        others = same.exclude(case=listed[0].case_id).select_related("case").order_by("pk")
        earlier = {each.sha256: each for each in others}
    return [_shown(each, earlier.get(each.sha256)) for each in listed]


def _shown(file: UploadedFile, earlier: UploadedFile | None) -> FileShown:
    folder, _, short_name = file.name.rpartition("/")
    members = [_member(file, each) for each in file.members[:MOST_MEMBERS]]
    titles = Counter(
        format_title(format_id)
        for each in file.members
        if (format_id := file.overrides.get(each["name"], each["format"])) in FORMATS
    )
    unknown = len(file.members) - titles.total()
    parts = [say("{count} {kind}", count=count, kind=title) for title, count in titles.most_common()]
    if unknown:
        parts.append(say("{unknown} not recognised", unknown=unknown))
    return FileShown(
        file=file,
        folder=folder,
        short_name=short_name,
        members=members,
        more_members=len(file.members) - len(members),
        recognised=titles.total(),
        counts=say(", ").join(parts),
        earlier=earlier,
    )


def _member(file: UploadedFile, member: Mapping[str, Any]) -> MemberShown:
    name = member["name"]
    chosen = file.overrides.get(name)
    clock = FileClock.from_json(file.clocks[name]) if name in file.clocks else FileClock()
    return MemberShown(
        name=name,
        short_name=name.removeprefix(f"{file.name}!/"),
        bytes=member["bytes"],
        title=format_title(chosen) if chosen in FORMATS else say_stored(member["title"]),
        confidence=None if chosen or not member["format"] else member["confidence"],
        overruled=bool(chosen),
        format_id=chosen or member["format"],
        zone=clock.zone or "",
        shift=shift_text(clock.shift_ms) if clock.shift_ms else "",
        event_fields=file.event_fields.get(name, ("", "", "")),
    )


def member_shown(file: UploadedFile, name: str) -> MemberShown | None:
    """The member with this path; None when it was not recognised."""
    member = file.member(name)
    return _member(file, member) if member else None


def folders(files: Sequence[FileShown]) -> list[Folder]:
    """The files by folder, in the order of the names."""
    found: dict[str, list[FileShown]] = {}
    for each in sorted(files, key=lambda each: each.file.name):
        found.setdefault(each.folder, []).append(each)
    return [Folder(name, inside, len(files) <= OPEN_FILES) for name, inside in sorted(found.items())]
