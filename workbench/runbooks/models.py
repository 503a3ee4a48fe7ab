from __future__ import annotations

from django.db import models

from workbench.accounts.models import User
from workbench.analyses.models import Analysis
from workbench.cases.models import Case


class StepState(models.TextChoices):
    OPEN = "open", "Open"
    DONE = "done", "Done"
    SKIPPED = "skipped", "Skipped"
    FAILED = "failed", "Failed"


class StepRecordQuerySet(models.QuerySet["StepRecord"]):
    def latest_by_step(self) -> dict[tuple[str, str, str], StepRecord]:
        """What was last said about each step: (job id or "", runbook id, step id) -> record."""
        large = ("analysis__document", "analysis__signals", "analysis__inputs")
        records = self.select_related("by", "analysis").defer(*large).order_by("at", "pk")
        return {(record.job, record.runbook, record.step): record for record in records}


class StepRecord(models.Model):
    """Somebody did, skipped or failed one step of a runbook. Records are only added: the last one counts.

    job  the job id that the runbook was shown for, "" when the evidence names none; two jobs can need the same runbook
    """

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="steps")
    analysis = models.ForeignKey(Analysis, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    job = models.CharField(max_length=64, blank=True)
    runbook = models.CharField(max_length=80)
    step = models.CharField(max_length=80)
    state = models.CharField(max_length=10, choices=StepState.choices)
    note = models.TextField(blank=True)
    by = models.ForeignKey(User, on_delete=models.PROTECT)
    at = models.DateTimeField(auto_now_add=True)

    objects = StepRecordQuerySet.as_manager()

    class Meta:
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"{self.runbook} {self.step}: {self.state}"
