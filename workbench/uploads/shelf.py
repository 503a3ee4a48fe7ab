"""Decides whether a new file fits into a case, and its unique name."""

from __future__ import annotations

from typing import Self

from workbench.cases.models import Case
from workbench.languages.sentences import say
from workbench.limits.selectors import UploadLimits
from workbench.uploads.models import UploadedFile
from workbench.uploads.refusals import AlreadyInCase, TooLarge


class Shelf:
    """The files of a case, read by one query, and those added since. Valid while the case is locked."""

    def __init__(self, limits: UploadLimits) -> None:
        self._limits = limits
        self._count = 0
        self._bytes = 0
        self._names: set[tuple[int, str]] = set()
        self._dropped: set[tuple[int, str, str]] = set()

    @classmethod
    def read(cls, case: Case, limits: UploadLimits) -> Self:
        """Reads the files of the case."""
        shelf = cls(limits)
        columns = ("snapshot", "name", "bytes", "sha256", "deleted_at")
        for snapshot, name, size, sha256, deleted_at in case.files.filter(removed_at=None).values_list(*columns):
            if deleted_at is None:
                shelf._hold(snapshot, name, size, sha256)
            else:
                # Its bytes are deleted, but findings cite it by name.
                shelf._names.add((snapshot, name))
        return shelf

    def place(self, file: UploadedFile) -> None:
        """Gives the file a unique name in its snapshot, and adds it. Raises TooLarge, AlreadyInCase.

        Equal bytes under another path are kept: an unchanged REST answer is evidence too.
        """
        if (file.snapshot, file.name, file.sha256) in self._dropped:
            raise AlreadyInCase(file.name)
        if self._count >= self._limits.case_files:
            raise TooLarge(
                say(
                    "A case holds at most {case_files} files; an archive counts as one.",
                    case_files=self._limits.case_files,
                )
            )
        if self._bytes + file.bytes > self._limits.case_bytes:
            raise TooLarge(
                say(
                    "A case holds at most {case_bytes} bytes; {bytes} are in it.",
                    case_bytes=self._limits.case_bytes,
                    bytes=self._bytes,
                )
            )
        self._name_freely(file)
        self._hold(file.snapshot, file.name, file.bytes, file.sha256)

    def _hold(self, snapshot: int, name: str, size: int, sha256: str) -> None:
        self._count += 1
        self._bytes += size
        self._names.add((snapshot, name))
        self._dropped.add((snapshot, name, sha256))

    def _name_freely(self, file: UploadedFile) -> None:
        """Adds a number before the extension when the name is taken in the snapshot; members are named after the
        file.
        """
        dropped = file.name
        stem, dot, ending = dropped.rpartition(".")
        if not stem or "/" in ending:
            stem, dot, ending = dropped, "", ""
        count = 1
        while (file.snapshot, file.name) in self._names:
            count += 1
            file.name = f"{stem} ({count}){dot}{ending}"
        renamed = {member["name"]: file.name + member["name"].removeprefix(dropped) for member in file.members}
        file.members = [member | {"name": renamed[member["name"]]} for member in file.members]
        file.overrides = {renamed.get(name, name): format_id for name, format_id in file.overrides.items()}
        file.clocks = {renamed.get(name, name): clock for name, clock in file.clocks.items()}
        file.event_fields = {renamed.get(name, name): fields for name, fields in file.event_fields.items()}
