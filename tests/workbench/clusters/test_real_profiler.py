"""Flink's own profiler, started by the workbench on a real TaskManager."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.collecting.flink_cluster import JARS, running_flink
from tests.workbench.people import People
from workbench.clusters.collecting import collection_run
from workbench.clusters.models import CollectionStatus
from workbench.clusters.services import cluster_add, profile_request

pytestmark = [
    pytest.mark.spark,  # a Java of its own: not once more on PostgreSQL
    pytest.mark.skipif(not JARS.is_dir(), reason="there is no Flink here: `make flink` installs it (240 MB)"),
]


def test_the_flame_graph_that_flink_writes_becomes_evidence(
    people: People, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)
    with running_flink(tmp_path) as flink:
        cluster = cluster_add(user=people.ada, name="payments", url=flink.url, special_allowed=True)
        collection = profile_request(user=people.alice, cluster=cluster, mode="ITIMER", seconds=5)
        collection_run(collection, rate=50.0)

    collection.refresh_from_db()
    assert (collection.status, collection.detail) == (CollectionStatus.DONE, "")
    [member] = collection.case.files.get().members
    assert member["format"] == "async-profiler-html"
