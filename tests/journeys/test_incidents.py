"""Real incidents, dragged into the browser as a folder or a zip, each give the right verdict with its evidence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import CORPUS, OpenPage, shot
from tests.journeys.walking import (
    all_stored,
    ask_for_diagnosis,
    choose,
    verdict,
    walk_the_runbook,
    without_truth,
    zipped,
)

INCIDENTS = [
    ("rocksdb_slow_upload-a", "rocksdb_slow_upload", "zip"),
    ("data_skew-a", "data_skew", "folder"),
    ("resource_shortage-a", "resource_shortage", "zip"),
    ("out_of_order_events-a", "out_of_order_events", "folder"),
    ("slow_dimension_join-a", "slow_dimension_join", "zip"),
    ("healthy-a", "healthy", "zip"),
]
"""Each comes once, in one shape: an analysis of real evidence is what these tests spend their time on."""
THERE = [each for each in INCIDENTS if (CORPUS / each[0]).is_dir()]


@pytest.mark.parametrize(("case", "expected", "shape"), THERE)
def test_an_incident_gets_the_right_verdict(
    open_page: OpenPage, tmp_path: Path, case: str, expected: str, shape: str
) -> None:
    # A neutral name: nothing may be read out of it.
    folder = without_truth(CORPUS / case, tmp_path / "incident")
    page = open_page("/cases/new/")
    choose(page, zipped(folder) if shape == "zip" else folder)
    all_stored(page)
    ask_for_diagnosis(page)
    document = verdict(page)

    assert document["verdict"]["symptom_class"] == expected
    for finding in document["findings"]:
        assert finding["evidence"], f"{finding['title']} has no evidence"
    sentence = page.locator(".verdict .sentence").inner_text().strip()
    assert sentence
    assert document["verdict"]["summary"].startswith(sentence)
    if shape == "folder":
        charts_draw(page)
    shot(page, f"case-{case}-wide-light")
    if expected != "healthy":
        a_runbook_leads_to_its_end(page, case)
        evidence_opens_at_its_line(page)


def charts_draw(page: Page) -> None:
    """Every chart with data draws something when it comes into view."""
    charts = page.locator(".chart")
    assert charts.count() > 0
    for place in range(charts.count()):
        chart = charts.nth(place)
        chart.scroll_into_view_if_needed()
        expect(chart.locator(".plot")).not_to_have_class(re.compile("waiting"))
        expect(chart.locator("svg.main-svg").first).to_be_visible()


def a_runbook_leads_to_its_end(page: Page, case: str) -> None:
    """Each step of the root cause's runbook is filled in and ticked, from the first to the last."""
    address = page.url
    assert len(walk_the_runbook(page)) > 1
    shot(page, f"runbook-done-{case}-wide-light")
    page.goto(address)
    settled = page.locator(".verdict .next").inner_text()
    assert re.search(r"(\d+) of \1 steps done", settled), settled


def evidence_opens_at_its_line(page: Page) -> None:
    """A click on an evidence line shows exactly that line, marked and in view: a record among the others, or a line."""
    link = page.locator(".finding.root .evidence a").first
    assert link.locator(".text").inner_text().strip()
    number = re.search(r":(\d+)$|#L(\d+)$", str(link.get_attribute("href")))
    assert number
    link.click()
    cited = page.locator("tr.cited, .log-row[aria-selected=true]").first
    expect(cited).to_be_in_viewport()
    expect(page).to_have_url(re.compile(rf"(:|#L){number[1] or number[2]}$"))
