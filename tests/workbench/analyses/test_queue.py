"""The states of a run without a worker: requested, cancelled, claimed, given back, lost and recovered."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.conf import LazySettings
from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils import timezone

from diagnostics.spark import KeptSession
from tests.workbench.diagnosed import SKEW_RULE, diagnosed_case, published, report_of, stored_file
from tests.workbench.people import People, case_of, signed_in, with_token
from workbench.analyses import run
from workbench.analyses.models import Analysis, AnalysisStatus
from workbench.analyses.outcome import report_save
from workbench.analyses.selectors import analysis_to_change, analysis_visible, latest_analyses
from workbench.analyses.services import (
    MOST_ATTEMPTS,
    MOST_SERVERS_LOST,
    OBSERVED_SECONDS,
    SILENT,
    NothingToAnalyse,
    analysis_cancel,
    analysis_claim,
    analysis_fail,
    analysis_give_back,
    analysis_request,
    analysis_retry,
    lost_analyses_recover,
)
from workbench.analyses.stages import run_shown
from workbench.machine import broker

Committed = Callable[..., AbstractContextManager[Any]]
SecondsPass = Callable[[float], None]


@pytest.fixture
def queued(people: People) -> Analysis:
    case = case_of(people.alice)
    stored_file(case, people.alice)
    return analysis_request(case=case, user=people.alice)


def now_of(analysis: Analysis) -> Analysis:
    analysis.refresh_from_db()
    return analysis


def test_an_empty_case_cannot_be_analysed(people: People) -> None:
    with pytest.raises(NothingToAnalyse):
        analysis_request(case=case_of(people.alice), user=people.alice)


def test_the_message_is_sent_once_the_row_is_committed(
    people: People, queue: redis.Redis, django_capture_on_commit_callbacks: Committed
) -> None:
    case = case_of(people.alice)
    stored_file(case, people.alice)
    with django_capture_on_commit_callbacks(execute=False):
        analysis_request(case=case, user=people.alice)
        assert broker.messages_waiting() == 0
    with django_capture_on_commit_callbacks(execute=True):
        analysis_request(case=case, user=people.alice)
    assert broker.messages_waiting() == 1


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
def test_a_broker_that_is_down_does_not_lose_the_case(people: People, queue: redis.Redis) -> None:
    from workbench.celery import app

    app.conf.broker_url = "redis://127.0.0.1:1/0"
    app._pool = None
    case = case_of(people.alice)
    stored_file(case, people.alice)
    analysis = analysis_request(case=case, user=people.alice)
    assert now_of(analysis).status == AnalysisStatus.QUEUED


def test_a_run_keeps_the_ruleset_of_its_request(people: People, queued: Analysis) -> None:
    published(SKEW_RULE, people.rita)
    later = analysis_request(case=queued.case, user=people.alice)
    assert not now_of(queued).ruleset.versions.filter(rule__rule_id="skew.test").exists()
    assert later.ruleset.versions.filter(rule__rule_id="skew.test").exists()


def test_a_new_request_cancels_the_one_under_way(people: People, queued: Analysis) -> None:
    later = analysis_request(case=queued.case, user=people.alice)
    assert now_of(queued).status == AnalysisStatus.CANCELLED
    assert now_of(later).status == AnalysisStatus.QUEUED
    assert latest_analyses([queued.case]) == {queued.case_id: later}


def test_the_position_counts_who_waits_before(people: People, queued: Analysis) -> None:
    other = case_of(people.bob)
    stored_file(other, people.bob)
    second = analysis_request(case=other, user=people.bob)
    assert (queued.queue_position, second.queue_position) == (1, 2)
    analysis_claim(queued)
    assert (now_of(queued).queue_position, second.queue_position) == (None, 1)


def test_a_waiting_user_sees_why_the_queue_is_blocked(
    queued: Analysis, queue: redis.Redis, settings: LazySettings
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as spark:
        settings.SPARK_REMOTE = f"sc://127.0.0.1:{spark.getsockname()[1]}"
        assert run_shown(queued)["detail"].startswith("No worker has said anything for 15 s")
        broker.worker_beat()
        assert run_shown(queued)["detail"] == ""
        broker.spark_missed()
        assert run_shown(queued)["detail"] == "Spark does not answer; it starts when it does."
        queue.delete(broker.SPARK_KEY)
        assert run_shown(queued)["detail"] == ""
    assert run_shown(queued)["detail"].startswith("Spark does not answer")
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    broker._redis.cache_clear()
    assert run_shown(queued)["detail"].startswith("The queue (Redis) does not answer")


def test_a_message_that_comes_twice_is_claimed_once(queued: Analysis) -> None:
    assert analysis_claim(queued) is not None
    assert analysis_claim(queued) is None
    assert now_of(queued).attempts == 1


def test_a_cancelled_run_is_not_claimed_and_stores_nothing(queued: Analysis) -> None:
    claim = analysis_claim(queued)
    assert claim
    assert analysis_cancel(analysis=queued)
    assert not report_save(analysis=queued, claim=claim, report=report_of(4.0), warnings=[])
    assert not analysis_fail(analysis=queued, claim=claim, reason="too late")
    assert analysis_claim(queued) is None
    assert now_of(queued).status == AnalysisStatus.CANCELLED
    assert queued.case.analysis_status == AnalysisStatus.CANCELLED
    assert not queued.findings.exists()


def test_cancelling_what_has_ended_changes_nothing(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    assert not analysis_cancel(analysis=analysis)
    assert now_of(analysis).status == AnalysisStatus.DONE


def test_a_retry_is_a_new_analysis(people: People, queued: Analysis) -> None:
    claim = analysis_claim(queued)
    assert claim
    analysis_fail(analysis=queued, claim=claim, reason="No luck.")
    retried = analysis_retry(analysis=queued, user=people.bob)
    assert (retried.case, retried.requested_by, now_of(queued).error) == (queued.case, people.bob, "No luck.")


@pytest.mark.parametrize(
    ("is_unusable", "headline", "first"),
    [(True, "No file could be used", "Add evidence"), (False, "The analysis failed", "Try again")],
)
def test_files_that_nobody_can_read_ask_for_others_and_not_for_another_attempt(
    people: People, queued: Analysis, is_unusable: bool, headline: str, first: str
) -> None:
    claim = analysis_claim(queued)
    analysis_fail(analysis=queued, claim=claim, reason="a.bin: not text", is_unusable=is_unusable)

    page = signed_in(people.alice).get(queued.case.get_absolute_url()).content.decode()
    run = page.partition('id="run"')[2].partition("</section>")[0]
    assert headline in run
    assert re.findall(r'class="button small primary"[^>]*>([^<]+)<', run) == [first]


def test_a_run_without_a_sign_of_life_is_queued_again_and_fails_after_the_last_attempt(
    queued: Analysis, queue: redis.Redis, seconds_pass: SecondsPass
) -> None:
    for attempt in range(1, MOST_ATTEMPTS + 1):
        assert analysis_claim(queued)
        later = timezone.now() + SILENT + timedelta(seconds=1)
        assert lost_analyses_recover() == 0
        assert lost_analyses_recover(now=later) == 0, "one look tells nothing"
        seconds_pass(4.0)
        assert lost_analyses_recover(now=later) == 0
        seconds_pass(4.0)
        assert lost_analyses_recover(now=later) == 1
        assert now_of(queued).attempts == attempt
    assert queued.status == AnalysisStatus.FAILED
    assert queued.error == "The worker that ran it stopped without a word. It was tried 3 times."
    queued.case.refresh_from_db()
    assert queued.case.analysis_status == AnalysisStatus.FAILED


def test_a_lost_spark_server_is_no_attempt_but_a_run_that_always_loses_it_ends(
    queued: Analysis, queue: redis.Redis
) -> None:
    for lost in range(1, MOST_SERVERS_LOST):
        claim = analysis_claim(queued)
        assert claim
        analysis_give_back(analysis=queued, claim=claim, reason="The server went.", server_lost=True)
        assert (now_of(queued).status, queued.servers_lost) == (AnalysisStatus.QUEUED, lost)
    claim = analysis_claim(queued)
    assert claim
    analysis_give_back(
        analysis=queued, claim=claim, reason="The server went.", server_lost=True, hint="Give it more memory."
    )
    assert now_of(queued).status == AnalysisStatus.FAILED
    assert queued.error == "The server went. It was tried 10 times. Give it more memory."


def test_a_run_that_takes_too_much_memory_of_its_worker_fails_and_says_so(
    queued: Analysis, queue: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "MOST_WORKER_BYTES", 200 * 1024**2)
    monkeypatch.setattr(run, "_attempt", lambda *_: bytearray(1024**3))
    claim = analysis_claim(queued)
    assert claim
    session = KeptSession("sc://127.0.0.1:1")
    run._run(queued, claim, session, (None, None))
    assert now_of(queued).status == AnalysisStatus.FAILED
    assert queued.error == "What was read could not be judged in 209.7 MB of memory. Send fewer files."
    assert len(bytearray(1024**3)) == 1024**3, "the process goes on with the next run"


def test_lost_servers_leave_a_run_all_its_attempts(queued: Analysis, queue: redis.Redis) -> None:
    for number in range(2 * MOST_ATTEMPTS):
        claim = analysis_claim(queued)
        assert claim, number
        analysis_give_back(analysis=queued, claim=claim, reason="Gone.", server_lost=number % 2 == 0)
    assert (now_of(queued).status, queued.attempts) == (AnalysisStatus.FAILED, 2 * MOST_ATTEMPTS)


def test_a_lost_run_is_shown_even_without_a_worker(
    people: People, queued: Analysis, queue: redis.Redis, seconds_pass: SecondsPass
) -> None:
    assert analysis_claim(queued)
    Analysis.objects.update(heartbeat_at=timezone.now() - SILENT - timedelta(seconds=1))
    program, address = with_token(people.alice), f"/api/v1/cases/{queued.case_id}/"
    assert program.get(address).json()["status"] == "running"
    seconds_pass(OBSERVED_SECONDS)
    shown = program.get(address).json()
    assert shown["status"] == "queued"
    assert shown["detail"] == "The worker that ran it stopped without a word. Waiting to be tried again."


def test_a_run_that_outlived_every_limit_is_not_tried_again(
    queued: Analysis, queue: redis.Redis, settings: LazySettings, seconds_pass: SecondsPass
) -> None:
    assert analysis_claim(queued)
    Analysis.objects.update(started_at=timezone.now() - timedelta(seconds=settings.CELERY_TASK_TIME_LIMIT))
    later = timezone.now() + SILENT + timedelta(seconds=1)
    lost_analyses_recover(now=later)
    seconds_pass(OBSERVED_SECONDS)
    lost_analyses_recover(now=later)
    assert now_of(queued).status == AnalysisStatus.FAILED
    assert "took longer than" in queued.error


def test_a_taken_over_run_can_change_nothing_any_more(queued: Analysis, queue: redis.Redis) -> None:
    first = analysis_claim(queued)
    assert first
    analysis_give_back(analysis=queued, claim=first, reason="Spark is not there.")
    assert now_of(queued).detail == "Spark is not there. Waiting to be tried again."
    second = analysis_claim(queued)
    assert second
    assert not report_save(analysis=queued, claim=first, report=report_of(4.0), warnings=[])
    assert report_save(analysis=queued, claim=second, report=report_of(4.0), warnings=[])


def test_a_queued_run_whose_message_is_lost_is_sent_again(
    queued: Analysis, queue: redis.Redis, django_capture_on_commit_callbacks: Committed
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        assert lost_analyses_recover() == 0
        assert lost_analyses_recover(now=timezone.now() + timedelta(minutes=1)) == 1
    assert broker.messages_waiting() == 1
    assert lost_analyses_recover(now=timezone.now() + timedelta(minutes=2)) == 0


@pytest.mark.parametrize("jump", [timedelta(hours=3), timedelta(hours=-3)], ids=["ahead", "back"])
def test_a_clock_that_is_set_loses_no_run_that_lives(
    queued: Analysis, queue: redis.Redis, seconds_pass: SecondsPass, jump: timedelta
) -> None:
    """Its next sign of life comes within a second; the same from a database that was away."""
    assert analysis_claim(queued)
    now = timezone.now() + jump
    assert lost_analyses_recover(now=now) == 0
    seconds_pass(3.0)
    Analysis.objects.update(heartbeat_at=now + timedelta(seconds=3))
    assert lost_analyses_recover(now=now + timedelta(seconds=3)) == 0
    seconds_pass(OBSERVED_SECONDS)
    Analysis.objects.update(heartbeat_at=now + timedelta(seconds=9))
    assert lost_analyses_recover(now=now + timedelta(seconds=9)) == 0
    assert now_of(queued).status == AnalysisStatus.RUNNING


def test_a_clock_that_is_set_back_hides_no_lost_run(
    queued: Analysis, queue: redis.Redis, seconds_pass: SecondsPass
) -> None:
    assert analysis_claim(queued)
    earlier = timezone.now() - timedelta(hours=3)
    lost_analyses_recover(now=earlier)
    assert now_of(queued).status == AnalysisStatus.RUNNING
    seconds_pass(OBSERVED_SECONDS)
    lost_analyses_recover(now=earlier)
    assert (now_of(queued).status, queued.attempts) == (AnalysisStatus.QUEUED, 1)


def test_a_message_that_was_lost_before_the_clock_was_set_back_is_sent_again(
    queued: Analysis, queue: redis.Redis, django_capture_on_commit_callbacks: Committed
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        assert lost_analyses_recover(now=timezone.now() - timedelta(hours=3)) == 1
    assert broker.messages_waiting() == 1


def test_looks_before_and_after_an_outage_are_not_one_observation(
    queued: Analysis, queue: redis.Redis, seconds_pass: SecondsPass
) -> None:
    assert analysis_claim(queued)
    later = timezone.now() + SILENT + timedelta(seconds=1)
    assert lost_analyses_recover(now=later) == 0
    seconds_pass(60.0)
    assert lost_analyses_recover(now=later) == 0


def test_strangers_see_no_analysis_and_viewers_change_none(people: People, queued: Analysis) -> None:
    assert analysis_visible(people.vera, queued.pk) == queued
    assert analysis_to_change(people.bob, queued.pk) == queued
    with pytest.raises(Http404):
        analysis_visible(people.charlie, queued.pk)
    with pytest.raises(PermissionDenied):
        analysis_to_change(people.vera, queued.pk)
