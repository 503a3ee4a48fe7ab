"""A reader of Chinese goes from the dropped files over verdict, runbook and report to the closed case.

Names, log lines, commands and configuration stay as they are; whatever else is read on the way is Chinese.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.journeys.accessibility import grave_faults
from tests.journeys.conftest import ONE_HOT_KEY, WIDE, go, new_tab, shot
from tests.journeys.walking import CASE_PAGE, UPLOAD_MS, VERDICT_MS, choose, unfold
from tests.running_workbench import RunningWorkbench

ENGLISH_SENTENCES = """() => {
    const verbatim = 'code, pre, kbd, script, style, textarea, template, .mono, .evidence';
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
        const text = walker.currentNode.textContent.trim().replace(/\\s+/g, ' ');
        const parent = walker.currentNode.parentElement;
        if (/(\\b[a-z]{2,}[ ,.]+){4}/.test(text) && !parent.closest(verbatim)) found.push(text);
    }
    return found;
}"""
"""Four words in small letters in a row are a sentence: names of Flink, options and metrics have fewer."""


@pytest.fixture
def page(browser: Browser, workbench: RunningWorkbench, signed_in: dict[str, object]) -> Iterator[Page]:
    """A tab of somebody whose browser asks for Chinese; at the end no page may have complained."""
    complaints: list[str] = []
    opened = new_tab(browser, workbench.address, signed_in, complaints, locale="zh-CN")
    yield go(opened, "/cases/new/", WIDE, "light")
    opened.context.close()
    assert complaints == []


def is_chinese(page: Page, name: str) -> None:
    """The page states its language, has no grave fault, and no English sentence is left on it."""
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    unfold(page)
    shot(page, f"chinese-{name}")
    assert page.evaluate(ENGLISH_SENTENCES) == []
    assert grave_faults(page) == []


def test_from_dropped_files_to_the_closed_case(page: Page) -> None:
    is_chinese(page, "new-case")
    page.get_by_label("标题").fill("订单作业延迟")
    choose(page, ONE_HOT_KEY)
    start = page.get_by_role("button", name="诊断", exact=True)
    expect(start).to_be_enabled(timeout=UPLOAD_MS)
    start.click()
    page.wait_for_url(CASE_PAGE)
    expect(page.locator("#verdict-title")).to_have_text("数据倾斜", timeout=VERDICT_MS)
    case = page.url.partition("#")[0]
    is_chinese(page, "case")

    page.locator("[data-go=r]").click()
    is_chinese(page, "runbook")
    step = page.locator(".step").filter(has=page.locator("summary .badge.info"))
    number = step.get_attribute("id")
    with page.expect_navigation():
        step.get_by_role("button", name="完成").click()
    expect(page.locator(f"#{number}")).to_have_class(re.compile(r"\bdone\b"))

    page.goto(case)
    page.get_by_role("link", name="报告", exact=True).click()
    is_chinese(page, "report")
    expect(page.get_by_role("heading", name="“订单作业延迟”的报告")).to_be_visible()

    page.goto(f"{case}close/")
    is_chinese(page, "close")
    page.get_by_label("解决办法").fill("对 key 加盐后分两步聚合")
    page.get_by_role("button", name="关闭案例").click()
    expect(page.get_by_text("确认的原因\uff1a数据倾斜").first).to_be_visible()

    page.goto("/?text=加盐")
    expect(page.locator(".case-row")).to_contain_text("订单作业延迟")
