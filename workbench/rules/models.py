"""Rules with their versions, drafts, rulesets, regression samples, back-tests and audit log."""

from __future__ import annotations

import re

from django.db import models
from django.db.models import Q
from django.utils import timezone

from workbench.accounts.models import User
from workbench.cases.models import Case
from workbench.languages.sentences import say_later, say_stored

LONGEST_REASON = 500


class Origin(models.TextChoices):
    SHIPPED = "shipped", say_later("Shipped")
    LOCAL = "local", say_later("Written here")


class VersionState(models.TextChoices):
    PUBLISHED = "published", say_later("Published")
    RETIRED = "retired", say_later("Retired")


class Rule(models.Model):
    """A rule's identity; its text is in its versions.

    enabled  a disabled rule keeps its versions and is left out of new rulesets
    """

    rule_id = models.CharField(max_length=80, unique=True)
    enabled = models.BooleanField(default=True)

    class Meta:
        ordering = ["rule_id"]
        verbose_name = say_later("rule")
        verbose_name_plural = say_later("rules")

    def __str__(self) -> str:
        return self.rule_id


class RuleVersion(models.Model):
    """One published text of a rule. Immutable, so that findings stay explainable.

    fires_sample, silent_sample  YAML: signals on which it must hold, and a near miss on which it must not
    reason                       why it was published, in its author's words
    """

    rule = models.ForeignKey(Rule, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    origin = models.CharField(max_length=10, choices=Origin.choices)
    state = models.CharField(max_length=10, choices=VersionState.choices)
    text = models.TextField()
    fires_sample = models.TextField(blank=True)
    silent_sample = models.TextField(blank=True)
    reason = models.CharField(max_length=LONGEST_REASON, blank=True)
    sha256 = models.CharField(max_length=64)
    symptom_class = models.CharField(max_length=50)
    title = models.TextField()
    status = models.CharField(max_length=20, default="stable")
    author = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    published_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    published_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["rule__rule_id", "-number", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["rule", "origin", "number", "sha256"], name="one_row_for_each_text"),
        ]

    def __str__(self) -> str:
        return f"{self.rule} version {self.number} ({self.get_origin_display().lower()}, {self.state})"


class DraftQuerySet(models.QuerySet["Draft"]):
    def awaiting_approval(self) -> DraftQuerySet:
        return self.exclude(asked_at=None)


class Draft(models.Model):
    """A rule being written. Its texts may be invalid; publishing validates them and makes a version.

    rule      the rule that it changes, None for a new one
    base      the version that it started from
    revision  counts the writes, for optimistic locking between windows
    asked_by  who asked for a second person's approval of the present text; another text withdraws it
    """

    rule = models.ForeignKey(Rule, on_delete=models.CASCADE, null=True, blank=True, related_name="drafts")
    base = models.ForeignKey(RuleVersion, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    text = models.TextField()
    fires_sample = models.TextField(blank=True)
    silent_sample = models.TextField(blank=True)
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="rule_drafts")
    created_at = models.DateTimeField(auto_now_add=True)
    saved_at = models.DateTimeField(auto_now=True)
    revision = models.PositiveIntegerField(default=0)
    asked_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    asked_at = models.DateTimeField(null=True, blank=True)
    asked_reason = models.CharField(max_length=LONGEST_REASON, blank=True)

    objects = DraftQuerySet.as_manager()

    class Meta:
        ordering = ["-saved_at", "-pk"]

    def __str__(self) -> str:
        return f"Draft of {self.stated_rule_id}"

    @property
    def awaits_approval(self) -> bool:
        return self.asked_at is not None

    def approval_withdraw(self) -> None:
        """Forgets who asked for approval; not saved."""
        self.asked_by, self.asked_at, self.asked_reason = None, None, ""

    @property
    def stated_rule_id(self) -> str:
        """The rule's id; for a new rule the one in its text, if any."""
        if self.rule:
            return self.rule.rule_id
        found = re.search(r"^id:[ ]{0,20}([a-z0-9][a-z0-9._-]{0,79})[ ]{0,20}$", self.text, re.MULTILINE)
        return found.group(1) if found else "a new rule"


class ApprovalSetting(models.Model):
    """Whether drafts need a second person's approval. Rows are only added: the newest counts."""

    is_needed = models.BooleanField()
    reason = models.CharField(max_length=LONGEST_REASON)
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"approval {'needed' if self.is_needed else 'not needed'}"


class HealthWeighting(models.Model):
    """The weights of the health score from then on. Rows are only added: the newest counts.

    weights, before  points and bound by the names of `workbench.rules.health_weights.NAMES`
    applied_at       when the scores of the whole history followed them, null before
    """

    weights: models.JSONField[dict[str, float], dict[str, float]] = models.JSONField()
    before: models.JSONField[dict[str, float], dict[str, float]] = models.JSONField()
    reason = models.CharField(max_length=LONGEST_REASON)
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    applied_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"weights of {self.at}"


class RulesetQuerySet(models.QuerySet["Ruleset"]):
    def published(self) -> RulesetQuerySet:
        """Without rulesets that only apply to the case they were imported with."""
        return self.filter(of_bundle=False)


class Ruleset(models.Model):
    """The published rules at one moment, or those imported with a case. Rulesets are only added.

    versions   its rules that are known here; the others are in `bundled_rules`
    of_bundle  it applies only to the case that it was imported with
    """

    of_bundle = models.BooleanField(default=False)
    versions = models.ManyToManyField(RuleVersion, related_name="rulesets")
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    reason = models.CharField(max_length=300)

    objects = RulesetQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        get_latest_by = "pk"

    def __str__(self) -> str:
        return f"Ruleset {self.pk}: {self.reason}"


class BundledRule(models.Model):
    """A rule imported with a case that is not known here. It applies only to that case.

    It has no page and does not occupy its id: a rule with the same id may be written or shipped later.
    """

    ruleset = models.ForeignKey(Ruleset, on_delete=models.CASCADE, related_name="bundled_rules")
    rule_id = models.CharField(max_length=80)
    text = models.TextField()

    class Meta:
        ordering = ["rule_id"]
        constraints = [models.UniqueConstraint(fields=["ruleset", "rule_id"], name="one_bundled_rule_for_each_id")]

    def __str__(self) -> str:
        return f"{self.rule_id} of ruleset {self.ruleset_id}"


class RegressionSampleQuerySet(models.QuerySet["RegressionSample"]):
    def visible_to(self, user: User) -> RegressionSampleQuerySet:
        """The samples of cases that the user sees; those of deleted cases are for administrators."""
        cases = Q(case__in=Case.objects.visible_to(user))
        return self.filter(cases | Q(case=None) if user.is_administrator else cases)


class RegressionSample(models.Model):
    """The signals of a closed case on which a rule fired correctly; every later version must fire on them too.

    Every version is tested with it, no matter who publishes it; only readers of the case see the case and the details.

    text  YAML as in `RuleVersion.fires_sample`: only the facts that the rule reads, without names of the case
    """

    rule = models.ForeignKey(Rule, on_delete=models.CASCADE, related_name="regression_samples")
    case = models.ForeignKey(Case, on_delete=models.SET_NULL, null=True, related_name="+")
    text = models.TextField()
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = RegressionSampleQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [models.UniqueConstraint(fields=["rule", "case"], name="one_sample_for_each_rule_and_case")]

    def __str__(self) -> str:
        return f"case {self.case_id}" if self.case_id else "a deleted case"


class EventKind(models.TextChoices):
    DRAFT_SAVED = "draft_saved", say_later("Draft saved")
    DISCARDED = "discarded", say_later("Draft discarded")
    PUBLISHED = "published", say_later("Published")
    ROLLED_BACK = "rolled_back", say_later("Rolled back")
    SWITCHED_ON = "switched_on", say_later("Switched on")
    SWITCHED_OFF = "switched_off", say_later("Switched off")
    IMPORTED = "imported", say_later("Imported as a draft")
    APPROVAL_ASKED = "approval_asked", say_later("Approval asked for")
    SENT_BACK = "sent_back", say_later("Sent back")
    SAMPLE_KEPT = "sample_kept", say_later("Regression sample kept")
    SAMPLE_REMOVED = "sample_removed", say_later("Regression sample removed")


SAMPLE_EVENTS = (EventKind.SAMPLE_KEPT, EventKind.SAMPLE_REMOVED)


class RuleEventQuerySet(models.QuerySet["RuleEvent"]):
    def visible_to(self, user: User) -> RuleEventQuerySet:
        """Without events of samples from cases that the user does not see: they would reveal the cause to a drill in
        progress.
        """
        readable = ~Q(kind__in=SAMPLE_EVENTS) | Q(case__in=Case.objects.visible_to(user))
        return self.filter(readable | Q(case=None) if user.is_administrator else readable)


class RuleEvent(models.Model):
    """An action on a rule: who, when, why. Events are only added.

    rule_id        the id as text: a draft may be discarded before there is such a rule
    draft_number   of the saved draft, so that saving it again updates the same event
    case           the case of a regression sample
    before, after  the texts before and after the event, both empty when no text changed
    """

    rule_id = models.CharField(max_length=80, db_index=True)
    kind = models.CharField(max_length=20, choices=EventKind.choices)
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    version = models.ForeignKey(RuleVersion, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    draft_number = models.PositiveBigIntegerField(null=True, blank=True)
    case = models.ForeignKey(Case, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    reason = models.CharField(max_length=LONGEST_REASON, blank=True)
    before = models.TextField(blank=True)
    after = models.TextField(blank=True)

    objects = RuleEventQuerySet.as_manager()

    class Meta:
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.rule_id}"

    @property
    def read_reason(self) -> str:
        """The reason as the reader sees it; the workbench itself gives that of a kept sample."""
        return say_stored(self.reason) if self.kind == EventKind.SAMPLE_KEPT else self.reason


class Backtest(models.Model):
    """A draft judged on the case history, in pieces that each take a second or two.

    text      the draft's text at the start
    ruleset   the rules that it is compared with
    analyses  the newest diagnosis of each case that its owner saw at the start, newest first
    done      number of judged analyses
    tally     counts so far (`workbench.rule_pages.backtest.Tally`)
    changes   the cases with changes, at most `workbench.rule_pages.backtest.MOST_CHANGES`
    """

    draft = models.ForeignKey(Draft, on_delete=models.CASCADE, related_name="backtests")
    by = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    text = models.TextField()
    ruleset = models.ForeignKey(Ruleset, on_delete=models.PROTECT, related_name="+")
    analyses = models.JSONField(default=list)
    done = models.PositiveIntegerField(default=0)
    tally = models.JSONField(default=dict)
    changes = models.JSONField(default=list)
    judging_ms = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"Back-test {self.pk} of {self.draft}"

    @property
    def total(self) -> int:
        return len(self.analyses)

    @property
    def is_done(self) -> bool:
        return self.done >= self.total
