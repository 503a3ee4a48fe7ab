"""A run of the diagnosis, with its findings, citations, chart points and sampled stacks."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from workbench.accounts.models import User
from workbench.cases.models import Case
from workbench.languages.sentences import say_later
from workbench.rules.models import Ruleset
from workbench.uploads.models import UploadedFile


class AnalysisStatus(models.TextChoices):
    QUEUED = "queued", say_later("Queued")
    RUNNING = "running", say_later("Running")
    DONE = "done", say_later("Done")
    FAILED = "failed", say_later("Failed")
    CANCELLED = "cancelled", say_later("Cancelled")


class LogBookState(models.TextChoices):
    NONE = "none", say_later("No log")
    WAITING = "waiting", say_later("Being written")
    WRITTEN = "written", say_later("Written")
    FAILED = "failed", say_later("Could not be written")


ACTIVE = (AnalysisStatus.QUEUED, AnalysisStatus.RUNNING)


VERDICT = {
    "reached_class": F("document__verdict__symptom_class"),
    "reached_confidence": F("document__verdict__confidence"),
    "reached_score": F("document__health__score"),
    "reached_job": F("document__jobs__0__name"),
    "reached_beside": F("document__jobs__1__job_id"),
}

Verdict = tuple[str, float, int, str | None, str | None]
"""Class, confidence and health score of a diagnosis, the name of the job that they are of, and the id of the next one,
None without another."""


def verdict_of(analysis: Analysis) -> Verdict:
    """The verdict of a finished analysis that was read by `with_verdict`."""
    reached: Verdict = tuple(getattr(analysis, name) for name in VERDICT)
    return reached


class AnalysisQuerySet(models.QuerySet["Analysis"]):
    def visible_to(self, user: User) -> AnalysisQuerySet:
        """The analyses of the cases that the user sees."""
        return self.filter(case__in=Case.objects.visible_to(user))

    def active(self) -> AnalysisQuerySet:
        """Queued or running."""
        return self.filter(status__in=ACTIVE)

    def done(self) -> AnalysisQuerySet:
        """With a diagnosis; those of the newest snapshot first."""
        return self.filter(status=AnalysisStatus.DONE).order_by("-snapshot", "-pk")

    def exclude_later_snapshots(self) -> AnalysisQuerySet:
        """Of the incidents, without those of later snapshots."""
        return self.filter(snapshot=1)

    def light(self) -> AnalysisQuerySet:
        """Without the large columns: enough to show the progress."""
        return self.defer("document", "signals", "inputs")

    def with_verdict(self) -> AnalysisQuerySet:
        """`light`, with what `verdict_of` needs of the documents."""
        return self.light().annotate(**VERDICT)


class Analysis(models.Model):
    """One run over the files of a case's snapshot at the time of the request.

    snapshot       number of the snapshot
    ruleset        the rules, as of the request
    claim          token of the current attempt, which tags its Spark work; its holder owns the run
    spark_session  the Spark Connect session of the worker that runs it
    heartbeat_at   last sign of life of the worker
    turn           its position in the queue, which teams share in turns: `workbench.analyses.turns`
    attempts       number of attempts by workers
    servers_lost   how many of these attempts ended because the Spark server was lost
    is_large       whether its files exceed `diagnostics.reading.case.LARGE_BYTES` once unpacked
    is_unusable    whether it failed because no file could be used: to repeat it helps nobody
    room_needed    bytes that must be free before the next attempt, after one that filled the disk
    stage_ms       {stage: milliseconds} in the order they ran
    warnings       internal errors of single rules, signals or charts, by name; the other results are complete
    log_book       whether its log records are searchable yet; they are written after the verdict
    document       the contract's diagnosis document; signals are kept for judging again without Spark
    """

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="analyses")
    snapshot = models.PositiveIntegerField(default=1)
    files = models.ManyToManyField(UploadedFile, related_name="analyses")
    ruleset = models.ForeignKey(Ruleset, on_delete=models.PROTECT, related_name="analyses")
    requested_by = models.ForeignKey(User, on_delete=models.PROTECT)

    status = models.CharField(max_length=10, choices=AnalysisStatus.choices, default=AnalysisStatus.QUEUED)
    stage = models.CharField(max_length=100, blank=True)
    progress = models.FloatField(default=0.0)
    detail = models.TextField(blank=True)
    error = models.TextField(blank=True)
    queued_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    turn = models.PositiveIntegerField(default=0)
    is_large = models.BooleanField(default=False)
    attempts = models.PositiveIntegerField(default=0)
    servers_lost = models.PositiveIntegerField(default=0)
    is_unusable = models.BooleanField(default=False)
    room_needed = models.BigIntegerField(default=0)
    claim = models.UUIDField(null=True, blank=True)
    spark_session = models.UUIDField(null=True, blank=True)
    stage_ms = models.JSONField(default=dict)
    warnings = models.JSONField(default=list)

    log_book = models.CharField(max_length=10, choices=LogBookState.choices, default=LogBookState.NONE)
    log_book_attempts = models.PositiveSmallIntegerField(default=0)

    document: models.JSONField[Any, Any] = models.JSONField(null=True, blank=True)
    signals: models.JSONField[Any, Any] = models.JSONField(null=True, blank=True)
    inputs: models.JSONField[Any, Any] = models.JSONField(null=True, blank=True)

    objects = AnalysisQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "analyses"
        get_latest_by = "pk"
        indexes = [
            models.Index(fields=["status", "heartbeat_at"], name="analysis_status_heartbeat"),
            models.Index(fields=["log_book"], name="analysis_log_book"),
            # Durations are read from these columns alone, because a row with its document is large.
            models.Index(fields=["case", "status", "finished_at"], name="analysis_first_done"),
        ]

    def __str__(self) -> str:
        return f"Analysis {self.pk} of case {self.case_id}"

    @property
    def is_active(self) -> bool:
        return self.status in ACTIVE

    @property
    def queue_position(self) -> int | None:
        """1 for the next one to start, None when it is not queued."""
        if self.status != AnalysisStatus.QUEUED:
            return None
        is_before = Q(turn__lt=self.turn) | Q(turn=self.turn, pk__lt=self.pk)
        return Analysis.objects.filter(is_before, status=AnalysisStatus.QUEUED).count() + 1


class ChartPoints(models.Model):
    """The points of one chart of one analysis, drawn when a page requests them."""

    analysis = models.ForeignKey(Analysis, on_delete=models.CASCADE, related_name="charts")
    chart_id = models.CharField(max_length=80)
    points = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["analysis", "chart_id"], name="one_row_for_each_chart")]

    def __str__(self) -> str:
        return self.chart_id


class SampledStacks(models.Model):
    """The sampled stacks of one analysis, as packed by `diagnostics.profiles`; converted to a flame graph per
    request.
    """

    analysis = models.OneToOneField(Analysis, on_delete=models.CASCADE, related_name="stacks")
    content = models.BinaryField()

    class Meta:
        verbose_name_plural = "sampled stacks"

    def __str__(self) -> str:
        return f"Sampled stacks of analysis {self.analysis_id}"


class RenderedDiagnosis(models.Model):
    """What a diagnosis shows on the page of its case, rendered for its readers; replaced when it is out of date.

    may_change  for readers who may change the case, or for the others
    state       digest of all that it was rendered from (`workbench.case_pages.diagnosis_part`)
    content     compressed JSON
    """

    analysis = models.ForeignKey(Analysis, on_delete=models.CASCADE, related_name="rendered")
    language = models.CharField(max_length=20)
    may_change = models.BooleanField()
    state = models.CharField(max_length=64)
    content = models.BinaryField()

    class Meta:
        verbose_name_plural = "rendered diagnoses"
        constraints = [
            models.UniqueConstraint(
                fields=["analysis", "language", "may_change"], name="one_rendering_for_each_kind_of_reader"
            )
        ]

    def __str__(self) -> str:
        return f"Diagnosis {self.analysis_id} in {self.language}"


class Finding(models.Model):
    """A finding of the document as a row; `position` is its index there."""

    analysis = models.ForeignKey(Analysis, on_delete=models.CASCADE, related_name="findings")
    position = models.PositiveIntegerField()
    symptom_class = models.CharField(max_length=50, db_index=True)
    confidence = models.FloatField()
    severity = models.CharField(max_length=10)
    role = models.CharField(max_length=20)
    title = models.TextField()
    statement = models.TextField()
    subject = models.JSONField(default=dict)
    facts = models.JSONField(default=dict)
    caused_by = models.ForeignKey("self", on_delete=models.CASCADE, null=True, blank=True, related_name="consequences")
    rule_id = models.CharField(max_length=80)
    rule_version = models.PositiveIntegerField()
    runbook = models.CharField(max_length=80, null=True, blank=True)

    class Meta:
        ordering = ["analysis_id", "position"]
        constraints = [models.UniqueConstraint(fields=["analysis", "position"], name="one_finding_for_each_position")]

    def __str__(self) -> str:
        return self.title


class Citation(models.Model):
    """One entry of a finding's evidence, with the stored file that it refers to."""

    finding = models.ForeignKey(Finding, on_delete=models.CASCADE, related_name="citations")
    position = models.PositiveIntegerField()
    file = models.ForeignKey(UploadedFile, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    path = models.TextField()
    line = models.BigIntegerField(null=True, blank=True)
    last_line = models.BigIntegerField(null=True, blank=True)
    pointer = models.TextField(null=True, blank=True)
    kind = models.CharField(max_length=10)
    ts = models.DateTimeField(null=True, blank=True)
    text = models.TextField(blank=True)
    name = models.TextField(null=True, blank=True)
    value = models.JSONField(null=True, blank=True)

    class Meta:
        ordering = ["finding_id", "position"]

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path

    @property
    def is_kept(self) -> bool:
        """Whether the file is still stored."""
        return self.file is not None and not self.file.deleted_at

    def get_absolute_url(self) -> str | None:
        """The viewer at this line; the URL names the member when the file is an archive."""
        if self.file is None or not self.is_kept:
            return None
        asked: dict[str, Any] = {}
        if self.path != self.file.name:
            asked["member"] = self.path
        if self.last_line and self.last_line != self.line:
            asked["to"] = self.last_line
        if self.pointer:
            asked["pointer"] = self.pointer
        place = reverse("uploads:lines", args=[self.file_id, self.line or 1])
        return f"{place}?{urlencode(asked)}" if asked else place
