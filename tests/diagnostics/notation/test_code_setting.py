"""Settings that a job's source states, by the calls of Flink's API, old and new."""

from __future__ import annotations

import pytest

from diagnostics.notation.code_setting import settings_of, states_setting
from diagnostics.notation.source_text import calls, without_comments

C = "execution.checkpointing."


def stated(source: str) -> dict[str, str]:
    return {key: value for call in calls(without_comments(source), states_setting) for key, value in settings_of(call)}


@pytest.mark.parametrize(
    ("source", "options"),
    [
        ("env.enableCheckpointing(5_000L);", {C + "interval": "5000 ms"}),
        (
            "env.enableCheckpointing(10 * 1000, CheckpointingMode.AT_LEAST_ONCE);",
            {C + "interval": "10000 ms", C + "mode": "AT_LEAST_ONCE"},
        ),
        ("env.enable_checkpointing(5000)", {C + "interval": "5000 ms"}),
        ("env.enableCheckpointing(Duration.ofSeconds(30).toMillis());", {C + "interval": "30000 ms"}),
        ("c.setAlignedCheckpointTimeout(Duration.ofMinutes(1));", {C + "aligned-checkpoint-timeout": "60000 ms"}),
        ("c.setCheckpointTimeout(TimeUnit.MINUTES.toMillis(10));", {C + "timeout": "600000 ms"}),
        ("c.setFailOnCheckpointingErrors(true);", {C + "tolerable-failed-checkpoints": "0"}),
        ("c.enableUnalignedCheckpoints(false);", {C + "unaligned.enabled": "false"}),
        (
            "c.setCheckpointStorage(new JobManagerCheckpointStorage());",
            {C + "storage": "jobmanager"},
        ),
        (
            'env.setStateBackend(new RocksDBStateBackend("hdfs://nn/c", true));',
            {"state.backend.type": "RocksDBStateBackend", C + "incremental": "true", C + "dir": "hdfs://nn/c"},
        ),
        (
            "env.setRestartStrategy(RestartStrategies.fixedDelayRestart(3, Time.of(10, TimeUnit.SECONDS)));",
            {"restart-strategy.type": "fixed-delay", "restart-strategy.fixed-delay.attempts": "3"},
        ),
        ("env.setParallelism(4); stream.map(f).setParallelism(8);", {"parallelism.default": "4"}),
        ('conf.setString("state.backend.type", "rocksdb");', {"state.backend.type": "rocksdb"}),
        (
            'builder.setProperty("transaction.timeout.ms", "900000");',
            {"properties.transaction.timeout.ms": "900000"},
        ),
        (
            'builder.setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)\n  .setTransactionalIdPrefix("o-")',
            {"sink.delivery-guarantee": "EXACTLY_ONCE", "sink.transactional-id-prefix": "o-"},
        ),
        (
            "new FlinkKafkaProducer<>(topic, schema, props, FlinkKafkaProducer.Semantic.EXACTLY_ONCE)",
            {"sink.delivery-guarantee": "EXACTLY_ONCE"},
        ),
        (
            "new FlinkKafkaProducer011<Tuple2<String, Long>>(topic, schema, props, Semantic.AT_LEAST_ONCE, 5)",
            {"sink.delivery-guarantee": "AT_LEAST_ONCE"},
        ),
        (
            "props.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, String.valueOf(10 * 60 * 1000));",
            {"properties.transaction.timeout.ms": "600000"},
        ),
        (
            'props.put("transaction.timeout.ms", 5 * 60 * 1000 + "");',
            {"properties.transaction.timeout.ms": "300000"},
        ),
    ],
)
def test_a_call_of_the_api_gives_its_option(source: str, options: dict[str, str]) -> None:
    assert stated(source) == options


@pytest.mark.parametrize(
    "source",
    [
        "// env.enableCheckpointing(5000);",
        "/* env.enableCheckpointing(5000); */",
        "# env.enable_checkpointing(5000)",
        "env.enableCheckpointing(interval);",
        "env.enableCheckpointing(Long.parseLong(args[0]));",
        "window.setParallelism(3);",
        "env.enableCheckpointing(5000",
        'counts.put("state.backend.type", "rocksdb");',
        "new FlinkKafkaProducer<>(brokers, topic, schema);",
    ],
)
def test_what_is_commented_out_or_computed_states_nothing(source: str) -> None:
    assert stated(source) == {}


def test_a_path_is_no_comment_and_a_countdown_neither() -> None:
    source = 'c.setCheckpointStorage("s3://bucket/c"); // here\nfor (int i = 9; i > 0; i--) env.setParallelism(2);'
    assert stated(source) == {C + "storage": "filesystem", C + "dir": "s3://bucket/c", "parallelism.default": "2"}


def test_lines_are_counted_through_comments() -> None:
    source = "/* one\ntwo */\nenv\n  .enableCheckpointing(\n    1000);"
    found = next(calls(without_comments(source), states_setting))
    assert (found.line, found.last_line) == (3, 5)
