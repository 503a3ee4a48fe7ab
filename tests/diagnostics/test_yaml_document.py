"""Mistakes in YAML that people write are named in our words, with line and column, beside those of the parser."""

from __future__ import annotations

import pickle

import pytest

from diagnostics.errors import InvalidRule
from diagnostics.language import CHINESE, ENGLISH, reading_in
from diagnostics.yaml_document import Fault, read_yaml

# ruff: noqa: RUF001 - punctuation of Chinese


@pytest.mark.parametrize(
    ("text", "line", "english", "chinese"),
    [
        ("id: a\nwhen: b: c\n", 2, "a colon cannot be here", "此处不能有冒号"),
        ("id: [1\nb: 2\n", 2, "a list in brackets lacks", "方括号中的列表缺少"),
        ("id: {b: 1\n", 2, "a mapping in braces lacks", "花括号中的映射缺少"),
        ('id: "x\n', 2, "a quotation mark is not closed", "引号没有闭合"),
        ("id:\n\t- b\n", 2, "a value begins with a character", "值不能以该字符开头"),
        ("id: @x\n", 1, "a value begins with a character", "值不能以该字符开头"),
        ("- a\nid: 1\n", 2, "an entry of a list has no dash", "列表的某个条目缺少短横线"),
        ("%x\n---\n", 1, "the text is not valid YAML", "文本不是有效的 YAML"),
    ],
)
def test_a_mistake_is_named_in_the_language_of_the_reader(text: str, line: int, english: str, chinese: str) -> None:
    for language, said in ((ENGLISH, f"rule line {line}: {english}"), (CHINESE, f"rule，第 {line} 行：{chinese}")):
        with reading_in(language), pytest.raises(InvalidRule) as refused:
            read_yaml(text, "rule")
        (error,) = refused.value.errors
        assert error.startswith(said)
        assert (error.line, error.text in error) == (line, True)
        assert "the parser says: " in error or "解析器的提示" in error


def test_a_mistake_survives_a_process_boundary_with_its_parts() -> None:
    fault = pickle.loads(pickle.dumps(Fault("rule", 3, "`id` is missing")))
    assert (str(fault), fault.line, fault.text) == ("rule line 3: `id` is missing", 3, "`id` is missing")
    assert Fault("rule", 0, "nested too deeply") == "rule: nested too deeply"
