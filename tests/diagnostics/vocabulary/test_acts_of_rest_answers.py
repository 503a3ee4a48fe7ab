"""What REST, the operator's validator, Kubernetes, stores and the JVM refuse, and the act that it decides."""

from __future__ import annotations

import pytest

from diagnostics.language import CHINESE, in_reader_language, reading_in
from diagnostics.vocabulary.message_remedies import remedy_of

FORBIDDEN = (
    'configmaps "a" is forbidden: User "system:serviceaccount:prod:{account}" cannot watch resource "configmaps"'
    ' in API group "" in the namespace "jobs"'
)
NEWER = (
    "{name} has been compiled by a more recent version of the Java Runtime (class file version {built}.0), this version"
    " of the Java Runtime only recognizes class file versions up to 55.0"
)

SAID = (
    ("Unable to load requested file /bad-request.", "security.ssl.rest.enabled"),
    ("Not found: /v1/jars/upload", "web.submit.enable"),
    ("Jar file /tmp/flink-web-1/flink-web-upload/2_job.jar does not exist", "web.upload.dir"),
    ("AccessDeniedException: /opt/flink-web-1/flink-web-upload/2_job.jar", "9999"),
    ("NoSuchFileException: /tmp/flink-web-1/blob", "nothing cleans"),
    ("File uploads not allowed.", "programArgsList"),
    ("Service temporarily unavailable due to an ongoing leader election. Please refresh.", "storageDir"),
    ("There is no savepoint operation with triggerId=a for job b.", "rest.async.store-duration"),
    ("AdaptiveScheduler is not enabled for this job (a).", "jobmanager.scheduler: adaptive"),
    ("Could not get the rest endpoint of orders", "kubernetes.namespace"),
    ("File upload failed.", "client_max_body_size"),
    ("jarURI must include a scheme", "local:///"),
    ("Forbidden Flink config key: kubernetes.namespace", "spec.flinkConfiguration"),
    ("Missing JobManager deployment", "initialSavepointPath"),
    ("No Executor found. Please make sure to export the HADOOP_CLASSPATH environment", "HADOOP_CONF_DIR"),
    ("The security token included in the request is invalid", "AWS_SESSION_TOKEN"),
    ("Server failed to authenticate the request.", "fs.azure.account.key."),
)


@pytest.mark.parametrize(("said", "act"), SAID)
def test_the_answer_decides_the_act(said: str, act: str) -> None:
    assert act in (remedy_of(said) or "")


def test_a_refusal_of_kubernetes_is_answered_with_the_rule_to_add() -> None:
    remedy = remedy_of(FORBIDDEN.format(account="flink"))
    assert remedy is not None
    assert "kubectl create role flink-more -n jobs --verb=get,list,watch --resource=configmaps" in remedy
    assert "--role=flink-more --serviceaccount=prod:flink" in remedy
    assert "edit" not in remedy
    with reading_in(CHINESE):
        assert "--role=flink-more --serviceaccount=prod:flink" in in_reader_language(remedy)


def test_the_account_that_is_refused_decides_who_changes_what() -> None:
    of = {account: remedy_of(FORBIDDEN.format(account=account)) or "" for account in ("default", "flink-operator")}
    assert "kubernetes.service-account: flink" in of["default"]
    assert "edit" not in of["default"]
    assert 'watchNamespaces="{<those so far>,jobs}"' in of["flink-operator"]


def test_a_newer_class_is_answered_with_the_java_that_it_needs() -> None:
    remedy = remedy_of(NEWER.format(name="com/acme/Main", built=61)) or ""
    assert "Java 17 or newer" in remedy
    assert "maven.compiler.release 11" in remedy


@pytest.mark.parametrize(
    ("name", "built", "act"),
    [
        ("org/springframework/boot/SpringApplication", 61, "Spring Boot 2.7"),
        ("io/debezium/connector/A", 61, "Flink CDC brings"),
        ("org/apache/kafka/common/A", 61, "Java 17 or newer"),
        ("org/apache/kafka/common/A", 55, "3.9.1"),
    ],
)
def test_a_newer_class_of_a_library_is_answered_with_its_last_release(name: str, built: int, act: str) -> None:
    assert act in (remedy_of(NEWER.format(name=name, built=built)) or "")


@pytest.mark.parametrize(
    ("name", "act"),
    [
        ("io.confluent.kafka.schemaregistry.client.CachedSchemaRegistryClient", "Create io.confluent"),
        ("org.apache.flink.connector.jdbc.internal.A", "newer release of the connector"),
        ("java.util.HashMap$Values", "new ArrayList<>(map.values())"),
        ("org.apache.flink.table.api.bridge.java.internal.StreamTableEnvironmentImpl", "out of the function"),
        ("org.slf4j.impl.Log4jLoggerAdapter", "static final Logger"),
    ],
)
def test_what_cannot_be_serialized_decides_where_it_is_made(name: str, act: str) -> None:
    said = "InvalidProgramException: x is not serializable. The object probably contains or references\n"
    assert act in (remedy_of(f"{said}java.io.NotSerializableException: {name}") or "")


@pytest.mark.parametrize(
    ("frame", "act"),
    [
        ("org.apache.flink.autoscaler.JobVertexScaler.scale", "job.autoscaler.enabled: false"),
        ("org.apache.flink.kubernetes.operator.observer.SnapshotObserver.observe", "kubectl replace"),
    ],
)
def test_a_fault_of_the_operators_own_code_names_its_newest_release(frame: str, act: str) -> None:
    remedy = remedy_of("java.lang.NullPointerException", [frame]) or ""
    assert "1.15.0" in remedy
    assert act in remedy
    assert remedy_of("java.lang.NullPointerException", ["com.acme.Job.map"]) is None
