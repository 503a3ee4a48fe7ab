"""Files of a case, and files on their way into one."""

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


class FileKind(models.TextChoices):
    """What an analysis does with a file."""

    EVIDENCE = "evidence", "Evidence"
    ATTACHMENT = "attachment", "Attachment: stored, not analysed"
    REFUSED = "refused", "Stored, cannot be read"


class UploadedFileQuerySet(models.QuerySet["UploadedFile"]):
    def visible_to(self, user: User) -> UploadedFileQuerySet:
        """The files of the cases that the user sees, removed ones left out."""
        return self.of_visible_cases(user).present()

    def of_visible_cases(self, user: User) -> UploadedFileQuerySet:
        """Removed files as well."""
        return self.filter(case__in=Case.objects.visible_to(user))

    def present(self) -> UploadedFileQuerySet:
        """The files that were not removed and whose bytes are still kept."""
        return self.filter(removed_at=None, deleted_at=None)


class UploadedFile(models.Model):
    """One dropped file as it came, stored under a name of our own.

    name       the path inside the drop, shown to people and used in citations; unique in its snapshot
    snapshot   the number of the case's snapshot that it belongs to
    stored     where it lies below UPLOADS_DIR
    members    what was recognised inside: [{name, format, title, confidence, bytes, refused}], one entry unless it is
               an archive; format is null for an unknown one, `refused` says why one cannot be read
    overrides  {member name: format id} where a person knew better
    clocks     {member name: diagnostics.reading.clock.FileClock as JSON} where a person set its zone or moved its times
    event_fields  {member name: [key, event time, arrival]} where a person named the fields of its events
    deleted_at when its bytes were deleted with the evidence of its case; the row stays, since findings cite it
    redacted   what was taken out before it was stored: {found: {rule id: count}, left_out: [why]}; else null
    """

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="files")
    snapshot = models.PositiveIntegerField(default=1)
    name = models.CharField(max_length=1000)
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
        """Whether no analysis has read it yet; afterwards its lines are cited."""
        return self.analysed_at is None

    def member(self, name: str) -> dict[str, Any] | None:
        """What was recognised under that path."""
        return next((each for each in self.members if each["name"] == name), None)

    def holds(self, path: str) -> bool:
        """Whether a path of the diagnosis document lies in this file."""
        return path == self.name or path.startswith(f"{self.name}!/")


class ArrivalState(models.TextChoices):
    """How far a file is that is sent in pieces."""

    RECEIVING = "receiving", "Some of its bytes are there"
    REDACTING = "redacting", "All of it is there; a worker takes secrets out"
    TAKEN = "taken", "It is a file of the case"
    REPEATED = "repeated", "The case had it already"
    REFUSED = "refused", "It was not taken"


class ArrivalQuerySet(models.QuerySet["Arrival"]):
    def sent_by(self, user: User) -> ArrivalQuerySet:
        """What the user began to send, in cases that the user still sees."""
        return self.filter(user=user, case__in=Case.objects.visible_to(user))

    def unfinished(self) -> ArrivalQuerySet:
        """Not in the case yet: their bytes are on the disk beside it."""
        return self.filter(state__in=(ArrivalState.RECEIVING, ArrivalState.REDACTING))

    def redacting(self) -> ArrivalQuerySet:
        return self.filter(state=ArrivalState.REDACTING)


class Arrival(models.Model):
    """A file on its way into a case, sent in pieces; a file of the case once all of it is there.

    name      the path inside the drop, as the browser tells it
    bytes     of the whole file
    offset    how many of them are here and checked
    modified  when the file was changed, as the browser tells it, in ms: tells another file of that name and size
    redact    ids of the redaction rules that were chosen
    redacted_bytes  of its unpacked text, how many the worker went through so far
    detail    why it was not taken, for the user
    """

    RESERVED = timedelta(minutes=10)
    """How long room is kept for one of which nothing comes, and how long one lives that never began. Our choice: twice
    as long as a page goes on trying without its line (`resumable_upload.js`)."""
    KEPT = timedelta(hours=24)
    """How long one of which nothing more comes can be continued. Our choice: until the next working day."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="arrivals")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=1000)
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
        """Where the bytes are until all are there."""
        return settings.INCOMING_DIR / f"arrival-{self.pk.hex}"

    @property
    def expires_at(self) -> datetime:
        return self.touched_at + self.KEPT
