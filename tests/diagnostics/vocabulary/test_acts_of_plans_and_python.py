"""What the planner has no operator for, by the nodes of its plan, and what Python's environments lack."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import known_message

PLAN = "org.apache.flink.table.api.TableException: Cannot generate a valid execution plan for the given query: \n"


@pytest.mark.parametrize(
    ("chain", "entry"),
    [
        (f"{PLAN}+- LogicalFilter(condition=[OR(IN($0, {{", "plan-sub-query"),
        (f"{PLAN}FlinkLogicalCorrelate(joinType=[left])\n+- FlinkLogicalTableFunctionScan(", "plan-left-lateral"),
        (f"{PLAN}   +- FlinkLogicalSnapshot(period=[$cor0.proctime])", "plan-lookup-of-a-query"),
        (f"{PLAN}LogicalTableFunctionScan(invocation=[TUMBLE($2, DESCRIPTOR($1))", "plan-window-function-alone"),
        (f"{PLAN}FlinkLogicalOverAggregate(window#0=[aggs [ROW_NUMBER()]])", "plan-ranks"),
        (f"{PLAN}FlinkLogicalJoin(condition=[>($0, $1)], joinType=[left])", "plan-not-found"),
        (
            "RelOptPlanner$CannotPlanException: There are not enough rules\n"
            "Missing conversion is FlinkLogicalTableSourceScan[convention: LOGICAL -> STREAM_PHYSICAL]",
            "plan-lookup-only-scan",
        ),
        ("The cast conversion from NUMERIC type to TIMESTAMP type is not allowed.", "cast-number-to-time"),
        (
            "ValidationException: Invalid metadata key 'offset' in column 'offset' of table 't'. The DynamicTableSink "
            "class 'KafkaDynamicSink' supports the following metadata keys for writing:",
            "metadata-of-a-sink",
        ),
        ("class org.apache.avro.util.Utf8 cannot be cast to class java.lang.String", "avro-text-class"),
        ("IllegalArgumentException: Unexpected type: FIXED_LEN_BYTE_ARRAY", "parquet-decimal-of-bytes"),
        ("java.lang.IllegalArgumentException: Row length is 0", "row-key-empty"),
        ("Include folder should be at '/opt/java/include' but doesn't exist.", "pip-java-headers"),
        ("ModuleNotFoundError: No module named 'apache_beam'", "beam-missing"),
        ("AttributeError: module 'collections' has no attribute 'MutableMapping'", "python-too-new"),
        ("ImportError: bad magic number in 'functions': b'o'", "python-other-version"),
        ("ValueError: numpy.dtype size changed, may indicate binary incompatibility", "python-numpy-binary"),
        ("TypeError: Descriptors cannot be created directly.", "python-protobuf-descriptors"),
        ("Failed to close remote bundle\nStatusRuntimeException: CANCELLED: client cancelled", "python-worker-gone"),
    ],
)
def test_an_act_is_found_by_its_message(chain: str, entry: str) -> None:
    known = known_message(chain)
    assert known is not None
    assert known.id == entry
