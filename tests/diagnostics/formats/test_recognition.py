"""Files are recognised by content: each file of the corpus by its role, and no file that only looks similar."""

from __future__ import annotations

import gzip
import re
import time
from collections import Counter
from pathlib import Path

import pytest

from diagnostics.formats import recognise
from diagnostics.notation.file_range import HEAD_BYTES, Head
from tests.diagnostics.formats.reading_aids import head_of

CORPUS = Path(__file__).parents[4] / "shared" / "corpus"
CASES = sorted(truth.parent for truth in CORPUS.glob("*/truth.json")) if CORPUS.is_dir() else []

HEX = "[0-9a-f]{32}"
ROLES = (
    (r"rest/.*(index\.json|accumulators\.json|subtasktimes\.json|_logs\.json)$", "flink-rest-other"),
    (rf"vertices[_/]{HEX}[_/]taskmanagers\.json$", "flink-rest-other"),
    (rf"checkpoints[_/]details[_/]\d+[_/]subtasks[_/]{HEX}\.json$", "flink-rest-subtask-checkpoints"),
    (r"checkpoints[_/]details[_/]\d+(/index)?\.json$", "flink-rest-checkpoints"),
    (r"checkpoints(/index)?\.json$", "flink-rest-checkpoints"),
    (r"checkpoints[_/]config\.json$", "flink-rest-checkpoint-settings"),
    (r"(thread-dump\.json)(\.gz)?$", "flink-rest-thread-dump"),
    (r"flamegraph[-_](full|on_cpu|off_cpu)\.json$", "flink-rest-flame-graph"),
    (r"backpressure(-\d)?\.json$", "flink-rest-back-pressure"),
    (r"rest/.*(metrics|watermarks)\.json$", "flink-rest-metrics"),
    (r"exceptions\.json$", "flink-rest-exceptions"),
    (rf"(jobmanager[_/](config|environment)|jobs[_/]{HEX}[_/]config)\.json$", "flink-rest-configuration"),
    (r"rest/[^/]+/(overview|config)\.json$", "flink-rest-cluster"),
    (rf"(jobs[_/]overview|jobs[_/]{HEX}[_/]plan|jobs[_/]{HEX}(/job)?)\.json$", "flink-rest-job"),
    (rf"vertices[_/]{HEX}(/vertex)?\.json$", "flink-rest-vertex"),
    (r"taskmanagers([_/][^/]+)?(/taskmanager)?\.json$", "flink-rest-task-managers"),
    (r"metrics/[^/]+\.(prom|txt)\.gz$", "prometheus-text"),
    (r"metrics/prometheus/.*\.json$", "prometheus-query"),
    (r"gc/.*\.log(\.gz)?$", "gc-log"),
    (r"profile/.*jstack.*\.txt(\.gz)?$", "thread-dump"),
    (r"profile/.*\.collapsed$", "collapsed-stacks"),
    (r"conf/config\.yaml$", "flink-configuration"),
    (r"events/.*\.jsonl\.gz$", "event-sample"),
    (r"_db_LOG$", "rocksdb-log"),
    (r"conf/\w+\.java$", "flink-job-code"),
    (r"log4j\.properties$", "logging-configuration"),
    (r"(truth\.json|\.jfr)$", None),
    (r"net/.*-snmp\.txt$", "tcp-counters"),
    (r"net/.*-ss-ti\.txt$", "tcp-connections"),
    (r"host/top-threads\.txt$", "top"),
    (r"net/.*-tcpdump\.txt\.gz$", "packet-capture"),
    (r"host/blkio\.throttle\.io_service_bytes\.txt$", "cgroup-cpu"),
    (r"host/pg_stat_activity\.txt$", "database-statements"),
    (r"(host|net)/", None),
    (r"logs/postgresql", "postgresql-log"),
)
"""The first pattern that a path matches tells what it must be; Flink's own logs are another test's matter."""


def corpus_head(path: Path, case: Path) -> Head:
    with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as opened:
        content = opened.read(HEAD_BYTES + 1)
    name = str(path.relative_to(case)).removesuffix(".gz")
    first = content[:HEAD_BYTES]
    return Head(name, first, first.decode("utf-8", "replace"), len(content) <= HEAD_BYTES)


def expected(name: str, head: Head) -> tuple[bool, str | None]:
    if head.text.startswith('{"errors":'):
        return True, "flink-rest-error"
    for pattern, format_id in ROLES:
        if re.search(pattern, name) and not ("checkpoints" in name and format_id == "flink-rest-other"):
            return True, format_id
    return False, None


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_file_of_a_case_is_recognised_by_its_role(case: Path) -> None:
    wrong = []
    for path in sorted(each for each in case.rglob("*") if each.is_file()):
        head = corpus_head(path, case)
        name = str(path.relative_to(case))
        known, format_id = expected(name, head)
        found = recognise(head).format_id
        if known and found != format_id:
            wrong.append((name, found, format_id))
    assert wrong == []


@pytest.mark.parametrize("case", [case for case in CASES if case.name == "data_skew-a"])
def test_the_skewed_case_has_the_files_counted_by_hand(case: Path) -> None:
    """4 snapshots, 3 vertices each; counted with `ls | wc -l` in the folders."""
    found = Counter(recognise(corpus_head(path, case)).format_id for path in sorted(case.rglob("*")) if path.is_file())
    assert found["flink-rest-vertex"] == 4 * 3
    assert found["flink-rest-back-pressure"] == 4 * 3 * 2
    assert found["flink-rest-checkpoint-settings"] == 4
    assert found["gc-log"] == 2
    assert found["event-sample"] == 2
    assert found["prometheus-text"] == 2
    assert found["flink-configuration"] == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "truth.json",
            '{"case": "x", "flink": "1.20.5", "symptom_class": "data_skew", "key_facts": {"subtasks": [1]}}',
        ),
        ("package.json", '{"name": "x", "version": "1", "scripts": {}, "dependencies": {}}'),
        ("tsconfig.json", '{"id": 3, "name": "x"}'),
        ("list.json", '[{"id": 1, "name": "x"}]'),
        ("pairs.json", '[{"key": "a", "value": 1, "unit": "ms"}]'),
        ("pairs.json", '[{"key": "a", "value": "1"}]'),
        ("numbers.json", '[{"id": 1, "value": 2}]'),
        ("empty.json", "[]"),
        ("empty.json", "{}"),
        ("Job.java", "package com.acme;\nimport java.util.Map;\npublic class Job {\n  int state = 3;\n}\n"),
        ("log4j.properties", "monitorInterval=30\nrootLogger.level = INFO\nappender.main.name = MainAppender\n"),
        ("compose.yaml", "services:\n  jobmanager:\n    image: flink:1.20\n  taskmanager:\n    image: flink:1.20\n"),
        ("LOG", "2026/11/21-00:47:22.120 123 RocksDB version: 8.10.0\n2026/11/21-00:47:22.121 123 Git sha 0\n"),
        ("top.txt", "top - 01:26:59 up  1:24,  0 user,  load average: 10.82, 18.39, 20.19\nTasks: 96 total\n"),
        ("pg.log", "2026-11-21 01:00:00.123 UTC [77] LOG:  duration: 45.1 ms  execute <unnamed>: select 1\n"),
        ("dump.txt", "01:00:00.123456 IP 10.0.0.1.6123 > 10.0.0.2.6122: Flags [P.], seq 1:5, ack 1, length 4\n"),
        ("log.json", '{"timestamp":"2026-11-21T01:00:00Z","level":"INFO","message":"a","id":"7"}\n' * 2),
        ("log.json", '{"@timestamp":"2026-11-21T01:00:00Z","log.level":"INFO","message":"a","key":"7"}\n' * 2),
        ("words.txt", "we saw 12\nthen we saw 13\n"),
        ("table.csv", "a;b;c\n1;2;3\n4;5;6\n"),
        ("node.prom", "node_load1 0.5\nnode_load5 0.7\n"),
        ("binary", "\x00\x01\x02{\x00"),
        ("nothing", ""),
        ("blank", " \n\n\t\n"),
        ("one.jsonl", '{"key":"a","event_time":1795224420970}'),
    ],
)
def test_what_only_looks_alike_is_left_alone(name: str, text: str) -> None:
    found = recognise(head_of(text, name)).format_id
    assert found is None or not found.startswith(("flink-rest", "event", "flink-conf", "prom", "gc", "coll", "thread"))


FRAME = "\tat com.acme.Enrich.map(Enrich.java:12)\n"


@pytest.mark.parametrize(
    "text",
    [
        f"java.lang.NullPointerException: account is null\n{FRAME}",
        f"2026-06-14 08:10:38\njava.lang.NullPointerException\n{FRAME}",
        "java.util.concurrent.TimeoutException: Heartbeat of TaskManager with id tm-1 timed out.",
        f"x failed:\nCaused by: org.apache.flink.util.FlinkRuntimeException: Exceeded checkpoint threshold.\n{FRAME}",
        "[1234567.123456] Memory cgroup out of memory: Killed process 4711 (java) total-vm:9123456kB\n",
    ],
    ids=["a trace", "a trace below its time", "one line", "the end of a chain", "a line of the kernel"],
)
def test_what_somebody_copied_of_a_failure_is_evidence(text: str) -> None:
    assert recognise(head_of(text, "pasted.txt")).format_id == "flink-log"


@pytest.mark.parametrize(
    "text",
    ["Our job is slow since this morning.\n", "NullPointerException\n", "see java.lang.Error Handling, chapter 3\n"],
)
def test_words_about_exceptions_are_no_evidence(text: str) -> None:
    assert recognise(head_of(text, "note.txt")).format_id is None


@pytest.mark.parametrize(
    "text", ["{" * 70_000, '["' + "\\" * 70_000, '"' * 70_000, "a;" * 40_000, "[gc]" * 20_000, "a." * 40_000]
)
def test_hostile_beginnings_are_judged_quickly(text: str) -> None:
    begun = time.process_time()
    recognise(head_of(text))
    assert time.process_time() - begun < 5
