"""Settings that cannot be meant together are named with what to set, and settings that can be meant are left alone."""

from __future__ import annotations

import pytest

from diagnostics.language import CHINESE, in_reader_language, reading_in
from diagnostics.signals.contradicting_settings import measure, measure_traps
from diagnostics.vocabulary.contradicting_settings import contradictions, setting_traps
from tests.diagnostics.hand_made import hand_made, only

COMPLETE = {"taskmanager.numberOfTaskSlots": "2"}
CONTRADICTING = (
    ({"high-availability": "zookeeper"}, "high-availability.zookeeper.quorum"),
    ({"security.kerberos.login.keytab": "/a.keytab"}, "security.kerberos.login.principal"),
    ({"rest.bind-address": "localhost", "rest.address": "jm.example.com"}, "rest.bind-address: 0.0.0.0"),
    ({"taskmanager.bind-host": "localhost", "taskmanager.host": "10.0.0.7"}, "taskmanager.bind-host: 0.0.0.0"),
    (
        {"historyserver.archive.fs.dir": "hdfs:///done/", "jobmanager.archive.fs.dir": "hdfs:///completed"},
        "historyserver.archive.fs.dir",
    ),
    ({"security.ssl.internal.enabled": "true"}, "security.ssl.internal.keystore"),
    ({"kubernetes.jobmanager.replicas": "2"}, "high-availability.type: kubernetes"),
    ({"taskmanager.memory.process.size": "1728m", "taskmanager.memory.flink.size": "1500m"}, "memory.flink.size"),
    ({"taskmanager.memory.process.size": "4g", "taskmanager.memory.flink.size": "2g"}, "jvm-overhead.max"),
    ({"jobmanager.memory.process.size": "1600m", "jobmanager.memory.flink.size": "2g"}, "memory.flink.size"),
    ({"scheduler-mode": "REACTIVE", "kubernetes.cluster-id": "orders"}, "jobmanager.scheduler: adaptive"),
)
MEANT = (
    {"rest.bind-address": "localhost", "rest.address": "localhost"},
    {"rest.bind-address": "0.0.0.0", "rest.address": "jm.example.com"},
    {"historyserver.archive.fs.dir": "hdfs:///a,hdfs:///done/", "jobmanager.archive.fs.dir": "hdfs:///done"},
    {"high-availability.type": "zookeeper", "high-availability.zookeeper.quorum": "zk:2181"},
    {"security.ssl.internal.enabled": "true", "security.ssl.keystore": "/a.jks"},
    {"taskmanager.memory.process.size": "1728m", "taskmanager.memory.flink.size": "1280m"},
    {"taskmanager.memory.process.size": "1728m"},
    {
        "taskmanager.memory.process.size": "4 gb",
        "taskmanager.memory.flink.size": "2g",
        "taskmanager.memory.jvm-overhead.max": "2g",
    },
    {"kubernetes.jobmanager.replicas": "2", "high-availability.type": "kubernetes"},
)


def options(stated: dict[str, str]) -> list[dict[str, str]]:
    return [{"scope": "cluster", "key": key, "value": value} for key, value in stated.items()]


@pytest.mark.parametrize(("stated", "act"), CONTRADICTING)
def test_what_cannot_be_meant_is_named_with_what_to_set(stated: dict[str, str], act: str) -> None:
    facts = only(measure(hand_made(config_option=options(COMPLETE | stated))), "contradicting_settings").facts
    assert act in str(facts["act"])


@pytest.mark.parametrize("stated", MEANT)
def test_what_can_be_meant_is_left_alone(stated: dict[str, str]) -> None:
    assert list(measure(hand_made(config_option=options(COMPLETE | stated)))) == []


def test_a_part_of_a_configuration_lacks_nothing() -> None:
    assert list(measure(hand_made(config_option=options({"high-availability": "zookeeper"})))) == []


def test_every_entry_is_said_in_both_languages() -> None:
    for entry in (*contradictions().values(), *setting_traps().values()):
        for text in (entry.what, entry.act):
            with reading_in(CHINESE):
                assert in_reader_language(text) != text


TRAPS = (
    ({"env.java.opts.taskmanager": "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=5005"}, "suspend=n"),
    ({"pipeline.auto-watermark-interval": "0"}, "200 ms"),
    ({"state.backend.rocksdb.timer-service.factory": "HEAP"}, "timer-service.factory: ROCKSDB"),
    ({"state.backend.changelog.enabled": "true"}, "dstl.dfs.base-path"),
    ({"state.storage.fs.memory-threshold": "0kb"}, "data-inline-threshold"),
    ({"heartbeat.timeout": "1800000"}, "heartbeat.timeout back to 50 s"),
    ({"execution.checkpointing.tolerable-failed-checkpoints": "2147483647"}, "tolerable-failed-checkpoints: 3"),
    ({"taskmanager.resource-id": "tm"}, "resource-id out"),
    ({"fs.hdfs.limit.total": "8"}, "limit.stream-timeout"),
)
NO_TRAPS = (
    {"env.java.opts.taskmanager": "-XX:+UseG1GC"},
    {"pipeline.auto-watermark-interval": "200 ms", "heartbeat.timeout": "180000"},
    {"state.changelog.enabled": "true", "state.changelog.storage": "filesystem"},
    {"state.storage.fs.memory-threshold": "20kb", "taskmanager.resource-id": "${POD_NAME}"},
    {"metrics.latency.interval": "0", "execution.checkpointing.tolerable-failed-checkpoints": "10"},
)


@pytest.mark.parametrize(("stated", "act"), TRAPS)
def test_an_effect_that_no_error_shows_is_told_with_what_to_set(stated: dict[str, str], act: str) -> None:
    facts = only(measure_traps(hand_made(config_option=options(COMPLETE | stated))), "setting_traps").facts
    assert act in str(facts["act"])


@pytest.mark.parametrize("stated", NO_TRAPS)
def test_usual_settings_are_no_traps(stated: dict[str, str]) -> None:
    assert list(measure_traps(hand_made(config_option=options(COMPLETE | stated)))) == []


def test_a_resource_whose_changes_begin_with_empty_state_is_a_trap() -> None:
    resource = {"scope": "resource", "key": "orders/spec.job.upgradeMode", "value": "stateless"}
    checkpoints = options({"execution.checkpointing.interval": "60s"})
    facts = only(measure_traps(hand_made(config_option=[resource, *checkpoints])), "setting_traps").facts
    assert "spec.job.upgradeMode: savepoint" in str(facts["act"])


def test_a_parallelism_beside_a_number_of_taskmanagers_is_a_trap() -> None:
    paths = {"spec.taskManager.replicas": "8", "spec.job.parallelism": "4"}
    rows = [{"scope": "resource", "key": f"orders/{path}", "value": value} for path, value in paths.items()]
    facts = only(measure_traps(hand_made(config_option=rows)), "setting_traps").facts
    assert "ignores spec.job.parallelism" in str(facts["act"])
