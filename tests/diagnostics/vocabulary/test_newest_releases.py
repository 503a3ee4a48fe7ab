"""Advice to upgrade something is completed by the newest release that is known of it."""

from __future__ import annotations

import pytest

from diagnostics.language import CHINESE, reading_in
from diagnostics.vocabulary.class_owners import class_owners
from diagnostics.vocabulary.known_bug import release_of
from diagnostics.vocabulary.later_fix import fixes_by_place
from diagnostics.vocabulary.newest_releases import program_behind, upgradables, with_newest_release

OF_FLINK = "Flink 1.15.4 of the releases 1.15, Flink 2.3.0 of all."
FOR_115 = "Newest known here for Flink 1.15:"
CONNECTOR = "Look for a release of the connector that repairs it, and upgrade."


@pytest.mark.parametrize("program", sorted(upgradables()))
def test_every_program_has_its_releases_in_one_place(program: str) -> None:
    entry = upgradables()[program]
    assert entry.names
    assert sum(map(bool, (entry.owner, entry.newest, entry.lines))) == 1
    assert not entry.owner or entry.owner in {each.what for each in class_owners() if each.releases}


@pytest.mark.parametrize("program", sorted(name for name, each in upgradables().items() if each.newest))
def test_a_newest_release_is_no_older_than_one_with_a_known_fix(program: str) -> None:
    entry = upgradables()[program]
    fixes = fixes_by_place(entry.product or "").by_class.values()
    newest = release_of(entry.newest)
    assert newest is not None
    assert newest >= max(release for each in fixes for fix in each for release in fix.releases)


@pytest.mark.parametrize(
    ("advice", "added"),
    [
        ("Let one job write the table, and upgrade Hudi.", f"{FOR_115} hudi-flink1.15-bundle-1.0.2."),
        ("Use a newer Iceberg, which closes its streams.", f"{FOR_115} iceberg-flink-runtime-1.15-1.4.3."),
        ("Upgrade Paimon: releases before 0.2.1 lost files.", f"{FOR_115} paimon-flink-1.15-1.3.2."),
        ("Upgrade StreamPark, and restart its console.", "Newest known here: StreamPark 2.1.7."),
        ("Upgrade Flink to its newest patch.", "Newest known here: " + OF_FLINK),
        ("Take the newest Flink CDC for your Flink.", f"{FOR_115} Flink CDC 3.0.1."),
        (CONNECTOR, f"{FOR_115} flink-doris-connector-1.15-26.2.0."),
    ],
)  # fmt: skip
def test_an_upgrade_without_a_release_is_completed(advice: str, added: str) -> None:
    assert with_newest_release(advice, "1.15", "flink-doris-connector") == f"{advice} {added}"


@pytest.mark.parametrize(
    "advice",
    [
        "Upgrade Hudi to 0.14.1 or later.",
        "Use one Hudi release for all writers: the table was upgraded by a newer Hudi.",
        "Upgrade the metastore's database, and restart Flink.",
        "Take the newest one for your version of Flink.",
        "Give the Flink job more memory.",
        "Upgrade StarRocks.",
    ],
)
def test_what_names_its_release_or_nothing_to_upgrade_stays(advice: str) -> None:
    assert with_newest_release(advice, "1.15", "Hudi") == advice


BEYOND = "The newest known here for Flink 1.14 is {}: a newer one needs a newer Flink, too."


@pytest.mark.parametrize(
    ("advice", "newest"),
    [
        ("Upgrade flink-doris-connector to 1.6.1 or newer.", "flink-doris-connector 1.1.1"),
        ("Upgrade Hudi to 1.1.0 or later (HUDI-8841).", "hudi-flink1.14-bundle-1.0.2"),
        ("Roll the table back, and use Iceberg 1.8.0 or newer.", "iceberg-flink-runtime-1.14-1.2.1"),
        ("Upgrade Hudi to 0.14.1 or later.", None),
        ("Upgrade pulsar-flink (FlinkPulsarSource) to 2.7.2, 1.11.1.0 or later.", None),
        ("Run Hudi on Flink 1.15 or later.", None),
    ],
)
def test_a_release_that_no_connector_of_this_flink_has_says_so(advice: str, newest: str | None) -> None:
    added = f" {BEYOND.format(newest)}" if newest else ""
    assert with_newest_release(advice, "1.14", None) == advice + added
    assert with_newest_release(advice, None, None) == advice


def test_chinese_advice_says_so_too() -> None:
    with reading_in(CHINESE):
        said = with_newest_release("将 Hudi 升级到 1.1.0 或更高版本。", "1.14", None)
    assert "hudi-flink1.14-bundle-1.0.2" in said
    assert "Flink 1.14" in said


def test_without_flinks_version_the_releases_of_each_are_listed() -> None:
    said = with_newest_release("Upgrade Hudi.", None, None)
    assert said.endswith(
        "hudi-flink<Flink>-bundle-1.0.2 for Flink 1.14/1.15/1.16, hudi-flink<Flink>-bundle-0.14.1 for Flink 1.13."
    )
    assert with_newest_release(CONNECTOR, None, None) == CONNECTOR


def test_chinese_advice_is_completed_too() -> None:
    with reading_in(CHINESE):
        said = with_newest_release("升级 Hudi。", "1.15", None)
    assert said.startswith("升级 Hudi。此处已知的适用于 Flink 1.15 的最新版本")
    assert "hudi-flink1.15-bundle-1.0.2" in said


@pytest.mark.parametrize(
    ("names", "program"),
    [
        (("java.util.ArrayList.get", "org.apache.hudi.sink.StreamWriteFunction.flush"), "Hudi"),
        (("io.debezium.data.VariableScaleDecimal.toLogical",), "Flink CDC"),
        (("org.apache.streampark.flink.core.FlinkSqlValidator.verifySql",), "StreamPark"),
        (("org.apache.flink.streaming.connectors.pulsar.FlinkPulsarSource.open",), "pulsar-flink"),
        (("org.apache.flink.runtime.taskmanager.Task.run", "com.example.Job.main"), None),
    ],
)  # fmt: skip
def test_frames_say_whose_release_counts(names: tuple[str, ...], program: str | None) -> None:
    assert program_behind(names) == program
