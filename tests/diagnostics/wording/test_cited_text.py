"""Texts beside cited samples are stored in English and read in the reader's language, with the same values."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from diagnostics.language import CHINESE, reading_in
from diagnostics.wording.cited_text import (
    CHECKPOINT,
    FORMS,
    LATE_EVENT,
    PARTS,
    PHASES_OF_SUBTASK,
    cited_text,
    read_cited_text,
    sample_text,
)

VALUES = {
    "metric": "rocksdb_actual-delayed-write-rate",
    "parts": "end to end 2 min 5 s, wrote 12.5 MiB of 1.2 GiB",
    "share": "55 %",
    "status": "FAILED",
    "state": "FINISHED",
    "level": "high",
    "duration": "2 min 5 s",
    "delay": "12 ms",
    "host": "tm-1",
    "device": "sda",
    "job": "Clicks, by user",
    "task": "Window(Tumbling, 5 s) -> Sink",
    "frames": "a.B.c > d.E.f",
    "task_manager": "tm-1:6122",
    "topic": "clicks",
    "group": "billing",
    "key": "user-7",
    "statement": "SELECT name FROM users WHERE id = 5",
    "place": "Filter[a = b]",
    "written": "12.5 MiB",
    "used": "171 MiB",
    "largest": "unknown",
}


def numbers(text: str) -> Counter[str]:
    return Counter(re.findall(r"\d+(?:[.,]\d+)*", text))


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_recognised_with_all_of_its_values(form: str) -> None:
    english = cited_text(form, **{name: VALUES.get(name, "12") for name in re.findall(r"{(\w+)}", form)})
    with reading_in(CHINESE):
        chinese = read_cited_text(english, "rest")
    assert chinese != english
    assert numbers(chinese) == numbers(english)
    assert [name for name in re.findall(r"[A-Za-z]+\.[A-Za-z.]+|[A-Z][A-Z]+", english) if name not in chinese] == []
    assert read_cited_text(english, "rest") == english


def test_the_parts_of_a_checkpoint_are_read_and_its_reason_is_evidence() -> None:
    parts = "end to end 2 min 5 s, wrote 12.5 MiB of 1.2 GiB, Checkpoint expired before completing, really."
    english = cited_text(CHECKPOINT, number=7, status="FAILED", parts=parts)
    assert english == f"checkpoint 7 FAILED, {parts}"
    with reading_in(CHINESE):
        said = read_cited_text(english, "rest")
    assert said.startswith("Checkpoint 7 FAILED")
    assert "端到端 2 min 5 s" in said
    assert said.endswith("状态共 1.2 GiB\uff0cCheckpoint expired before completing, really.")


def test_the_counter_behind_a_rate_is_read() -> None:
    english = sample_text("busyMs", 0, "Sink", "5100: 1000 ms/s over 5 s")
    with reading_in(CHINESE):
        assert read_cited_text(english, "metric").startswith("Sink 的子任务 0 的 busyMs = 5100")
        assert read_cited_text(english, "metric").endswith("5 s 内为 1000 ms/s")
        assert read_cited_text(sample_text("lag", 1, None, "unknown"), "metric") == "子任务 1 的 lag = 未知"


def test_the_words_of_a_log_line_stay() -> None:
    with reading_in(CHINESE):
        assert read_cited_text("Number of records = 5", "log") == "Number of records = 5"
        assert read_cited_text(cited_text(LATE_EVENT, key="k", seconds="3.1"), "log").startswith("k: arrives")
        phases = cited_text(PHASES_OF_SUBTASK, number=3, task="Sink", subtask=0, parts="sync 12 ms")
        assert read_cited_text(phases, "log").endswith("同步阶段 12 ms")
        assert read_cited_text("java.io.IOException: no space left", "rest") == "java.io.IOException: no space left"


def test_no_part_is_taken_for_another_one() -> None:
    assert len({re.sub(r"{\w+}", "", part) for part in PARTS}) == len(PARTS)
