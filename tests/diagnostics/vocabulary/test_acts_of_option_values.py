"""Values of options that Flink refuses without naming the option, and calls of APIs that it or a connector refuses."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.code_shapes import code_shape_of
from diagnostics.vocabulary.fault_origins import origin_of
from diagnostics.vocabulary.message_remedies import remedy_of, shown_by_message
from diagnostics.vocabulary.setting_faults import setting_fault_of
from diagnostics.vocabulary.waits import wait_of

REFUSED_VALUES = (
    ("maximum registration timeout must be greater than zero", "cluster.registration.max-timeout", ".max-timeout"),
    ("maxContentLength must be positive, was: -1", "rest.client.max-content-length", ""),
    ("queryable state number of proxy query threads must be zero or larger", "queryable-state.proxy", ""),
    ("The number of slots has to be larger than 0.", "taskmanager.numberOfTaskSlots", ""),
    ("Unknown restart strategy fixeddelay2.", "restart-strategy.type", ""),
    ("Jitter factor must be >= 0 and <= 1.", ".jitter-factor", ""),
    ("For speculative execution, only supports consume finished partition now.", "ONLY_FINISHED_PRODUCERS", ""),
    ("sizeThresholdBytes (5242880) must not exceed maxBytesInFlight (1048576)", "dstl.dfs.upload.max-in-flight", ""),
    ("Write Buffer ratio 1.5 must be in (0, 1)", "memory.write-buffer-ratio", ""),
    ("The given host:port ('elastic-1') doesn't contain a valid port", "host:port", ""),
    ("zero or more than one security factory found", "security.module.factory.classes", ""),
    ("The specified max thrift worker thread number is 0, which should be larger than 0.", "worker.threads", ""),
)


@pytest.mark.parametrize(("said", "named", "also"), REFUSED_VALUES)
def test_a_value_that_is_refused_names_its_option(said: str, named: str, also: str) -> None:
    remedy = remedy_of(f"java.lang.IllegalArgumentException: {said}") or ""
    assert named.removesuffix(also) in remedy
    assert also in remedy
    assert setting_fault_of(f"java.lang.IllegalArgumentException: {said}") is not None


def test_a_short_message_counts_only_where_the_option_is_read() -> None:
    said = "java.lang.IllegalArgumentException: Negative maximum size"
    history = "org.apache.flink.runtime.checkpoint.CheckpointStatsHistory.<init>"
    assert "web.checkpoints.history" in (remedy_of(said, (history,)) or "")
    assert remedy_of(said, ("com.shop.Cache.<init>",)) is None


@pytest.mark.parametrize(
    ("said", "blamed"),
    [
        ("kubernetes.cluster-id must be no more than 45 characters.", True),
        ("taskmanager.memory.process.size should be larger than 1g", True),
        ("org.apache.flink.types.Row must be a POJO", False),
    ],
)
def test_a_message_that_begins_with_a_key_of_flink_blames_a_setting(said: str, blamed: bool) -> None:
    assert (setting_fault_of(f"java.lang.IllegalArgumentException: {said}") is not None) is blamed


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("java.lang.IllegalArgumentException: Key Group 97 does not belong to the local range.", "max parallelism"),
        (
            "java.lang.IllegalStateException: Unable to provide a serializer with the current schema, because the"
            " restored state was registered with a new serializer that has incompatible schema.",
            "State Processor API",
        ),
        ("java.io.IOException: Truncate failed: hdfs://nn/out/.part-0-3 (requested=2 ,size=1)", "in progress"),
    ],
)
def test_state_that_does_not_fit_is_a_failed_restore(said: str, named: str) -> None:
    assert shown_by_message(said) == "restore"
    assert named in (remedy_of(said) or "")


def test_a_full_map_on_the_heap_is_no_failed_restore() -> None:
    said = "Maximum capacity of CopyOnWriteStateMap is reached and the job cannot continue."
    assert origin_of("java.lang.IllegalStateException", said, None, None, None).id == "memory_limit"


def test_arguments_of_a_function_of_hive_are_the_statements() -> None:
    name, said = "org.apache.hadoop.hive.ql.exec.UDFArgumentLengthException", "grouping() requires at least 2 argument"
    assert origin_of(name, said, None, None, None).id == "statement"


def test_classes_of_another_hive_are_no_outside_system() -> None:
    said = "java.lang.NoSuchMethodException: org.apache.hadoop.hive.metastore.MetaStoreUtils.getTableMetadata()"
    assert shown_by_message(said) == "class_loading"
    assert "hive-version" in (remedy_of(said) or "")


def test_a_refusal_of_a_connector_is_answered_by_what_it_names_and_not_by_an_upgrade() -> None:
    frame = "org.apache.paimon.flink.dataevolution.DataEvolutionDeleteOperator.open"
    said = "Data-evolution delete only supports unaware bucket mode, but table bucket mode is HASH_FIXED."
    name = "java.lang.IllegalArgumentException"
    shape = code_shape_of("connector_code", name, "", f"{name}: {said}", (frame,), None)
    assert shape is not None
    assert "Change what the message names" in shape.advice
    assert not shape.general
    defect = code_shape_of(
        "connector_code", "java.lang.NullPointerException", "", "NullPointerException", (frame,), None
    )
    assert defect is not None
    assert defect.general


@pytest.mark.parametrize(
    ("frame", "said", "named"),
    [
        ("api.java.typeutils.TypeExtractor.validateInfo", "InvalidTypesException: Tuple type expected.", "returns("),
        (
            "streaming.api.environment.CheckpointConfig.setTolerableCheckpointFailureNumber",
            "IllegalArgumentException: The tolerable failure checkpoint number must be non-negative.",
            "Correct the call",
        ),
    ],
)
def test_a_call_of_flinks_api_that_is_refused_is_no_statement_of_sql(frame: str, said: str, named: str) -> None:
    name = said.partition(":")[0]
    shape = code_shape_of("statement", name, "", said, (f"org.apache.flink.{frame}",), None)
    assert shape is not None
    assert named in shape.advice


def test_a_guess_by_the_shape_of_a_message_gives_way_to_the_statement_that_is_known() -> None:
    known = "Rank end is not specified. Currently rank only support TopN, which means the rank end must be specified."
    assert shown_by_message(known) == "statement"
    assert setting_fault_of(f"java.lang.UnsupportedOperationException: {known}") is None


def test_a_process_that_ends_at_its_start_for_a_refused_value_has_a_wrong_setting() -> None:
    refused = "java.lang.IllegalArgumentException: frobs must be even"
    start = "org.apache.flink.util.FlinkException: Failed to start the TaskManagerRunner."
    assert setting_fault_of(f"{start}\n{refused}") is not None
    assert setting_fault_of(refused) is None


def test_a_refusal_in_the_code_of_flink_is_none_of_a_connector() -> None:
    frame = "org.apache.flink.table.runtime.operators.window.groupwindow.assigners.SessionWindowAssigner.<init>"
    shape = code_shape_of("unknown", "IllegalArgumentException", "", "it must be even", (frame,), None)
    assert shape is None or "connector" not in shape.advice


def test_a_list_of_state_that_takes_no_null_is_no_column_of_a_target() -> None:
    said = "java.lang.NullPointerException: List of values to update cannot be null."
    frame = "org.apache.flink.runtime.state.ttl.TtlListState.updateInternal"
    shape = code_shape_of("own_code", "java.lang.NullPointerException", "", said, (frame,), None)
    assert shape is None or "COALESCE" not in shape.advice


def test_an_external_resource_without_its_driver_is_a_setting_that_decides() -> None:
    said = "Could not find factory class org.apache.flink.externalresource.gpu.GPUDriverFactory for gpu."
    assert wait_of(said) == "external-resource-without-driver"


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("retryMaxAttempts must be equal to or greater than 0", "rest.retry.max-attempts"),
        ("The parallelism must be a positive number: 0", "parallelism.default"),
        ("maxNumOpenStreamsTotal must be >= 0", ".limit.total"),
        ("Illegal pool size (0) of io-executor, please re-configure 'cluster.io-pool.size'.", "cluster.io-pool.size"),
        ("High availability mode FOO is not supported.", "high-availability.type"),
        ("No temporary directory has been specified for TaskManager", "io.tmp.dirs"),
        ("Must retain at least one checkpoint.", ".num-retained"),
        ("The jar file path is invalid.", ""),
    ],
)
def test_a_value_that_a_client_or_a_service_refuses_names_its_option(said: str, named: str) -> None:
    assert named in (remedy_of(f"java.lang.IllegalArgumentException: {said}") or "")
    assert setting_fault_of(f"java.lang.IllegalArgumentException: {said}") is not None


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("java.io.IOException: Failed to deserialize state handle from ConfigMap data a.", "high-availability data"),
        ("ProgramInvocationException: Access to the main method was denied: a", "public static void main"),
        ("java.lang.IllegalArgumentException: lowerBound <= upperBound must be fulfilled", "between("),
        ("java.lang.IllegalStateException: Key topic should has only one value.", "once"),
    ],
)
def test_what_is_refused_says_what_to_give_instead(said: str, named: str) -> None:
    assert named in (remedy_of(said) or "")
