"""Listed clusters and stores, and the collections from them."""

from __future__ import annotations

import uuid
from pathlib import Path

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from workbench.accounts.models import Team, User
from workbench.cases.models import Case
from workbench.clusters.address import LONGEST_FILE_URL, LONGEST_URL, ClusterUrl
from workbench.clusters.login import KINDS
from workbench.clusters.profiling import LONGEST_PROCESS
from workbench.clusters.prometheus import LONGEST_SELECTOR
from workbench.languages.sentences import say_later


class ClusterQuerySet(models.QuerySet["Cluster"]):
    def listed(self) -> ClusterQuerySet:
        return self.filter(removed_at=None)

    def clusters(self) -> ClusterQuerySet:
        """Listed entries with a REST API."""
        return self.filter(serves=Serves.REST)

    def prometheus(self) -> ClusterQuerySet:
        """Listed Prometheus servers."""
        return self.filter(serves=Serves.PROMETHEUS)

    def log_stores(self) -> ClusterQuerySet:
        """Listed log stores."""
        return self.filter(serves__in=LOG_STORES)

    def stores(self) -> ClusterQuerySet:
        """Listed stores of files."""
        return self.filter(serves=Serves.FILES)

    def offered_to(self, user: User) -> ClusterQuerySet:
        """What the user may collect from: entries for everybody and for the user's teams."""
        if not user.may_change_cases:
            return self.none()
        if user.is_administrator:
            return self.listed()
        return self.listed().filter(Q(team=None) | Q(team__in=user.teams.all()))


class Serves(models.TextChoices):
    """Kinds of services at a listed address."""

    REST = "rest", say_later("Flink's REST API")
    FILES = "files", say_later("Files")
    PROMETHEUS = "prometheus", say_later("Prometheus' query API")
    LOKI = "loki", say_later("Loki's query API")
    ELASTIC = "elastic", say_later("Elasticsearch's search API")


LOG_STORES = (Serves.LOKI, Serves.ELASTIC)


class Cluster(models.Model):
    """A source of evidence allowed by an administrator: a Flink cluster, a Prometheus server, a log store, or a store
    of files such as a bucket. Removed entries keep their row.

    serves           whether its REST API is queried, its metrics or logs are, or files below its address are fetched
    metrics_server   of a Flink cluster: the Prometheus server with its metrics, queried with every collection
    selector         of a Flink cluster: matchers that distinguish its series there from others
    log_store        of a Flink cluster: the store with its logs, queried with every collection
    log_selector     of a Flink cluster: chooses its logs there, in the language of the store
    index            of Elasticsearch: names and patterns of the indices to search
    tenant           of a Prometheus server or Loki: the header `X-Scope-OrgID` of Mimir, Cortex and Loki
    url              in the form of `ClusterUrl`: scheme, host, port, path
    team             who may collect from it; null for everybody
    special_allowed  its IP address is one that names must never resolve to: this machine, the link, metadata
    login            kind of login, as in `login.KINDS`; empty for none
    """

    name = models.CharField(max_length=100)
    url = models.CharField(max_length=LONGEST_URL + 10)
    serves = models.CharField(max_length=10, choices=Serves.choices, default=Serves.REST)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    special_allowed = models.BooleanField(default=False)
    login = models.CharField(max_length=10, blank=True, choices=KINDS)
    metrics_server = models.ForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    selector = models.CharField(max_length=LONGEST_SELECTOR, blank=True)
    log_store = models.ForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    log_selector = models.CharField(max_length=LONGEST_SELECTOR, blank=True)
    index = models.CharField(max_length=LONGEST_SELECTOR, blank=True)
    tenant = models.CharField(max_length=150, blank=True)
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


USUAL_SECONDS = 60
"""Default period of a collection's snapshots."""


class CollectionStatus(models.TextChoices):
    QUEUED = "queued", say_later("Waits for a worker")
    RUNNING = "running", say_later("Collecting")
    DONE = "done", say_later("Done")
    FAILED = "failed", say_later("The collecting failed")
    CANCELLED = "cancelled", say_later("The collecting was cancelled")


class CollectionQuerySet(models.QuerySet["Collection"]):
    def visible_to(self, user: User) -> CollectionQuerySet:
        return self.filter(case__in=Case.objects.visible_to(user))

    def active(self) -> CollectionQuerySet:
        return self.filter(status__in=(CollectionStatus.QUEUED, CollectionStatus.RUNNING))


class Collection(models.Model):
    """One collection of evidence from a cluster, or download of a file from a store, into a case.

    fetched_path   of a fetching: path and query of the file; the query may be a signature that opens it to everybody
    seconds        over which snapshots of a cluster are taken, or its profiler runs
    profiler       mode of Flink's profiler, of `profiling.MODES`; empty for a collection that only reads
    process        of a profile: a TaskManager's id or `jobmanager`; empty for the TaskManager with the highest load
    job_name       of metrics: name of the job; empty for all jobs
    selector       of metrics: matchers of the series; of logs: chooses them
    begins_at, ends_at  of metrics and logs: the window; null for the last hour
    attempt       token of the run's owner
    heartbeat_at  the last sign of life of the worker
    detail        the present request, why there is no evidence, or which source was left out, for the user
    """

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="collections")
    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, related_name="collections")
    requested_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    fetched_path = models.CharField(max_length=LONGEST_FILE_URL, blank=True)
    redact = models.JSONField(default=list)
    seconds = models.PositiveIntegerField(default=USUAL_SECONDS)
    profiler = models.CharField(max_length=10, blank=True, default="")
    process = models.CharField(max_length=LONGEST_PROCESS, blank=True, default="")
    job_name = models.CharField(max_length=500, blank=True)
    selector = models.CharField(max_length=LONGEST_SELECTOR, blank=True)
    begins_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField(null=True, blank=True)
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
    def source(self) -> str:
        """Its origin for people: without the query, which may be a signature."""
        return f"{self.origin}{self.fetched_path.partition('?')[0]}" if self.fetched_path else self.cluster.url

    @property
    def origin(self) -> str:
        """Scheme, host and port of what it comes from."""
        return ClusterUrl.parse(self.cluster.url).origin

    @property
    def is_active(self) -> bool:
        return self.status in (CollectionStatus.QUEUED, CollectionStatus.RUNNING)

    @property
    def target(self) -> Path:
        """Path of the received data."""
        return settings.INCOMING_DIR / f"collection-{self.pk}-{self.attempt.hex}.zip"
