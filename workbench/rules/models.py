from __future__ import annotations

from django.db import models

from workbench.accounts.models import User


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
    """One text of a rule. Once it is published it never changes: a finding stays explainable."""

    rule = models.ForeignKey(Rule, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    origin = models.CharField(max_length=10, choices=Origin.choices)
    state = models.CharField(max_length=10, choices=VersionState.choices, default=VersionState.DRAFT)
    text = models.TextField()
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
