"""The glossary has every term in both languages, once, and uses the words of Flink's Chinese documentation."""

from __future__ import annotations

import re

import pytest

from diagnostics.vocabulary.glossary import GlossaryEntry, glossary

CHINESE = re.compile(r"[\u4e00-\u9fff]")
ENTRIES = [entry for entries in glossary().values() for entry in entries]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.anchor)
def test_an_entry_is_a_sentence_in_each_language(entry: GlossaryEntry) -> None:
    assert not CHINESE.search(entry.term["en"] + entry.meaning["en"])
    assert entry.meaning["en"].endswith(".")
    assert CHINESE.search(entry.meaning["zh"])
    assert entry.meaning["zh"].endswith("。")
    # Between Chinese characters stand full-width marks, and a blank parts them from Latin words.
    assert not re.search(r"[\u4e00-\u9fff][,;:!?()]", entry.meaning["zh"])
    assert not re.search(r"[\u4e00-\u9fff][A-Za-z0-9]|[A-Za-z0-9][\u4e00-\u9fff]", entry.meaning["zh"])


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("back-pressure", "反压"),
        ("unaligned-checkpoint", "非对齐 Checkpoint"),
        ("operator", "算子"),
        ("managed-memory", "托管内存"),
        ("state-backend", "状态后端"),
        ("parallelism", "并行度"),
        ("watermark", "水位线"),
    ],
)
def test_a_term_is_called_as_in_flinks_documentation(english: str, chinese: str) -> None:
    (entry,) = (entry for entry in ENTRIES if entry.anchor == english)
    assert chinese in entry.term["zh"]
