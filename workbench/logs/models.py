"""Log records pinned by users."""

from __future__ import annotations

import datetime as dt
from urllib.parse import quote

from django.db import models
from django.urls import reverse

from workbench.accounts.models import User
from workbench.cases.models import Case


class PinnedRecord(models.Model):
    """A log record pinned for others, identified by its file and line, which no analysis changes.
    There is one row for each: they are written under the lock of the case, as a path may be too long for an index.

    snapshot  the one that the file belongs to
    path   the file's path inside the upload, as in the diagnosis document
    ts_ms  epoch ms, null where the record has no time
    text   its message, shortened
    note   the user's comment
    """

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="pinned_records")
    snapshot = models.PositiveIntegerField(default=1)
    path = models.TextField()
    line = models.BigIntegerField()
    ts_ms = models.BigIntegerField(null=True, blank=True)
    level = models.CharField(max_length=10, blank=True)
    text = models.CharField(max_length=500, blank=True)
    note = models.TextField(blank=True)
    by = models.ForeignKey(User, on_delete=models.PROTECT)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["ts_ms", "pk"]

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"

    @property
    def ts(self) -> dt.datetime | None:
        return None if self.ts_ms is None else dt.datetime.fromtimestamp(self.ts_ms / 1000, dt.UTC)

    def get_absolute_url(self) -> str:
        """The log page at this record."""
        return record_address(self.case_id, self.snapshot, self.path, self.line)


def record_address(case_id: int, snapshot: int, path: str, line: int) -> str:
    """The log page of a snapshot at the record that contains a line."""
    return f"{reverse('logs:page', args=[case_id])}?snapshot={snapshot}&at={quote(path, safe='/!')}:{line}"
