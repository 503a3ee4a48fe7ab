"""Settings that cannot be meant together are named with what to set, and settings that can be meant are left alone."""

from __future__ import annotations

import pytest

from diagnostics.language import CHINESE, in_reader_language, reading_in
from diagnostics.signals.contradicting_settings import measure
from diagnostics.vocabulary.contradicting_settings import contradictions
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
    ({"scheduler-mode": "REACTIVE", "kubernetes.cluster-id": "orders"}, "jobmanager.scheduler: adaptive"),
)
MEANT = (
    {"rest.bind-address": "localhost", "rest.address": "localhost"},
    {"rest.bind-address": "0.0.0.0", "rest.address": "jm.example.com"},
    {"historyserver.archive.fs.dir": "hdfs:///a,hdfs:///done/", "jobmanager.archive.fs.dir": "hdfs:///done"},
    {"high-availability.type": "zookeeper", "high-availability.zookeeper.quorum": "zk:2181"},
    {"security.ssl.internal.enabled": "true", "security.ssl.keystore": "/a.jks"},
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
    for entry in contradictions().values():
        for text in (entry.what, entry.act):
            with reading_in(CHINESE):
                assert in_reader_language(text) != text
