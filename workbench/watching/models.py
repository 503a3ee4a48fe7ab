"""Watched clusters, their jobs, the checks of each job, and early warnings."""

from __future__ import annotations

from typing import Any, cast

from django.db import models
from django.urls import reverse

from workbench.accounts.models import Team, User
from workbench.cases.models import Case
from workbench.clusters.models import Cluster
from workbench.languages.sentences import Said, say, say_later, sentence_of

LONGEST_TEXT = 500


class Every(models.IntegerChoices):
    """Minutes between two checks."""

    FIVE = 5, say_later("Every 5 minutes")
    FIFTEEN = 15, say_later("Every 15 minutes")
    HOUR = 60, say_later("Every hour")


class Level(models.TextChoices):
    """What a check says about a job, the worst first."""

    ILL = "ill", say_later("Ill")
    WARNING = "warning", say_later("Early warning")
    QUIET = "quiet", say_later("Nothing alarming")
    ENDED = "ended", say_later("Ended")


WORST_FIRST = tuple(Level.values)


class WatchQuerySet(models.QuerySet["Watch"]):
    def listed(self) -> WatchQuerySet:
        """Those of clusters that are still listed."""
        return self.filter(cluster__removed_at=None)

    def visible_to(self, user: User) -> WatchQuerySet:
        """Those of the user's teams; an administrator sees all."""
        return self if user.is_administrator else self.filter(team__in=user.teams.all())


class Watch(models.Model):
    """The schedule of one cluster.

    team, owner    who sees its jobs, and whom the cases belong to that its warnings open
    opens_cases    whether a warning collects evidence into a case; else it is only a notice
    state_limit_mb  of the disk or quota that holds the state of one job, MB; null for unknown
    next_at        when the next check is due
    begun_at       when the running check began; null while none runs
    checked_at     of the last check that was answered
    failure        why the last check was not answered; empty when it was
    failures       checks since the last one that was answered
    left_out       what the last check did not look at
    """

    cluster = models.OneToOneField(Cluster, on_delete=models.CASCADE, related_name="watch")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="+")
    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    every = models.PositiveSmallIntegerField(choices=Every.choices, default=Every.FIFTEEN)
    opens_cases = models.BooleanField(default=False)
    state_limit_mb = models.PositiveIntegerField(null=True, blank=True)
    next_at = models.DateTimeField(db_index=True)
    begun_at = models.DateTimeField(null=True, blank=True)
    checked_at = models.DateTimeField(null=True, blank=True)
    failure = models.CharField(max_length=LONGEST_TEXT, blank=True)
    failures = models.PositiveIntegerField(default=0)
    left_out = models.CharField(max_length=LONGEST_TEXT, blank=True)

    objects = WatchQuerySet.as_manager()

    class Meta:
        ordering = ["cluster__name"]

    def __str__(self) -> str:
        return f"watch of {self.cluster}"


class WatchedJobQuerySet(models.QuerySet["WatchedJob"]):
    def visible_to(self, user: User) -> WatchedJobQuerySet:
        return self.filter(watch__in=Watch.objects.listed().visible_to(user))


class WatchedJob(models.Model):
    """One job of a watched cluster, recognised by its name: a deployment gives it another id.

    name         of the job; with its id where several jobs of the name run at once
    deployed_at  when the job of this id was submitted, by the cluster's clock
    known        what is asked once for each job id: `timeout_ms`, `interval_ms`, `backlogs` (paths of source metrics)
    level        of the last check
    reasons      sentences for the level, as `sentence_of` reads them
    looked_at    what the last check measured
    """

    watch = models.ForeignKey(Watch, on_delete=models.CASCADE, related_name="jobs")
    name = models.CharField(max_length=LONGEST_TEXT)
    job_id = models.CharField(max_length=32)
    state = models.CharField(max_length=20)
    deployed_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField()
    known: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    level = models.CharField(max_length=10, choices=Level.choices)
    reasons: models.JSONField[list[Said | str], list[Said | str]] = models.JSONField(default=list)
    looked_at: models.JSONField[list[str], list[str]] = models.JSONField(default=list)

    objects = WatchedJobQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["watch", "name"], name="one_watched_job_of_a_name")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("watching:job", args=[self.pk])

    @property
    def is_unknown(self) -> bool:
        """Whether its level is that of an earlier check, because the last one was not answered."""
        return bool(self.watch.failure) and self.level != Level.ENDED

    @property
    def reason_sentences(self) -> list[str]:
        """The reasons in the reader's language."""
        return [sentence_of(each) for each in self.reasons]

    @property
    def looked_at_words(self) -> list[str]:
        """What the last check measured, in the reader's language."""
        return [say(each) for each in self.looked_at]


class JobCheck(models.Model):
    """One check of a job; null for what was not measured.

    deployment        the job id of that time
    checkpoint_ms     end-to-end duration of the last completed checkpoint, ms
    checkpoint_bytes  its state size
    failed_in_a_row   failed checkpoints since the last completed one
    backlog           records that wait to be read, over all sources
    restarts          since the job of this id was submitted
    """

    job = models.ForeignKey(WatchedJob, on_delete=models.CASCADE, related_name="checks")
    deployment = models.CharField(max_length=32)
    at = models.DateTimeField()
    state = models.CharField(max_length=20)
    level = models.CharField(max_length=10, choices=Level.choices)
    checkpoint_ms = models.FloatField(null=True, blank=True)
    checkpoint_bytes = models.FloatField(null=True, blank=True)
    failed_in_a_row = models.PositiveIntegerField(null=True, blank=True)
    backlog = models.FloatField(null=True, blank=True)
    restarts = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["-at"]
        indexes = [models.Index(fields=["job", "-at"], name="job_check_newest")]

    def __str__(self) -> str:
        return f"{self.job} at {self.at}"


class EarlyWarning(models.Model):
    """A sign of trouble, present or coming, from the first check that measured it until it is gone.

    kind      the name of its rule
    text      the newest sentence about it
    said      the same as `sentence_of` reads it; empty in warnings of earlier versions
    case      the case that it opened or joined
    reason    why there is no case
    """

    job = models.ForeignKey(WatchedJob, on_delete=models.CASCADE, related_name="warnings")
    kind = models.CharField(max_length=30)
    text = models.CharField(max_length=LONGEST_TEXT)
    said: models.JSONField[Said | dict[str, Any], Said | dict[str, Any]] = models.JSONField(default=dict)
    began_at = models.DateTimeField()
    heard_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    case = models.ForeignKey(Case, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    reason = models.CharField(max_length=LONGEST_TEXT, blank=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.text

    @property
    def sentence(self) -> str:
        """The newest sentence in the reader's language."""
        return sentence_of(cast("Said", self.said)) if self.said else self.text
