"""What all tests share: one Spark server and one session for the whole run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytest_plugins = ["tests.running_workbench"]


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """An embedded session; the server starts when the first test asks for it and ends with the run."""
    from diagnostics.spark import embedded

    with embedded() as session:
        yield session
