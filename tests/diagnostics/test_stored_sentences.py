"""Sentences that were stored in English are said again in the language of their reader."""

from __future__ import annotations

import pytest

from diagnostics.diagnosis.judge import judge
from diagnostics.language import CHINESE, LIBRARY, _templates, reading_in, say, say_stored
from diagnostics.rules.rule import Ruleset


def in_chinese(english: str) -> str:
    with reading_in(CHINESE):
        return say_stored(english)


def test_a_stored_sentence_is_what_would_be_said_now() -> None:
    stored = say("acknowledged last by {who}", who="tm-1")
    with reading_in(CHINESE):
        assert say_stored(stored) == say("acknowledged last by {who}", who="tm-1") != stored


def test_every_template_is_found_again_with_all_its_values() -> None:
    names = {name for template in _templates(CHINESE, LIBRARY) for name in template.names}
    values = {name: f"⟨{name}⟩" for name in names}
    lost = []
    for template in _templates(CHINESE, LIBRARY):
        english = "".join(
            part for pair in zip(template.words, [*map(values.get, template.names), ""], strict=True) for part in pair
        )
        said, is_same = in_chinese(english), template.translated.format(**values) == english
        if (said == english and not is_same) or any(values[name] not in said for name in template.names):
            lost.append((english, said))
    assert lost == []


def test_sentences_within_a_sentence_are_said_too() -> None:
    stored = say(
        "No line is fitted: {because}.",
        because=say("the values do not follow a line"),
    )
    assert in_chinese(stored) == "未作直线拟合：数值没有线性变化。"  # noqa: RUF001


def test_sentences_one_after_the_other_are_said_each() -> None:
    assert in_chinese("Its use was not measured. No measured part is nearly full.") == (
        "未测量其使用量。测量到的各部分都没有接近用满。"
    )


@pytest.mark.parametrize(
    "stored",
    [
        "",
        "A sentence that nobody marked.",
        "x" * 5_000,
        "first barrier at " * 500,
        "{who} {0} {!r} %s {{}}",
    ],
)
def test_what_has_no_template_or_is_too_long_stays(stored: str) -> None:
    assert in_chinese(stored) == stored


def test_a_value_of_one_word_is_a_name() -> None:
    assert in_chinese("first barrier at Records") == "首个 Barrier 到达 Records"


def test_numbers_within_a_sentence_are_enumerated_anew() -> None:
    assert in_chinese("not acknowledged by subtasks 0, 1 and 3 of map") == "map 的子任务 0、1 和 3 未确认"


def test_a_value_is_never_a_format() -> None:
    assert in_chinese("first barrier at {who.__class__}") == "首个 Barrier 到达 {who.__class__}"


def test_a_text_that_fits_in_two_ways_stays_english() -> None:
    stored = "Subtask 1 of a works of b works 2 s (3 %) longer than its task's mean."
    assert in_chinese(stored) == stored


def test_english_readers_get_what_is_stored() -> None:
    assert say_stored("first barrier at tm-1") == "first barrier at tm-1"


def test_the_plural_is_said_as_the_singular_is() -> None:
    assert [in_chinese(f"{count} checkpoint{'s' * (count > 1)} expired") for count in (1, 2)] == [
        "1 个 Checkpoint 超时",
        "2 个 Checkpoint 超时",
    ]


def test_warnings_about_files_are_said_in_a_document_that_is_read() -> None:
    stored = ["7 scrapes failed: the process did not answer", "an empty flame graph: it holds no samples of mine"]
    inputs = [{"file": "tm.txt", "format": "prometheus-text", "warnings": stored}]
    ruleset = Ruleset.of(())
    assert judge([], inputs, ruleset)["inputs"] == inputs
    assert judge([], inputs, ruleset, language=CHINESE)["inputs"][0]["warnings"] == [
        "7 次抓取失败：进程没有响应",  # noqa: RUF001
        "空的火焰图：it holds no samples of mine",  # noqa: RUF001
    ]
