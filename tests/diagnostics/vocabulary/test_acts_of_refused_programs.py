"""What Flink refuses of a program, a statement or a request, by the sentence of its own sources."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import remedy_of

TABLES = "org.apache.flink.table.api."


@pytest.mark.parametrize(
    ("said", "named"),
    [
        (
            f"{TABLES}ValidationException: A rowtime attribute requires a positive watermark interval in stream"
            " environment. But is: 0",
            "pipeline.auto-watermark-interval: 200 ms",
        ),
        (
            f"{TABLES}ValidationException: The DataStream's StreamExecutionEnvironment must be identical to the one",
            "StreamTableEnvironment.create(env)",
        ),
        (f"{TABLES}TableException: Only single statement is supported.", "addInsertSql() for each INSERT"),
        (
            "Fail to create DynamicTableSink for the table t, maybe the table does not support atomicity of CTAS/RTAS",
            "'table.rtas-ctas.atomicity-enabled' = 'false'",
        ),
        (
            f"{TABLES}ValidationException: Expression 'name' is invalid because it is neither present in GROUP BY nor"
            " an aggregate function",
            "Put name into groupBy",
        ),
        (f"{TABLES}ValidationException: View 'v' cannot be enriched with new options.", "into the view"),
        ("org.apache.flink.table.catalog.exceptions.CatalogException: Catalog lake already exists.", "USE CATALOG"),
        (
            "Temporary table with identifier 'c.d.t' exists. Drop it first before removing the permanent table.",
            "DROP TEMPORARY table c.d.t",
        ),
        (
            "Function class 'class a.B' is not serializable. Make sure that the class is self-contained (i.e. no",
            "static nested class",
        ),
        ("Function implemented by class a.B is a Scala object. This is forbidden because of concurrency", "classOf"),
        ("Method 'eval' of function class 'a.B' is not public.", "public"),
        ("java.io.FileNotFoundException: jar resource [/a/b.jar] not found.", "SQL gateway itself can read"),
        ("java.lang.UnsupportedOperationException: SQL Gateway doesn't support REMOVE JAR syntax now.", "new one"),
        ("Unsupported statement for configuring session:SELECT 1", "/statements"),
        ("SqlGatewayException: The result is not ready. Please fetch results until the result", "resultType"),
        ("SqlGatewayService doesn't support timeout mechanism now.", "executionTimeout"),
        (
            "java.sql.SQLFeatureNotSupportedException: FlinkConnection#prepareStatement is not supported yet.",
            "createStatement()",
        ),
        ("java.sql.SQLException: No port specified in uri: jdbc:flink://gateway", "8083"),
        ("Make sure it has been registered before because temporary functions are not contained", "EXECUTE PLAN"),
        ("It seems the table is not intended to be stored in a persisted plan.", "table.plan.compile.catalog-objects"),
        ("Data type 'TIMESTAMP(3)' does not support an input conversion from class 'java.util.Date'.", "LocalDateTime"),
        ("Accessing a field by name is not supported in position-based field mode.", "Row.withNames()"),
        ("Incompatible types for union operation. Could not find a common type at position 1", "CAST"),
        (
            "Current catalog is a, which not a HiveCatalog, but Hive dialect is only supported when the current catalog"
            " is HiveCatalog.",
            "USE CATALOG hive",
        ),
        (f"{TABLES}TableRuntimeException: Strict jsonpath mode requires scalar value, and the actual", "lax $"),
        (f"{TABLES}TableRuntimeException: Empty result of JSON_VALUE function is not allowed", "NULL ON EMPTY"),
        ("Invalid function MAP_FROM_ARRAYS call:\nThe length of the keys array 2 is not equal", "CARDINALITY"),
        ("CumulativeWindowAssigner requires size must be an integral multiple of step.", "whole multiple"),
        ("The precision value '6' for function TO_TIMESTAMP_LTZ(numeric, precision) is unsupported,", "/ 1000"),
        ("Full caching using SourceFunction currently not supported.", "'PARTIAL'"),
        ("In full refresh mode, only freshness that are factors of 60 are currently supported", "CONTINUOUS"),
        ("Session Group Window is currently not supported for Pandas UDAF.", "func_type"),
        ("java.lang.RuntimeException: Generated WatermarkGenerator fails to generate for row: +I(a).", "TRY_CAST"),
    ],
)
def test_the_act_names_what_to_change(said: str, named: str) -> None:
    assert named in (remedy_of(said) or "")
