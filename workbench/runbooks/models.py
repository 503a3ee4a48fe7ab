"""Records of runbook steps."""

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
    WAITING = "waiting", "Waits for approval"
    APPROVED = "approved", "Approved"
    REFUSED = "refused", "Refused"


HELD = (StepState.WAITING, StepState.REFUSED)
"""A step in one of these states is not done until it is approved, or the question is withdrawn by opening it again."""


class StepRecordQuerySet(models.QuerySet["StepRecord"]):
    def waiting(self) -> StepRecordQuerySet:
        """Where an approval was asked for and nothing was said since."""
        same = {name: models.OuterRef(name) for name in ("case", "job", "runbook", "step")}
        later = StepRecord.objects.filter(**same, pk__gt=models.OuterRef("pk"))
        return self.filter(~models.Exists(later), state=StepState.WAITING)

    def latest_by_step(self) -> dict[tuple[str, str, str], StepRecord]:
        """What was last said about each step: (job id or "", runbook id, step id) -> record."""
        large = ("analysis__document", "analysis__signals", "analysis__inputs")
        records = self.select_related("by", "asked", "analysis").defer(*large).order_by("at", "pk")
        return {(record.job, record.runbook, record.step): record for record in records}


class StepRecord(models.Model):
    """Somebody did, answered or failed one step of a runbook, or approved it. Records are only added: the last counts.

    job     the job id that the runbook was shown for, "" when the evidence names none: two jobs can need the same one
    answer  the `if` of the step's answer that somebody chose, "" for none
    asked   who is asked to approve the step, null but for one that waits
    """

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="steps")
    analysis = models.ForeignKey(Analysis, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    job = models.CharField(max_length=64, blank=True)
    runbook = models.CharField(max_length=80)
    step = models.CharField(max_length=80)
    state = models.CharField(max_length=10, choices=StepState.choices)
    note = models.TextField(blank=True)
    answer = models.TextField(blank=True)
    asked = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="approvals")
    by = models.ForeignKey(User, on_delete=models.PROTECT)
    at = models.DateTimeField(auto_now_add=True)

    objects = StepRecordQuerySet.as_manager()

    class Meta:
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"{self.runbook} {self.step}: {self.state}"

    @property
    def action_words(self) -> str:
        """What was done, as words that follow the person's name."""
        if self.state == StepState.WAITING:
            return f"asked {self.asked} to approve"
        if self.answer and self.state == StepState.OPEN:
            return f"answered “{self.answer}”"
        answered = f", answer “{self.answer}”" if self.answer else ""
        return f"{self.get_state_display().lower()}{answered}"
