"""The reader of filled runbooks notices what an engineer would stumble over."""

from __future__ import annotations

from typing import Any

import pytest

from tests.reading.command_faults import code_faults
from tests.reading.java_faults import java_faults
from tests.reading.runbook_faults import memory_faults, unknown_options
from tests.reading.sentence_faults import internal_names, sentence_faults


def book_with(option: str, file: str = "config.yaml") -> dict[str, Any]:
    change = {"kind": "config", "file": file, "from": "", "to": option}
    return {"id": "a-runbook", "steps": [{"left_out": None, "change": [change]}]}


def signals_of(version: str) -> list[dict[str, Any]]:
    return [{"key": "job_overview", "facts": {"flink_version": version}}]


@pytest.mark.parametrize(
    ("option", "file", "version"),
    [
        ("state.backend.rocksdb.thread.nom: 4", "config.yaml", "1.20.5"),
        ("execution.checkpointing.checkpoints-after-tasks-finish.enabled: true", "config.yaml", "1.13.6"),
        ("execution.checkpointing.timeout: 2 min", "the producer's properties (Kafka)", "1.20.5"),
    ],
)
def test_an_option_that_the_file_or_the_version_does_not_know_is_noticed(option: str, file: str, version: str) -> None:
    assert list(unknown_options([book_with(option, file)], signals_of(version)))


def test_an_option_that_the_version_reads_is_no_fault() -> None:
    known = book_with("execution.checkpointing.checkpoints-after-tasks-finish.enabled: true")
    assert list(unknown_options([known], signals_of("1.20.5"))) == []


@pytest.mark.parametrize("text", ["Sources: S059", "see reference/metrics.csv", "{slots.missing} more", "[slot|slots]"])
def test_a_name_that_only_this_product_knows_is_noticed(text: str) -> None:
    assert list(internal_names(text))


@pytest.mark.parametrize("text", ["Correct <remedy>.", "7 to 7 of them", "100 % to 100 % busy"])
def test_a_sentence_with_a_gap_or_an_empty_range_is_noticed(text: str) -> None:
    assert list(sentence_faults(text))


def test_parts_of_the_memory_that_exceed_the_stated_total_are_noticed() -> None:
    proposed = {"taskmanager.memory.task.heap.size": "900m", "taskmanager.memory.managed.size": "200m"}
    lines = "".join(f"{name}: {size}\n" for name, size in proposed.items())
    change = {"from": "", "to": f"# 1000 MiB for a TaskManager\n{lines}"}
    assert list(memory_faults(proposed, [change], {}))
    assert list(memory_faults(proposed, [change | {"to": change["to"].replace("1000", "2000")}], {})) == []


def test_a_key_that_a_file_would_have_twice_is_noticed() -> None:
    assert list(code_faults("config", "a:\n  b: 1\na:\n  c: 2"))
    assert list(code_faults("config", "a:\n  b: 1\n  c: 2")) == []


@pytest.mark.parametrize(
    ("code", "is_java"),
    [
        (".setParallelism(4)", True),
        ("value = read(path); // once\nuse(value);", True),
        ("stream.window(TumblingEventTimeWindows.of(...)).allowedLateness(Duration.ofMillis(3));", True),
        ("use(value", False),
        ("a sink on AsyncSinkBase with larger batches", False),
    ],
)
def test_a_block_that_no_java_program_takes_is_noticed(code: str, is_java: bool) -> None:
    assert (list(java_faults(code)) == []) is is_java
