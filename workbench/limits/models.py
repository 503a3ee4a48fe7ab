"""The history of changes of limits."""

from __future__ import annotations

from django.db import models

from workbench.accounts.models import User

LONGEST_REASON = 500


class LimitChange(models.Model):
    """An administrator set a limit. Rows are only added: the newest of a name is its value.

    name           one of `catalogue.LIMITS`
    before, after  null: as the workbench has it by itself
    """

    name = models.CharField(max_length=40, db_index=True)
    before = models.BigIntegerField(null=True)
    after = models.BigIntegerField(null=True)
    reason = models.CharField(max_length=LONGEST_REASON)
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.name
