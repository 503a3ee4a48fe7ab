"""The charts of the corpus read in Chinese: nothing of ours stays English, and no number is lost or added."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from diagnostics.charting.chart import Chart, Points, Theme
from diagnostics.charts import CHARTS
from diagnostics.language import CHINESE, ENGLISH, reading_in
from tests.diagnosed_corpus import CASES, CorpusReport

SHOWN = ("text", "name", "title", "hovertemplate")
"""Entries of a figure whose texts are read."""
NOT_WORDS = re.compile(r"<[^>]*>|%\{[^}]*\}|\(UTC, epoch ms\)|`[^`]*`")
ENGLISH_WORDS = re.compile(r"[A-Za-z]{3,} [a-z]{3,}")
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


def shown_texts(part: Any, place: str = "", *, is_shown: bool = True) -> Iterator[tuple[str, str]]:
    """The texts of a figure or of a table's head, each with its place."""
    if isinstance(part, dict):
        for name, value in part.items():
            yield from shown_texts(value, f"{place}/{name}", is_shown=name in SHOWN)
    elif isinstance(part, (list, tuple)):
        for number, value in enumerate(part):
            yield from shown_texts(value, f"{place}/{number}", is_shown=is_shown)
    elif isinstance(part, str) and is_shown:
        yield place, part


def read_texts(chart: Chart, points: Points, language: str) -> dict[str, str]:
    """What a reader of the language sees and hears of a chart."""
    with reading_in(language):
        figure, table = chart.figure(points, Theme("light")), chart.table(points)
        choices = [(each.title, each.details, each.group) for each in chart.choices(points)]
        parts = {
            "title": chart.read_title,
            "missing": chart.read_missing,
            "summary": chart.summary(points),
            "figure": figure,
            "head": table[0],
            "choices": choices,
        }
    return dict(shown_texts(list(parts.values())))


def stays_english(chart: Chart, points: Points) -> list[str]:
    """Texts that are the same in both languages although they are neither a name nor a line of the evidence, which may
    be shortened.
    """
    english, chinese = (read_texts(chart, points, language) for language in (ENGLISH, CHINESE))
    evidence = json.dumps(points, ensure_ascii=False)
    return [
        text
        for place, text in english.items()
        if chinese.get(place) == text
        and ENGLISH_WORDS.search(NOT_WORDS.sub(" ", text))
        and not all(json.dumps(piece, ensure_ascii=False)[1:-1] in evidence for piece in text.split("…"))
    ]


def numbers_in(text: str) -> Counter[str]:
    return Counter(NUMBER.findall(text))


def test_a_text_of_ours_that_stays_english_is_seen() -> None:
    chart, points = CHARTS["threads"], {"text": "a line of the evidence"}
    assert ENGLISH_WORDS.search(NOT_WORDS.sub(" ", chart.missing))
    assert not ENGLISH_WORDS.search(NOT_WORDS.sub(" ", "%{x} <b>TaskManager</b> `curl -s some where`"))
    assert "a line of the evidence" in json.dumps(points)


@pytest.mark.parametrize("chart", CHARTS.values(), ids=CHARTS.keys())
def test_title_and_missing_file_are_chinese(chart: Chart) -> None:
    with reading_in(CHINESE):
        assert chart.read_missing != chart.missing
        assert re.search(r"[\u4e00-\u9fff]", chart.read_title) or chart.title.isascii()


@pytest.mark.spark
@pytest.mark.skipif(not CASES, reason="the corpus is not on this machine")
@pytest.mark.parametrize("case", CASES)
def test_nothing_of_a_chart_stays_english_and_no_number_is_lost(case: str, corpus_report: CorpusReport) -> None:
    faults = {}
    for chart_id, points in corpus_report(case).charts.items():
        chart = CHARTS[chart_id]
        english, chinese = (read_texts(chart, points, language) for language in (ENGLISH, CHINESE))
        assert english.keys() == chinese.keys()
        lost = [
            (text, chinese[place])
            for place, text in english.items()
            if "%{" not in text and numbers_in(text) != numbers_in(chinese[place])
        ]
        if said := [*stays_english(chart, points), *lost]:
            faults[chart_id] = said
    assert faults == {}
