"""Files of a case, and files being uploaded or awaited."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from workbench.accounts.models import User
from workbench.cases.models import Case
from workbench.languages.sentences import say_later

LONGEST_NAME = 1000
"""Characters of a path inside an upload that are stored, from its end."""


class FileKind(models.TextChoices):
    """How an analysis uses a file."""

    EVIDENCE = "evidence", say_later("Evidence")
    ATTACHMENT = "attachment", say_later("Attachment: stored, not analysed")
    REFUSED = "refused", say_later("Stored, cannot be read")


class UploadedFileQuerySet(models.QuerySet["UploadedFile"]):
    def visible_to(self, user: User) -> UploadedFileQuerySet:
        """Files of the cases that the user sees, without removed ones."""
        return self.of_visible_cases(user).present()

    def of_visible_cases(self, user: User) -> UploadedFileQuerySet:
        """Includes removed files."""
        return self.filter(case__in=Case.objects.visible_to(user))

    def present(self) -> UploadedFileQuerySet:
        """Files that were not removed and whose bytes are still stored."""
        return self.filter(removed_at=None, deleted_at=None)


class UploadedFile(models.Model):
    """One uploaded file, stored under a generated name.

    name       the path inside the upload, shown to people and used in citations; unique in its snapshot
    snapshot   the number of the case's snapshot that it belongs to
    stored     path below UPLOADS_DIR
    members    what was recognised inside: [{name, format, title, confidence, bytes, refused}], one entry unless it is
               an archive; format is null for an unknown one, `refused` says why one cannot be read
    overrides  {member name: format id} set by a user
    clocks     {member name: diagnostics.reading.clock.FileClock as JSON} set by a user
    event_fields  {member name: [key, event time, arrival]} set by a user
    deleted_at when its bytes were deleted with the evidence of its case; the row is kept, because findings cite it
    redacted   replacements before it was stored: {found: {rule id: count}, left_out: [why]}; else null
    """

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="files")
    snapshot = models.PositiveIntegerField(default=1)
    name = models.CharField(max_length=LONGEST_NAME)
    stored = models.CharField(max_length=200, unique=True)
    bytes = models.BigIntegerField()
    sha256 = models.CharField(max_length=64, db_index=True)
    kind = models.CharField(max_length=20, choices=FileKind.choices)
    refused_reason = models.TextField(blank=True)
    members = models.JSONField(default=list)
    overrides = models.JSONField(default=dict)
    clocks = models.JSONField(default=dict)
    event_fields = models.JSONField(default=dict)
    deleted_at = models.DateTimeField(null=True, blank=True)
    redacted = models.JSONField(null=True, blank=True)
    uploaded_by = models.ForeignKey(User, on_delete=models.PROTECT)
    uploaded_at = models.DateTimeField(auto_now_add=True)
    analysed_at = models.DateTimeField(null=True, blank=True)
    removed_at = models.DateTimeField(null=True, blank=True)

    objects = UploadedFileQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["case", "snapshot", "name"], condition=Q(removed_at=None), name="one_file_for_each_name"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("uploads:detail", args=[self.pk])

    @property
    def path(self) -> Path:
        """Where the bytes are."""
        return settings.UPLOADS_DIR / self.stored

    @property
    def may_be_removed(self) -> bool:
        """Whether no analysis has read it yet; afterwards its lines may be cited."""
        return self.analysed_at is None

    def member(self, name: str) -> dict[str, Any] | None:
        """The recognised member under that path."""
        return next((each for each in self.members if each["name"] == name), None)

    def holds(self, path: str) -> bool:
        """Whether a path of the diagnosis document is in this file."""
        return path == self.name or path.startswith(f"{self.name}!/")


class AwaitedFile(models.Model):
    """A file that was chosen for a case and is not settled: it did not arrive, was not refused and not given up.

    name  the path inside the upload, from the browser
    """

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="awaited")
    snapshot = models.PositiveIntegerField()
    name = models.CharField(max_length=LONGEST_NAME)

    def __str__(self) -> str:
        return self.name


class ArrivalState(models.TextChoices):
    """State of an upload in pieces."""

    RECEIVING = "receiving", "Some of its bytes are there"
    REDACTING = "redacting", "All of it is there; a worker takes secrets out"
    TAKEN = "taken", "It is a file of the case"
    REPEATED = "repeated", "The case had it already"
    REFUSED = "refused", "It was not taken"


class ArrivalQuerySet(models.QuerySet["Arrival"]):
    def sent_by(self, user: User) -> ArrivalQuerySet:
        """The user's uploads, to cases that the user still sees."""
        return self.filter(user=user, case__in=Case.objects.visible_to(user))

    def unfinished(self) -> ArrivalQuerySet:
        """Uploads that are not in the case yet and occupy the disk in addition to it."""
        return self.filter(state__in=(ArrivalState.RECEIVING, ArrivalState.REDACTING))

    def redacting(self) -> ArrivalQuerySet:
        return self.filter(state=ArrivalState.REDACTING)


class Arrival(models.Model):
    """An upload in pieces, which becomes a file of the case when complete.

    name      the path inside the upload, from the browser
    bytes     of the whole file
    offset    bytes received and verified
    modified  modification time from the browser, in ms: distinguishes files of equal name and size
    redact    ids of the selected redaction rules
    redacted_bytes  bytes of unpacked text that the worker has redacted so far
    detail    why it was refused, for the user
    """

    RESERVED = timedelta(minutes=10)
    """How long room is reserved without progress, and how long an upload that never started is kept. Our choice: twice
    as long as a page retries without a connection (`resumable_upload.js`).
    """
    KEPT = timedelta(hours=24)
    """How long an interrupted upload can be resumed. Our choice: until the next working day."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="arrivals")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=LONGEST_NAME)
    bytes = models.BigIntegerField()
    offset = models.BigIntegerField(default=0)
    modified = models.BigIntegerField(default=0)
    redact = models.JSONField(default=list)
    redacted_bytes = models.BigIntegerField(default=0)
    state = models.CharField(max_length=10, choices=ArrivalState.choices, default=ArrivalState.RECEIVING)
    detail = models.TextField(blank=True)
    file = models.ForeignKey(UploadedFile, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    began_at = models.DateTimeField(auto_now_add=True)
    touched_at = models.DateTimeField(auto_now_add=True, db_index=True)

    objects = ArrivalQuerySet.as_manager()

    class Meta:
        ordering = ["began_at", "pk"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("uploads:arrival", args=[self.pk])

    @property
    def path(self) -> Path:
        """Where the bytes are until the upload is complete."""
        return settings.INCOMING_DIR / f"arrival-{self.pk.hex}"

    @property
    def expires_at(self) -> datetime:
        return self.touched_at + self.KEPT
