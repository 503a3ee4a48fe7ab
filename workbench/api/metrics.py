"""`/metrics`: the workbench itself in the format of Prometheus, by token or by listed address."""

from __future__ import annotations

import ipaddress
from collections import defaultdict
from collections.abc import Iterable, Iterator

import redis
from django.conf import settings
from django.db.models import Count, Min
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from workbench.accounts.guessing import client_address
from workbench.accounts.models import ApiToken, TokenScope
from workbench.analyses.models import Analysis, AnalysisStatus
from workbench.channels.models import Delivery
from workbench.machine import broker
from workbench.machine.disk import disk_room
from workbench.tallies.counting import ANALYSES, BUCKETS, DELIVERIES, SIGN_INS, STAGE_SECONDS, STAGE_SUMS
from workbench.tallies.models import Tally

PREFIX = "flink_workbench"
KEYWORDS = ("bearer", "token")
OUTCOMES = {
    ANALYSES: ("analyses", "Analyses that ended, by outcome.", ("done", "failed", "cancelled")),
    DELIVERIES: ("deliveries", "Tries of messages to channels, by outcome.", ("sent", "retried", "failed")),
    SIGN_INS: ("sign_ins", "Sign-ins, by outcome.", ("succeeded", "failed")),
}
"""Counter, its help text, and the outcomes that are shown before the first of them."""


@require_GET
def metrics(request: HttpRequest) -> HttpResponse:
    """The metrics at this moment."""
    if not (_has_listed_address(request) or _has_token(request)):
        return HttpResponse(
            "A token with the scope metrics, or an address of WORKBENCH_METRICS_FROM, is needed.\n",
            status=401,
            content_type="text/plain",
            headers={"WWW-Authenticate": "Bearer"},
        )
    registry = CollectorRegistry()
    registry.register(Workbench())
    return HttpResponse(
        generate_latest(registry), content_type=CONTENT_TYPE_LATEST, headers={"Cache-Control": "no-store"}
    )


def _has_listed_address(request: HttpRequest) -> bool:
    address = ipaddress.ip_address(client_address(request))
    return any(address in network for network in settings.METRICS_FROM)


def _has_token(request: HttpRequest) -> bool:
    keyword, _, secret = request.headers.get("Authorization", "").partition(" ")
    if keyword.lower() not in KEYWORDS:
        return False
    token = ApiToken.objects.with_secret(secret.strip())
    if token is None or token.scope != TokenScope.METRICS or not token.user.is_administrator:
        return False
    token.note_use(client_address(request))
    return True


class Workbench(Collector):
    """Reads the counts and the present state from the database and the broker."""

    def collect(self) -> Iterable[Metric]:
        """The metrics; one that cannot be measured is left out."""
        yield from _queue()
        yield from _deliveries()
        yield from _machine()
        counts: dict[str, dict[str, float]] = defaultdict(dict)
        for tally in Tally.objects.all():
            counts[tally.name][tally.label] = tally.value
        for name, (metric, text, usual) in OUTCOMES.items():
            family = CounterMetricFamily(f"{PREFIX}_{metric}", text, labels=["outcome"])
            for outcome in sorted({*usual, *counts[name]}):
                family.add_metric([outcome], counts[name].get(outcome, 0))
            yield family
        yield _stages(counts[STAGE_SECONDS], counts[STAGE_SUMS])


def _queue() -> Iterator[Metric]:
    states = dict(Analysis.objects.active().order_by().values_list("status").annotate(Count("pk")))
    family = GaugeMetricFamily(f"{PREFIX}_analyses_active", "Analyses that wait or run, by status.", labels=["status"])
    for status in (AnalysisStatus.QUEUED, AnalysisStatus.RUNNING):
        family.add_metric([str(status.value)], states.get(status, 0))
    yield family
    oldest = Analysis.objects.filter(status=AnalysisStatus.QUEUED).aggregate(at=Min("queued_at"))["at"]
    waited = max((timezone.now() - oldest).total_seconds(), 0) if oldest else 0
    yield GaugeMetricFamily(
        f"{PREFIX}_oldest_queued_analysis_seconds", "How long the oldest queued analysis has waited.", waited
    )


def _deliveries() -> Iterator[Metric]:
    waiting = Delivery.objects.filter(status="waiting").aggregate(count=Count("pk"), due=Min("due_at"))
    yield GaugeMetricFamily(
        f"{PREFIX}_deliveries_waiting", "Messages to channels that are not sent yet.", waiting["count"]
    )
    late = max((timezone.now() - waiting["due"]).total_seconds(), 0) if waiting["due"] else 0
    yield GaugeMetricFamily(
        f"{PREFIX}_oldest_due_delivery_seconds", "How long the oldest due message is overdue.", late
    )


def _machine() -> Iterator[Metric]:
    room = disk_room()
    yield GaugeMetricFamily(f"{PREFIX}_evidence_free_bytes", "Bytes left for evidence, without the reserve.", room.free)
    up = GaugeMetricFamily(f"{PREFIX}_part_up", "Whether a part of the workbench answers.", labels=["part"])
    up.add_metric(["database"], 1)
    try:
        seen, messages = broker.worker_seen(), broker.messages_waiting()
        up.add_metric(["broker"], 1)
        up.add_metric(["worker"], float(seen))
        yield GaugeMetricFamily(f"{PREFIX}_broker_messages_waiting", "Messages in the queue of the workers.", messages)
    except redis.RedisError:
        up.add_metric(["broker"], 0)
    yield up


def _stages(counts: dict[str, float], sums: dict[str, float]) -> Metric:
    """The histogram, whose buckets are cumulative in Prometheus' format."""
    family = HistogramMetricFamily(
        f"{PREFIX}_stage_duration_seconds",
        "Duration of the stages of analyses that ended with a diagnosis.",
        labels=["stage"],
    )
    for stage in sorted(sums):
        total, buckets = 0.0, []
        for bound in (*map(str, BUCKETS), "+Inf"):
            total += counts.get(f"{stage}|{bound}", 0)
            buckets.append((bound, total))
        family.add_metric([stage], buckets, sums[stage])
    return family
