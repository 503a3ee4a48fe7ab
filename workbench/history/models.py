"""The objectives of teams."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from workbench.accounts.models import Team, User


class Objective(models.Model):
    """What a team wants of each of its jobs; a null has no objective.

    failed_share  checkpoints that fail, as a share of those that end: below this
    latency_ms    99th percentile of the latency from source to sink: at most this
    """

    team = models.OneToOneField(Team, on_delete=models.CASCADE, related_name="objective")
    failed_share = models.FloatField(null=True)
    latency_ms = models.FloatField(null=True)
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"Objective of {self.team}"
