"""Sources, sinks and settings of a program that do without an error what nobody wants of them."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.catalogue_file import FOLDER
from diagnostics.vocabulary.statement_traps import statement_traps, traps_in
from diagnostics.yaml_document import read_yaml

WINDOWS = ".keyBy(r -> r.id).window(TumblingEventTimeWindows.of(Time.minutes(1))).aggregate(new Sum());"
NO_WATERMARKS = 'env.fromSource(source, WatermarkStrategy.noWatermarks(), "kafka")'
SINK = "KafkaSink<String> sink = KafkaSink.<String>builder().setBootstrapServers(servers)"
FILES = 'FileSink<String> sink = FileSink.forRowFormat(new Path("s3://b/p"), new SimpleStringEncoder<>()).build();'
RABBIT = "RMQConnectionConfig config = new RMQConnectionConfig.Builder()"

CASES = [
    (f"{NO_WATERMARKS}{WINDOWS}", "windows-without-watermarks"),
    ("s.keyBy(r -> r.id + ThreadLocalRandom.current().nextInt(16)).window(w);", "key-by-chance"),
    ("ds.key_by(lambda r: r[0] + str(random.randint(0, 9)))", "key-by-chance"),
    (f"{SINK}.build();", "kafka-sink-of-no-guarantee"),
    (FILES, "files-that-stay-in-progress"),
    ("stream.addSink(JdbcSink.sink(INSERT, builder, options));", "rows-wait-for-five-thousand"),
    ("new Elasticsearch7SinkBuilder<Order>().setHosts(hosts).build();", "documents-wait-for-a-thousand"),
    (f"{RABBIT}.setHost(host).setPrefetchCount(100).build();", "as-many-messages-as-fetched-ahead"),
    ("env.addSource(new RMQSource<String>(config, queue, schema));", "messages-acknowledged-at-once"),
    ("KafkaSource.builder().setBounded(OffsetsInitializer.latest()).build();", "ends-at-a-bound"),
    ("KafkaSource.builder().setStartingOffsets(OffsetsInitializer.latest()).build();", "starts-at-the-end"),
    ("FileSource.forRecordStreamFormat(new TextLineInputFormat(), path).build();", "directory-read-once"),
    (
        "FlinkPipelineOptions options = PipelineOptionsFactory.as(FlinkPipelineOptions.class);",
        "beam-without-checkpoints",
    ),
    (
        "Map<String, Properties> properties = KinesisAnalyticsRuntime.getApplicationProperties();\n"
        "FlinkUtil.of(env);\nenv.enableCheckpointing(10_000);",
        "settings-of-a-managed-service",
    ),
]


@pytest.mark.parametrize(("code", "trap"), CASES)
def test_a_trap_is_found(code: str, trap: str) -> None:
    assert trap in [name for name, _, _ in traps_in(code)]


@pytest.mark.parametrize(
    "code",
    [
        f"{NO_WATERMARKS}.assignTimestampsAndWatermarks(strategy){WINDOWS}",
        f"{NO_WATERMARKS}.keyBy(r -> r.id).window(TumblingProcessingTimeWindows.of(Time.minutes(1)));",
        "s.map(r -> Tuple2.of(random.nextInt(16), r)).keyBy(r -> r.f0 + r.f1.id).map(r -> random.nextInt(3));",
        f"{SINK}.setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE).build();",
        f"{SINK}.setDeliverGuarantee(DeliveryGuarantee.AT_LEAST_ONCE).build();",
        f"env.enableCheckpointing(60_000);\n{FILES}",
        "JdbcSink.sink(INSERT, builder, JdbcExecutionOptions.builder().withBatchIntervalMs(200).build(), options);",
        "new Elasticsearch7SinkBuilder<Order>().setBulkFlushInterval(1000).build();",
        f"{RABBIT}.setHost(host).build();",
        "env.enableCheckpointing(10_000);\nenv.addSource(new RMQSource<String>(config, queue, true, schema));",
        "KafkaSource.builder().setStartingOffsets(OffsetsInitializer.earliest()).build();",
        "FileSource.forRecordStreamFormat(new TextLineInputFormat(), path).monitorContinuously(interval).build();",
        "FlinkPipelineOptions options = options();\noptions.setCheckpointingInterval(60_000L);",
        "FlinkKafkaProducer producer;\nenv.enableCheckpointing(10_000);",
    ],
)
def test_a_program_without_a_trap_shows_none(code: str) -> None:
    assert [name for name, _, _ in traps_in(code)] == []


def test_every_trap_of_programs_has_a_case() -> None:
    path = FOLDER / "statement_traps" / "programs.yaml"
    named = set(read_yaml(path.read_text("utf-8"), path.name).content)
    assert named == {trap for _, trap in CASES}
    assert named <= set(statement_traps())
