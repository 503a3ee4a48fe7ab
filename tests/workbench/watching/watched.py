"""A watch of a cluster and one check of it."""

from __future__ import annotations

from typing import Any

from diagnostics.collect_flink import Limits
from tests.workbench.people import People
from workbench.clusters.models import Cluster
from workbench.watching.checking import check_run
from workbench.watching.models import Watch, WatchedJob
from workbench.watching.services import WatchForm, watch_save

QUICK = Limits(requests_per_second=5_000, most_bytes=50_000_000, most_log_bytes=0, most_metrics=0, answer_seconds=1.0)


def watched(people: People, cluster: Cluster, **more: Any) -> Watch:
    form: dict[str, Any] = {"every": 5, "team": people.team, "owner": people.alice}
    return watch_save(user=people.ada, cluster=cluster, form=WatchForm(**form | more))


def check(watch: Watch) -> WatchedJob:
    """The only job after a check."""
    check_run(watch, limits=QUICK)
    watch.refresh_from_db()
    assert watch.failure == ""
    return watch.jobs.get()
