"""Sources of alerts, and the alerts received from them."""

from __future__ import annotations

import datetime as dt
import hashlib
import secrets

from django.db import models
from django.urls import reverse

from workbench.accounts.models import Team, User
from workbench.alerts.payload import LONGEST_NAME, LONGEST_SUMMARY, LONGEST_URL, LONGEST_VALUE
from workbench.cases.models import LONGEST_CHANGE, Case
from workbench.clusters.models import Cluster

TOKEN_BYTES = 30
LONGEST_REASON = 500


class AlertSourceQuerySet(models.QuerySet["AlertSource"]):
    def listed(self) -> AlertSourceQuerySet:
        return self.filter(removed_at=None)


class AlertSource(models.Model):
    """A system that sends alerts. Removed sources keep their row; their token is refused.

    slug           names it in the address that the system posts to
    kind           the name of its file in `payloads`
    digest         hash of its token, which is shown once; the token opens nothing but this source
    team, owner    whose cases its alerts open, and whom they belong to
    cluster        what to collect from when no label names another one; null for nothing
    cluster_label  the label whose value is the name of a listed cluster
    job_label      the label whose value is the name of a job
    routes         [{"label", "value", "cluster": key}], tried in this order before `cluster_label`
    mapping        field of an alert -> JSON pointer, for kinds that need one
    """

    slug = models.SlugField(max_length=50)
    kind = models.CharField(max_length=20)
    digest = models.CharField(max_length=64)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="+")
    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    cluster_label = models.CharField(max_length=LONGEST_NAME)
    job_label = models.CharField(max_length=LONGEST_NAME)
    routes: models.JSONField[list[dict[str, str | int]], list[dict[str, str | int]]] = models.JSONField(default=list)
    mapping: models.JSONField[dict[str, str], dict[str, str]] = models.JSONField(default=dict)
    heard_at = models.DateTimeField(null=True, blank=True)
    refused = models.CharField(max_length=LONGEST_REASON, blank=True)
    added_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    added_at = models.DateTimeField(auto_now_add=True)
    removed_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    removed_at = models.DateTimeField(null=True, blank=True)

    objects = AlertSourceQuerySet.as_manager()

    class Meta:
        ordering = ["slug"]
        constraints = [
            models.UniqueConstraint(
                fields=["slug"], condition=models.Q(removed_at=None), name="one_listed_alert_source_of_a_name"
            )
        ]

    def __str__(self) -> str:
        return self.slug

    def get_absolute_url(self) -> str:
        return reverse("alerts:source", args=[self.pk])

    def renew_token(self) -> str:
        """A new token in place of the old one; the caller saves. It is shown once: only its hash is kept."""
        secret = secrets.token_urlsafe(TOKEN_BYTES)
        self.digest = self.digest_of(secret)
        return secret

    def opens_with(self, secret: str) -> bool:
        """Whether this is its token."""
        return secrets.compare_digest(self.digest, self.digest_of(secret))

    @staticmethod
    def digest_of(secret: str) -> str:
        return hashlib.sha256(secret.encode()).hexdigest()


class AlertQuerySet(models.QuerySet["Alert"]):
    def visible_to(self, user: User) -> AlertQuerySet:
        """Those of the user's teams; an administrator sees all."""
        return self if user.is_administrator else self.filter(source__team__in=user.teams.all())

    def firing(self) -> AlertQuerySet:
        return self.filter(is_firing=True)


class Alert(models.Model):
    """One alert from its first message until it is resolved; when it fires again, another row begins.

    identity       by what its sender names it, or the hash of a long name
    times          how many messages said that it fires
    starts_at      by the sender's clock, may be null; the other times are by this machine's
    cluster, job_name  what its labels were mapped to; null and empty where they were not
    case           the case that it opened or joined
    reason         why there is no case, or why nothing more was collected; empty otherwise
    again_at       when evidence is collected again: it could not be when the alert began or ended, or did not show yet
                   whether the fix worked
    again          what that snapshot is called; empty to add evidence to the present one
    """

    source = models.ForeignKey(AlertSource, on_delete=models.PROTECT, related_name="alerts")
    identity = models.CharField(max_length=64)
    name = models.CharField(max_length=LONGEST_VALUE)
    labels: models.JSONField[dict[str, str], dict[str, str]] = models.JSONField(default=dict)
    summary = models.CharField(max_length=LONGEST_SUMMARY, blank=True)
    url = models.CharField(max_length=LONGEST_URL, blank=True)
    is_firing = models.BooleanField(default=True)
    times = models.PositiveIntegerField(default=1)
    starts_at = models.DateTimeField(null=True, blank=True)
    received_at = models.DateTimeField()
    heard_at = models.DateTimeField()
    resolved_at = models.DateTimeField(null=True, blank=True)
    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    job_name = models.CharField(max_length=LONGEST_VALUE, blank=True)
    case = models.ForeignKey(Case, on_delete=models.SET_NULL, null=True, blank=True, related_name="alerts")
    reason = models.CharField(max_length=LONGEST_REASON, blank=True)
    again_at = models.DateTimeField(null=True, blank=True, db_index=True)
    again = models.CharField(max_length=LONGEST_CHANGE, blank=True)

    objects = AlertQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["source", "identity", "-id"], name="alert_newest_of_identity"),
            models.Index(fields=["cluster", "job_name", "-id"], name="alert_of_cluster_and_job"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def began_at(self) -> dt.datetime:
        """When it began: by its sender's clock, unless that is ahead of this machine's."""
        return self.starts_at if self.starts_at and self.starts_at <= self.received_at else self.received_at

    @property
    def began_ms(self) -> int:
        """The same in epoch ms."""
        return round(self.began_at.timestamp() * 1000)

    @property
    def resolved_ms(self) -> int | None:
        """When it was resolved, epoch ms; None while it fires."""
        return round(self.resolved_at.timestamp() * 1000) if self.resolved_at else None
