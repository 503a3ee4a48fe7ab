from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
import redis
from django.conf import LazySettings
from django.test import Client

from workbench.api import probes
from workbench.machine import broker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_healthz_says_that_the_process_lives(client: Client) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}


@pytest.mark.django_db
def test_readyz_names_each_part_that_does_not_answer(
    client: Client, settings: LazySettings, queue: redis.Redis
) -> None:
    settings.SPARK_REMOTE = "sc://127.0.0.1:1"
    settings.RESERVE_BYTES = -(2**62)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json() == {
        "status": "unavailable",
        "parts": {
            "database": "ok",
            "broker": "ok",
            "worker": "no worker has said anything for 15 seconds",
            "spark": "no Spark Connect server listens at SPARK_REMOTE",
        },
        "warnings": [],
        "warming_up": 0,
    }
    broker.worker_beat()
    assert client.get("/readyz").json()["parts"]["worker"] == "ok"


@pytest.mark.django_db
def test_readyz_counts_the_processes_that_warm_up(client: Client, queue: redis.Redis) -> None:
    broker.warm_up_begins(["one-0", "one-1"])
    assert client.get("/readyz").json()["warming_up"] == 2
    broker.warm_up_ends("one-0")
    assert client.get("/readyz").json()["warming_up"] == 1
    queue.zadd(broker.WARMING_KEY, {"one-1": time.time() - 1})
    assert client.get("/readyz").json()["warming_up"] == 0


@pytest.mark.django_db
def test_readyz_names_a_broker_that_is_gone(client: Client, settings: LazySettings, queue: redis.Redis) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    broker._redis.cache_clear()
    parts = client.get("/readyz").json()["parts"]
    assert parts["broker"] == "does not answer (ConnectionError)"
    assert parts["worker"] == "does not answer (ConnectionError)"


@pytest.mark.spark
def test_spark_answers_the_probe_and_is_not_asked_again_at_once(
    spark: SparkSession, spark_remote: str, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    spark.range(1).count()
    settings.SPARK_REMOTE = spark_remote
    probe = probes.SparkProbe()
    probe.ask()
    settings.SPARK_REMOTE = "sc://127.0.0.1:1"
    probe.ask()
    monkeypatch.setattr(probes, "SPARK_REMEMBERED_SECONDS", 0.0)
    with pytest.raises(probes.NotReady, match="no Spark Connect server"):
        probe.ask()
