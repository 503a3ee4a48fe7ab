"""A PostgreSQL that hangs, dies and comes back: bounded waiting, a clear answer, no attempt of a case lost."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.db import InterfaceError, OperationalError
from pytest_django import DjangoDbBlocker

from tests.benchmarks.throwaway_postgres import PostgresServer, postgres_server
from tests.running_workbench import COLD, launch
from tests.workbench.analyses.stack import LOG, LOOK_SECONDS, Stack, has_ended, is_reading
from workbench.machine.postgresql.base import CONNECT_SECONDS, DatabaseWrapper
from workbench.machine.postgresql.driver import HEALTH_SECONDS, WEB_SECONDS, BoundedConnection
from workbench.middleware.machine_faults import NO_DATABASE, machine_fault

LONG_LOG_BYTES = 128 * 1024**2
SOON_SECONDS = WEB_SECONDS + HEALTH_SECONDS + CONNECT_SECONDS + 5.0
"""The statement, the question of the next one, a connection, and a busy machine."""


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with postgres_server() as running:
        if running is None:
            pytest.skip("PostgreSQL's server programs are not installed")
        yield running


def test_a_statement_waits_for_a_server_that_hangs_no_longer_than_its_bound(server: PostgresServer) -> None:
    connection = BoundedConnection.connect(server.url)
    connection.answer_seconds = 1.0
    assert connection.execute("SELECT 1").fetchone() == (1,)
    server.hang()
    try:
        began = time.monotonic()
        with pytest.raises(psycopg.OperationalError, match="not answered within 1 s"):
            connection.execute("SELECT 1")
        assert time.monotonic() - began < 5
        assert connection.closed, "its answer may still come"
        with pytest.raises(psycopg.OperationalError):
            BoundedConnection.connect(server.url, connect_timeout=2)
        assert time.monotonic() - began < 10
    finally:
        server.go_on()
    with BoundedConnection.connect(server.url, connect_timeout=30) as again:
        assert again.execute("SELECT 1").fetchone() == (1,)


def test_an_error_of_a_statement_stays_what_it_is(server: PostgresServer) -> None:
    with BoundedConnection.connect(server.url) as connection:
        connection.answer_seconds = 30.0
        with pytest.raises(psycopg.errors.UndefinedTable) as failed:
            connection.execute("SELECT 1 FROM nothing")
        assert not connection.closed
        assert machine_fault(failed.value) is None
        connection.rollback()
        connection.execute("SET statement_timeout = 50")
        with pytest.raises(psycopg.errors.QueryCanceled) as cancelled:
            connection.execute("SELECT pg_sleep(5)")
        assert machine_fault(cancelled.value) is None


@pytest.fixture
def unblocked(django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Connections to a server of the test, beside the database of the tests, which stays closed."""
    with django_db_blocker.unblock():
        yield


@pytest.mark.usefixtures("unblocked")
def test_django_connects_within_bounds(server: PostgresServer) -> None:
    from django.db.utils import ConnectionHandler

    described = {
        "ENGINE": "workbench.machine.postgresql",
        "HOST": "127.0.0.1",
        "PORT": server.port,
        "NAME": "postgres",
        "USER": "bench",
    }
    wrapper = ConnectionHandler({"default": described})["default"]
    assert isinstance(wrapper, DatabaseWrapper)
    with wrapper.cursor() as cursor:
        cursor.execute("SELECT 1")
    assert wrapper.is_usable()
    assert wrapper.vendor == "postgresql"
    server.hang()
    try:
        began = time.monotonic()
        assert not wrapper.is_usable()
        wrapper.close()
        with pytest.raises(OperationalError) as refused:
            wrapper.ensure_connection()
        assert time.monotonic() - began < HEALTH_SECONDS + CONNECT_SECONDS + 3
    finally:
        server.go_on()
        wrapper.close()
    assert machine_fault(refused.value) == NO_DATABASE


def test_sqlite_and_other_errors_are_no_lost_database() -> None:
    assert machine_fault(OperationalError("database is locked")) is None
    assert machine_fault(InterfaceError("Error binding parameter")) is None


def attempts_of(stack: Stack, url: str) -> tuple[int, int]:
    """How often a case was begun, and how many of these were lost with a server."""
    number = url.rstrip("/").rpartition("/")[2]
    asked = (
        "from workbench.analyses.models import Analysis;"
        f"a = Analysis.objects.filter(case={number}).latest(); print(a.attempts, a.servers_lost)"
    )
    attempts, lost = stack.running.manage("shell", "--no-imports", "-c", asked).split()
    return int(attempts), int(lost)


@pytest.mark.celery
@pytest.mark.spark
def test_pages_say_so_and_runs_go_on_when_the_database_is_back(
    server: PostgresServer, tmp_path: Path, spark_remote: str
) -> None:
    """First it hangs for longer than a run may be silent, then it is killed and started again."""
    running = launch(tmp_path / "data", SPARK_REMOTE=spark_remote, DATABASE_URL=server.url, **COLD)
    try:
        running.wait_until_ready()
        stack = Stack(running, running.manage("create_token", "admin"), tmp_path)
        page, program = f"{running.address}/login/", f"{running.address}/api/v1/cases/"
        long_log = LOG * (LONG_LOG_BYTES // len(LOG))
        for fail, mend in ((server.hang, server.go_on), (server.stop, server.start)):
            url = stack.send(long_log)
            long_log += b"\n"  # another file the next time
            stack.wait(url, is_reading)
            fail()
            began = time.monotonic()
            try:
                status, said, seconds = ask_with_token(program, stack.token)
                assert (status, "The database of the workbench does not answer" in said) == (503, True), said
                assert seconds < SOON_SECONDS
                status, said, seconds = ask_with_session(page)
                assert (status, "<h1>The database does not answer</h1>" in said) == (503, True), said
                assert seconds < SOON_SECONDS
                assert ask_with_session(f"{running.address}/healthz")[0] == 200
                time.sleep(max(20.0 - (time.monotonic() - began), 0))
            finally:
                mend()
            case = wait_while_it_returns(stack, url)
            assert case["status"] == "done", case
            attempts, lost = attempts_of(stack, url)
            assert attempts - lost == 1, (attempts, lost)
    finally:
        running.end()


def ask_with_token(address: str, token: str) -> tuple[int, str, float]:
    """As a program asks."""
    return _asked(urllib.request.Request(address, headers={"Authorization": f"Token {token}"}))


def ask_with_session(address: str) -> tuple[int, str, float]:
    """As a browser asks that was signed in."""
    return _asked(urllib.request.Request(address, headers={"Cookie": "sessionid=" + "a" * 32}))


def _asked(request: urllib.request.Request) -> tuple[int, str, float]:
    began = time.monotonic()
    try:
        with urllib.request.urlopen(request, timeout=60) as opened:
            return opened.status, opened.read().decode(), time.monotonic() - began
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), time.monotonic() - began


def wait_while_it_returns(stack: Stack, url: str, seconds: float = 240) -> dict[str, object]:
    """The case once it has ended; 503 is no end."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            case = stack.case(url)
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise
        else:
            if has_ended(case):
                return case
        assert time.monotonic() < deadline
        time.sleep(LOOK_SECONDS)
