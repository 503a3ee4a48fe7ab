"""A Spark server of their own for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from diagnostics import spark as engine


@pytest.fixture(scope="package")
def spark() -> Iterator[SparkSession]:
    """A server of its own: these tests take all its cores and look who got them."""
    with engine.embedded() as session:
        yield session


@pytest.fixture
def remote(spark: SparkSession) -> str:
    host, _, port = spark.client._builder.endpoint.rpartition(":")
    return f"sc://{host}:{port}"
