"""Runs one collection: reads a cluster or a store, stores the file and queues the analysis."""

from __future__ import annotations

import argparse
import contextlib
import logging
import re
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from http.client import HTTPException
from pathlib import Path

from django.db import Error
from django.db.models import QuerySet
from django.utils import timezone

from diagnostics import collect_flink
from workbench.analyses.services import NothingToAnalyse, analysis_request
from workbench.cases.own_texts import LEFT_OUT
from workbench.cases.services import note_add
from workbench.clusters.address import AddressRefused, ClusterUrl, Lookup, file_name, judged_address, looked_up
from workbench.clusters.connection import MOST_ANSWER_SECONDS, Answer, PinnedCluster, posted
from workbench.clusters.log_store import LogWindow, gather_logs
from workbench.clusters.log_stores import log_store_of
from workbench.clusters.login import NoLogin, login_headers
from workbench.clusters.models import LOG_STORES, Cluster, Collection, CollectionStatus, Serves
from workbench.clusters.profiling import take_profile
from workbench.clusters.prometheus import MetricWindow, gather_metrics
from workbench.languages.sentences import say
from workbench.limits.selectors import limits_now
from workbench.machine.disk import NoRoom, require_room
from workbench.uploads.refusals import UploadRefused
from workbench.uploads.services import upload_add

logger = logging.getLogger(__name__)

MOST_SECONDS = 600.0
"""Time limit of a collection, whose snapshots take one minute; evidence received until then is kept. Our choice."""
MOST_BYTES = 1_000_000_000
MOST_FETCH_SECONDS = 900.0
"""Time limit of one file: 2 GiB, the usual limit, at 2.4 MB/s. Our choice: half of the usual time limit of a task."""
ANSWER_SECONDS = 15.0
"""Time limit between two bytes of an answer; Flink's own time-out of a request inside the cluster is 10 s
(`web.timeout`).
"""
USUAL_WINDOW = timedelta(hours=1)
"""Window of the metrics and logs beside a collection. Our choice: what led to an incident, at a step of 15 s."""
SHOWN_EVERY_SECONDS = 0.5


class _Cancelled(Exception):
    """The collection was cancelled."""


def collection_run(
    collection: Collection,
    *,
    lookup: Lookup = looked_up,
    seconds: float | None = None,
    every: float = 20,
    rate: float = 10,
    most_answer_seconds: float = MOST_ANSWER_SECONDS,
) -> None:
    """Runs a queued collection and stores its outcome; does nothing when it is not queued.

    seconds  period of the snapshots, by default the collection's own
    """
    collection.attempt = uuid.uuid4()
    waiting = Collection.objects.filter(pk=collection.pk, status=CollectionStatus.QUEUED)
    now = timezone.now()
    if not waiting.update(status=CollectionStatus.RUNNING, attempt=collection.attempt, heartbeat_at=now):
        return
    options = collect_flink.command_line().parse_args(["--rest", collection.cluster.url])
    options.seconds = collection.seconds if seconds is None else seconds
    options.every, options.rate = min(every, options.seconds), rate
    options.answer_seconds = ANSWER_SECONDS
    options.most_megabytes = min(MOST_BYTES, limits_now().file_bytes) / 1e6
    try:
        _collect(collection, options, lookup, most_answer_seconds)
    except _Cancelled:
        logger.info("collection %s is no longer wanted", collection.pk)
    except (AddressRefused, NoLogin, NoRoom, collect_flink.Unanswered, UploadRefused, NothingToAnalyse) as error:
        _end(collection, CollectionStatus.FAILED, str(error))
    except Exception as error:
        logger.exception("collection %s ended with an error of our own", collection.pk)
        reason = say("The workbench failed ({error}); the worker's log has the details.", error=type(error).__name__)
        _end(collection, CollectionStatus.FAILED, reason)
    finally:
        for left in collection.target.parent.glob(f"{collection.target.stem}*"):
            left.unlink(missing_ok=True)


def _collect(collection: Collection, options: argparse.Namespace, lookup: Lookup, most_answer_seconds: float) -> None:
    cluster = collection.cluster
    if cluster.removed_at:
        raise AddressRefused(say("{cluster} is not on the list any more.", cluster=cluster.name))
    limits = collect_flink.limits_of(options)
    left_out: list[str] = []
    if collection.fetched_path:
        drops = [_fetched(collection, limits, lookup)]
    elif collection.profiler:
        drops = [_profiled(collection, limits, lookup, most_answer_seconds)]
    else:
        drops, left_out = _gathered(collection, options, limits, lookup, most_answer_seconds)
    # The row must be checked again: the collection may have been cancelled during the last answer.
    _beat(collection, 0.99, say("Storing"))
    for name, content in drops:
        upload_add(
            case=collection.case, user=collection.requested_by, content=content, name=name, redact=collection.redact
        )
    if left_out:
        note_add(
            case=collection.case,
            user=collection.requested_by,
            text="\n".join(left_out),
            by_person=False,
            unattended=True,
        )
    analysis_request(case=collection.case, user=collection.requested_by)
    _end(collection, CollectionStatus.DONE, " ".join(left_out))


def _gathered(
    collection: Collection,
    options: argparse.Namespace,
    limits: collect_flink.Limits,
    lookup: Lookup,
    most_answer_seconds: float,
) -> tuple[list[tuple[str, Path]], list[str]]:
    """What the cluster, its log store and its Prometheus server answered as (name, file), and who did not answer.

    Raises Unanswered, AddressRefused, NoLogin when nobody did.
    """
    cluster = collection.cluster
    # Its log store first: the cluster is not asked for logs that the store has, which would count twice.
    in_turn = [each for each in (cluster.log_store, cluster) if each is not None and not each.removed_at]
    metrics = cluster.metrics_server
    answers: list[tuple[Cluster, Callable[[], Path]]] = []

    def gathering(asked: Cluster, progress: collect_flink.Progress) -> Callable[[], Path]:
        return partial(_gather, collection, asked, options, limits, lookup, most_answer_seconds, progress)

    progress, beside = _CollectionProgress(collection), _BoundedProgress()
    with ThreadPoolExecutor(max_workers=1) as thread:
        try:
            if metrics is not None and not metrics.removed_at:
                queried = thread.submit(gathering(metrics, beside))
                answers = [(metrics, partial(_awaited, queried, progress))]
            answers = [*((asked, gathering(asked, progress)) for asked in in_turn), *answers]
            return _drops_of(answers, options)
        finally:
            beside.is_unwanted.set()


def _drops_of(
    answers: Sequence[tuple[Cluster, Callable[[], Path]]], options: argparse.Namespace
) -> tuple[list[tuple[str, Path]], list[str]]:
    failures: list[tuple[Cluster, Exception]] = []
    drops = []
    for asked, answer in answers:
        try:
            target = answer()
        except (AddressRefused, NoLogin, collect_flink.Unanswered) as error:
            failures.append((asked, error))
            continue
        if asked.serves in LOG_STORES:
            options.without = [*options.without, "logs"]
        drops.append((f"collected/{_name_part(asked.name)}-{timezone.now():%Y%m%dT%H%M%SZ}.zip", target))
    if not drops:
        raise failures[0][1]
    return drops, [LEFT_OUT.format(cluster=asked.name, error=error) for asked, error in failures]


def _gather(
    collection: Collection,
    asked: Cluster,
    options: argparse.Namespace,
    limits: collect_flink.Limits,
    lookup: Lookup,
    most_answer_seconds: float,
    progress: collect_flink.Progress,
) -> Path:
    """The zip with what one system answered. Raises Unanswered, AddressRefused, NoLogin, and what `progress` raises."""
    target = collection.target.with_name(f"{collection.target.stem}-{asked.pk}.zip")
    with contextlib.closing(_connected(asked, limits, lookup, most_answer_seconds)) as connected:
        if asked.serves == Serves.PROMETHEUS:
            gather_metrics(connected, target, _window(collection), progress)
        elif asked.serves in LOG_STORES:
            gather_logs(connected, target, log_store_of(asked.serves), _log_window(collection, asked), progress)
        else:
            collect_flink.gather(connected, target, options, limits, progress)
    return target


def _awaited(queried: Future[Path], progress: _CollectionProgress) -> Path:
    """The zip that a thread writes. It has no connection to the database, so that signs of life are given here."""
    while not queried.done():
        wait([queried], SHOWN_EVERY_SECONDS)
        progress.beat(say("collecting the metrics"))
    return queried.result()


def _window(collection: Collection) -> MetricWindow:
    begin, end = _span(collection)
    selector = collection.selector or collection.cluster.selector
    return MetricWindow(begin, end, selector, collection.job_name)


def _log_window(collection: Collection, store: Cluster) -> LogWindow:
    begin, end = _span(collection)
    selector = collection.selector if store == collection.cluster else collection.cluster.log_selector
    return LogWindow(begin, end, selector, store.index)


def _span(collection: Collection) -> tuple[datetime, datetime]:
    end = collection.ends_at or timezone.now()
    return collection.begins_at or end - USUAL_WINDOW, end


def _connected(cluster: Cluster, limits: collect_flink.Limits, lookup: Lookup, most_seconds: float) -> PinnedCluster:
    url = ClusterUrl.parse(cluster.url)
    address = judged_address(url, special_allowed=cluster.special_allowed, lookup=lookup)
    headers = login_headers(cluster.pk) if cluster.login else {}
    if cluster.tenant:
        headers["X-Scope-OrgID"] = cluster.tenant
    return PinnedCluster(url, address, limits, headers, most_seconds=most_seconds)


def _profiled(
    collection: Collection, limits: collect_flink.Limits, lookup: Lookup, most_answer_seconds: float
) -> tuple[str, Path]:
    """Name and content of the page that Flink's profiler wrote.

    Raises Unanswered, AddressRefused, NoLogin, _Cancelled.
    """
    cluster, url = collection.cluster, ClusterUrl.parse(collection.cluster.url)
    address = judged_address(url, special_allowed=cluster.special_allowed, lookup=lookup)
    headers = login_headers(cluster.pk) if cluster.login else {}

    def post(path: str, body: bytes) -> Answer:
        try:
            return posted(url, address, url.path + path, body, headers)
        except (OSError, HTTPException) as error:
            raise collect_flink.Unanswered(
                say("the profiler did not start: {error}", error=error or type(error).__name__)
            ) from None

    with contextlib.closing(_connected(cluster, limits, lookup, most_answer_seconds)) as connected:
        process = take_profile(
            connected,
            post,
            collection.target,
            collection.process,
            collection.profiler,
            collection.seconds,
            _CollectionProgress(collection),
        )
    called = "-".join(_name_part(each) for each in (cluster.name, process, collection.profiler.lower()))
    return f"collected/{called}-{timezone.now():%Y%m%dT%H%M%SZ}.html", collection.target


def _name_part(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.") or "cluster"


def _fetched(collection: Collection, limits: collect_flink.Limits, lookup: Lookup) -> tuple[str, Path]:
    """Name and content of the file that a store holds. Raises Unanswered, AddressRefused, NoLogin, _Cancelled."""
    store, url = collection.cluster, ClusterUrl.parse(collection.cluster.url)
    address = judged_address(url, special_allowed=store.special_allowed, lookup=lookup)
    headers = login_headers(store.pk) if store.login else {}
    limits = replace(limits, most_bytes=limits_now().file_bytes)
    origin = ClusterUrl.parse(url.origin)
    with contextlib.closing(PinnedCluster(origin, address, limits, headers, most_seconds=MOST_FETCH_SECONDS)) as server:
        _fetch(collection, server, limits.most_bytes)
    return file_name(collection.fetched_path), collection.target


def _fetch(collection: Collection, store: PinnedCluster, most: int) -> None:
    """Writes the file to the collection's target. Raises Unanswered, _Cancelled."""
    written = 0.0
    with collection.target.open("wb") as target:
        for piece in store.pieces(collection.fetched_path, most):
            require_room(len(piece))
            target.write(piece)
            if time.monotonic() - written > SHOWN_EVERY_SECONDS:
                written = time.monotonic()
                # Many servers do not send the length of the file.
                _beat(collection, 0.5, f"{store.bytes / 1e6:.1f} MB")


class _BoundedProgress(collect_flink.Progress):
    """Ends what takes too long, finds no room, or is not wanted any more."""

    def __init__(self) -> None:
        super().__init__()
        self._began = time.monotonic()
        self.is_unwanted = threading.Event()

    def show(self, cluster: collect_flink.Cluster, path: str) -> None:
        """Called before each request. Raises Stopped, NoRoom, _Cancelled."""
        require_room(0)
        if self.is_unwanted.is_set():
            raise _Cancelled
        if time.monotonic() - self._began > MOST_SECONDS:
            raise collect_flink.Stopped(say("{seconds:g} seconds", seconds=MOST_SECONDS))

    def say(self, text: str) -> None:
        """The zip's own report lists missing answers."""


class _CollectionProgress(_BoundedProgress):
    """Updates the row with progress and signs of life too, by which it learns that the collection was cancelled."""

    def __init__(self, collection: Collection) -> None:
        super().__init__()
        self._collection, self._written = collection, 0.0

    def show(self, cluster: collect_flink.Cluster, path: str) -> None:
        """Called before each request. Raises Stopped, NoRoom, _Cancelled."""
        super().show(cluster, path)
        self.beat(
            say(
                "{label}: {requests} requests, {megabytes:.1f} MB",
                label=self.label,
                requests=cluster.requests,
                megabytes=cluster.bytes / 1e6,
            )
        )

    def beat(self, text: str) -> None:
        """A sign of life, when the last one is some time ago. Raises _Cancelled."""
        now = time.monotonic()
        if now - self._written >= SHOWN_EVERY_SECONDS:
            self._written = now
            _beat(self._collection, self._share(), text)

    def _share(self) -> float:
        found = re.fullmatch(r"snapshot (\d+) of (\d+)", self.label)
        return 0.8 * (int(found[1]) - 0.5) / int(found[2]) if found else 0.85 if self.label else 0.02


def _beat(collection: Collection, progress: float, detail: str) -> None:
    try:
        wanted = _owned(collection).update(
            progress=progress, detail=detail.replace("\x00", "")[:300], heartbeat_at=timezone.now()
        )
    except Error:
        logger.warning("a sign of life could not be written", exc_info=True)
        return
    if not wanted:
        raise _Cancelled


def _end(collection: Collection, status: CollectionStatus, detail: str) -> None:
    _owned(collection).update(status=status, detail=detail.replace("\x00", "")[:2000], progress=1.0)


def _owned(collection: Collection) -> QuerySet[Collection]:
    return Collection.objects.filter(pk=collection.pk, status=CollectionStatus.RUNNING, attempt=collection.attempt)
