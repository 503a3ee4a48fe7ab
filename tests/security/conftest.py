"""Fixtures of the web side (data folder, people, a real Redis), and a child process that reads hostile files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.security.bounded_reading import BoundedReader, warm_reader
from tests.workbench.conftest import data_folder, django_db_setup, people, queue, redis_url

__all__ = ["data_folder", "django_db_setup", "people", "queue", "redis_url"]


@pytest.fixture(scope="module")
def reader() -> Iterator[BoundedReader]:
    """The child process, one for the tests of a file."""
    with warm_reader() as warm:
        yield warm
