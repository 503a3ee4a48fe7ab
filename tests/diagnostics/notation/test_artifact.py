"""The name of a JAR tells its artifact and its release."""

from __future__ import annotations

import pytest

from diagnostics.notation.artifact import artifacts_in


@pytest.mark.parametrize(
    ("jar", "found"),
    [
        ("flink-dist-1.16.1.jar", [("flink-dist", "1.16.1")]),
        ("/opt/flink/lib/flink-dist_2.12-1.13.1.jar:/opt", [("flink-dist", "1.13.1")]),
        ("flink-sql-connector-kafka-3.1.0-1.18.jar", [("flink-sql-connector-kafka", "3.1.0")]),
        ("flink-sql-connector-mysql-cdc-2.4.1.jar", [("flink-sql-connector-mysql-cdc", "2.4.1")]),
        ("iceberg-flink-runtime-1.16-1.3.0.jar", [("iceberg-flink-runtime", "1.3.0")]),
        ("paimon-flink-1.18-0.9.0.jar", [("paimon-flink", "0.9.0")]),
        ("hudi-flink1.15-bundle-0.13.1.jar", [("hudi-flink", "0.13.1")]),
        ("flink-connector-starrocks-1.2.9_flink-1.15.jar", [("flink-connector-starrocks", "1.2.9")]),
        ("kafka-clients-3.4.0.jar", [("kafka-clients", "3.4.0")]),
        ("my-job.jar:app-1.0.jar", []),
    ],
)
def test_a_jar_has_a_name_and_a_release(jar: str, found: list[tuple[str, str]]) -> None:
    assert [*artifacts_in(jar)] == found
