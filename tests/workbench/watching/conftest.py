"""A cluster with recorded answers, which the tests of this folder watch."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.collecting.recorded_cluster import RecordedCluster, recorded_answers, running
from tests.workbench.people import People
from workbench.clusters.models import Cluster
from workbench.clusters.services import cluster_add


@pytest.fixture
def flink() -> Iterator[RecordedCluster]:
    with running(RecordedCluster(recorded_answers())) as server:
        yield server


@pytest.fixture
def cluster(people: People, flink: RecordedCluster) -> Cluster:
    return cluster_add(user=people.ada, name="payments", url=flink.url, special_allowed=True)
