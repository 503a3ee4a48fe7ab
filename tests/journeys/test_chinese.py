"""A reader of Chinese goes from the dropped files over verdict, runbook and report to the closed case, and sees no
English sentence on these and all other pages; a reader of English sees no Chinese on them.

Names, log lines, commands and configuration stay as they are; whatever else is read on the way is Chinese.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.accessibility import grave_faults
from tests.journeys.conftest import NARROW, ONE_HOT_KEY, WIDE, NewTab, go
from tests.journeys.languages import is_chinese, is_english
from tests.journeys.walking import CASE_PAGE, UPLOAD_MS, VERDICT_MS, choose

TITLE, SOLUTION = "订单作业延迟", "对 key 加盐后分两步聚合"
"""What the reader writes, which everybody sees as it was written."""

PAGES = {
    "cases": "/",
    "no-case-found": "/?text=nothing-like-this",
    "new-case": "/cases/new/",
    "files": "{case}files/",
    "logs": "{case}logs/?q=-level:info",
    "alert-rules": "/prevention/{number}/",
    "walk-through": "/runbooks/how-it-works/aligned-barriers/",
    "walk-throughs": "/runbooks/how-it-works/",
    "articles": "/runbooks/articles/",
    "import": "/reports/import/",
    "numbers": "/history/",
    "jobs": "/history/jobs/",
    "fleet": "/fleet/",
    "clusters": "/clusters/",
    "channels": "/channels/",
    "alerts": "/alerts/",
    "alert-sources": "/alerts/sources/",
    "drills": "/drills/",
    "search-in-all-logs": "/logs/?q=level:warn%2B",
    "rules": "/rules/",
    "rule": "/rules/sink.origin/",
    "rule-new": "/rules/new/",
    "rule-editor": "/rules/skew.hot-subtask/edit/",
    "rule-log": "/rules/log/",
    "rule-import": "/rules/import/",
    "health": "/rules/health/",
    "glossary": "/rules/glossary/",
    "runbooks": "/rules/runbooks/",
    "limits": "/limits/",
    "disk": "/space/",
    "people": "/people/",
    "person": "/people/1/",
    "tokens": "/tokens/",
    "password": "/password/",
    "sign-in": "/sign-in/",
    "audit": "/audit/",
    "api": "/api/v1/docs/",
}


@pytest.fixture(scope="module")
def tab(new_tab: NewTab) -> Iterator[tuple[Page, list[str]]]:
    """One tab of somebody whose browser asks for Chinese, and what its pages complained about."""
    complaints: list[str] = []
    page = new_tab(complaints, locale="zh-CN")
    yield page, complaints
    page.close()


@pytest.fixture
def page(tab: tuple[Page, list[str]]) -> Iterator[Page]:
    """The tab; at the end no page may have complained."""
    opened, complaints = tab
    complaints.clear()
    yield opened
    assert complaints == []


def test_from_dropped_files_to_the_closed_case(page: Page) -> None:
    go(page, "/cases/new/", NARROW, "light")
    page.get_by_label("标题").fill(TITLE)
    choose(page, ONE_HOT_KEY)
    start = page.get_by_role("button", name="诊断", exact=True)
    expect(start).to_be_enabled(timeout=UPLOAD_MS)
    start.click()
    page.wait_for_url(CASE_PAGE)
    expect(page.locator("#verdict-title")).to_have_text("数据倾斜", timeout=VERDICT_MS)
    case = page.url.partition("#")[0]
    is_chinese(page, "case")
    assert grave_faults(page) == []

    page.locator("[data-go=r]").click()
    is_chinese(page, "runbook")
    assert grave_faults(page) == []
    step = page.locator(".step").filter(has=page.locator("summary .badge.info"))
    number = step.get_attribute("id")
    with page.expect_navigation():
        step.get_by_role("button", name="完成").click()
    expect(page.locator(f"#{number}")).to_have_class(re.compile(r"\bdone\b"))

    page.goto(case)
    page.get_by_role("link", name="报告", exact=True).click()
    is_chinese(page, "report")
    assert grave_faults(page) == []
    expect(page.get_by_role("heading", name=f"“{TITLE}”的报告")).to_be_visible()

    page.goto(f"{case}close/")
    is_chinese(page, "close")
    assert grave_faults(page) == []
    page.get_by_label("解决办法").fill(SOLUTION)
    page.get_by_role("button", name="关闭案例").click()
    expect(page.get_by_text("确认的原因\uff1a数据倾斜").first).to_be_visible()

    page.goto("/?text=加盐")
    expect(page.locator(".case-row")).to_contain_text(TITLE)


def test_what_plotly_itself_says_is_chinese(page: Page, hot_key_case: str) -> None:
    go(page, hot_key_case, WIDE, "light")
    chart = page.locator(".chart").first
    chart.scroll_into_view_if_needed()
    expect(chart.locator("svg.main-svg").first).to_be_visible()
    buttons = chart.locator(".modebar-btn").evaluate_all("buttons => buttons.map(each => each.dataset.title)")
    assert buttons
    assert [each for each in buttons if not re.search("[\u4e00-\u9fff]", each)] == []
    chart.locator(".plot").evaluate("plot => Plotly.Fx.hover(plot, [{ curveNumber: 0, pointNumber: 0 }])")
    expect(chart.locator(".hovertext").first).to_contain_text(re.compile("[\u4e00-\u9fff]"))
    expect(page.locator(".finding-marks i").first).to_have_attribute("title", re.compile("\uff0c始于 2026-"))


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_in_the_language_of_its_reader(page: Page, hot_key_case: str, name: str) -> None:
    number = hot_key_case.rstrip("/").rpartition("/")[2]
    path = PAGES[name].format(case=f"/cases/{number}/", number=number)
    go(page, path, NARROW, "light")
    is_chinese(page, name)
    is_english(page, path, TITLE, SOLUTION)
