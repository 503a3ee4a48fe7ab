"""The launcher's watch over its Redis."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
import redis

from tests.running_workbench import eventually
from workbench.launch import redis_watch
from workbench.launch.plan import Plan, plan_from
from workbench.launch.programs import programs, write_configuration
from workbench.launch.redis_watch import RedisWatch


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    plan = plan_from({"WORKBENCH_DATA": str(tmp_path), "SPARK_REMOTE": "sc://localhost:1"})
    plan.run.mkdir()
    write_configuration(plan)
    return plan


@pytest.fixture
def server(plan: Plan) -> Iterator[psutil.Popen]:
    """The plan's Redis, answering."""
    with psutil.Popen(programs(plan)[0].command, stdout=subprocess.DEVNULL) as process:
        client = redis.Redis.from_url(plan.variables["REDIS_URL"])

        def answers() -> bool:
            try:
                return bool(client.ping())
            except redis.RedisError:
                return False

        assert eventually(answers, 20)
        yield process
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_watch, "HUNG_SECONDS", 0.5)
    monkeypatch.setattr(redis_watch, "ANSWER_SECONDS", 0.3)


def test_a_redis_that_answers_is_left_alone(plan: Plan, server: psutil.Popen) -> None:
    watch = RedisWatch(plan)
    for _ in range(4):
        watch.look()
        time.sleep(0.2)
    assert server.is_running()


def test_a_redis_that_hangs_is_ended(plan: Plan, server: psutil.Popen) -> None:
    watch = RedisWatch(plan)
    server.suspend()
    watch.look()
    assert server.is_running()
    time.sleep(0.5)
    watch.look()
    assert server.wait(10) == -9


def test_a_redis_that_is_not_there_is_left_to_the_supervisor(plan: Plan, capsys: pytest.CaptureFixture[str]) -> None:
    watch = RedisWatch(plan)
    time.sleep(0.6)
    watch.look()
    assert capsys.readouterr().out == ""


def test_a_redis_from_outside_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = plan_from({"WORKBENCH_DATA": str(tmp_path), "REDIS_URL": "redis://127.0.0.1:1/0"})
    assert plan.redis_port is None
    RedisWatch(plan).look()
    assert capsys.readouterr().out == ""
