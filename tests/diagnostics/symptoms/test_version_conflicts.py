"""A conflict of releases names both sides, the release for this Flink, and what shows who brings the class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.diagnostics.written_log import GRAPH, JOB, diagnosed, jobmanager_log, line

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def failed(*trace: str) -> str:
    head = f"Job orders ({JOB}) switched from state RUNNING to FAILED."
    return "\n".join([line(30, GRAPH, head), *trace])


CHAINS = {
    "guava of another Flink": (
        "1.18.1",
        [
            "java.lang.NoClassDefFoundError: org/apache/flink/shaded/guava30/com/google/common/collect/Lists",
            "\tat com.ververica.cdc.debezium.DebeziumSourceFunction.open(DebeziumSourceFunction.java:241)",
            "Caused by: java.lang.ClassNotFoundException: org.apache.flink.shaded.guava30.com.google.common.io.Closer",
            "\tat java.net.URLClassLoader.findClass(URLClassLoader.java:382)",
        ],
        ["guava31 with 1.18", "guava of flink-shaded"],
    ),
    "a connector of a newer Flink": (
        "1.17.2",
        [
            "java.lang.NoSuchMethodError: 'org.apache.flink.table.connector.source.ScanTableSource"
            "$ScanRuntimeProvider org.apache.flink.table.connector.source.SourceProvider.of(int)'",
            "\tat org.apache.flink.connector.jdbc.table.JdbcDynamicTableSource.copy(JdbcDynamicTableSource.java:1)",
        ],
        ["flink-connector-jdbc 3.1.2-1.17", "Flink's Table API", "is called from flink-connector-jdbc"],
    ),
    "a driver that is missing": (
        "1.19.1",
        [
            "java.lang.ClassNotFoundException: oracle.jdbc.OracleDriver",
            "\tat java.net.URLClassLoader.findClass(URLClassLoader.java:382)",
        ],
        ["ojdbc8"],
    ),
}


@pytest.mark.parametrize("name", CHAINS)
def test_a_conflict_names_what_repairs_it(name: str, spark: SparkSession, tmp_path: Path) -> None:
    version, trace, said = CHAINS[name]
    report = diagnosed(spark, tmp_path, log=jobmanager_log(failed(*trace), version=version))
    finding = report.document["findings"][0]
    assert finding["symptom_class"] == "user_code"
    text = f"{finding} {finding['first_step']}"
    assert [each for each in said if each not in text] == []
