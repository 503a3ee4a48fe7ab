"""The errors of platforms that submit jobs to Flink are shown with the act that their own sources name."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.class_owners import owner_of
from diagnostics.vocabulary.message_remedies import known_message, remedy_of


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("The current Scala version of StreamPark is 2.12, but the scala version of Flink is 2.11-1.13", "2.1.0"),
        (
            "IllegalArgumentException: [StreamPark] executionMode: yarn-application, savepoint path is null or "
            "invalid. When custom savepoint is not set, state.savepoints.dir needs to be set",
            "state.savepoints.dir",
        ),
        ("[StreamPark] can no found flink version, executeCommand:", "shims"),
        ("org.apache.kyuubi.KyuubiException: FLINK_HOME is not set! For more information", "kyuubi-env.sh"),
        ("java.io.IOException: More than 1 flink-dist files: /opt/flink/lib/flink-dist-1.13.jar", "Leave one"),
        ("/tmp/dolphinscheduler/exec/1_1.sh: line 5: flink: command not found", "dolphinscheduler_env.sh"),
        ("java.util.concurrent.TimeoutException: all ip port is not available", "NodePort"),
        ("Please perform Execute jar syntax in the FlinkJar task", "FlinkJar"),
        ("java.lang.ClassCastException: java.lang.Integer cannot be cast to java.lang.Boolean", "tinyInt1isBit"),
        ("Unrecognized option: -flinkxDistDir", "-chunjunDistDir"),
        ("DtStackException: increColumn can't be empty when increment is true.", "increColumn"),
        ("RdosDefineException: No flink session found on yarn cluster.", "maximum-am-resource-percent"),
        ("Failed to initialize frontend service on /10.0.0.1:10009.", "kyuubi.frontend.thrift.binary.bind.port"),
        ("InterpreterException: Not valid flink.execution.mode: yarn-session", "yarn-application"),
        ("java.io.IOException: flink.app.jar is not set or invalid", "zeppelin-flink"),
        ("java.lang.IllegalArgumentException: Row arity: 14, but serializer arity: 12", "3.7.1"),
        ("Flink Table planner could not be found. If this happened while running a test", "flink-table-planner-loader"),
        ("Invalid configuration: classloader.parent-first-patterns.additional; Must contain", "com.google.protobuf"),
        ("java.lang.IllegalStateException: There are no ingress defined.", "module.yaml"),
        (
            "ServiceConfigurationError: org.apache.flink.core.execution.PipelineExecutorFactory: Provider "
            "org.apache.flink.client.deployment.executors.RemoteExecutorFactory not a subtype",
            "scope provided",
        ),
        ("You are using unsupported Flink version 1.15, only Flink 1.16, 1.17, 1.18 are supported now.", "FLINK_HOME"),
        (
            "Timeout(180000 ms, you can modify kyuubi.session.engine.initialize.timeout to change it)",
            "kyuubi-flink-sql",
        ),
        ("Unsupported flink versions, Currently  only 1.12.2 and 1.16.2 are supported", "flink.version"),
        (
            "PluginNotExistException: Could not find the appropriate resource plugin. name: x, version: 1",
            "setPluginDir",
        ),
        ("IllegalStateException: No translator known for org.apache.beam.runners.core.SplittableParDo$X", "services"),
        ("failed to connect to all addresses; last error: UNKNOWN: ipv4:127.0.0.1:8099: refused", "job_server"),
        (
            "java.lang.NoClassDefFoundError: org/apache/flink/table/api/bridge/java/StreamTableEnvironment",
            "SeaTunnel 2.1: Flink 1.13",
        ),
        (
            'java.lang.LinkageError: loader constraint violation: when resolving method "x" the class loader '
            "(instance of org/apache/streampark/flink/proxy/ChildFirstClassLoader) of the current class",
            "Upgrade StreamPark",
        ),
        ("does not exist or the job vertex this operator belongs to is not initialized.", "Change nothing"),
    ],
)
def test_act(said: str, named: str) -> None:
    assert named in (remedy_of(said) or ""), known_message(said)


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("org.dinky.executor.CustomTableEnvironmentImpl", "extends/flink<Flink>"),
        ("org.apache.seatunnel.api.sink.SinkWriter", "connectors/"),
        ("com.dtstack.chunjun.connector.kafka.source.KafkaSourceFactory", "chunjunDistDir"),
        ("org.apache.inlong.sort.Entrance", "sort-dist.jar"),
        ("org.apache.flink.configuration.Configuration", "extends/flink<Flink>"),
    ],
)
def test_a_missing_class_of_a_platform(name: str, named: str) -> None:
    owner = owner_of(name)
    assert owner is not None
    assert named in (owner.absent or "")
