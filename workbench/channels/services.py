"""Lists, changes and removes channels; sends pending messages and retries failed ones."""

from __future__ import annotations

import contextlib
import datetime as dt
import http.client
import json
from dataclasses import dataclass
from urllib.parse import urlencode

from django.conf import settings
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from diagnostics.language import ENGLISH, listed
from workbench.accounts.models import Team, User
from workbench.cases.holds import kept_days
from workbench.channels.address import WEB, ChannelAddress, address_forget, address_keep, address_of
from workbench.channels.kind import Kind, Post, kinds
from workbench.channels.models import LONGEST_TEMPLATE, USUAL_TEMPLATE, Channel, Delivery, DeliveryStatus, Tells
from workbench.channels.wording import message_about, unknown_fields
from workbench.clusters.address import AddressRefused, Lookup, NoAddress, judged_address, looked_up
from workbench.clusters.connection import Answer, posted
from workbench.clusters.mail import MailRefused, mailed
from workbench.languages.sentences import in_language, say, to_say
from workbench.machine import broker
from workbench.tallies.counting import DELIVERIES, count

SEND_DELIVERY = "workbench.channels.tasks.send_delivery"
AGAIN = tuple(dt.timedelta(seconds=seconds) for seconds in (10, 60, 300, 1800, 7200))
"""After each failed try. Our choice: an outage of a chat of two and a half hours loses nothing."""
HELD = dt.timedelta(seconds=30)
"""How long an attempt reserves a delivery: longer than a post may take."""
MOST_AT_ONCE = 20
KEPT = dt.timedelta(days=180)
"""How long messages are listed. Our choice: half a year answers who was notified of a past incident."""
REFUSED_FOR_GOOD = (400, 401, 403, 404, 410)
"""Statuses after which a retry with the same message is useless; 404 and 410: the hook was deleted."""


@dataclass(frozen=True, slots=True)
class ChannelForm:
    """An administrator's input for a channel; an empty address keeps the present one."""

    name: str
    kind: str
    team: Team | None
    address: str = ""
    secret: str = ""
    special_allowed: bool = False
    tells: str = Tells.CAUSES
    notices: bool = True
    template: str = ""
    quiet_from: str = ""
    quiet_to: str = ""
    language: str = ENGLISH


@transaction.atomic
def channel_save(
    *, user: User, form: ChannelForm, channel: Channel | None = None, lookup: Lookup = looked_up
) -> Channel:
    """Lists a channel, or changes one. Raises PermissionDenied, ValidationError by field."""
    _administrators_only(user)
    channel = channel or Channel(added_by=user)
    errors = _errors(channel, form)
    address = None
    try:
        if form.address.strip() or channel.pk is None:
            kind = kinds().get(form.kind)
            address = ChannelAddress.entered(form.address, form.secret, kind.schemes if kind else WEB)
            if kind is not None:
                kind.check(address)
            with contextlib.suppress(NoAddress):  # the name may resolve when something is sent
                judged_address(address.server, special_allowed=form.special_allowed, lookup=lookup)
    except AddressRefused as error:
        errors["address"] = str(error)
    try:
        quiet = [dt.time.fromisoformat(text) if text.strip() else None for text in (form.quiet_from, form.quiet_to)]
    except ValueError:
        errors["quiet"] = say("Quiet hours are times such as 22:00 and 06:30.")
    if address is None and channel.pk is not None and channel.kind != form.kind:
        errors["address"] = say("Another system has another address: enter it.")
    if errors or form.team is None:
        raise ValidationError(errors)
    channel.name, channel.kind, channel.team = " ".join(form.name.split()), form.kind, form.team
    channel.tells, channel.notices, channel.language = form.tells, form.notices, form.language
    channel.template = USUAL_TEMPLATE if _is_usual(form.template.strip()) else form.template.strip()
    channel.quiet_from, channel.quiet_to = quiet
    if address is not None:
        channel.origin, channel.special_allowed = address.origin, form.special_allowed
    channel.save()
    if address is not None:
        address_keep(channel.pk, address)
    return channel


def channel_remove(*, user: User, channel: Channel) -> None:
    """Removes a channel and its pending messages. Raises PermissionDenied."""
    _administrators_only(user)
    address_forget(channel.pk)
    Channel.objects.listed().filter(pk=channel.pk).update(removed_by=user, removed_at=timezone.now())
    channel.deliveries.filter(status=DeliveryStatus.WAITING).update(
        status=DeliveryStatus.FAILED, detail=to_say("The channel was removed.")
    )


def channel_try(*, user: User, channel: Channel) -> Delivery:
    """Queues a test message. Raises PermissionDenied."""
    _administrators_only(user)
    with transaction.atomic():
        delivery = Delivery.objects.create(channel=channel, what=to_say("Test"), due_at=timezone.now())
        send_when_committed(delivery)
    return delivery


def send_when_committed(delivery: Delivery) -> None:
    """Makes a worker send it after commit; `due_deliveries_send` finds later ones, and those whose task is lost."""
    if delivery.due_at <= timezone.now():
        broker.send_when_committed(SEND_DELIVERY, delivery.pk)


def due_deliveries_send() -> int:
    """Queues what is due and was not just queued. Gives how many."""
    overdue = timezone.now() - dt.timedelta(seconds=5)
    waiting = list(Delivery.objects.due().filter(due_at__lte=overdue).order_by("due_at")[:MOST_AT_ONCE])
    for delivery in waiting:
        broker.send_when_committed(SEND_DELIVERY, delivery.pk)
    return len(waiting)


def deliveries_expire() -> int:
    """Deletes old messages that do not wait, but for those of teams under legal hold. Gives how many."""
    old = Delivery.objects.exclude(status=DeliveryStatus.WAITING).filter(created_at__lt=timezone.now() - KEPT)
    return old.filter(channel__team__in=kept_days()).delete()[0]


def delivery_send(delivery_id: int, *, lookup: Lookup = looked_up) -> None:
    """Sends a pending message; stores the answer and the time of a retry."""
    now = timezone.now()
    mine = Delivery.objects.due().filter(pk=delivery_id).update(due_at=now + HELD, tries=F("tries") + 1)
    if not mine:
        return
    delivery = Delivery.objects.select_related("channel__team", "case__team", "analysis__case__team").get(
        pk=delivery_id
    )
    is_final, delivery.detail = False, ""
    try:
        failure, is_final = _send(delivery, now, lookup)
    except AddressRefused as error:
        failure, is_final = str(error), not isinstance(error, NoAddress)
    except MailRefused as error:
        failure, is_final = say("Refused: {refusal}", refusal=error), True
    except (OSError, http.client.HTTPException) as error:
        failure = say("No answer: {error}", error=error or type(error).__name__)
    if not failure:
        delivery.status, delivery.sent_at = DeliveryStatus.SENT, timezone.now()
    elif is_final or delivery.tries > len(AGAIN):
        delivery.status = DeliveryStatus.FAILED
    else:
        delivery.due_at = now + AGAIN[delivery.tries - 1]
    count(DELIVERIES, "retried" if delivery.status == DeliveryStatus.WAITING else delivery.status)
    delivery.detail = failure.replace("\x00", "")[:500] or delivery.detail
    delivery.save(update_fields=["status", "sent_at", "due_at", "detail", "message_id"])


def _send(delivery: Delivery, now: dt.datetime, lookup: Lookup) -> tuple[str, bool]:
    """Why a message did not arrive, and whether a retry is useless; ("", False) when it did arrive.

    Keeps on the delivery by what the system names the message, and the recipients that did not get it.
    Raises AddressRefused, MailRefused, OSError, HTTPException.
    """
    channel, kind = delivery.channel, kinds()[delivery.channel.kind]
    kept = address_of(channel.pk)
    address = judged_address(kept.server, special_allowed=channel.special_allowed, lookup=lookup)
    with in_language(channel.spoken):
        message = message_about(delivery)
        mail = kind.mail(message, kept) if kind.mail is not None else None
        posts = kind.posted(message, kept, int(now.timestamp())) if mail is None else ()
    if mail is not None:
        user, _, password = kept.secret.partition(":")
        refused = mailed(kept.server, address, (user, password) if kept.secret else None, mail)
        delivery.message_id = str(mail["Message-ID"])
        delivery.detail = say("Refused for {refused}", refused=", ".join(refused))[:500] if refused else ""
        return "", False
    for post in posts:
        answer = posted(kept.server, address, _path(kept, post), _body(post), post.headers)
        failure, is_final = _failure(kind, answer)
        if failure and not post.may_fail:
            return failure, is_final
        delivery.message_id = delivery.message_id or _message_id(kind, answer)
    return "", False


def _path(kept: ChannelAddress, post: Post) -> str:
    path = post.path or kept.path
    return f"{path}{'&' if '?' in path else '?'}{urlencode(post.query)}" if post.query else path


def _body(post: Post) -> bytes:
    return json.dumps(post.body, separators=(",", ":")).encode()


def _message_id(kind: Kind, answer: Answer) -> str:
    try:
        return kind.message_id(json.loads(answer.text))[:300]
    except (ValueError, RecursionError):
        return ""


def _failure(kind: Kind, answer: Answer) -> tuple[str, bool]:
    """Why a post was not accepted, and whether a retry is useless; ("", False) when it was."""
    said = answer.text[:300]
    if not 200 <= answer.status < 300:
        failure = say("Answer {status}: {said}", status=answer.status, said=said)
        return failure, answer.status in REFUSED_FOR_GOOD or 300 <= answer.status < 400
    try:
        read = json.loads(answer.text)
    except (ValueError, RecursionError):
        return "", False
    refusal = kind.refusal(read)
    return (say("Refused: {refusal}", refusal=refusal), True) if refusal else ("", False)


def _errors(channel: Channel, form: ChannelForm) -> dict[str, str]:
    errors: dict[str, str] = {}
    name = " ".join(form.name.split())
    if not name or len(name) > 100:
        errors["name"] = say("A name is needed, at most 100 letters.")
    elif Channel.objects.listed().filter(name=name).exclude(pk=channel.pk).exists():
        errors["name"] = say("Another channel has this name.")
    if form.kind not in kinds():
        errors["kind"] = say("Choose the system that takes the messages.")
    if form.team is None:
        errors["team"] = say("Choose the team whose cases are announced here.")
    if form.language not in dict(settings.LANGUAGES):
        errors["language"] = say("Choose the language of the messages.")
    if form.tells not in Tells.values:
        errors["tells"] = say("Choose which verdicts are sent.")
    if not form.template.strip() or len(form.template) > LONGEST_TEMPLATE:
        errors["template"] = say("A message is needed, at most {most:,} letters.", most=LONGEST_TEMPLATE)
    elif unknown := unknown_fields(form.template):
        errors["template"] = say("No message has {unknown}.", unknown=listed(unknown))
    return errors


def _is_usual(template: str) -> bool:
    """Whether it is the usual one in a language that the installation offers."""
    for language, _ in settings.LANGUAGES:
        with in_language(language):
            if template == say(USUAL_TEMPLATE):
                return True
    return False


def _administrators_only(user: User) -> None:
    if not user.is_administrator:
        raise PermissionDenied(say("Only administrators list channels."))
