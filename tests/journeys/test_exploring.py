"""The engineer looks for themselves: one brush over everything, two stretches compared, flame graphs by their keys."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.journeys.conftest import OpenPage
from tests.journeys.walking import open_log_page, unfold

RANGE = re.compile(r"from=[\d-]+T[\d:.]+Z&to=[\d-]+T[\d:.]+Z")


def test_one_brush_leads_through_charts_numbers_findings_and_stacks(open_page: OpenPage, hot_key_case: str) -> None:
    page = open_page("/")
    open_log_page(page, hot_key_case)
    an_address_of_grafana_is_understood(page, hot_key_case)
    charts_follow_the_brush(page)
    numbers_and_findings_follow(page)
    the_range_is_copied_pasted_and_taken_back(page)
    a_task_of_the_graph_opens_its_subtasks(page)
    a_chart_and_a_finding_are_taken_along(page)
    two_stretches_are_compared(page)
    anything_is_reached_by_its_name(page)
    paper_holds_the_charts(page)
    page.goto(str(page.get_by_role("link", name="Search, compare, threads").get_attribute("href")))
    a_flame_graph_has_the_keys_of_its_kind(page)
    stacks_are_taken_out_and_compared(page)
    a_part_of_the_time_is_chosen_from_the_grid(page)


def test_a_comparison_without_its_marks_shows_the_whole_profile_and_says_so(
    open_page: OpenPage, hot_key_case: str
) -> None:
    page = open_page(hot_key_case)
    flames = str(page.locator("a[href*='/profiles/']").first.get_attribute("href")).partition("?")[0]
    page.goto(f"{flames}?against=brushes")
    summary = page.locator("[data-flame=summary]")
    expect(summary).to_contain_text("No bad and normal range is marked on the charts: this is the whole profile.")
    expect(summary).to_contain_text("samples")


def an_address_of_grafana_is_understood(page: Page, case: str) -> None:
    page.goto(f"{case}?from=1795200000000&to=1795300000000")
    page.wait_for_url(RANGE)
    page.keyboard.press("0")
    page.wait_for_url(lambda url: "from=" not in url)
    a_folded_chart_is_reached_by_its_address(page, case)
    unfold(page)


def a_folded_chart_is_reached_by_its_address(page: Page, case: str) -> None:
    chart = page.locator("#chart-garbage-collection")
    expect(chart).to_be_hidden()
    page.goto(f"{case}#chart-garbage-collection")
    expect(chart).to_be_in_viewport()


def dragged(page: Page, area: Locator, first: float, last: float) -> None:
    """Drags over a part of it, from one share of its width to another; what sticks to the top may not lie over it."""
    area.evaluate("area => area.scrollIntoView({ block: 'center' })")
    box = area.bounding_box()
    assert box
    height = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * first, height)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * last, height, steps=5)
    page.mouse.up()


def drawn(page: Page, name: str) -> Locator:
    """The chart, once it is drawn."""
    chart = page.locator(f"#chart-{name}")
    chart.scroll_into_view_if_needed()
    expect(chart.locator("svg.main-svg").first).to_be_visible()
    return chart


SHOWN_MS = """plot => plot.layout.xaxis.range.map(
    (end) => (typeof end === 'number' ? end : Date.parse(`${end.replace(' ', 'T')}Z`)))"""
"""Plotly writes the range of the chart that was dragged over as dates, those of the others are numbers."""


def charts_follow_the_brush(page: Page) -> None:
    names = ("checkpoint-history", "log-volume")
    charts = [drawn(page, name) for name in names]
    dragged(page, charts[1].locator(".nsewdrag").first, 0.3, 0.6)
    page.wait_for_url(RANGE)
    ranges = []
    for chart in charts:
        # What cannot be seen follows when it is seen.
        chart.scroll_into_view_if_needed()
        expect(chart).not_to_have_attribute("data-stale", re.compile(".*"))
        ranges.append(chart.locator(".plot").evaluate(SHOWN_MS))
    assert len({tuple(round(end) for end in each) for each in ranges}) == 1
    the_instant_is_shown_in_every_chart(page)
    marks = charts[1].locator(".finding-marks i")
    assert marks.count() == page.locator(".finding[data-began]").count() > 0
    expect(marks.first).to_have_attribute("title", re.compile(", began 2026-"))


def the_instant_is_shown_in_every_chart(page: Page) -> None:
    drawn(page, "garbage-collection")
    area = drawn(page, "metrics").locator(".nsewdrag").first
    # In the middle of the window, so that a part of the next chart over time is in it too.
    area.evaluate("area => area.scrollIntoView({ block: 'center' })")
    area.hover()
    area.hover(position={"x": 40, "y": 40})
    page.wait_for_function(
        """() => {
            const lines = [...document.querySelectorAll('.crosshair')].filter((line) => {
                const { bottom, top } = line.getBoundingClientRect();
                return line.checkVisibility() && bottom > 0 && top < innerHeight;
            });
            return lines.length > 1 && new Set(lines.map((line) => line.dataset.time)).size === 1;
        }"""
    )


def numbers_and_findings_follow(page: Page) -> None:
    chart = page.locator("#chart-log-volume")
    chart.get_by_role("button", name="Data").click()
    expect(chart.locator(".data caption")).to_contain_text("outside it")
    narrowed = chart.locator(".data tbody tr").count()
    for link in chart.locator("[data-download]").all():
        assert "from=" in str(link.get_attribute("href"))
    page.keyboard.press("Control+z")
    expect(chart.locator(".data caption")).not_to_contain_text("outside it")
    assert chart.locator(".data tbody tr").count() > narrowed
    chart.get_by_role("button", name="INFO").click()
    expect(chart.locator("th[aria-sort=descending]")).to_have_text("INFO")
    counts = [int(each) for each in chart.locator(".data tbody td:nth-child(4)").all_inner_texts()]
    assert counts == sorted(counts, reverse=True)
    chart.get_by_text("Columns").click()
    chart.get_by_label("TRACE").uncheck()
    expect(chart.locator("thead th:visible")).to_have_count(5)

    expect(page.locator(".finding.outside")).to_have_count(0)
    dragged(page, page.locator("#chart-log-volume .nsewdrag").first, 0.005, 0.02)
    expect(page.locator(".finding.outside").first).to_be_attached()


def the_range_is_copied_pasted_and_taken_back(page: Page) -> None:
    page.wait_for_url(RANGE)
    chosen = RANGE.findall(page.url)
    page.keyboard.press("t")
    page.keyboard.press("c")
    expect(page.locator(".toast")).to_contain_text("Copied")
    page.keyboard.press("0")
    page.wait_for_url(lambda url: "from=" not in url)
    page.keyboard.press("t")
    page.keyboard.press("v")
    page.wait_for_url(RANGE)
    assert RANGE.findall(page.url) == chosen
    page.keyboard.press("Escape")
    page.wait_for_url(lambda url: "from=" not in url)
    area = page.locator("#chart-log-volume .nsewdrag").first
    dragged(page, area, 0.2, 0.5)
    page.wait_for_url(RANGE)
    # A chart that is drawn anew takes two clicks for one each.
    expect(page.locator("#chart-log-volume")).not_to_have_attribute("data-stale", re.compile(".*"))
    area.dblclick()
    page.wait_for_url(lambda url: "from=" not in url)


def a_task_of_the_graph_opens_its_subtasks(page: Page) -> None:
    chart = drawn(page, "job-graph")
    area = chart.locator(".nsewdrag").first.bounding_box()
    assert area
    # On the task's name: all of its box can be clicked.
    page.mouse.click(area["x"] + 0.05 * area["width"], area["y"] + 40)
    page.wait_for_url(re.compile("chart-job-graph="))
    expect(chart.locator(".data thead")).to_contain_text("watermark lag")
    told = chart.locator(".data tbody tr").first.locator("td").nth(1).inner_text()
    expect(chart.locator(".summary")).to_contain_text(told)


def a_chart_and_a_finding_are_taken_along(page: Page) -> None:
    chart = page.locator("#chart-log-volume")
    levels = chart.locator(".legend .traces")
    count = levels.count()
    levels.filter(has_text="INFO").first.locator(".legendtoggle").click()
    expect(levels.filter(has_text="INFO").first).to_have_css("opacity", "0.5")
    assert count > 1, "a legend of one has nothing to leave out"
    levels.filter(has_text="INFO").first.locator(".legendtoggle").click()
    expect(levels.filter(has_text="INFO").first).to_have_css("opacity", "1")
    chart.get_by_text("Export", exact=True).click()
    with page.expect_download() as picture:
        chart.get_by_role("button", name="PNG").click()
    assert picture.value.suggested_filename == "chart-log-volume.png"
    assert Path(picture.value.path()).read_bytes().startswith(b"\x89PNG")
    chart.get_by_text("Export", exact=True).click()
    with page.expect_download() as drawing:
        chart.get_by_role("button", name="SVG").click()
    assert Path(drawing.value.path()).read_bytes().startswith(b"<svg")
    chart.get_by_text("Export", exact=True).click()
    with page.expect_download() as numbers:
        chart.get_by_role("link", name="JSON").click()
    assert "rows" in json.loads(Path(numbers.value.path()).read_bytes())

    chart.get_by_role("button", name="Copy as Markdown").click()
    expect(page.locator(".toast")).to_have_text("Copied as Markdown.")
    head, rule, first = copied(page).splitlines()[:3]
    assert "TRACE" not in head, "the column was taken away"
    assert head.count("|") == rule.count("|") == first.count("|") == 6
    page.locator(".toast").evaluate("toast => toast.remove()")
    page.locator(".finding.root").get_by_role("link", name="Copy as Markdown").click()
    expect(page.locator(".toast")).to_have_text("Copied as Markdown.")
    assert copied(page).startswith("### Root cause: ")
    assert "#finding-0>" in copied(page)


def copied(page: Page) -> str:
    """What lies in the clipboard."""
    return str(page.evaluate("() => navigator.clipboard.readText()"))


def two_stretches_are_compared(page: Page) -> None:
    for name, (first, last) in {"normal": (0.1, 0.3), "bad": (0.6, 0.9)}.items():
        dragged(page, page.locator("#chart-log-volume .nsewdrag").first, first, last)
        page.wait_for_url(RANGE)
        page.get_by_role("button", name=name, exact=True).click()
        page.keyboard.press("0")
    changes = page.locator("#changes")
    expect(changes.get_by_role("heading", name="Log templates")).to_be_visible()
    expect(changes.get_by_role("heading", name="Frames")).to_be_visible()
    expect(changes.locator("[data-show-metric]").first).to_be_visible()
    expect(page.locator("#chart-log-volume .mark-bad")).to_be_attached()
    assert {"normal=", "bad="} <= set(re.findall(r"(?:normal|bad)=", page.url))
    page.get_by_label("Times in").select_option("browser")
    page.wait_for_url(re.compile("tz=browser"))


def anything_is_reached_by_its_name(page: Page) -> None:
    page.keyboard.press("Control+k")
    page.keyboard.type("chart heap")
    page.keyboard.press("Enter")
    expect(page.locator("#chart-garbage-collection")).to_be_focused()
    page.keyboard.press("?")
    expect(page.locator("#shortcuts")).to_contain_text("copy, paste the time range")
    page.keyboard.press("Escape")


def paper_holds_the_charts(page: Page) -> None:
    page.emulate_media(media="print")
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    widths = page.locator("#chart-log-volume svg.main-svg").evaluate_all("all => all.map((each) => each.clientWidth)")
    assert max(widths) <= 700
    expect(page.locator(".plot.waiting")).to_have_count(0)
    expect(page.locator(".topbar")).to_be_hidden()
    page.emulate_media(media="screen")
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")


def a_flame_graph_has_the_keys_of_its_kind(page: Page) -> None:
    summary, matched = page.locator("[data-flame=summary]"), page.locator("[data-flame=matched]")
    expect(summary).to_contain_text("samples")
    graph = page.locator("[data-flame=graph]")
    graph.focus()
    page.keyboard.press("Control+f")
    search = page.get_by_label("Search frames")
    expect(search).to_be_focused()
    page.keyboard.type("runMailboxLoop|Task")
    expect(matched).to_contain_text(re.compile(r"Matched [\d.]+ %"))
    page.wait_for_url(re.compile("q=runMailboxLoop"))
    graph.focus()
    page.keyboard.press("n")
    expect(matched).to_contain_text("frame 1 of")
    page.keyboard.press("Shift+N")
    expect(matched).to_contain_text(re.compile(r"frame (\d+) of \1"))
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("zoom="))
    graph.locator("canvas").click(position={"x": 30, "y": 8})
    page.wait_for_url(lambda url: "zoom=" not in url)
    graph.locator("canvas").click(position={"x": 30, "y": 27})
    page.wait_for_url(re.compile("zoom="))
    page.keyboard.press("Escape")
    expect(search).to_have_value("")
    graph.focus()
    page.keyboard.press("0")
    page.wait_for_url(lambda url: "zoom=" not in url)
    inverted = page.locator("[data-flame=invert]")
    page.keyboard.press("i")
    expect(inverted).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("i")
    for view in ("table", "graph"):
        page.keyboard.press("t")
        expect(page.locator("#flame-page")).to_have_attribute("data-view", view)
    page.keyboard.press("ArrowDown")
    expect(page.locator("[data-flame=numbers]")).to_contain_text("of all")
    page.keyboard.press("s")
    expect(page.locator("[data-flame=sandwiched]")).to_contain_text(".")
    page.keyboard.press("?")
    expect(page.locator("#shortcuts")).to_contain_text("take a stack out")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Both").click()


def stacks_are_taken_out_and_compared(page: Page) -> None:
    summary, graph = page.locator("[data-flame=summary]"), page.locator("[data-flame=graph]")
    graph.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Delete")
    expect(summary).to_contain_text("1 stack taken out")
    expect(summary).to_contain_text(re.compile(r"^0 samples"))
    graph.focus()
    page.keyboard.press("0")
    expect(summary).not_to_contain_text("taken out")
    graph.locator("canvas").click(position={"x": 30, "y": 27}, modifiers=["Alt"])
    expect(summary).to_contain_text("1 stack taken out")
    graph.focus()
    page.keyboard.press("0")
    expect(summary).not_to_contain_text("taken out")
    page.locator("[data-flame=cpu]").select_option("on")
    page.wait_for_url(re.compile("cpu=on"))
    expect(summary).to_contain_text(re.compile(r"0\.0 % of them off-CPU"))
    page.locator("[data-flame=cpu]").select_option("")
    page.get_by_label("Compare with").select_option(label="all samples of the same source, this case")
    expect(summary).to_contain_text("Compared with")
    expect(page.locator("[data-legend=diff]").first).to_be_visible()
    page.get_by_label("Width").select_option("lost")
    page.get_by_label("blue and orange").check()
    expect(page.get_by_role("button", name="Change")).to_be_visible()
    page.wait_for_url(re.compile("width=lost&palette=safe"))
    page.reload()
    expect(page.get_by_label("Width")).to_have_value("lost")
    expect(page.get_by_label("blue and orange")).to_be_checked()
    page.get_by_label("Compare with").select_option("")
    expect(summary).not_to_contain_text("Compared with")


def a_part_of_the_time_is_chosen_from_the_grid(page: Page) -> None:
    summary, cells = page.locator("[data-flame=summary]"), page.locator(".heat-grid .cells").first
    expect(cells).to_be_visible()
    whole = summary.inner_text()
    dragged(page, cells, 0.001, 0.2)
    page.wait_for_url(RANGE)
    expect(summary).to_contain_text("Only samples of")
    page.get_by_role("button", name="Whole time").click()
    expect(summary).to_have_text(whole)


@pytest.mark.parametrize("path", ["/", "/rules/", "/cases/new/"])
def test_every_page_lists_its_keys_and_goes_anywhere(open_page: OpenPage, path: str) -> None:
    page = open_page(path)
    page.keyboard.press("?")
    expect(page.locator("#shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.keyboard.type("statistics")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/history/"))
