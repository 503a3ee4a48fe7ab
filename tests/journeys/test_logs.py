"""From the verdict into the logs: an engineer who knows lnav finds the cause, pins it and sends a link to it."""

from __future__ import annotations

import json
import re

from playwright.sync_api import Locator, Page, expect

from tests.journeys.conftest import OpenPage
from tests.journeys.walking import open_log_page
from tests.running_workbench import RunningWorkbench


def test_the_cause_is_found_in_the_logs_with_the_keys_of_lnav(
    open_page: OpenPage, workbench: RunningWorkbench, demo_said: str
) -> None:
    opened = re.search(r"Opened #(\d+)", demo_said)
    assert opened, demo_said
    case = f"{workbench.address}/cases/{opened[1]}/"
    page = open_page(case)
    open_log_page(page, case)
    current, records = page.locator(".log-row[aria-selected=true]"), page.locator("#totals")
    whole = records.inner_text()

    page.locator("#list").focus()
    page.keyboard.press("Control+f")
    expect(page.locator("#q")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#list")).to_be_focused()
    for times in (1, 0):
        page.keyboard.press("i")
        expect(page.locator("#histogram.folded")).to_have_count(times)
    page.keyboard.press("w")
    expect(current).to_have_class(re.compile(r"\bWARN\b"))
    the_first_error_is_marked_and_levels_filter(page)

    page.keyboard.press("/")
    page.keyboard.type("checkpoint level:warn+")
    page.keyboard.press("Enter")
    expect(records).to_contain_text(" of ")
    expect(current.locator("mark").first).to_be_visible()
    page.keyboard.press("Shift+G")
    expect(page.locator("#place")).to_contain_text(re.compile(r"Record (\d+) of \1$"))
    expect(page.locator("#panel-record .operations")).to_contain_text("checkpoint")

    page.locator("#others").check()
    expect(page.locator("#list")).not_to_have_attribute("aria-busy", "true")
    page.locator("#list").focus()
    expect(current).to_have_class(re.compile(r"\bWARN\b"))
    first = current.get_attribute("data-place")
    page.keyboard.press("Shift+O")
    expect(current).not_to_have_attribute("data-place", str(first))
    page.keyboard.press("m")
    expect(current).to_have_class(re.compile(r"\bpinned\b"))
    line = str(current.locator(".source").get_attribute("title")).rpartition(":")[2]
    expect(page).to_have_url(re.compile(rf":{line}(&|$)"))
    a_record_is_copied_and_patterns_show_samples(page, current)
    message, link = current.locator(".text").inner_text(), page.url

    page.get_by_role("button", name="Take level:warn+ away").click()
    expect(page.locator("#terms li")).to_have_count(1)
    page.goto(f"{case}logs/")
    brushed(page)
    expect(records).not_to_have_text(whole)
    page.keyboard.press("0")
    expect(records).to_have_text(whole)

    page.goto(link)
    expect(current.locator(".text")).to_have_text(message)
    page.keyboard.press("?")
    expect(page.locator("#shortcuts")).to_contain_text("next, previous error")
    page.goto(case)
    expect(page.locator("#pinned .evidence a")).to_have_count(1)
    page.locator("#pinned .evidence a").click()
    expect(current).to_have_class(re.compile(r"\bpinned\b"))


def the_first_error_is_marked_and_levels_filter(page: Page) -> None:
    current, records = page.locator(".log-row[aria-selected=true]"), page.locator("#totals")
    page.get_by_role("button", name="First error").click()
    expect(current.locator(".first-fault")).to_have_text("first error")
    first = str(current.get_attribute("data-place"))
    page.keyboard.press("e")
    expect(current).not_to_have_attribute("data-place", first)
    expect(current.locator(".first-fault")).to_have_count(0)
    page.keyboard.press("Shift+E")
    expect(current).to_have_attribute("data-place", first)
    page.keyboard.press("f")
    expect(current).not_to_have_attribute("data-place", first)

    whole = records.inner_text()
    info = page.locator("#levels button", has_text="INFO")
    info.click()
    expect(info).to_have_attribute("aria-pressed", "false")
    expect(records).to_contain_text(" of ")
    info.click()
    expect(records).to_have_text(whole)
    page.locator("#list").focus()


def a_record_is_copied_and_patterns_show_samples(page: Page, current: Locator) -> None:
    page.get_by_role("button", name="Copy the record as JSON").click()
    expect(page.locator(".toast")).to_contain_text("JSON copied")
    record = json.loads(str(page.evaluate("() => navigator.clipboard.readText()")))
    assert {"time", "level", "file", "line", "message"} <= set(record)
    page.keyboard.press("y")
    expect(page.locator(".toast")).to_contain_text("The link copied")
    page.locator("#list").focus()
    page.keyboard.press("Shift+P")
    samples = page.locator("#values li details.samples").first
    samples.locator("summary").click()
    expect(samples.locator("li a").first).to_have_attribute("title", re.compile(r":\d+$"))
    page.get_by_role("tab", name="Record", exact=True).click()
    page.locator("#list").focus()


def brushed(page: Page) -> None:
    """Drags over the middle of the histogram; the address tells the time."""
    box = page.locator("#histogram-plot svg").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 40, steps=4)
    page.mouse.up()
    page.wait_for_url(re.compile(r"from=2026-.*&to=2026-"))
