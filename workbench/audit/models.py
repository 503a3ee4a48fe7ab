"""Entries of the audit log. They are only added, never changed, and deleted by age only."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from workbench.accounts.models import User
from workbench.audit.words import action_words, field_words, value_words
from workbench.languages.sentences import say


class AuditEntry(models.Model):
    """One action.

    user     null for a visitor: a failed sign-in, a source of alerts
    name     the user's name at that time; of a failed sign-in the name that was tried
    via      `browser`, `token <name>`
    action   name of the route, or of the event
    target   the address, without its query
    status   HTTP status of the answer: 403 and 404 are refusals
    details  the fields that `workbench.audit.recording.FIELDS` lists; never a secret or a text of evidence
    """

    at = models.DateTimeField(default=timezone.now, db_index=True)
    user = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    name = models.CharField(max_length=150)
    via = models.CharField(max_length=120, blank=True)
    address = models.GenericIPAddressField(null=True)
    action = models.CharField(max_length=80, db_index=True)
    target = models.CharField(max_length=300, blank=True)
    status = models.PositiveIntegerField(null=True)
    details = models.JSONField(default=dict)

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "audit entries"

    def __str__(self) -> str:
        return f"{self.name}: {self.action}"

    @property
    def action_words(self) -> str:
        """The action for people: `space:retention_change` is "changed how long data is kept"."""
        return action_words(self.action)

    @property
    def via_words(self) -> str:
        """How it was done, for people."""
        kind, _, name = self.via.partition(" ")
        return say("token {name}", name=name) if kind == "token" else say("browser") if kind == "browser" else self.via

    @property
    def fields(self) -> list[tuple[str, object]]:
        """The details with the names of fields for people."""
        return [(field_words(name), value_words(name, value)) for name, value in self.details.items()]

    @property
    def is_refused(self) -> bool:
        return self.status is not None and self.status >= 400
