"""What Flink's processes and its table runtime refuse is shown with the act that repairs it."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import remedy_of


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("RestHandlerException: Checkpointing was not enabled for job", "execution.checkpointing.interval"),
        ("has been removed. For an ungraceful shutdown … termination mode", "--savepointPath"),
        (
            "IllegalConfigurationException: No ZooKeeper quorum specified in config.",
            "high-availability.zookeeper.quorum",
        ),
        ("The milliseconds timeout is expected to be between", "60 s"),
        ("IllegalConfigurationException: Invalid path for highly available storage (", "high-availability.storageDir"),
        (
            "ConfigurationException: is missing (hostname/address of JobManager to connect to).",
            "jobmanager.rpc.address",
        ),
        ("ConfigurationException: port of the JobManager actor system) : . it must be greater", "65535"),
        ("IllegalConfigurationException: The configured hostname is not valid", "host name"),
        ("either both keytab and principal must be defined", "security.kerberos.login.principal"),
        ("ConfigurationException: Failed to initialize SSLContext for the REST client", "security.ssl.rest.enabled"),
        ("IllegalConfigurationException: The required configuration option X is not set", "TaskManager"),
        ("JobExecutionException: Could not instantiate configured state backend", "lib/"),
        ("JobExecutionException: Could not deserialize application-defined state backend.", "state.backend.type"),
        ("IllegalConfigurationException: state backend's local storage directories:", "state.backend.rocksdb.localdir"),
        ("StateMigrationException: Error while trying to migrate RocksDB state.", "default constructor"),
        ("CheckpointException: Could not finalize the pending checkpoint", "_metadata"),
        (
            "ReportedWatermarkEvent is not supported in concurrent execution attempts",
            "execution.batch.speculative.enabled",
        ),
        (
            "The RemoteEnvironment cannot be instantiated when running in a pre-defined context",
            "getExecutionEnvironment()",
        ),
        ("FlinkException: Could not load the JobGraph from file.", "internal.jobgraph-path"),
        ("RestHandlerException: The number of uploaded files was X than the expected count.", "jobJarFileNames"),
        ("FlinkException: Please make sure that this class is on your class path.", "lib/"),
        ("InvalidProgramException: Return type of KeySelector is not a valid key type", "hashCode"),
        ("Custom partitioners can only be used with keys that have one key field", "partitionCustom"),
        ("onfiguration directory … does not describe an existing directory", "FLINK_CONF_DIR"),
        ("FlinkException: The module flink-runtime-web could not be found in the class path", "flink-runtime-web"),
        ("RuntimeException: Failed to reload lookup 'FULL' cache.", "time."),
        (
            "CatalogException: Failed to open catalog store. The given catalog store path X is no",
            "table.catalog-store.file.path",
        ),
        ("Could not register … ' does already exist", "IF NOT EXISTS"),
        ("CatalogException: Cannot drop a catalog which is currently in use.", "USE CATALOG"),
        (
            "FlinkRuntimeException: Conversion expects insert-only records but DataStream API re",
            "fromChangelogStream(stream)",
        ),
        ("Too little memory provided to sorter", "taskmanager.memory.managed.size"),
        ("ValidationException: The 'raw' format doesn't supports ' X ' as column type.", "STRING"),
        ("DeserializationException: Size of data received for deserializing X type is not X .", "BYTES"),
        ("TableException: Duplicate keys are not allowed in JSON_OBJECTAGG. Please ens", "unique"),
        ("ValidationException: Invalid argument type at position X . Data type X expected b", "CAST"),
    ],
)
def test_what_flink_refuses_names_its_act(said: str, named: str) -> None:
    remedy = remedy_of(said)
    assert remedy is not None
    assert named in remedy
