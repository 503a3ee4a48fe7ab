"""Flink's configuration in both layouts, and samples of events: secrets, comments, units of time, hostile input."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from diagnostics.errors import LimitExceeded, UnreadableInput
from diagnostics.evidence.rows import Rows
from diagnostics.formats import FORMATS, recognise
from diagnostics.notation.file_range import Range
from diagnostics.notation.secret_option import is_secret
from tests.diagnostics.formats.reading_aids import head_of, read

CONFIGURATION = FORMATS["flink-configuration"]
EVENTS = FORMATS["event-sample"]


def options(text: str, folder: Path) -> dict[str, str]:
    return {row["key"]: row["value"] for row in read(CONFIGURATION, text, folder).rows["config_option"]}


def test_the_old_layout_needs_no_valid_yaml(tmp_path: Path) -> None:
    text = (
        "taskmanager.memory.process.size: 1728m\n"
        "env.java.opts: -Xlog:gc*:file=/x:time -Da=b: c\n"
        "state.backend: 'rocksdb'\n"
    )
    assert options(text, tmp_path) == {
        "taskmanager.memory.process.size": "1728m",
        "env.java.opts": "-Xlog:gc*:file=/x:time -Da=b: c",
        "state.backend": "rocksdb",
    }


def test_secrets_are_masked_wherever_they_stand(tmp_path: Path) -> None:
    text = (
        "s3.access-key: AKIA\nsecurity.ssl.rest.key-password: p\nfs.azure.account.key.x.net: k\n"
        "env.java.opts.all: -Djavax.net.ssl.trustStorePassword=hunter2 -Dx=y\nstate.backend.type: rocksdb\n"
    )
    found = options(text, tmp_path)
    assert "hunter2" not in str(found)
    assert found["env.java.opts.all"] == "-Djavax.net.ssl.trustStorePassword=****** -Dx=y"
    assert {
        found[key] for key in ("s3.access-key", "security.ssl.rest.key-password", "fs.azure.account.key.x.net")
    } == {"******"}


@pytest.mark.parametrize(
    "key", ["state.backend.type", "taskmanager.memory.managed.size", "security.delegation.tokens.enabled"]
)
def test_plain_settings_are_no_secrets(key: str) -> None:
    assert not is_secret(key)


def test_a_yaml_bomb_is_refused(tmp_path: Path) -> None:
    text = "jobmanager:\n  a: &a [x, x]\n  b: &b [*a, *a]\n"
    with pytest.raises(UnreadableInput, match="aliases"):
        read(CONFIGURATION, text, tmp_path)


def test_broken_yaml_says_the_line(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="line 3"):
        read(CONFIGURATION, "jobmanager:\n  a: b\n\tc: d\n", tmp_path)


def test_nesting_without_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises((LimitExceeded, UnreadableInput)):
        read(CONFIGURATION, "jobmanager:\n  a: " + "[" * 20_000, tmp_path)


def test_a_configuration_of_megabytes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LimitExceeded, match="configuration"):
        read(CONFIGURATION, "rest.port: 1\n" * 100_000, tmp_path)


@pytest.mark.parametrize(
    ("value", "expected_ms"),
    [
        ("1795224420", 1795224420000),
        ("1795224420.25", 1795224420250),
        ("1795224420970", 1795224420970),
        ("1795224420970123", 1795224420970),
        ("1795224420970123456", 1795224420970),
        ('"2026-11-21T01:27:00.97Z"', 1795224420970),
        ('"2026-11-21T02:27:00.970+01:00"', 1795224420970),
        ('"2026-11-21 01:27:00"', 1795224420000),
    ],
)
def test_event_times_in_every_unit(value: str, expected_ms: int, tmp_path: Path) -> None:
    text = f'{{"deviceId":"d-1","ts":{value}}}\n' * 2
    assert recognise(head_of(text)).format_id == "event-sample"
    assert [row["event_ms"] for row in read(EVENTS, text, tmp_path).rows["event"]] == [expected_ms] * 2


@pytest.mark.parametrize(
    "text", ['{"a":1,"ts":1795224420970}\n' * 3, '{"key":"a","ts":"soon"}\n' * 3, '{"key":"a","b":1}\n' * 3]
)
def test_lines_without_a_key_or_a_time_are_no_events(text: str) -> None:
    assert recognise(head_of(text)).format_id is None


def test_broken_lines_among_events_are_counted_and_lines_stay_right(tmp_path: Path) -> None:
    good = '{"key":"a","event_time":1795224420970,"ingest_time":1795224421970}\n'
    found = read(EVENTS, good + '{"key":"b","event_\n\n[1]\n' + good, tmp_path)
    assert [row["line"] for row in found.rows["event"]] == [1, 5]
    assert found.coverage[0].not_understood == 2
    assert [line for line, _ in found.coverage[0].samples] == [2, 4]


def test_events_may_be_read_in_parts_that_agree_on_the_fields(tmp_path: Path) -> None:
    lines = ['{"key":"a","device":"x","ts":1795224420970}\n', '{"device":"y","ts":1795224420971}\n']
    path = tmp_path / "events"
    path.write_text("".join(lines))
    size = path.stat().st_size
    part = Range(0, "events", str(path), len(lines[0]), size, size)
    batches = [given.batch for given in EVENTS.read(part) if isinstance(given, Rows)]
    assert batches[0] is not None
    assert batches[0].to_pylist() == [
        {"key": None, "event_ms": 1795224420971, "arrival_ms": None, "partition": None, "line": 1, "last_line": 1}
    ]


def test_a_hundred_thousand_events_take_a_moment(tmp_path: Path) -> None:
    text = '{"key":"sensor-1","event_time":1795224420970,"ingest_time":1795224422471,"partition":0}\n' * 100_000
    path = tmp_path / "events"
    path.write_text(text)
    began = time.process_time()
    rows = sum(
        given.batch.num_rows
        for given in EVENTS.read(Range(0, "events", str(path), 0, len(text), len(text)))
        if isinstance(given, Rows) and given.batch is not None
    )
    assert rows == 100_000
    assert time.process_time() - began < 10, "0.4 s on a quiet machine"


@pytest.mark.parametrize(
    ("text", "silent"),
    [
        (
            "rootLogger.level = INFO\nrootLogger.appenderRef.a.ref = A\nappender.a.type = File\n",
            False,
        ),
        ("log4j.rootLogger=WARN, file\nlog4j.appender.file=x\nlog4j.logger.org.apache.flink=INFO\n", True),
        ('<configuration>\n<appender name="a">\n</appender>\n<root level="ERROR">\n</root>\n</configuration>\n', True),
    ],
)
def test_a_configuration_of_logging_says_what_it_cannot_show(text: str, silent: bool, tmp_path: Path) -> None:
    """A reader who drops it learns why nothing comes of it, and whether the records that matter are written at all."""
    assert recognise(head_of(text)).format_id == "logging-configuration"
    first, *more = read(FORMATS["logging-configuration"], text, tmp_path).warnings
    assert "not what happened" in first
    assert bool(more) is silent
