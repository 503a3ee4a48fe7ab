"""Words that signals store as facts are shown in the reader's language; what the evidence says never is."""

from __future__ import annotations

from pathlib import Path

import pytest

import diagnostics
from diagnostics.language import CHINESE, reading_in
from diagnostics.signals import DEFINITIONS
from diagnostics.vocabulary.stored_words import FILE, fact_words, in_reader_words
from diagnostics.wording import phrase
from diagnostics.wording.code import fill_code
from diagnostics.yaml_document import read_yaml

KIND = "outside_faults.kind"


def test_words_of_a_fact_are_in_the_reader_language() -> None:
    with reading_in(CHINESE):
        assert in_reader_words(KIND, "it refuses the login") == "拒绝登录"
        assert in_reader_words("checkpoint_declines.reasons", ["tasks not ready (3)"]) == ["Task 未就绪\uff083\uff09"]
    assert in_reader_words(KIND, "it refuses the login") == "it refuses the login"


def test_lines_of_the_job_s_code_are_named_in_the_reader_language() -> None:
    calls = ["executeQuery (line 86)"]
    with reading_in(CHINESE):
        assert in_reader_words("job_code.blocking", calls) == ["executeQuery\uff08第 86 行\uff09"]
        assert in_reader_words("job_code.sinks", "addSink (line 9)") == "addSink\uff08第 9 行\uff09"
        assert in_reader_words("restarts.first_text", "broken (line 3)") == "broken (line 3)"
    assert in_reader_words("job_code.blocking", calls) == calls


def test_names_and_values_of_settings_stay() -> None:
    with reading_in(CHINESE):
        assert in_reader_words("settings.state_backend", "heap") == "heap"
        assert in_reader_words("subject.vertex", "files") == "files"
        assert in_reader_words("blocking_calls.system", ["PostgreSQL", "files"]) == ["PostgreSQL", "文件"]
        assert in_reader_words("restarts.restarts", 3) == 3


def test_a_sentence_has_them_and_a_command_has_not() -> None:
    with reading_in(CHINESE):
        assert phrase.fill(f"数据库{{{KIND}}}。", lambda _: "it does not answer") == "数据库没有响应。"
        assert fill_code("grep {blocking_calls.system}", lambda _: "files") == "grep files"


@pytest.mark.parametrize("fact", fact_words())
def test_a_fact_with_words_is_measured(fact: str) -> None:
    key, _, name = fact.rpartition(".")
    assert name in DEFINITIONS[key].facts
    assert fact_words()[fact]


def test_every_word_is_still_stored_by_some_signal() -> None:
    root = Path(diagnostics.__file__).parent
    catalogues = [root / "vocabulary" / name for name in ("frames.yaml", "outside_refusals.yaml")]
    folders = [root / "vocabulary" / name for name in ("known_bugs", "message_remedies")]
    places = [*root.rglob("*.py"), *catalogues, *(path for folder in folders for path in folder.glob("*.yaml"))]
    sources = "\n".join(path.read_text("utf-8") for path in places)
    content = read_yaml(FILE.read_text("utf-8"), FILE.name).content
    assert [word for entry in content.values() for word in entry["words_zh"] if word not in sources] == []
