"""What all tests share: one Spark server and one session for the whole run."""

from __future__ import annotations

import gc
import os
import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from diagnostics.spark.server import FOR_ONE_ANALYSIS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytest_plugins = [
    "tests.diagnosed_corpus",
    "tests.running_workbench",
    "tests.s3_server",
    "tests.shared_spark",
    "tests.sharing_out",
    "tests.small_disk",
]

# Tests run thousands of small Spark jobs, each once: the second compiler of the JVM never earns back what it costs.
# Measured on 21 signal tests: 34 instead of 61 s of processor time. A collector beside the program costs a tenth more
# (321 tests of signals and charts: 117 and 128 s). Every Java of the run takes it from here.
os.environ.setdefault("JDK_JAVA_OPTIONS", " ".join(FOR_ONE_ANALYSIS))

# Commands speak the language of the terminal; tests read what they say in English unless they ask for another one.
os.environ["LC_ALL"] = "C.UTF-8"

# When Python looks for unused cycles among its objects. With the usual 700 new ones, the collection of all tests took
# 6.8 s of processor time in each process, now 5.8: what is imported and collected lives to the end. Our choice.
gc.set_threshold(100_000, 20, 100)


def pytest_collection_finish() -> None:
    """What is there now, all tests and what they import, is not looked at any more."""
    gc.freeze()


@pytest.fixture(scope="session")
def spark(spark_remote: str) -> Iterator[SparkSession]:
    """A session of this process on the server that all share."""
    from diagnostics.spark import connect, disconnect
    from diagnostics.spark.client import start_python_worker

    session = connect(spark_remote, str(uuid.uuid4()))
    start_python_worker(session)
    try:
        yield session
    finally:
        disconnect(session)
