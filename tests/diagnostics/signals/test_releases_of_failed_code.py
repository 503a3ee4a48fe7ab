"""Which release repairs code of a connector that fails, by what runs."""

from __future__ import annotations

import pytest

from tests.diagnostics.hand_made import START
from tests.diagnostics.signals.failed_program import facts_of, failed, of_version


def test_a_connector_that_fails_in_its_own_code_has_its_newest_release() -> None:
    frame = "org.apache.paimon.flink.sink.StoreSinkWriteImpl.write"
    fault = failed(5, "java.lang.NullPointerException", root_cause_frame=frame, thrown_in=frame, own_frames=None)
    facts = facts_of(of_version("1.19.1"), fault)
    assert (facts["origin"], facts["owner"]) == ("connector_code", "paimon-flink")
    assert (facts["owner_release"], facts["owner_flink"]) == ("paimon-flink-1.19-2.0.0", "1.19")
    assert "owner_advice" not in facts


@pytest.mark.parametrize(
    ("stack", "shown"),
    [
        ("org.apache.avro.A.b\norg.apache.paimon.flink.sink.Write.go paimon-flink 0.9.0", "paimon-flink 0.9.0"),
        ("org.apache.avro.A.b\norg.apache.paimon.flink.sink.Write.go paimon-flink 2.0.0", None),
        ("org.apache.avro.A.b\norg.apache.paimon.flink.sink.Write.go", "paimon-flink 1.0.0"),
    ],
)
def test_the_jar_behind_a_frame_or_on_the_class_path_tells_what_to_upgrade(stack: str, shown: str | None) -> None:
    frame = "org.apache.paimon.flink.sink.Write.go"
    fault = failed(5, "java.lang.NullPointerException", thrown_in=frame, own_frames=None, user_frame=None, frames=stack)
    fault |= {"root_cause_frame": frame}
    path = {
        "ts_ms": START,
        "level": "INFO",
        "message": " Classpath: /opt/flink/lib/paimon-flink-1.19-1.0.0.jar",
        "kinds": "class_path",
    }
    facts = facts_of(of_version("1.19.1"), path, fault)
    assert facts.get("owner_running") == shown
    assert facts.get("owner_release") == ("paimon-flink-1.19-2.0.0" if shown else None)


@pytest.mark.parametrize(
    ("frame", "flink", "shown"),
    [
        ("com.ververica.cdc.connectors.mysql.source.MySqlSource.go", "1.18.1", "Flink CDC (older than 3.1.0)"),
        ("org.apache.flink.cdc.connectors.mysql.source.MySqlSource.go", "1.18.1", None),
        ("com.ververica.cdc.connectors.mysql.source.MySqlSource.go", "1.14.0", None),
    ],
)
def test_a_package_that_was_renamed_shows_an_older_release(frame: str, flink: str, shown: str | None) -> None:
    fault = failed(5, "java.lang.NullPointerException", root_cause_frame=frame, thrown_in=frame, own_frames=None)
    facts = facts_of(of_version(flink), fault)
    assert (facts["owner"], facts.get("owner_running")) == ("Flink CDC", shown)
    assert "owner_releases" not in facts


def test_without_flinks_version_the_newest_release_for_each_is_listed() -> None:
    frame = "org.apache.paimon.flink.sink.Write.go"
    fault = failed(5, "java.lang.NullPointerException", root_cause_frame=frame, thrown_in=frame, own_frames=None)
    facts = facts_of(fault)
    assert facts["owner_releases"] == [
        "paimon-flink-<Flink>-2.0.0 for Flink 1.16/1.17/1.18/1.19/1.20/2.0/2.1/2.2",
        "paimon-flink-<Flink>-1.3.2 for Flink 1.15",
    ]
    assert "owner_release" not in facts


def test_the_flink_behind_a_frame_counts_before_that_of_other_files() -> None:
    frame = "org.apache.paimon.flink.sink.Write.go"
    stack = f"{frame}\norg.apache.flink.streaming.A.b flink-dist 1.18.1"
    fault = failed(5, "java.lang.NullPointerException", thrown_in=frame, own_frames=None, frames=stack)
    facts = facts_of(of_version("1.19.1"), fault | {"root_cause_frame": frame})
    assert facts["owner_flink"] == "1.18"


def test_without_a_version_of_flink_no_release_is_chosen() -> None:
    facts = facts_of(failed(5, "java.lang.NoSuchMethodError", "org.apache.avro.Schema.create()V"))
    assert (facts["owner"], facts.get("owner_release")) == ("Avro", None)


def test_a_later_fix_of_the_connectors_code_that_failed_is_named_with_its_release() -> None:
    frame = "org.apache.doris.flink.table.DorisDynamicOutputFormat.addBatch"
    place = {"root_cause_frame": frame, "thrown_in": frame, "user_frame": None, "own_frames": None}
    facts = facts_of(failed(5, "java.lang.NullPointerException", **place))
    assert (facts["origin"], facts["fix"], facts["fix_program"]) == ("connector_code", "#6165", "flink-doris-connector")
    assert facts["fix_release"] == "1.4.0"
    assert facts["fixes"][0].startswith("flink-doris-connector 1.4.0: ")


def test_a_fix_of_another_method_that_its_title_names_is_not_proposed() -> None:
    frame = "org.apache.flink.connector.base.source.hybrid.HybridSourceSplitEnumerator.sendSwitchSourceEvent"
    place = {"root_cause_frame": frame, "thrown_in": frame, "user_frame": None, "own_frames": None}
    facts = facts_of(failed(5, "java.lang.NullPointerException", **place))
    assert facts["fix"] == "FLINK-28817", "not FLINK-28977, which is about HybridSourceSplitEnumerator.close"


def test_a_message_that_a_title_quotes_has_its_fix_wherever_the_code_was_changed() -> None:
    frame = "org.apache.flink.cdc.connectors.mysql.source.assigners.MySqlSnapshotSplitAssigner.onBinlogSplitUpdated"
    place = {"root_cause_frame": frame, "thrown_in": frame, "user_frame": None, "own_frames": None}
    message = "Invalid assigner status {} [NEWLY_ADDED_ASSIGNING_FINISHED]"
    facts = facts_of(failed(5, "java.lang.IllegalStateException", message, **place))
    assert (facts["fix"], facts["fix_release"]) == ("FLINK-36771", "3.3.0")


def test_a_message_with_a_repair_of_its_own_has_no_changes_of_the_code_that_reports_it() -> None:
    frame = "org.apache.flink.streaming.connectors.kinesis.util.KinesisConfigUtil.validateAwsConfiguration"
    place = {"root_cause_frame": frame, "thrown_in": frame, "user_frame": None, "own_frames": None}
    message = "The AWS region ('aws.region') must be set in the config."
    facts = facts_of(failed(5, "java.lang.IllegalArgumentException", message, **place))
    assert not {"fix", "fixes"} & set(facts)


def test_a_fix_that_the_class_path_already_has_is_not_named() -> None:
    frame = "org.apache.doris.flink.table.DorisDynamicOutputFormat.addBatch"
    place = {"root_cause_frame": frame, "thrown_in": frame, "user_frame": None, "own_frames": None}
    path = {
        "ts_ms": START,
        "process": "taskmanager",
        "event": "class_path",
        "message": "Classpath: lib/flink-doris-connector-1.16-1.4.0.jar:lib/flink-dist-1.16.1.jar",
    }
    facts = facts_of(path, failed(5, "java.lang.NullPointerException", **place))
    assert facts["origin"] == "connector_code"
    assert "fix" not in facts


def test_a_class_that_cannot_be_sent_shows_whose_release_repairs_it() -> None:
    sink = "org.apache.flink.cdc.connectors.kafka.sink.KafkaDataSink"
    facts = facts_of(failed(1, "java.io.NotSerializableException", sink))
    assert facts["program"] == "Flink CDC"
