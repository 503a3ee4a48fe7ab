"""An administrator edits both languages of a runbook and of a rule in the browser, and reads them in a case.

Names are those of a Chinese page; the same page is fetched in English to read the other language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import NewTab, shot
from tests.journeys.walking import UPLOAD_MS

RULE, RUNBOOK = "skew.hot-subtask", "runbook:data-skew"
ENGLISH, CHINESE = "The hot key of our shop", "本店的热点 key"


@pytest.fixture
def page(new_tab: NewTab) -> Iterator[Page]:
    """A tab of an administrator whose browser asks for Chinese."""
    opened = new_tab([], locale="zh-CN")
    yield opened
    opened.close()


def publish(page: Page, name: str) -> None:
    expect(page.locator("#save-state")).to_contain_text("草稿已保存")
    page.get_by_role("button", name="发布…").click()
    page.get_by_label("原因").fill("两种语言都改了")
    page.locator("#publish-button").click()
    page.wait_for_url(re.compile(rf"/rules/{re.escape(name)}/$"))


def take_back(page: Page, name: str) -> None:
    """The first version again: other journeys share this workbench."""
    page.goto(f"/rules/{name}/")
    page.get_by_role("link", name="版本 1", exact=True).click()
    page.get_by_role("button", name="回滚到该版本").click()
    page.get_by_label("原因").fill("试验结束")
    page.get_by_role("button", name="回滚", exact=True).click()
    page.wait_for_url(re.compile(rf"/rules/{re.escape(name)}/#versions$"))


def in_english(page: Page, path: str) -> str:
    return page.request.get(path, headers={"Accept-Language": "en"}).text()


def test_both_titles_of_a_runbook_are_edited_as_yaml_and_shown_on_its_page(page: Page, hot_key_case: str) -> None:
    page.goto(hot_key_case)
    page.locator("[data-go=r]").click()
    runbook = page.url
    page.goto(f"/rules/{RUNBOOK}/edit/")
    expect(page.get_by_text("处理手册可以读取")).to_be_visible()
    text = page.locator("#text-rule").input_value()
    for name, title in (("title", ENGLISH), ("title_zh", CHINESE)):
        text = re.sub(rf"^{name}: .*$", f"{name}: {title}", text, count=1, flags=re.MULTILINE)
    page.locator("#text-rule").fill(text, timeout=UPLOAD_MS)
    try:
        publish(page, RUNBOOK)
        page.goto(runbook)
        expect(page.locator("h1")).to_have_text(CHINESE)
        shot(page, "runbook-edited-in-both-languages")
        english = in_english(page, runbook)
        assert ENGLISH in english
        assert CHINESE not in english
    finally:
        take_back(page, RUNBOOK)


def test_both_titles_of_a_rule_are_fields_of_its_form_and_shown_on_its_page(page: Page) -> None:
    page.goto(f"/rules/{RULE}/edit/")
    for label, title in (("标题\uff08英文\uff09", ENGLISH), ("标题\uff08中文\uff09", CHINESE)):
        field = page.get_by_label(label, exact=True)
        field.fill(title)
        field.blur()
        expect(page.locator("#text-rule")).to_have_value(re.compile(title))
    shot(page, "rule-form-in-both-languages")
    try:
        publish(page, RULE)
        expect(page.locator("h1")).to_contain_text(CHINESE)
        assert ENGLISH in in_english(page, f"/rules/{RULE}/")
    finally:
        take_back(page, RULE)
