from __future__ import annotations

from django.db import models
from django.utils import timezone

from workbench.accounts.models import User

LONGEST_REASON = 500


class Origin(models.TextChoices):
    SHIPPED = "shipped", "Shipped"
    LOCAL = "local", "Written here"


class VersionState(models.TextChoices):
    DRAFT = "draft", "Draft"
    PUBLISHED = "published", "Published"
    RETIRED = "retired", "Retired"


class Rule(models.Model):
    """A rule's identity; what it says stands in its versions.

    enabled  a disabled rule keeps its versions and is left out of new rulesets
    """

    rule_id = models.CharField(max_length=80, unique=True)
    enabled = models.BooleanField(default=True)

    class Meta:
        ordering = ["rule_id"]

    def __str__(self) -> str:
        return self.rule_id


class RuleVersion(models.Model):
    """One text of a rule. Once it is published it never changes: a finding stays explainable.

    fires_sample, silent_sample  YAML: signals on which it must hold, and a near miss on which it must not
    reason                       why it was published, in its author's words
    """

    rule = models.ForeignKey(Rule, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    origin = models.CharField(max_length=10, choices=Origin.choices)
    state = models.CharField(max_length=10, choices=VersionState.choices, default=VersionState.DRAFT)
    text = models.TextField()
    fires_sample = models.TextField(blank=True)
    silent_sample = models.TextField(blank=True)
    reason = models.CharField(max_length=LONGEST_REASON, blank=True)
    sha256 = models.CharField(max_length=64)
    symptom_class = models.CharField(max_length=50)
    title = models.TextField()
    author = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    published_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    published_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["rule__rule_id", "-number", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["rule", "origin", "number", "sha256"], name="one_row_for_each_text"),
        ]

    def __str__(self) -> str:
        return f"{self.rule} version {self.number} ({self.get_origin_display().lower()}, {self.state})"


class Ruleset(models.Model):
    """The published rules at one moment. Rulesets are only ever added."""

    versions = models.ManyToManyField(RuleVersion, related_name="rulesets")
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    reason = models.CharField(max_length=300)

    class Meta:
        ordering = ["-pk"]
        get_latest_by = "pk"

    def __str__(self) -> str:
        return f"Ruleset {self.pk}: {self.reason}"


class EventKind(models.TextChoices):
    DRAFT_SAVED = "draft_saved", "Draft saved"
    DISCARDED = "discarded", "Draft discarded"
    PUBLISHED = "published", "Published"
    ROLLED_BACK = "rolled_back", "Rolled back"
    SWITCHED_ON = "switched_on", "Switched on"
    SWITCHED_OFF = "switched_off", "Switched off"
    IMPORTED = "imported", "Imported as a draft"
    SAMPLE_KEPT = "sample_kept", "Regression sample kept"
    SAMPLE_REMOVED = "sample_removed", "Regression sample removed"


class RuleEvent(models.Model):
    """Who did what with a rule, when and why. Events are only ever added.

    rule_id        the id in words: a draft may be discarded before there is such a rule
    before, after  the texts between which the event lies, both empty where no text changed
    """

    rule_id = models.CharField(max_length=80, db_index=True)
    kind = models.CharField(max_length=20, choices=EventKind.choices)
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    version = models.ForeignKey(RuleVersion, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    reason = models.CharField(max_length=LONGEST_REASON, blank=True)
    before = models.TextField(blank=True)
    after = models.TextField(blank=True)

    class Meta:
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.rule_id}"
