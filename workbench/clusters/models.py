from __future__ import annotations

import uuid
from pathlib import Path

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from workbench.accounts.models import Team, User
from workbench.cases.models import Case
from workbench.clusters.address import LONGEST_URL
from workbench.clusters.login import KINDS


class ClusterQuerySet(models.QuerySet["Cluster"]):
    def listed(self) -> ClusterQuerySet:
        return self.filter(removed_at=None)

    def offered_to(self, user: User) -> ClusterQuerySet:
        """What the user may collect from: the clusters for everybody and those of the user's teams."""
        if not user.may_change_cases:
            return self.none()
        if user.is_administrator:
            return self.listed()
        return self.listed().filter(Q(team=None) | Q(team__in=user.teams.all()))


class Cluster(models.Model):
    """A Flink cluster that an administrator allowed to collect from. Rows stay when they are taken off the list.

    url              as `ClusterUrl` writes it: scheme, host, port, path
    team             who may collect from it; null for everybody
    special_allowed  its very address is one that names may never lead to: this machine, the link, metadata
    login            how the workbench signs in there, as of `login.KINDS`; empty for not at all
    """

    name = models.CharField(max_length=100)
    url = models.CharField(max_length=LONGEST_URL + 10)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    special_allowed = models.BooleanField(default=False)
    login = models.CharField(max_length=10, blank=True, choices=KINDS)
    added_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    added_at = models.DateTimeField(auto_now_add=True)
    removed_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    removed_at = models.DateTimeField(null=True, blank=True)

    objects = ClusterQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["name"], condition=Q(removed_at=None), name="one_listed_cluster_of_a_name")
        ]

    def __str__(self) -> str:
        return self.name


class CollectionStatus(models.TextChoices):
    QUEUED = "queued", "Waits for a worker"
    RUNNING = "running", "Collecting"
    DONE = "done", "Done"
    FAILED = "failed", "The collecting failed"
    CANCELLED = "cancelled", "The collecting was cancelled"


class CollectionQuerySet(models.QuerySet["Collection"]):
    def visible_to(self, user: User) -> CollectionQuerySet:
        return self.filter(case__in=Case.objects.visible_to(user))

    def active(self) -> CollectionQuerySet:
        return self.filter(status__in=(CollectionStatus.QUEUED, CollectionStatus.RUNNING))


class Collection(models.Model):
    """One collecting of evidence from a cluster into a case.

    attempt       whoever holds it owns the run
    heartbeat_at  the last sign of life of the worker
    detail        what is being asked, or why there is no evidence, for the user
    """

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="collections")
    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, related_name="collections")
    requested_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    redact = models.JSONField(default=list)
    status = models.CharField(max_length=10, choices=CollectionStatus.choices, default=CollectionStatus.QUEUED)
    attempt = models.UUIDField(default=uuid.uuid4, editable=False)
    progress = models.FloatField(default=0.0)
    detail = models.TextField(blank=True)
    requested_at = models.DateTimeField(auto_now_add=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)

    objects = CollectionQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.cluster} into case {self.case_id}"

    def get_absolute_url(self) -> str:
        return reverse("clusters:collection", args=[self.pk])

    @property
    def is_active(self) -> bool:
        return self.status in (CollectionStatus.QUEUED, CollectionStatus.RUNNING)

    @property
    def target(self) -> Path:
        """The zip while it is written."""
        return settings.INCOMING_DIR / f"collection-{self.pk}-{self.attempt.hex}.zip"
