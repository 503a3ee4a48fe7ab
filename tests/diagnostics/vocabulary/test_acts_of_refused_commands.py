"""What statements, commands, programs of batch and file systems meet, by the sentence of Flink's own sources."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import remedy_of


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("TRUNCATE TABLE statement is not supported for the table a since the table hasn't", "INSERT OVERWRITE"),
        ("Invalid ANALYZE TABLE statement. For partition table, all partition keys", "PARTITION (dt="),
        (
            "Custom length '300' for variable-length type (VARCHAR/STRING/VARBINARY/BYTES) field 'name' should be"
            " shorter than '255' defined in the schema.",
            "Set 'fields.name.length' to at most 255",
        ),
        ("java.lang.OutOfMemoryError: BytesHashMap Out of Memory.", "hash-agg.memory"),
        ("Async timer service is not supported in BATCH execution mode.", "'table.exec.async-state.enabled'"),
        ("only canBePipelinedConsumed partition support buffer timeout 100 for src operator", "setBufferTimeout"),
        ("SemanticException: CREATE TABLE LIKE is not supported yet", "'table.sql-dialect' = 'default'"),
        ("CatalogException: ALTER COLUMNS CASCADE for non-partitioned table", "CASCADE"),
        ("The elements in the collection are not all subclasses of java.lang.String", "TypeInformation.of"),
        ("Currently jobs is not supported if parts of the vertices have resources configured.", "every slot sharing"),
        ("java.lang.IllegalStateException: The runtime context has not been initialized.", "open()"),
        ("Register processing timer is unsupported for non-keyed operator.", "keyBy"),
        ("CliArgsException: Missing JobID. Specify a Job ID to trigger a savepoint.", "bin/flink list"),
        ("CliArgsException: Bad syntax for classpath: /opt/a.jar", "-C file:///"),
        ("The passed jar path ('a') does not end with the 'jar' extension", "yarn.flink-dist-jar"),
        (
            "YarnDeploymentException: The environment variable 'FLINK_LIB_DIR' is set to '/a' but the directory"
            " doesn't exist.",
            "Unset FLINK_LIB_DIR",
        ),
        ("Illegal value [ng] for config option [jobmanager.scheduler]", "AdaptiveBatch"),
        ("java.lang.IllegalArgumentException: Invalid port range definition: a-b", "50100-50200"),
        ("CsvParseException: Unable to deserialize byte array.", "FROM_BASE64"),
        ("Invalid timestamp format. Only a timestamp in UTC timezone is supported yet.", "ISO-8601"),
        ("java.lang.IllegalArgumentException: Bucket name in gs:/a is invalid", "gs://<bucket>"),
        ("TimeoutException: Failed to acquire 1 out of 3 permits to send value in PT1M.", "setMaxConcurrentRequests"),
        ("FlinkRuntimeException: Failed to load table into cache after 3 retries", "lookup.join.cache.ttl"),
        ("java.lang.RuntimeException: Extract archives to archives directory failed.", "-pyarch"),
        ("java.io.IOException: Failed to restore state backend", "SavepointReader.read"),
        ("java.io.IOException: Cannot instantiate file system for URI: hdfs://ns/a", "HADOOP_CONF_DIR"),
        ("RpcConnectionException: Could not find rpc method for rpc invocation.", "exactly one Flink release"),
    ],
)
def test_the_act_names_what_to_change(said: str, named: str) -> None:
    assert named in (remedy_of(said) or "")


def test_a_host_that_is_not_found_goes_before_the_file_system() -> None:
    general = remedy_of("java.io.IOException: Cannot instantiate file system for URI: hdfs://nameservice1/a")
    chain = (
        "java.io.IOException: Cannot instantiate file system for URI: hdfs://nameservice1/a\n"
        "java.lang.IllegalArgumentException: java.net.UnknownHostException: nameservice1"
    )
    assert "HADOOP_CONF_DIR" in (remedy_of(chain) or "")
    assert remedy_of(chain) != general
