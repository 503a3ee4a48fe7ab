"""Receives alerts: stores them, opens or continues their case, and collects evidence from the cluster."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from workbench.alerts.models import Alert, AlertSource
from workbench.alerts.payload import LONGEST_SUMMARY, LONGEST_VALUE, PayloadRefused, ReceivedAlert, alerts_in
from workbench.alerts.routing import Routing, Target
from workbench.analyses.models import Analysis
from workbench.cases.holds import kept_days
from workbench.cases.models import LONGEST_CHANGE, Case, CaseStatus
from workbench.cases.own_texts import (
    AFTER_ALERT,
    FIRES,
    FIRES_AGAIN,
    FIRES_BECAUSE,
    FIRES_SINCE,
    FIRES_SINCE_BECAUSE,
    RESOLVED,
)
from workbench.cases.services import note_add, snapshot_start
from workbench.clusters.models import Cluster
from workbench.clusters.same_incident import SAME_INCIDENT, case_about_job
from workbench.clusters.services import collection_request
from workbench.languages.sentences import in_english, say
from workbench.runbooks.verifying import verification_of

MOST_BODY_BYTES = 1_000_000
"""Of one message. Our choice: 500 alerts of 2 kB, which is more than Alertmanager writes for one with long texts."""
MOST_CASES_AN_HOUR = 10
"""Of one source. Our choice: more broken jobs at once have one cause, and each collecting takes a worker."""
MOST_COLLECTIONS_AN_HOUR = 6
"""Of one case: an alert that comes and goes."""
PAUSE = dt.timedelta(seconds=30)
"""Between two collections of one case: longer than one after an alert usually takes."""
MOST_AT_ONCE = 20
COLLECTED_SECONDS = 10
"""Over which the first snapshots are taken after an alert: two of them, since rates need two."""
VERIFIED_SECONDS = 30
"""Over which snapshots are taken after the end of an alert, since only what happens after it counts. Our choice: some
checkpoints of a job that takes one every ten seconds; for others the comparison says that it needs more."""
VERIFIED_AGAIN = dt.timedelta(minutes=1)
"""After which evidence is added to a snapshot that does not prove yet that the fix worked, twice as long after each
time. Our choice: within the collections of an hour this covers half an hour, in which a job takes some checkpoints."""
KEPT = dt.timedelta(days=90)
KEPT_WITH_CASE = dt.timedelta(days=400)
"""How long resolved alerts are kept, without and with a case. Our choice: a quarter to mend a route, and a year to see
how often a job alerts."""
UNHEARD = dt.timedelta(days=30)
"""An alert without a message for this long does not count as firing. Our choice: Alertmanager repeats every 4 h, and
other systems send the end; after a month the sender is gone."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one alert.

    case    the case that it opened or belongs to; None with a `reason`
    """

    alert: Alert
    case: Case | None
    reason: str


def alerts_receive(*, source: AlertSource, body: bytes) -> list[Outcome]:
    """Stores the alerts of a message and processes each. Raises PayloadRefused, which the source records."""
    with in_english():
        return _stored(source, body)


def _stored(source: AlertSource, body: bytes) -> list[Outcome]:
    try:
        received = alerts_in(source.kind, body, source.mapping)
    except PayloadRefused as error:
        AlertSource.objects.filter(pk=source.pk).update(heard_at=timezone.now(), refused=str(error)[:500])
        raise
    now, routing = timezone.now(), Routing.of(source)
    AlertSource.objects.filter(pk=source.pk).update(heard_at=now, refused="")
    outcomes = [_receive(routing, each, now) for each in received]
    return [outcome for outcome in outcomes if outcome is not None]


@transaction.atomic
def _receive(routing: Routing, received: ReceivedAlert, now: dt.datetime) -> Outcome | None:
    """The outcome of one alert; None for the end of an unknown alert.

    Each has a transaction of its own, so that a message of many alerts does not block other writers.
    """
    source = routing.source
    # Messages about one job are serialised, also from two sources of the team.
    list(AlertSource.objects.select_for_update().filter(team=source.team_id).order_by("pk").values_list("pk"))
    identity = hashlib.sha256(received.identity.encode()).hexdigest()
    newest = source.alerts.filter(identity=identity).select_related("source", "case", "cluster").first()
    if newest is not None and newest.is_firing:
        return _continue(source, newest, received, now)
    if not received.is_firing:
        return None
    target = routing.target_of(received.labels)
    alert = Alert(
        source=source,
        identity=identity,
        name=received.name[:LONGEST_VALUE],
        labels=dict(received.labels),
        summary=received.summary[:LONGEST_SUMMARY],
        url=received.url,
        starts_at=received.starts_at,
        received_at=now,
        heard_at=now,
        cluster=target.cluster,
        job_name=target.job,
        reason=target.reason,
    )
    if target.cluster is not None:
        _open_or_join(alert, target.cluster, target, now)
    alert.save()
    return Outcome(alert, alert.case, alert.reason)


def _continue(source: AlertSource, alert: Alert, received: ReceivedAlert, now: dt.datetime) -> Outcome:
    alert.heard_at = now
    if received.is_firing:
        alert.times += 1
    else:
        alert.is_firing, alert.resolved_at = False, now
    alert.save(update_fields=["heard_at", "times", "is_firing", "resolved_at"])
    if alert.is_firing or alert.case is None:
        return Outcome(alert, alert.case, alert.reason)
    _note(alert.case, source, RESOLVED.format(alert=alert.name, source=source))
    if not Alert.objects.firing().filter(case=alert.case).exists():
        _collect_again(alert, alert.case, AFTER_ALERT.format(alert=alert.name), now)
        alert.save(update_fields=["reason", "again_at", "again"])
    return Outcome(alert, alert.case, alert.reason)


def _open_or_join(alert: Alert, cluster: Cluster, target: Target, now: dt.datetime) -> None:
    """Finds or opens the case of an alert that begins to fire."""
    source = alert.source
    earlier = (
        Alert.objects.filter(source__team=source.team_id, cluster=cluster, job_name=target.job)
        .filter(Q(is_firing=True) | Q(heard_at__gte=now - SAME_INCIDENT))
        .exclude(case=None)
        .exclude(case__status=CaseStatus.CLOSED)
        .select_related("case__merged_into")
        .first()
    )
    if earlier is not None and earlier.case is not None:
        alert.case = earlier.case.merged_into or earlier.case
        is_again = not Alert.objects.firing().filter(case=alert.case).exists()
        _note(alert.case, source, _noted(alert))
        if is_again:
            _collect_again(alert, alert.case, FIRES_AGAIN.format(alert=alert.name), now)
        return
    about = case_about_job(source.team, cluster, target.job, since=now - SAME_INCIDENT)
    if about is not None and not about.alerts.exists():  # of its own alerts it is known since when they are over
        alert.case = about
        _note(about, source, _noted(alert))
        _collect_again(alert, about, "", now)
        return
    opened = source.alerts.filter(received_at__gte=now - dt.timedelta(hours=1)).exclude(case=None)
    if opened.values("case").distinct().count() >= MOST_CASES_AN_HOUR:
        alert.reason = say(
            "{source} opened {most} cases within an hour; it opens more when that is over.",
            source=source,
            most=MOST_CASES_AN_HOUR,
        )
        return
    title = f"{alert.name}: {target.job or cluster.name}"
    try:
        collection = collection_request(
            user=source.owner, cluster=cluster, title=title, team=source.team, seconds=COLLECTED_SECONDS, job=target.job
        )
    except ValidationError as error:
        alert.reason = " ".join(error.messages)
        return
    alert.case = collection.case
    _note(alert.case, source, _noted(alert))


def _collect_again(alert: Alert, case: Case, change: str, now: dt.datetime) -> None:
    """Collects into a new snapshot of the case, now or after the running collection and a pause.

    change  what the snapshot begins with; empty to add evidence to the present one
    Sets the time, or the reason against it, on the alert, which the caller saves.
    """
    collections = case.collections.all()
    alert.reason, alert.again_at, alert.again = "", None, change[:LONGEST_CHANGE]
    if alert.cluster is None or case.is_closed:
        alert.reason = say("The case is closed.")
    elif collections.filter(requested_at__gt=now - dt.timedelta(hours=1)).count() >= MOST_COLLECTIONS_AN_HOUR:
        alert.reason = say("Evidence was collected {most} times within an hour.", most=MOST_COLLECTIONS_AN_HOUR)
    elif collections.active().exists() or collections.filter(requested_at__gt=now - PAUSE).exists():
        alert.again_at = now + PAUSE
    else:
        if change:
            snapshot_start(case=case, user=alert.source.owner, change=change, begins_at=alert.resolved_at)
        seconds = VERIFIED_SECONDS if alert.resolved_at else COLLECTED_SECONDS
        collection_request(
            user=alert.source.owner, cluster=alert.cluster, case=case, seconds=seconds, job=alert.job_name
        )


def verification_continue(*, analysis_id: int, **signal: object) -> None:
    """Plans to collect more after the end of an alert whose snapshot neither proves nor refutes the fix.

    The job may not run again yet, or have taken too few checkpoints. Called when a diagnosis is stored; alerts are
    written after that, because other writers lock an alert first and its case next.
    """
    transaction.on_commit(partial(_continue_verification, analysis_id))


@transaction.atomic
def _continue_verification(analysis_id: int) -> None:
    analysis = Analysis.objects.light().select_related("case").get(pk=analysis_id)
    case, verification = analysis.case, verification_of(analysis)
    if verification is None or not verification.is_open or analysis.snapshot != case.snapshot_number:
        return
    alert = Alert.objects.select_for_update().filter(case=case).order_by("-pk").first()
    if alert is None or alert.resolved_at is None or alert.again_at is not None or case.alerts.firing().exists():
        return
    tries = case.collections.filter(requested_at__gte=alert.resolved_at).count()
    alert.again_at, alert.again = timezone.now() + VERIFIED_AGAIN * 2 ** max(tries - 1, 0), ""
    alert.save(update_fields=["again_at", "again"])


def due_collections_request() -> int:
    """Collects again for alerts whose pause is over. Gives the number of such alerts."""
    due = list(Alert.objects.filter(again_at__lte=timezone.now()).values_list("pk", flat=True)[:MOST_AT_ONCE])
    for key in due:
        with transaction.atomic():
            alert = (
                Alert.objects.select_for_update(of=("self",)).select_related("source", "case", "cluster").get(pk=key)
            )
            newer = Alert.objects.filter(case=alert.case_id, pk__gt=key).exclude(again="").exists()
            if alert.case is None or newer or (alert.resolved_at and alert.case.alerts.firing().exists()):
                alert.again_at = None
            else:
                _collect_again(alert, alert.case, alert.again, timezone.now())
            alert.save(update_fields=["reason", "again_at", "again"])
    return len(due)


def _note(case: Case, source: AlertSource, text: str) -> None:
    note_add(case=case, user=source.owner, text=text, unattended=True)


def _noted(alert: Alert) -> str:
    if alert.began_at == alert.starts_at:
        text = FIRES_SINCE_BECAUSE if alert.summary else FIRES_SINCE
    else:
        text = FIRES_BECAUSE if alert.summary else FIRES
    since = f"{alert.began_at:%Y-%m-%d %H:%M:%S} UTC"
    return text.format(alert=alert.name, source=alert.source, since=since, summary=alert.summary)


def alerts_expire() -> int:
    """Ends alerts whose sender is silent, and deletes old ones but for teams under legal hold. Gives how many."""
    now, kept = timezone.now(), Alert.objects.filter(source__team__in=kept_days())
    silent = Alert.objects.firing().filter(heard_at__lt=now - UNHEARD)
    silent.update(is_firing=False, resolved_at=now, reason=say("No message came for {days} days.", days=UNHEARD.days))
    old = Q(case=None, heard_at__lt=now - KEPT) | Q(heard_at__lt=now - KEPT_WITH_CASE)
    return kept.filter(old, is_firing=False).delete()[0]


def alerts_seen_in(source: AlertSource, body: bytes) -> Sequence[tuple[ReceivedAlert, Target]]:
    """How a message would be interpreted, without storing anything. Raises PayloadRefused."""
    routing = Routing.of(source)
    return [(each, routing.target_of(each.labels)) for each in alerts_in(source.kind, body, source.mapping)]
