"""What is not set is a setting, unread state is a restore, and a class that Hudi loads by name is class loading."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.fault_origins import origin_of
from diagnostics.vocabulary.message_remedies import remedy_of
from diagnostics.vocabulary.setting_faults import setting_fault_of

CLICKHOUSE = "org.apache.flink.connector.clickhouse.sink.ClickHouseAsyncSinkSerializer.deserializeV1"
STATE = "org.apache.flink.util.FlinkRuntimeException: Failed to deserialize value"
UNREAD = "java.io.IOException: Unsupported version: 728"
CONFLICT = "java.lang.RuntimeException: File deletion conflicts detected! Give up committing."


@pytest.mark.parametrize(
    "said",
    [
        "java.lang.IllegalArgumentException: Region is not set.",
        "java.lang.NullPointerException: No hostname specified",
        "java.lang.NullPointerException: The service url is required",
        "java.lang.IllegalArgumentException: hoodie.table.name is not set",
        "java.lang.IllegalArgumentException: AccessKeyId is required for oss",
        "java.lang.IllegalArgumentException: The endpoint must not be null or empty",
    ],
)
def test_an_endpoint_a_credential_or_an_option_that_is_not_there_is_a_setting(said: str) -> None:
    assert setting_fault_of(said) is not None


@pytest.mark.parametrize(
    "said",
    [
        "s3.endpoint is not set, using the default",
        "The region is not specified; we will ask the metadata service",
        'java.lang.NullPointerException: Cannot invoke "a.B.c()" because "this.host" is null',
        "java.lang.IllegalStateException: None of log files contains offset SCN: 12, re-snapshot is required.",
        "org.acme.BadRecord: the field order.id is required",
        "org.apache.avro.AvroMissingFieldException: Field id type:LONG pos:0 not set and has no default value",
    ],
)
def test_a_default_a_record_and_a_defect_are_no_setting(said: str) -> None:
    assert setting_fault_of(said) is None


def test_state_that_its_own_connector_cannot_read_is_no_record() -> None:
    assert (
        origin_of("java.io.IOException", "Unsupported version: 728", None, None, f"{STATE}\n{UNREAD}").id == "restore"
    )
    record = "java.io.IOException: Failed to deserialize consumer record"
    assert origin_of("java.io.IOException", "Failed to deserialize", None, None, record).id == "record"


def test_a_class_that_hudi_loads_by_its_name_is_class_loading_unless_its_cause_says_more() -> None:
    said = "org.apache.hudi.exception.HoodieException: Unable to load class"
    assert origin_of("org.apache.hudi.exception.HoodieException", "Unable to load class", None, None, said).id == (
        "class_loading"
    )
    cause = "org.apache.hudi.exception.HoodieIOException: the timeline cannot be read"
    caused = origin_of("org.apache.hudi.exception.HoodieIOException", "", None, None, f"{said}\n{cause}")
    assert caused.id != "class_loading"


@pytest.mark.parametrize(
    ("said", "frame", "named"),
    [
        (f"{STATE}\n{UNREAD}", CLICKHOUSE, "flink-connector-clickhouse 0.2.0"),
        (f"{STATE}\n{UNREAD}", "org.acme.WriterStateSerializer.deserialize", "Run the release of the connector"),
        (CONFLICT, "org.apache.flink.cdc.connectors.paimon.sink.v2.PaimonCommitter.commit", "Flink CDC 3.2.1"),
        (CONFLICT, "org.apache.paimon.flink.sink.StoreCommitter.commit", "write-only"),
        (
            "Please invoke DeserializationSchema#deserialize(byte[], Collector) instead.",
            "org.apache.flink.streaming.connectors.pulsar.internal.ReaderThread.run",
            "pulsar-flink 1.13.1.2",
        ),
        (
            "java.util.ServiceConfigurationError: org.apache.flink.table.factories.TableFactory: Provider "
            "org.apache.flink.table.planner.StreamPlannerFactory not a subtype",
            "java.util.ServiceLoader.fail",
            "Flink 1.13 or older",
        ),
        ("Region is not set.", "org.apache.fluss.fs.s3.token.S3DelegationTokenProvider.<init>", "s3.region"),
    ],
)
def test_the_connector_that_threw_decides_the_release_or_the_option(said: str, frame: str, named: str) -> None:
    remedy = remedy_of(said, (frame,))
    assert remedy is not None
    assert named in remedy
