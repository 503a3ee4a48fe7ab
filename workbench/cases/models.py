"""Cases with their searchable text, traits, watchers, changes, snapshots, notes and follow-up actions."""

from __future__ import annotations

import json
from collections.abc import Collection
from functools import reduce
from operator import or_
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Case as Conditional
from django.db.models import F, Q, Value, When
from django.db.models.functions import Cast, Concat
from django.urls import reverse
from django.utils import timezone

from diagnostics.symptoms import NO_CAUSE
from diagnostics.vocabulary.connectors import GUARANTEES
from workbench.accounts.models import Team, User
from workbench.cases.case_search import Holds, search_words
from workbench.cases.job_verdicts import JobVerdict
from workbench.cases.own_texts import CHANGES, NOTES, TITLES
from workbench.cases.service_levels import ServiceLevel
from workbench.languages.sentences import say_later

GUARANTEE_NAMES = {
    "at most once": say_later("at most once"),
    "at least once": say_later("at least once"),
    "exactly once": say_later("exactly once"),
}
MOST_SEARCH_TEXT = 100_000
LONGEST_CHANGE = 120
LONGEST_FOLLOW_UP = 300
LONGEST_HOLD_REASON = 500


class CaseStatus(models.TextChoices):
    """Status of the work of people on the incident; the state of the analysis is `analysis_status`."""

    OPEN = "open", say_later("Open")
    INVESTIGATING = "investigating", say_later("Investigating")
    FIX_APPLIED = "fix_applied", say_later("Fix applied")
    VERIFYING = "verifying", say_later("Verifying")
    CLOSED = "closed", say_later("Closed")


class CaseQuerySet(models.QuerySet["Case"]):
    def readable_by(self, user: User) -> CaseQuerySet:
        """The cases of the user's teams; an administrator reads all."""
        if user.is_administrator:
            return self
        return self.filter(team__in=user.teams.all())

    def visible_to(self, user: User) -> CaseQuerySet:
        """What the user may read, without the case of a drill in progress, whose solution every page and the API would
        reveal.
        """
        cases, drilled = self.readable_by(user), user.cases_drilled
        return cases.exclude(Q(pk__in=drilled) | Q(merged_into__in=drilled)) if drilled else cases

    def open(self) -> CaseQuerySet:
        return self.exclude(status=CaseStatus.CLOSED)

    def closed(self) -> CaseQuerySet:
        return self.filter(status=CaseStatus.CLOSED)

    def with_a_job_of(self, names: Collection[str]) -> CaseQuerySet:
        """The cases that have a job of exactly one of these names."""
        listed = self.annotate(
            listed_jobs=Concat(Value("\n"), "job_names", Value("\n"), output_field=models.TextField())
        )
        return listed.filter(reduce(or_, (Q(listed_jobs__contains=f"\n{name}\n") for name in names)))

    def with_verdicts_of_several(self) -> CaseQuerySet:
        """The cases with `several_verdicts`: the job verdicts of a case with several jobs, null for one job."""
        several = When(job_names__contains="\n", then="job_verdicts")
        return self.annotate(several_verdicts=Conditional(several, output_field=models.JSONField(null=True)))

    def with_a_verdict_of(self, classes: Collection[str]) -> CaseQuerySet:
        """The cases of one of these verdicts, and those of several jobs in which another one has it as its cause."""
        wanted = Q(verdict_class__in=classes)
        for each in set(classes).difference(NO_CAUSE):
            wanted |= Q(verdicts_text__contains=f'"symptom_class": {json.dumps(each)}')
        return self.annotate(verdicts_text=Cast("job_verdicts", models.TextField())).filter(wanted)

    def with_news_for(self, user: User) -> CaseQuerySet:
        """The watched cases with changes since the user last opened them."""
        return self.filter(watches__user=user, watches__seen_at__lt=F("updated_at"))

    def matching(self, query: str) -> CaseQuerySet:
        """The cases whose text contains every word of the query, case-insensitive and also within words.

        People search parts of class names, hosts and job names (`Deserialization`, `tm-3`), which full-text indexes do
        not match; so both databases search the folded text and give the same results.
        """
        found = self
        for word in search_words(query):
            found = found.filter(searched__text__holds=word)
        return found


class Case(models.Model):
    """One incident: its files, diagnosis, people's actions and the fix.

    `fingerprint`, `service_levels` and the traits are those of the incident, the first snapshot; the others of the
    newest diagnosis.
    `problem_seen_at`: last time of the problem in the incident's evidence, null when it has no times.
    `keep_evidence`: its files are not deleted automatically after it is closed.
    `required_guarantee`: what its jobs have to deliver, from end to end; empty where nobody stated it.
    The columns of its impact (`minutes_late`, ...) are what people stated, null where nobody did.
    The `verdict_*`, `health_score`, `job_names` and `analysis_status` columns repeat the latest analysis, so that the
    list needs one table; `workbench.analyses.outcome` keeps them, null means not known (yet). `verdict_class` and
    `health_score` are those of the worst job, `job_verdicts` those of each.
    """

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="cases")
    title = models.CharField(max_length=200)
    status = models.CharField(max_length=20, choices=CaseStatus.choices, default=CaseStatus.OPEN)
    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="owned_cases")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="created_cases")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    confirmed_class = models.CharField(max_length=50, null=True, blank=True)
    what_fixed_it = models.TextField(blank=True)
    closed_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="closed_cases")
    closed_at = models.DateTimeField(null=True, blank=True)

    merged_into = models.ForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="merged")

    keep_evidence = models.BooleanField(default=False)
    required_guarantee = models.CharField(
        max_length=20, choices=[(each, GUARANTEE_NAMES[each]) for each in GUARANTEES], blank=True
    )

    minutes_late = models.PositiveIntegerField(null=True, blank=True)
    jobs_affected = models.PositiveIntegerField(null=True, blank=True)
    records_lost = models.PositiveBigIntegerField(null=True, blank=True)
    records_delayed = models.PositiveBigIntegerField(null=True, blank=True)

    analysis_status = models.CharField(max_length=20, null=True, blank=True)
    verdict_class = models.CharField(max_length=50, null=True, blank=True)
    verdict_confidence = models.FloatField(null=True, blank=True)
    verdict_summary = models.TextField(blank=True)
    severity = models.CharField(max_length=20, null=True, blank=True)
    health_score = models.IntegerField(null=True, blank=True)
    job_names = models.TextField(blank=True)
    job_verdicts: models.JSONField[list[JobVerdict], list[JobVerdict]] = models.JSONField(default=list, blank=True)
    service_levels: models.JSONField[list[ServiceLevel], list[ServiceLevel]] = models.JSONField(
        default=list, blank=True
    )
    flink_version = models.CharField(max_length=50, null=True, blank=True)
    fingerprint = models.CharField(max_length=64, null=True, blank=True, db_index=True)
    problem_seen_at = models.DateTimeField(null=True, blank=True)

    objects = CaseQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        indexes = [
            models.Index(fields=["team", "-created_at"], name="case_team_newest"),
            models.Index(fields=["team", "status"], name="case_team_status"),
            models.Index(fields=["verdict_class"], name="case_verdict"),
        ]

    def __str__(self) -> str:
        return f"#{self.pk} {self.read_title}"

    @property
    def read_title(self) -> str:
        """The title as the reader sees it."""
        return TITLES.read(self.title)

    def get_absolute_url(self) -> str:
        return reverse("cases:detail", args=[self.pk])

    @property
    def is_closed(self) -> bool:
        return self.status == CaseStatus.CLOSED

    @property
    def snapshot_number(self) -> int:
        """The snapshot of new files: the newest one."""
        return self.snapshots.aggregate(newest=models.Max("number"))["newest"] or 1

    def may_be_changed_by(self, user: User) -> bool:
        """Whether the user, who can see the case, may change it."""
        return user.may_change_cases


class SearchText(models.Model):
    """The searchable text of a case, in its own table, so that the list does not read long texts.

    diagnosis  text of the newest diagnosis, unchanged
    text       that and the other texts, folded to lower case; `cases.services.search_text_update` collects it
    """

    case = models.OneToOneField(Case, on_delete=models.CASCADE, primary_key=True, related_name="searched")
    diagnosis = models.TextField(blank=True)
    text = models.TextField(blank=True)
    text.register_lookup(Holds)

    def __str__(self) -> str:
        return self.text[:80]


class CaseTrait(models.Model):
    """A property that cases may share: a `diagnostics.diagnosis.fingerprint.Trait`."""

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="traits")
    kind = models.CharField(max_length=10)
    value = models.CharField(max_length=200)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["case", "kind", "value"], name="each_trait_once")]
        indexes = [models.Index(fields=["kind", "value"], name="case_trait")]

    def __str__(self) -> str:
        return f"{self.kind} {self.value}"


class Watch(models.Model):
    """A user who follows a case; changes after `seen_at` are new to them."""

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="watches")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="watches")
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "case"], name="one_watch_for_each_person")]

    def __str__(self) -> str:
        return f"{self.user} watches case {self.case_id}"


class CaseChange(models.Model):
    """A change of a case by a user. Rows are only added: an undo is another change.

    before, after  {column of Case: value}, the changed columns
    batch          shared by the changes of one bulk action, which can be undone together
    """

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="changes")
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    before: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(encoder=DjangoJSONEncoder)
    after: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(encoder=DjangoJSONEncoder)
    batch = models.UUIDField(null=True, blank=True, db_index=True)

    class Meta:
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"{', '.join(self.after)} of case {self.case_id}"


class Snapshot(models.Model):
    """The files of one point in time, with a diagnosis of their own: the incident, then the state after each change.

    number  from 1, the incident; files and analyses refer to it
    change  what was changed before it, as described by the user
    begins_at  when the change took effect, as a user or an alert states it: evidence from before does not count. Null
               for unknown: then it begins where the evidence of the snapshot before it ends
    """

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="snapshots")
    number = models.PositiveIntegerField()
    change = models.CharField(max_length=LONGEST_CHANGE)
    begins_at = models.DateTimeField(null=True, blank=True)
    started_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    started_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["case", "number"], name="one_snapshot_for_each_number")]

    def __str__(self) -> str:
        return f"Snapshot {self.number}: {self.change}"

    @property
    def read_change(self) -> str:
        """The change as the reader sees it."""
        return CHANGES.read(self.change)


class Note(models.Model):
    """A note on a case, and the readers that it mentions.

    unattended  whether the workbench wrote it while nobody acted, on an alert or a check; the author is in whose name
    """

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="notes")
    author = models.ForeignKey(User, on_delete=models.PROTECT)
    text = models.TextField()
    mentions = models.ManyToManyField(User, related_name="mentioned_in", blank=True)
    unattended = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["created_at", "pk"]

    def __str__(self) -> str:
        return self.text[:80]

    @property
    def read_text(self) -> str:
        """The text as the reader sees it."""
        return NOTES.read(self.text)


class FollowUp(models.Model):
    """A follow-up action after an incident, shown until it is done.

    due         the day at whose end it is due, null for none
    every_days  of a re-check: the days after which the next one is due; null for once
    """

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="follow_ups")
    text = models.CharField(max_length=LONGEST_FOLLOW_UP)
    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="follow_ups")
    due = models.DateField(null=True, blank=True)
    every_days = models.PositiveIntegerField(null=True, blank=True)
    added_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    added_at = models.DateTimeField(auto_now_add=True)
    done_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = [models.F("done_at").desc(nulls_first=True), models.F("due").asc(nulls_last=True), "pk"]

    def __str__(self) -> str:
        return self.text

    @property
    def is_overdue(self) -> bool:
        """Whether it is not done after the end of its day, UTC."""
        return self.done_at is None and self.due is not None and self.due < timezone.now().date()


class SavedView(models.Model):
    """A named search of the case list.

    team   the team that shares it, null for private
    query  the query string of the address
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="saved_views")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, null=True, blank=True, related_name="saved_views")
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=2000)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["user", "name"], name="one_view_for_each_name")]

    def __str__(self) -> str:
        return self.name


class Retention(models.Model):
    """How long the files of a team's closed cases are kept.

    days  0 for ever; null as WORKBENCH_KEEP_DAYS states
    """

    team = models.OneToOneField(Team, on_delete=models.CASCADE, related_name="retention")
    days = models.PositiveIntegerField(null=True)
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.team}: {self.days} days"


class LegalHoldQuerySet(models.QuerySet["LegalHold"]):
    def in_force(self) -> LegalHoldQuerySet:
        return self.filter(lifted_at=None)


class LegalHold(models.Model):
    """A time in which nothing of a team is deleted. Rows are only added and lifted."""

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="holds")
    reason = models.CharField(max_length=LONGEST_HOLD_REASON)
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    lifted_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    lifted_at = models.DateTimeField(null=True)

    objects = LegalHoldQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.team}: {self.reason}"
