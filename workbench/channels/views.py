"""The administrators' pages of channels and their deliveries."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from diagnostics.language import ENGLISH, reader_language
from workbench.accounts.models import Team, User
from workbench.accounts.requests import SignedInRequest
from workbench.channels import services
from workbench.channels.kind import kinds
from workbench.channels.models import USUAL_TEMPLATE, Channel, Delivery, Tells
from workbench.channels.services import ChannelForm
from workbench.channels.wording import FIELDS, message_about
from workbench.languages.sentences import in_language, say
from workbench.untrusted.whole_number import whole_number

SHOWN = 50


@login_required
def channels(request: SignedInRequest) -> HttpResponse:
    """Lists the channels, or adds one."""
    _administrators_only(request.user)
    errors: dict[str, Any] = {}
    if request.method == "POST":
        try:
            channel = services.channel_save(user=request.user, form=_form(request))
            messages.success(request, say("The channel is listed. Send a test to see whether it works."))
            return redirect(channel)
        except ValidationError as error:
            errors = error.message_dict
    context = {
        "channels": Channel.objects.listed().select_related("team"),
        "errors": errors,
        "form": request.POST or _usual(),
        **_choices(),
    }
    return render(request, "channels/list.html", context)


@login_required
def channel(request: SignedInRequest, channel_id: int) -> HttpResponse:
    """One channel: its settings, a sample message, its deliveries."""
    listed = _listed(request.user, channel_id)
    errors: dict[str, Any] = {}
    if request.method == "POST":
        try:
            services.channel_save(user=request.user, form=_form(request), channel=listed)
            messages.success(request, say("The channel is changed."))
            return redirect(listed)
        except ValidationError as error:
            errors = error.message_dict
            listed = _listed(request.user, channel_id)
    latest = Delivery.objects.filter(channel=listed).exclude(analysis=None).first()
    with in_language(listed.spoken):
        preview = message_about(latest or Delivery(channel=listed, what="Verdict"))
    context = {
        "channel": listed,
        "errors": errors,
        "form": request.POST if request.method == "POST" else _filled(listed),
        "preview": preview.text,
        "deliveries": listed.deliveries.select_related("case")[:SHOWN],
        **_choices(),
    }
    return render(request, "channels/channel.html", context)


@login_required
@require_POST
def try_channel(request: SignedInRequest, channel_id: int) -> HttpResponse:
    """Sends a test message."""
    found = _listed(request.user, channel_id)
    services.channel_try(user=request.user, channel=found)
    messages.info(request, say("A test is on its way; the list below says whether it arrived."))
    return redirect(found)


@login_required
@require_POST
def remove(request: SignedInRequest, channel_id: int) -> HttpResponse:
    """Removes a channel."""
    services.channel_remove(user=request.user, channel=_listed(request.user, channel_id))
    return redirect("channels:list")


def _listed(user: User, channel_id: int) -> Channel:
    _administrators_only(user)
    return get_object_or_404(Channel.objects.listed().select_related("team"), pk=channel_id)


def _administrators_only(user: User) -> None:
    if not user.is_administrator:
        raise PermissionDenied(say("Only administrators list channels."))


def _form(request: SignedInRequest) -> ChannelForm:
    sent = request.POST
    team = whole_number(sent.get("team", ""))
    return ChannelForm(
        name=sent.get("name", ""),
        kind=sent.get("kind", ""),
        team=Team.objects.filter(pk=team).first() if team is not None else None,
        address=sent.get("address", ""),
        secret=sent.get("secret", ""),
        special_allowed=sent.get("special") == "1",
        tells=sent.get("tells", ""),
        notices=sent.get("notices") == "1",
        template=sent.get("template", "").replace("\r", ""),
        quiet_from=sent.get("quiet_from", ""),
        quiet_to=sent.get("quiet_to", ""),
        language=sent.get("language", ENGLISH),
    )


def _usual() -> dict[str, str]:
    """The form of a new channel, whose messages are in the language of who adds it."""
    return {
        "template": say(USUAL_TEMPLATE),
        "language": reader_language(),
        "tells": Tells.CAUSES.value,
        "notices": "1",
    }


def _filled(channel: Channel) -> dict[str, str]:
    """The form with the channel's present values, without the secret address."""
    with in_language(channel.spoken):
        template = channel.template_said
    return {
        "name": channel.name,
        "kind": channel.kind,
        "team": str(channel.team_id),
        "special": "1" if channel.special_allowed else "",
        "tells": channel.tells,
        "notices": "1" if channel.notices else "",
        "template": template,
        "language": channel.spoken,
        "quiet_from": f"{channel.quiet_from:%H:%M}" if channel.quiet_from else "",
        "quiet_to": f"{channel.quiet_to:%H:%M}" if channel.quiet_to else "",
    }


def _choices() -> dict[str, Any]:
    return {"kinds": kinds(), "teams": Team.objects.all(), "verdicts": Tells.choices, "fields": FIELDS}
