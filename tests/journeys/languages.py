"""What journeys hold a page to in the language of its reader."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.journeys.conftest import shot
from tests.journeys.walking import unfold

ENGLISH = Path(__file__).with_name("english_sentences.js").read_text("utf-8")
CHINESE = Path(__file__).with_name("chinese_texts.js").read_text("utf-8")
FAULTS = Path(__file__).with_name("page_faults.js").read_text("utf-8")
GAP = re.compile("[\u3002\uff0c\uff1b\uff1a\uff01\uff1f\u3001] [\u4e00-\u9fff\u201c\uff08]")
"""A space behind a full-width mark, which has its own."""


def is_chinese(page: Page, name: str) -> None:
    """The page states its language, has no fault where texts are clipped first, and no English sentence."""
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    unfold(page)
    shot(page, f"chinese-{name}")
    assert page.evaluate(FAULTS) == []
    english = page.evaluate(ENGLISH)
    assert english == [], english
    gaps = [line for line in page.locator("main").inner_text().splitlines() if GAP.search(line)]
    assert gaps == [], gaps


def is_english(page: Page, path: str, *written: str) -> None:
    """The page at the path has no Chinese for a reader of English, but for what people have written."""
    english = page.request.get(path, headers={"Accept-Language": "en"}).text()
    for each in written:
        english = english.replace(each, "")
    chinese = page.evaluate(CHINESE, english)
    assert chinese == [], chinese
