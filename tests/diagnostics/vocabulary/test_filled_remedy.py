"""Acts with values of the evidence, which are stored in English, in the reader's language."""

from __future__ import annotations

import re
from string import Formatter

import pytest

from diagnostics.language import CHINESE, Text, reading_in
from diagnostics.vocabulary.filled_remedy import LONGEST, filled_remedy
from diagnostics.vocabulary.message_remedies import message_remedies, remedy_of, with_values
from diagnostics.vocabulary.stored_words import in_reader_words

NAMED = {each.id: each for each in message_remedies() if each.remedy_with is not None and each.values is not None}
FORBIDDEN = (
    'pods is forbidden: User "system:serviceaccount:shop:flink" cannot watch resource "pods" in API group "" '
    'in the namespace "shop"'
)


@pytest.mark.parametrize("form", [form for each in message_remedies() for form in each.acts.values()])
def test_each_act_of_a_case_is_read_again_in_chinese(form: str) -> None:
    names = dict.fromkeys(name for _, name, _, _ in Formatter().parse(str(form)) if name)
    values = {name: f"{number}7" for number, name in enumerate(names, 1)}
    read = filled_remedy(str(with_values(str(form), values)))
    assert isinstance(read, Text)
    assert all(value in read.translations[CHINESE] for value in values.values())


@pytest.mark.parametrize("name", NAMED)
def test_each_act_with_values_is_read_again_in_chinese(name: str) -> None:
    entry = NAMED[name]
    assert entry.values is not None
    values = {each: f"{number}7" for number, each in enumerate(entry.values.groupindex, 1)}
    said = with_values(str(entry.remedy_with), values)
    read = filled_remedy(str(said))
    assert isinstance(read, Text)
    assert re.search(r"[\u4e00-\u9fff]", read.translations[CHINESE])
    assert all(value in read.translations[CHINESE] for value in values.values() if value in said)


def test_a_stored_act_of_a_fact_is_read_in_chinese_with_its_values() -> None:
    stored = str(remedy_of(f"io.fabric8.KubernetesClientException: {FORBIDDEN}"))
    with reading_in(CHINESE):
        read = in_reader_words("setting_faults.remedy", stored)
    assert isinstance(read, str)
    assert "允许 flink 在 shop" in read


def test_a_quoted_request_is_read_in_chinese() -> None:
    with reading_in(CHINESE):
        read = in_reader_words("fault_traits.remedy", "Do what the message asks: “Please set a.b to 1”.")
    assert isinstance(read, str)
    assert "Please set a.b to 1" in read
    assert re.search(r"[\u4e00-\u9fff]", read)


@pytest.mark.parametrize("text", ["Look at the disk.", "x" * (LONGEST + 1)])
def test_any_other_text_stays(text: str) -> None:
    assert filled_remedy(text) is None
    with reading_in(CHINESE):
        assert in_reader_words("fault_traits.remedy", text) == text
