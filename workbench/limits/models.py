"""The history of changes of limits."""

from __future__ import annotations

from django.db import models

from workbench.accounts.models import User

LONGEST_REASON = 500


class LimitChange(models.Model):
    """A change of a limit by an administrator. Rows are only added: the newest of a name is its value.

    name           one of `catalogue.LIMITS`
    before, after  null: the default
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
