"""The metrics of the workbench itself: what they count, who may read them, and what promtool says of them."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from uuid import uuid4

import pytest
import redis
from django.conf import LazySettings, settings
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from tests.workbench.people import People, case_of
from workbench.accounts.models import ApiToken, Role, TokenScope, User
from workbench.analyses.models import Analysis, AnalysisStatus
from workbench.analyses.services import analysis_fail
from workbench.rules.services import ruleset_published
from workbench.tallies.counting import bucket_of, stages_count

RULES = Path(settings.BASE_DIR, "workbench", "launch", "prometheus-alerts.yaml")
PROMTOOL = shutil.which("promtool")
Committed = Callable[..., AbstractContextManager[list[Callable[[], object]]]]
"""Runs what is to happen after a commit, without committing: other tests keep the shipped rules."""


@pytest.fixture
def monitoring(people: People, queue: redis.Redis) -> Client:
    """A Prometheus server with a token of an administrator."""
    _, secret = ApiToken.objects.make(people.ada, "prometheus", scope=TokenScope.METRICS)
    return Client(headers={"Authorization": f"Bearer {secret}"})


def values(client: Client) -> dict[tuple[str, ...], float]:
    """The samples by name and values of labels, in the order of their names."""
    answer = client.get("/metrics")
    assert answer.status_code == 200
    families = text_string_to_metric_families(answer.content.decode())
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


def running(people: People) -> Analysis:
    return Analysis.objects.create(
        case=case_of(people.alice),
        requested_by=people.alice,
        ruleset=ruleset_published(),
        status=AnalysisStatus.RUNNING,
        claim=uuid4(),
    )


def test_analyses_are_counted_by_outcome_and_stay_counted_when_their_case_is_deleted(
    monitoring: Client, people: People, django_capture_on_commit_callbacks: Committed
) -> None:
    analysis = running(people)
    assert values(monitoring)["flink_workbench_analyses_active", "running"] == 1
    with django_capture_on_commit_callbacks(execute=True):
        analysis_fail(analysis=analysis, claim=analysis.claim, reason="x")
    analysis.delete()
    told = values(monitoring)
    assert told["flink_workbench_analyses_total", "failed"] == 1
    assert told["flink_workbench_analyses_total", "done"] == 0
    assert told["flink_workbench_analyses_active", "running"] == 0


def test_durations_of_stages_are_a_cumulative_histogram(
    monitoring: Client, django_capture_on_commit_callbacks: Committed
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        for milliseconds in (90, 700, 700, 4_000_000):
            stages_count({"Reading": milliseconds})
    told = values(monitoring)
    bucket = "flink_workbench_stage_duration_seconds_bucket"
    assert [told[bucket, bound, "Reading"] for bound in ("0.1", "0.5", "1.0", "1800.0", "+Inf")] == [1, 1, 3, 3, 4]
    assert told["flink_workbench_stage_duration_seconds_sum", "Reading"] == pytest.approx(0.09 + 0.7 + 0.7 + 4000)
    assert told["flink_workbench_stage_duration_seconds_count", "Reading"] == 4


def test_a_bound_belongs_to_its_bucket() -> None:
    assert [bucket_of(seconds) for seconds in (0.0, 0.1, 0.11, 1800.0, 1800.1)] == [
        "0.1",
        "0.1",
        "0.25",
        "1800.0",
        "+Inf",
    ]


def test_parts_that_do_not_answer_are_zero(monitoring: Client, settings: LazySettings) -> None:
    assert values(monitoring)["flink_workbench_part_up", "worker"] == 0
    assert values(monitoring)["flink_workbench_part_up", "broker"] == 1


def test_without_a_token_for_it_or_a_listed_address_nothing_is_shown(
    people: People, monitoring: Client, settings: LazySettings
) -> None:
    writes = ApiToken.objects.make(people.ada, "other")[1]
    of_a_responder = ApiToken.objects.make(people.bob, "x", scope=TokenScope.METRICS)[1]
    for secret in ("", "made-up", writes, of_a_responder):
        answer = Client(headers={"Authorization": f"Bearer {secret}"}).get("/metrics")
        assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
    settings.METRICS_FROM = settings.ENVIRONMENT.networks("NONE", ["192.0.2.0/28"])
    assert Client(REMOTE_ADDR="192.0.2.3").get("/metrics").status_code == 200
    assert Client(REMOTE_ADDR="192.0.2.77").get("/metrics").status_code == 401
    spoofed = Client(REMOTE_ADDR="192.0.2.77", headers={"X-Forwarded-For": "192.0.2.3"})
    assert spoofed.get("/metrics").status_code == 401
    User.objects.filter(pk=people.ada.pk).update(role=Role.VIEWER)
    assert monitoring.get("/metrics").status_code == 401


@pytest.mark.skipif(PROMTOOL is None, reason="promtool (Debian: prometheus) is not installed")
def test_promtool_finds_no_fault_in_metrics_and_example_alerts(
    monitoring: Client, django_capture_on_commit_callbacks: Committed
) -> None:
    assert PROMTOOL is not None
    with django_capture_on_commit_callbacks(execute=True):
        stages_count({"Reading": 90})
    shown = monitoring.get("/metrics").content
    checked = subprocess.run([PROMTOOL, "check", "metrics"], input=shown, capture_output=True, check=False)
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, b"")
    checked = subprocess.run([PROMTOOL, "check", "rules", RULES], capture_output=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_example_alerts_ask_for_metrics_that_exist(monitoring: Client) -> None:
    stages_count({"Reading": 90})
    shown = monitoring.get("/metrics").content.decode()
    asked = set(re.findall(r"flink_workbench_\w+", RULES.read_text()))
    known = set(re.findall(r"flink_workbench_\w+", shown)) | {"flink_workbench_stage_duration_seconds_bucket"}
    assert len(asked) >= 6
    assert asked - known == set()
