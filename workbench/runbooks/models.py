"""Records of runbook steps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.db import models
from django.urls import reverse

from diagnostics.language import in_reader_language
from workbench.accounts.models import Team, User
from workbench.analyses.models import Analysis
from workbench.cases.models import Case
from workbench.cases.words import judgement_word
from workbench.languages.sentences import say, say_later

if TYPE_CHECKING:
    from diagnostics.runbook.text import Step

LONGEST_TITLE, LONGEST_URL = 200, 500
"""Characters of an article's title and of its address."""


class StepState(models.TextChoices):
    OPEN = "open", say_later("Open")
    DONE = "done", say_later("Done")
    SKIPPED = "skipped", say_later("Skipped")
    FAILED = "failed", say_later("Failed")
    WAITING = "waiting", say_later("Waits for approval")
    APPROVED = "approved", say_later("Approved")
    REFUSED = "refused", say_later("Refused")


HELD = (StepState.WAITING, StepState.REFUSED)
"""In these states a step cannot be done until it is approved, or the request is withdrawn by reopening it."""


class StepRecordQuerySet(models.QuerySet["StepRecord"]):
    def waiting(self) -> StepRecordQuerySet:
        """Records that wait for an approval."""
        same = {name: models.OuterRef(name) for name in ("case", "job", "runbook", "step")}
        later = StepRecord.objects.filter(**same, pk__gt=models.OuterRef("pk"))
        return self.filter(~models.Exists(later), state=StepState.WAITING)

    def complete(self) -> StepRecordQuerySet:
        """With people and the analysis, which is without its large columns; oldest first."""
        large = ("analysis__document", "analysis__signals", "analysis__inputs")
        return self.select_related("by", "asked", "analysis").defer(*large).order_by("at", "pk")


def latest_by_step(records: Iterable[StepRecord]) -> dict[tuple[str, str, str], StepRecord]:
    """The last record of each step, of those of a case, oldest first: (job id or "", runbook id, step id) -> record."""
    return {(record.job, record.runbook, record.step): record for record in records}


class Verification(models.Model):
    """Whether a change helped: the stored conclusion of comparing a later snapshot with the incident.

    before, after  the compared diagnoses
    judgement      a `diagnostics.proof.Judgement`
    headline       the conclusion in a sentence or two
    """

    before = models.ForeignKey(Analysis, on_delete=models.CASCADE, related_name="+")
    after = models.OneToOneField(Analysis, on_delete=models.CASCADE, related_name="verification")
    judgement = models.CharField(max_length=20)
    headline = models.TextField()

    def __str__(self) -> str:
        return self.headline

    @property
    def is_fixed(self) -> bool:
        return self.judgement == "fixed"

    @property
    def is_open(self) -> bool:
        """Whether more evidence may decide."""
        return self.judgement == "cannot tell"

    @property
    def words(self) -> str:
        """The judgement for people."""
        return say("Fix verified") if self.is_fixed else judgement_word(self.judgement)


class StepRecord(models.Model):
    """A user's record of doing, answering, failing or approving one step of a runbook. Records are only added; the last
    one counts.

    job     the job id of the runbook, "" when the evidence names none: two jobs can need the same one
    answer  the `if` of the selected answer, "" for none
    asked   who is asked to approve the step, null unless it waits
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
        """The action in words that follow the person's name."""
        if self.state == StepState.WAITING:
            return say("asked {person} to approve", person=self.asked)
        if self.answer and self.state == StepState.OPEN:
            return say("answered “{answer}”", answer=self.read_answer)
        state = str(self.get_state_display()).lower()
        return say("{state}, answer “{answer}”", state=state, answer=self.read_answer) if self.answer else state

    @property
    def question(self) -> str:
        """The step's question in the reader's language; its id where the shipped runbook has no such step."""
        step = self._shipped_step()
        return in_reader_language(step.texts["question"]) if step else self.step.replace("-", " ")

    @property
    def read_answer(self) -> str:
        """The selected answer in the reader's language; in English where the shipped runbook has no such answer."""
        step = self._shipped_step()
        answers = [each.condition for each in step.answers if each.condition == self.answer] if step else []
        return in_reader_language(answers[0]) if answers else self.answer

    def _shipped_step(self) -> Step | None:
        # Loaded when it is asked for: with it come all signals and rules, a quarter of the start of a command.
        from diagnostics.runbook.shipped import runbooks

        runbook = runbooks().get(self.runbook)
        return next((step for step in runbook.steps if step.id == self.step), None) if runbook else None


class Article(models.Model):
    """A text of a team beside a runbook, such as an article that was pasted from a web page. It is read by people only.

    runbook  id of the runbook
    url      where it comes from; empty for unknown
    """

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="articles")
    runbook = models.CharField(max_length=80)
    title = models.CharField(max_length=LONGEST_TITLE)
    text = models.TextField()
    url = models.CharField(max_length=LONGEST_URL, blank=True)
    added_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    added_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["runbook", "title", "pk"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("runbooks:article", args=[self.pk])
