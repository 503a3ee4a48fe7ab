"""Notices: messages to the channels of a team that are about no diagnosis."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from django.utils import timezone

from workbench.accounts.models import Team
from workbench.channels.models import Channel, Delivery
from workbench.channels.planning import end_of_quiet
from workbench.channels.services import send_when_committed


@dataclass(frozen=True, slots=True)
class Notice:
    """A message.

    what     why it is sent
    title    what it is about
    summary  a sentence or two
    page     path of the page with more
    """

    what: str
    title: str
    summary: str
    page: str


def notice_send(team: Team, notice: Notice) -> None:
    """Queues the notice for each channel of the team that takes notices, after its quiet hours."""
    now = timezone.now()
    for channel in Channel.objects.listed().filter(team=team, notices=True):
        delivery = Delivery.objects.create(
            channel=channel, what=notice.what, notice=asdict(notice), due_at=end_of_quiet(channel, now)
        )
        send_when_committed(delivery)
