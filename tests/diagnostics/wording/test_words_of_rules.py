"""Facts, bounds and subjects in words."""

from __future__ import annotations

import pytest

from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.language import CHINESE, reading_in
from diagnostics.wording import phrase
from diagnostics.wording.bound import bound_words, distance_to_bound
from diagnostics.wording.fact import exact_fact_value, fact_name, fact_value
from diagnostics.wording.subject import subject_words


def test_a_fact_is_named_without_its_unit_and_with_its_signal_where_it_says_little() -> None:
    assert fact_name("load_balance.hot_share_ratio") == "hot share"
    assert fact_name("restarts.count") == "count (restarts)"


def test_a_rounded_value_has_an_exact_one_too() -> None:
    assert fact_value(2_232_000.0, "checkpoint_phases.longest_ms") == "37 min 12 s"
    assert fact_value(5_307_410.0, "checkpoint_phases.upload_bytes_per_s_by_subtask") == "5.3 MB/s"
    assert exact_fact_value(2_232_000.0, "checkpoint_phases.longest_ms") == "2,232,000 ms"
    assert exact_fact_value(301_989_888, "checkpoint_sizes.state_bytes") == "301,989,888 bytes"
    assert exact_fact_value(0.4, "load_balance.hot_share_ratio") == ""


def test_a_bound_is_written_in_the_unit_of_its_fact() -> None:
    assert bound_words("load_balance.skew_ratio", ">=", 2) == "at least 2 times"
    assert bound_words("checkpoints.duration_ms", "<", 10_000) == "below 10 s"


def test_a_bound_of_several_words_is_a_sentence_in_either_language() -> None:
    fact, words = "checkpoint_settings.retention", ["NO_EXTERNALIZED_CHECKPOINTS", "DELETE_ON_CANCELLATION"]
    assert bound_words(fact, "in", words) == "is one of NO_EXTERNALIZED_CHECKPOINTS, DELETE_ON_CANCELLATION"
    assert bound_words(fact, "not in", words[:1]) == "is none of NO_EXTERNALIZED_CHECKPOINTS"
    with reading_in(CHINESE):
        assert bound_words(fact, "in", words) == "为“NO_EXTERNALIZED_CHECKPOINTS、DELETE_ON_CANCELLATION”之一"


def test_the_origin_of_a_failure_has_its_title_and_not_the_id_that_rules_compare() -> None:
    fact = "checkpoint_declines.origin"
    assert fact_value("own_code", fact) == "the job's own code"
    assert bound_words(fact, "in", ["own_code", "unknown"]) == "is one of the job's own code, unknown"
    with reading_in(CHINESE):
        assert fact_value("own_code", fact) == "作业自身的代码"


def test_a_chinese_value_in_a_chinese_sentence_has_no_spaces_around_it() -> None:
    with reading_in(CHINESE):
        assert (
            phrase.fill("JobManager 的 {out_of_memory.resource} 已耗尽。", lambda _: "heap")
            == "JobManager 的堆内存已耗尽。"
        )
        assert phrase.fill("算子 {subject.vertex} 很忙。", lambda _: "Window") == "算子 Window 很忙。"
        pieces = phrase.fill_in_pieces("失败原因是 {host_limits.kind} 。", lambda _: "a disk is full")
    assert pieces is not None
    assert [piece.text for piece in pieces] == ["失败原因是", "磁盘已满", " 。"]


@pytest.mark.parametrize(
    ("fact", "value", "bound", "distance"),
    [
        ("load_balance.skew_ratio", 1.5, 2, "0.5"),
        ("gc.time_share", 0.12, 0.2, "8 points"),
        ("back_pressure.worst_ratio", 1.002, 0.5, "50 points"),
        ("back_pressure.worst_ratio", 0.804, 0.8, "0.4 points"),
        ("checkpoints.duration_ms", 12_000, 10_000, "2 s"),
        ("checkpoints.duration_ms", 10_000, 10_000, ""),
        ("job_overview.flink_version", "1.20.1", "2", None),
        ("job_overview.is_batch", True, False, None),
        ("checkpoints.duration_ms", None, 10_000, None),
    ],
)
def test_the_distance_to_a_bound(fact: str, value: FactValue, bound: object, distance: str | None) -> None:
    assert distance_to_bound(fact, value, bound) == distance


def test_a_subject_is_named_from_the_outside_in() -> None:
    subject = Subject(job="a" * 32, vertex="Window", subtask=0, task_manager="tm-1", host="worker-7")
    assert subject_words(subject.as_json()) == ["Window", "subtask 0", "TaskManager tm-1", "host worker-7"]


def test_a_subject_that_is_only_a_job_has_no_further_words() -> None:
    assert subject_words(Subject(job="a" * 32).as_json()) == []


def test_a_share_before_an_event_is_written_as_a_share() -> None:
    assert fact_value(0.2, "task_manager_loss.all.gc_ratio_before") == "20 %"


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("Checkpoints expired", "checkpoints expired"),
        ("TaskManagers were lost", "TaskManagers were lost"),
        ("GC takes the CPU", "GC takes the CPU"),
        ("Kafka refuses the transaction", "Kafka refuses the transaction"),
    ],
)
def test_names_keep_their_capital_within_a_sentence(title: str, words: str) -> None:
    assert phrase.within_sentence(title) == words


@pytest.mark.parametrize(
    ("clause", "sentence"),
    [
        ("look-ups scan instead of reading one key", "Look-ups scan instead of reading one key"),
        ("floatingBuffersUsage is near 100 %", "floatingBuffersUsage is near 100 %"),
        ("env.java.opts selects the collector", "env.java.opts selects the collector"),
        ("is-write-stopped is 1", "is-write-stopped is 1"),
        ("慢的是异步阶段", "慢的是异步阶段"),
    ],
)
def test_names_are_not_capitalised_at_the_start_of_a_sentence(clause: str, sentence: str) -> None:
    assert phrase.sentence_start(clause) == sentence


def test_a_value_that_only_rounding_makes_equal_to_its_bound_is_exact() -> None:
    """ "Measured 60 s, condition: above 60 s" contradicts itself."""
    fact = "settings_check.usual_duration_ms"
    assert fact_value(60_005.0, fact, beside=60_000) == "60 s (60,005 ms)"
    assert (fact_value(60_000, fact, beside=60_000), fact_value(61_000, fact, beside=60_000)) == ("60 s", "61 s")
    assert bound_words(fact, ">", 60_000, 60_005.0) == "above 60 s (60,000 ms)"


def test_a_ratio_has_the_unit_of_what_it_stands_beside() -> None:
    duration = "checkpoint_progress.recent_duration_to_timeout_ratio"
    assert (fact_value(1.04, duration, beside=0.5), bound_words(duration, "<", 0.5, 1.04)) == ("104 %", "below 50 %")
    assert (fact_value(3.6, duration, beside=1), bound_words(duration, ">=", 1, 3.6)) == (
        "3.6 times",
        "at least 1 time",
    )


def test_a_text_without_a_word_is_said_to_be_empty() -> None:
    """An exception may have no message, and a condition asks for a part of it."""
    assert fact_value("", "code_faults.message") == "(empty)"
