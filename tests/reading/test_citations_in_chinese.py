"""The text beside a cited sample is read in Chinese with the same values, unless it has the words of the evidence."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from diagnostics.language import CHINESE, reading_in
from diagnostics.wording.cited_text import QUOTED, read_cited_text
from tests.diagnosed_corpus import CASES, CorpusReport

OF_EVIDENCE = re.compile(r"[\w.$:/-]+(\{.*\})? = \S+|[\w.$]+: .*|Pause Full .*", re.DOTALL)
"""A metric alone with its value, an exception with its message, a line of a GC log."""


def numbers(text: str) -> Counter[str]:
    return Counter(re.findall(r"\d+(?:[.,]\d+)*", text))


@pytest.mark.spark
@pytest.mark.skipif(not CASES, reason="the corpus is not on this machine")
@pytest.mark.parametrize("case", CASES)
def test_what_is_beside_a_sample_is_read_in_chinese(case: str, corpus_report: CorpusReport) -> None:
    english = {
        (each["text"], each["kind"])
        for signal in corpus_report(case).signals
        for each in signal.get("citations", ())
        if each["kind"] not in QUOTED and not OF_EVIDENCE.fullmatch(each["text"])
    }
    with reading_in(CHINESE):
        read = {text: read_cited_text(text, kind) for text, kind in english}
    assert [text for text, chinese in read.items() if not re.search(r"[\u4e00-\u9fff]|^Checkpoint", chinese)] == []
    assert [text for text, chinese in read.items() if numbers(text) != numbers(chinese)] == []
