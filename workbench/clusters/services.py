"""Lists and removes clusters; requests, cancels and recovers collections."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from collections.abc import Collection as Names
from datetime import datetime, timedelta
from typing import TypeVar

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from workbench.accounts.models import Team, User
from workbench.cases.models import Case
from workbench.cases.own_texts import LOGS, METRICS, PROFILE
from workbench.cases.services import case_open
from workbench.clusters import prometheus
from workbench.clusters.address import (
    AddressRefused,
    ClusterUrl,
    Lookup,
    NoAddress,
    file_name,
    judged_address,
    looked_up,
)
from workbench.clusters.elasticsearch import index_read
from workbench.clusters.log_store import SelectorRefused
from workbench.clusters.log_stores import log_store_of
from workbench.clusters.login import Login, LoginRefused, login_forget, login_keep
from workbench.clusters.models import LOG_STORES, USUAL_SECONDS, Cluster, Collection, CollectionStatus, Serves
from workbench.clusters.profiling import LEAST_SECONDS, MODES, MOST_PROFILE_SECONDS, PROCESS
from workbench.languages.sentences import say, to_say
from workbench.machine import broker
from workbench.machine.signs_of_life import SignsOfLife

T = TypeVar("T")

RUN_COLLECTION = "workbench.clusters.tasks.run_collection"
"""Name of the task, whose module imports much that only a worker needs."""
SILENT = timedelta(minutes=3)
"""A collection without a sign of life for this long is lost: longer than the slowest answer and the pause after it."""
OBSERVED_SECONDS = SILENT.total_seconds()
"""How long one that may be lost is observed: as long as a live one may be silent."""
TENANT = r"[A-Za-z0-9!_.*'()|-]{0,150}"
"""Characters of a tenant. Source: Grafana Mimir documentation, "About tenant IDs"."""
MOST_WINDOW = timedelta(days=30)
"""Longest window of metrics. Our choice: 400 points over a month are 2 h apart, which still shows a trend."""
_signs = SignsOfLife(SILENT, OBSERVED_SECONDS)
UNSENT = timedelta(seconds=30)
"""As for analyses: one queued for this long while the queue is empty has lost its message."""


@transaction.atomic
def cluster_add(
    *,
    user: User,
    name: str,
    url: str,
    serves: str = Serves.REST,
    team: Team | None = None,
    special_allowed: bool = False,
    login: tuple[str, str, str] = ("", "", ""),
    metrics_server: Cluster | None = None,
    selector: str = "",
    log_store: Cluster | None = None,
    log_selector: str = "",
    index: str = "",
    tenant: str = "",
    lookup: Lookup = looked_up,
) -> Cluster:
    """Lists a cluster, a Prometheus server, a log store or a store of files.

    serves  of `models.Serves`
    metrics_server, selector, log_store, log_selector, index, tenant  as on the row
    login   kind (of `login.KINDS`), user, and password or token; empty for a cluster that asks for none
    A name without an address is accepted; one that resolves to a special address is refused at once.
    Raises PermissionDenied for all but administrators, ValidationError by field.
    """
    _administrators_only(user)
    errors: dict[str, str] = {}
    title = " ".join(name.split())[:100]
    if not title:
        errors["name"] = say("A name is needed: people choose by it.")
    elif Cluster.objects.listed().filter(name=title).exists():
        errors["name"] = say("Another cluster has this name.")
    parsed = _checked(errors, "url", lambda: _address(url, special_allowed, lookup))
    checked = _checked(errors, "login", lambda: Login.entered(*login))
    is_flink = serves == Serves.REST
    matchers = _checked(errors, "selector", lambda: prometheus.selector_read(selector if is_flink else ""))
    log_store = log_store if is_flink else None
    streams = ""
    if log_store is not None:
        query = log_store_of(log_store.serves).selector
        streams = _checked(errors, "log_selector", lambda: query(log_selector)) or ""
    indices = _checked(errors, "index", lambda: index_read(index)) if serves == Serves.ELASTIC else ""
    if not re.fullmatch(TENANT, tenant.strip()):
        errors["tenant"] = say("A tenant has letters, digits and the characters !-_.*'()| only.")
    if serves not in Serves.values:
        errors["serves"] = say("Choose what answers there.")
    if errors:
        raise ValidationError(errors)
    cluster = Cluster.objects.create(
        name=title,
        url=str(parsed),
        serves=serves,
        team=team,
        special_allowed=special_allowed,
        login=checked.kind if checked else "",
        metrics_server=metrics_server if is_flink else None,
        selector=matchers or "",
        log_store=log_store,
        log_selector=streams,
        index=indices or "",
        tenant=tenant.strip() if serves in (Serves.PROMETHEUS, Serves.LOKI) else "",
        added_by=user,
    )
    if checked:
        login_keep(cluster.pk, checked)
    return cluster


def _checked(errors: dict[str, str], field: str, read: Callable[[], T]) -> T | None:
    """What `read` gives; None, with the reason under the field, when it refuses what was typed."""
    try:
        return read()
    except (AddressRefused, LoginRefused, prometheus.SelectorRefused, SelectorRefused) as error:
        errors[field] = str(error)
        return None


def _address(url: str, special_allowed: bool, lookup: Lookup) -> ClusterUrl:
    parsed = ClusterUrl.parse(url)
    with contextlib.suppress(NoAddress):
        judged_address(parsed, special_allowed=special_allowed, lookup=lookup)
    return parsed


def cluster_remove(*, user: User, cluster: Cluster) -> None:
    """Removes a cluster and its login. Raises PermissionDenied."""
    _administrators_only(user)
    login_forget(cluster.pk)
    Cluster.objects.listed().filter(pk=cluster.pk).update(removed_by=user, removed_at=timezone.now())


@transaction.atomic
def collection_request(
    *,
    user: User,
    cluster: Cluster,
    title: str = "",
    case: Case | None = None,
    team: Team | None = None,
    redact: Names[str] = (),
    seconds: int = USUAL_SECONDS,
    job: str = "",
) -> Collection:
    """Queues a collection into a case, by default a new one of the team.

    seconds  period of the snapshots
    job      name of the job whose metrics are queried where the cluster has a metrics server; empty for all jobs
    Raises ValidationError as `case_open` does.
    """
    stamp = f"{timezone.now():%Y-%m-%d %H:%M}"
    case = case or case_open(user=user, title=title.strip() or f"{cluster.name}, {stamp} UTC", team=team)
    collection = Collection.objects.create(
        case=case, cluster=cluster, requested_by=user, redact=list(redact), seconds=seconds, job_name=job
    )
    broker.send_when_committed(RUN_COLLECTION, collection.pk)
    return collection


@transaction.atomic
def query_request(
    *,
    user: User,
    server: Cluster,
    begin: datetime,
    end: datetime,
    job: str = "",
    selector: str = "",
    case: Case | None = None,
    redact: Names[str] = (),
) -> Collection:
    """Queues a query for the metrics or logs of a window into a case, a new one unless it is named.

    server    a Prometheus server or a log store
    job       of metrics: name of the job; empty for all
    Raises ValidationError by field.
    """
    errors: dict[str, str] = {}
    is_log_store = server.serves in LOG_STORES
    read = log_store_of(server.serves).selector if is_log_store else prometheus.selector_read
    chosen = _checked(errors, "selector", lambda: read(selector))
    if not begin < end or end - begin > MOST_WINDOW:
        errors["window"] = say(
            "The window ends after it begins, and is at most {days} days long.", days=MOST_WINDOW.days
        )
    if errors:
        raise ValidationError(errors)
    name = " ".join(job.split())[:500]
    until = f"{end:%Y-%m-%d %H:%M} UTC"
    queried = LOGS if is_log_store else METRICS
    case = case or case_open(user=user, title=queried.format(name=name or server.name, until=until))
    collection = Collection.objects.create(
        case=case,
        cluster=server,
        requested_by=user,
        redact=list(redact),
        job_name=name,
        selector=chosen or "",
        begins_at=begin,
        ends_at=end,
    )
    broker.send_when_committed(RUN_COLLECTION, collection.pk)
    return collection


@transaction.atomic
def fetch_request(
    *, user: User, url: str, title: str = "", case: Case | None = None, redact: Names[str] = ()
) -> Collection:
    """Queues the download of one file into a case, by default a new one.

    Raises AddressRefused for a URL below no store that the user may use, ValidationError as `case_open` does.
    """
    for store in Cluster.objects.offered_to(user).stores():
        path = ClusterUrl.parse(store.url).file_path(url)
        if path is not None:
            break
    else:
        raise AddressRefused(say("No listed store holds this address; an administrator can list it."))
    case = case or case_open(user=user, title=title.strip() or file_name(path))
    collection = Collection.objects.create(
        case=case, cluster=store, fetched_path=path, requested_by=user, redact=list(redact)
    )
    broker.send_when_committed(RUN_COLLECTION, collection.pk)
    return collection


@transaction.atomic
def profile_request(
    *,
    user: User,
    cluster: Cluster,
    mode: str,
    seconds: int,
    process: str = "",
    case: Case | None = None,
    redact: Names[str] = (),
) -> Collection:
    """Queues a profile of one process of a cluster into a case, a new one unless it is named.

    mode, seconds, process  as on the row
    Raises ValidationError by field.
    """
    errors: dict[str, str] = {}
    if mode not in MODES:
        errors["mode"] = say("Choose what is sampled.")
    if not LEAST_SECONDS <= seconds <= MOST_PROFILE_SECONDS:
        errors["seconds"] = say(
            "A profile takes {least} to {most} seconds.",
            least=LEAST_SECONDS,
            most=MOST_PROFILE_SECONDS,
        )
    if not PROCESS.fullmatch(process.strip()):
        errors["process"] = say("Give the id of a TaskManager, or jobmanager.")
    if errors:
        raise ValidationError(errors)
    case = case or case_open(
        user=user,
        title=PROFILE.format(name=cluster.name, moment=f"{timezone.now():%Y-%m-%d %H:%M} UTC"),
    )
    collection = Collection.objects.create(
        case=case,
        cluster=cluster,
        requested_by=user,
        redact=list(redact),
        seconds=seconds,
        profiler=mode,
        process=process.strip(),
    )
    broker.send_when_committed(RUN_COLLECTION, collection.pk)
    return collection


def collection_cancel(*, collection: Collection) -> bool:
    """Cancels a collection; its worker notices before the next request. Gives whether it was still in progress."""
    active = Collection.objects.active().filter(pk=collection.pk)
    return bool(active.update(status=CollectionStatus.CANCELLED, detail=to_say("Nothing of it was kept.")))


def lost_collections_recover() -> int:
    """Fails collections whose worker was lost, and queues those again whose message was lost. Gives how many."""
    now = timezone.now()
    running = Collection.objects.filter(status=CollectionStatus.RUNNING)
    lost = [each for each in running if each.heartbeat_at and _signs.has_vanished(each.attempt, each.heartbeat_at, now)]
    for collection in lost:
        for left in collection.target.parent.glob(f"collection-{collection.pk}-*"):
            left.unlink(missing_ok=True)
    numbers = [each.pk for each in lost]
    count = running.filter(pk__in=numbers).update(
        status=CollectionStatus.FAILED, detail=to_say("The worker stopped without a word.")
    )
    just_sent = Q(requested_at__range=(now - UNSENT, now + UNSENT))
    unsent = list(Collection.objects.filter(~just_sent, status=CollectionStatus.QUEUED))
    if not unsent or broker.messages_waiting():
        return count
    for collection in unsent:
        broker.send_when_committed(RUN_COLLECTION, collection.pk)
    return count + len(unsent)


def _administrators_only(user: User) -> None:
    if not user.is_administrator:
        raise PermissionDenied(say("Only administrators list clusters."))
