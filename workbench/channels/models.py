"""Channels, and the messages sent to them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone

from diagnostics.language import ENGLISH
from workbench.accounts.models import Team, User
from workbench.analyses.models import Analysis
from workbench.cases.models import Case
from workbench.languages.sentences import say, say_later, say_stored, to_say

LONGEST_TEMPLATE = 2_000
USUAL_TEMPLATE = to_say("""{what}: {title}
{summary}
{sure} sure, health {health} of 100. First: {first}
{url}""")


class Tells(models.TextChoices):
    """Which verdicts are sent to a channel."""

    CAUSES = "causes", say_later("Causes only")
    ALL = "all", say_later("Every verdict, also healthy and inconclusive")


class ChannelQuerySet(models.QuerySet["Channel"]):
    def listed(self) -> ChannelQuerySet:
        return self.filter(removed_at=None)


class Channel(models.Model):
    """Where the verdicts on a team's cases are sent. Rows stay when they are taken off the list.

    kind             the name of its file in `kinds`
    origin           scheme, host and port; the whole address is a secret, which `address` keeps
    special_allowed  the address is one of this machine or its link, and an administrator means it
    notices          whether early warnings of watched clusters are sent, too
    template         the message; its `{names}` are those of `wording.FIELDS`. The usual one is stored in English and
                     follows the language
    language         of the messages
    quiet_from, quiet_to  UTC; within it only critical verdicts are sent, the others when it is over
    """

    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=20)
    origin = models.CharField(max_length=400)
    special_allowed = models.BooleanField(default=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    tells = models.CharField(max_length=10, choices=Tells.choices, default=Tells.CAUSES)
    notices = models.BooleanField(default=True)
    template = models.CharField(max_length=LONGEST_TEMPLATE, default=USUAL_TEMPLATE)
    language = models.CharField(max_length=10, default=ENGLISH)
    quiet_from = models.TimeField(null=True, blank=True)
    quiet_to = models.TimeField(null=True, blank=True)
    added_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    added_at = models.DateTimeField(auto_now_add=True)
    removed_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    removed_at = models.DateTimeField(null=True, blank=True)

    objects = ChannelQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["name"], condition=models.Q(removed_at=None), name="one_listed_channel_of_a_name"
            )
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("channels:channel", args=[self.pk])

    @property
    def spoken(self) -> str:
        """The language of the messages; English where the installation does not offer it any more."""
        return self.language if self.language in dict(settings.LANGUAGES) else ENGLISH

    @property
    def template_said(self) -> str:
        """The template; the usual one in the language of the reader."""
        return say(self.template) if self.template == USUAL_TEMPLATE else self.template


class DeliveryStatus(models.TextChoices):
    WAITING = "waiting", say_later("Waits")
    SENT = "sent", say_later("Sent")
    FAILED = "failed", say_later("Given up")


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    def due(self) -> DeliveryQuerySet:
        return self.filter(status=DeliveryStatus.WAITING, due_at__lte=timezone.now())


class Delivery(models.Model):
    """One message to one channel.

    analysis  what it is about; null for a notice, and for a message that somebody sent to try the channel
    notice    the parts of a notice, as `notices.Notice` names them; null for other messages
    what      why it is sent: a first verdict, another one, a snapshot after a change; in English, said by `reason`
    due_at    not before this moment; a try moves it on, so that two workers do not send it twice
    detail    what the channel answered last; its own words are in English, said by `answer`
    message_id  by what its system names the message; empty where it names none
    """

    channel = models.ForeignKey(Channel, on_delete=models.CASCADE, related_name="deliveries")
    case = models.ForeignKey(Case, on_delete=models.CASCADE, null=True, blank=True, related_name="deliveries")
    analysis = models.ForeignKey(Analysis, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    notice: models.JSONField[dict[str, str] | None, dict[str, str] | None] = models.JSONField(null=True, blank=True)
    what = models.CharField(max_length=60)
    symptom_class = models.CharField(max_length=50, blank=True)
    status = models.CharField(max_length=10, choices=DeliveryStatus.choices, default=DeliveryStatus.WAITING)
    tries = models.PositiveIntegerField(default=0)
    due_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)
    detail = models.CharField(max_length=500, blank=True)
    message_id = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["status", "due_at"], name="delivery_due")]

    def __str__(self) -> str:
        return f"{self.what} to {self.channel}"

    @property
    def reason(self) -> str:
        """Why it is sent, in the language of the reader."""
        return say_stored(self.what)

    @property
    def answer(self) -> str:
        """What the channel answered, in the language of the reader."""
        return say_stored(self.detail)
