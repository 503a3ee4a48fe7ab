"""Drills and their steps."""

from __future__ import annotations

import datetime as dt

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from workbench.accounts.models import LONGEST_DRILL, Team, User
from workbench.analyses.models import Analysis
from workbench.cases.models import Case
from workbench.languages.sentences import say_later


class StepKind(models.TextChoices):
    LOOK = "look", say_later("Looked at")
    SUSPECT = "suspect", say_later("Suspected")
    ANSWER = "answer", say_later("Answered")


class DrillQuerySet(models.QuerySet["Drill"]):
    def under_way(self) -> DrillQuerySet:
        """Started, not ended, and not older than a drill may last."""
        return self.filter(ended_at=None, started_at__gt=timezone.now() - LONGEST_DRILL)

    def ended(self) -> DrillQuerySet:
        """Those with a result, the newest first."""
        return self.exclude(ended_at=None).order_by("-ended_at", "-pk")


class Drill(models.Model):
    """A person's attempt to diagnose a past case.

    analysis  the diagnosis of the incident whose evidence is shown
    truth     the confirmed cause when the drill began
    answer    the class that was answered, "" without an answer
    points    0 to 100 with its `parts`, see `workbench.drills.scoring`; null while it is in progress
    knew_it   whether the person had worked on the case before, which makes the result meaningless
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="drills")
    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="drills")
    analysis = models.ForeignKey(Analysis, on_delete=models.CASCADE, related_name="+")
    truth = models.CharField(max_length=50)
    knew_it = models.BooleanField(default=False)
    started_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    answer = models.CharField(max_length=50, blank=True)
    points = models.IntegerField(null=True, blank=True)
    parts: models.JSONField[dict[str, int], dict[str, int]] = models.JSONField(default=dict)

    objects = DrillQuerySet.as_manager()

    class Meta:
        ordering = ["-started_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["user"], condition=Q(ended_at=None), name="one_drill_at_a_time")]

    def __str__(self) -> str:
        return f"Drill {self.pk} of {self.user}"

    def get_absolute_url(self) -> str:
        return reverse("drills:drill", args=[self.pk])

    @property
    def lasted(self) -> dt.timedelta:
        """Duration until its end, or until now."""
        return (self.ended_at or timezone.now()) - self.started_at

    @property
    def lasted_ms(self) -> float:
        return self.lasted.total_seconds() * 1000

    @property
    def is_right(self) -> bool:
        return self.answer == self.truth


class DrillStep(models.Model):
    """A step of a person in a drill. Rows are only added.

    subject  the kind of evidence that was revealed, or the class that was suspected or answered
    shown    revealed pieces of that evidence afterwards
    """

    drill = models.ForeignKey(Drill, on_delete=models.CASCADE, related_name="steps")
    at = models.DateTimeField(auto_now_add=True)
    kind = models.CharField(max_length=10, choices=StepKind.choices)
    subject = models.CharField(max_length=50)
    shown = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.subject}"


class DrillPlan(models.Model):
    """How often a team drills.

    days  at most this many days between the ends of two drills
    by    who set it
    """

    team = models.OneToOneField(Team, on_delete=models.CASCADE, related_name="drill_plan")
    days = models.PositiveIntegerField()
    since = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return f"{self.team} each {self.days} days"
