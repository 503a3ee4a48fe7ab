"""Pages stay readable when nothing can be stored, and failed writes get a specific error."""

from __future__ import annotations

import contextlib
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from django.conf import LazySettings
from django.db import OperationalError, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import ConnectionHandler
from django.test import RequestFactory
from django.urls import reverse

from tests.small_disk import fill
from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, signed_in, with_token
from workbench.middleware.machine_faults import FULL, MachineFaultAnswers, machine_fault
from workbench.uploads.services import text_add


@contextlib.contextmanager
def only_readable() -> Iterator[None]:
    """The database refuses to write, as on a file system that the kernel made read-only."""
    on, off = {
        "sqlite": ("PRAGMA query_only = ON", "PRAGMA query_only = OFF"),
        "postgresql": (
            "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
            "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
        ),
    }[connection.vendor]
    with connection.cursor() as cursor:
        cursor.execute(on)
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(off)


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
def test_pages_are_read_while_the_database_can_only_be_read(people: People, queue: redis.Redis) -> None:
    case = diagnosed_case(people.alice).case
    page, logs = case.get_absolute_url(), f"{case.get_absolute_url()}logs/"
    alice, program = signed_in(people.alice), with_token(people.alice)
    with only_readable():
        answers = {path: alice.get(path).status_code for path in ("/", page, logs, "/logs/?q=x", "/rules/")}
        written = alice.post(reverse("cases:note", args=[case.pk]), {"text": "Still slow"})
        sent = program.post("/api/v1/cases/", {"title": "a", "files": []})
    assert set(answers.values()) == {200}, answers
    assert (written.status_code, written.headers["Retry-After"]) == (503, "30")
    assert "can only be read" in written.content.decode()
    assert sent.status_code in (400, 503)
    assert alice.post(reverse("cases:note", args=[case.pk]), {"text": "Still slow"}).status_code == 302


def database_on(disk: Path) -> BaseDatabaseWrapper:
    """A database with a table, on its own."""
    described = {"ENGINE": "django.db.backends.sqlite3", "NAME": disk / "db"}
    other = ConnectionHandler({"default": described})["default"]
    with other.cursor() as cursor:
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("CREATE TABLE IF NOT EXISTS words (word TEXT)")
    return other


@pytest.mark.parametrize(
    ("is_open", "statement"),
    [(True, "INSERT INTO words VALUES (zeroblob(10000000))"), (False, "SELECT count(*) FROM words")],
    ids=["to write", "to open its journals"],
)
def test_a_database_without_room_is_a_full_disk(
    db: None, small_disk: Path, settings: LazySettings, is_open: bool, statement: str
) -> None:
    settings.INCOMING_DIR = small_disk
    other = database_on(small_disk)
    if not is_open:
        other.close()
    fill(small_disk)
    with pytest.raises(OperationalError) as failed, other.cursor() as cursor:
        cursor.execute(statement)
    other.close()
    assert machine_fault(failed.value) == FULL


def test_a_page_says_that_too_many_files_are_open(people: People) -> None:
    file = text_add(case=diagnosed_case(people.alice).case, user=people.alice, text="a line")
    alice = signed_in(people.alice)
    where = reverse("uploads:download", args=[file.pk])
    assert alice.get(where).status_code == 200
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.ExitStack() as opened:
        opened.callback(resource.setrlimit, resource.RLIMIT_NOFILE, limits)
        resource.setrlimit(resource.RLIMIT_NOFILE, (200, limits[1]))
        with contextlib.suppress(OSError):
            while True:
                opened.enter_context(open("/dev/null"))
        answer = alice.get(where)
    assert answer.status_code == 503
    assert "files it may have open" in answer.content.decode()


def test_another_error_stays_an_error(people: People) -> None:
    answers = MachineFaultAnswers(lambda request: pytest.fail("not asked"))
    request = RequestFactory().get("/")
    assert answers.process_exception(request, ZeroDivisionError("1/0")) is None
    assert answers.process_exception(request, OperationalError("database is locked")) is None
