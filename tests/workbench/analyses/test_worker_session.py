"""The session of a worker process is warm before its first run, and the warm-up keeps out of a run's way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import LazySettings

from workbench.analyses.worker_session import SESSION_TURN, worker_session, worker_session_prepare

LONGEST_SECONDS = 120.0
DONE = "the session is warmed up"


@pytest.fixture(autouse=True)
def own_session(spark_remote: str, settings: LazySettings, tmp_path: Path) -> Iterator[None]:
    settings.SPARK_REMOTE = spark_remote
    settings.WORKSPACES_DIR = tmp_path / "work-of-session"
    settings.WORKSPACES_DIR.mkdir()
    worker_session.cache_clear()
    yield
    worker_session().close()
    worker_session.cache_clear()


def test_a_log_is_analysed_with_the_session_before_the_first_run(
    caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    first = worker_session().id
    with caplog.at_level("INFO"):
        worker_session_prepare(0).join(LONGEST_SECONDS)
    assert DONE in caplog.text
    assert worker_session().id == first
    assert not list((tmp_path / "work-of-session").iterdir())
    assert not SESSION_TURN.locked()


def test_a_run_that_comes_first_is_not_disturbed(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO"), SESSION_TURN:
        worker_session_prepare(0).join(LONGEST_SECONDS)
    assert "warm" not in caplog.text
