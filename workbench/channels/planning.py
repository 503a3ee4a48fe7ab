"""Decides which channels receive a diagnosis."""

from __future__ import annotations

import datetime as dt
import logging
from typing import Any

from django.db import Error, transaction
from django.utils import timezone

from diagnostics.symptoms import NO_CAUSE
from workbench.analyses.models import Analysis
from workbench.cases.job_verdicts import job_verdicts
from workbench.channels.models import Channel, Delivery, DeliveryStatus, Tells
from workbench.channels.services import send_when_committed
from workbench.languages.sentences import to_say
from workbench.runbooks.verifying import verification_of

logger = logging.getLogger(__name__)

CRITICAL = "critical"
FIX_VERIFIED = to_say("Fix verified")


def deliveries_plan(*, analysis_id: int, **signal: Any) -> None:
    """Queues a message for each channel of the case's team that receives such a verdict.

    Errors here do not affect the stored diagnosis.
    """
    try:
        with transaction.atomic():
            analysis = Analysis.objects.select_related("case").get(pk=analysis_id)
            for channel in Channel.objects.listed().filter(team=analysis.case.team_id):
                _plan(channel, analysis)
    except Error:
        logger.exception("no message was queued for analysis %s", analysis_id)


def _plan(channel: Channel, analysis: Analysis) -> None:
    case, document = analysis.case, analysis.document
    symptom_class = document["verdict"]["symptom_class"]
    about_case = channel.deliveries.filter(case=case).select_related("analysis")
    if not _reason(about_case.first(), channel, analysis, symptom_class):
        return
    now = timezone.now()
    # What waits for the end of the quiet hours would come after this message, and state what is no longer known.
    about_case.filter(status=DeliveryStatus.WAITING, tries=0, due_at__gt=now).delete()
    what = _reason(about_case.first(), channel, analysis, symptom_class)
    if not what:
        return
    is_critical = any(each["severity"] == CRITICAL for each in document["findings"])
    delivery = Delivery.objects.create(
        channel=channel,
        case=case,
        analysis=analysis,
        what=what,
        symptom_class=symptom_class,
        due_at=now if is_critical else end_of_quiet(channel, now),
    )
    send_when_committed(delivery)


def _reason(last: Delivery | None, channel: Channel, analysis: Analysis, symptom_class: str) -> str:
    """Why the channel receives it; empty when it has the same already, or takes no first message of that class."""
    if last is None:
        is_taken = channel.tells != Tells.CAUSES or symptom_class not in NO_CAUSE
        return to_say("Verdict") if is_taken else ""
    verification = verification_of(analysis)
    is_fixed = verification is not None and verification.is_fixed
    if last.analysis is not None and analysis.snapshot > last.analysis.snapshot:
        return FIX_VERIFIED if is_fixed else to_say("After the change")
    if is_fixed and last.what != FIX_VERIFIED:
        return FIX_VERIFIED
    is_new = symptom_class != last.symptom_class or bool(last.analysis and _causes(analysis) - _causes(last.analysis))
    return to_say("New verdict") if is_new else ""


def _causes(analysis: Analysis) -> set[tuple[str, str]]:
    """The jobs with a cause, each with its class."""
    verdicts = job_verdicts(analysis.document)
    return {(each["name"], each["symptom_class"]) for each in verdicts if each["symptom_class"] not in NO_CAUSE}


def end_of_quiet(channel: Channel, now: dt.datetime) -> dt.datetime:
    """`now`, or the end of the channel's quiet hours when it is within them. They may span midnight, UTC."""
    begin, end = channel.quiet_from, channel.quiet_to
    if begin is None or end is None or begin == end:
        return now
    clock = now.time()
    is_quiet = begin <= clock < end if begin < end else clock >= begin or clock < end
    if not is_quiet:
        return now
    today = dt.datetime.combine(now.date(), end, dt.UTC)
    return today if today > now else today + dt.timedelta(days=1)
