"""Deletes entries of the audit log by age."""

from __future__ import annotations

import datetime as dt

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from workbench.audit.models import AuditEntry
from workbench.audit.recording import entry_add

EXPIRED = "entries expired"
NAME = "workbench"


@transaction.atomic
def entries_expire(*, is_held: bool) -> int:
    """Deletes entries that are older than WORKBENCH_AUDIT_DAYS, and adds one that says so. Gives how many.

    is_held  whether a team is under legal hold: an entry belongs to no team, so all of them are kept then
    """
    days = settings.KEEP_AUDIT_DAYS
    if is_held or not days:
        return 0
    before = timezone.now() - dt.timedelta(days=days)
    deleted = AuditEntry.objects.filter(at__lt=before).delete()[0]
    if deleted:
        entry_add(request=None, name=NAME, action=EXPIRED, details={"entries": deleted, "before": f"{before:%Y-%m-%d}"})
    return deleted
