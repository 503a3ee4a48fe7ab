"""Real incidents, brought to the browser as a folder or a zip, each give the right verdict with its evidence.

One goes on to "fix verified": a second snapshot ticks steps of the runbook and proves the change.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import CORPUS, OpenPage, shot
from tests.journeys.walking import (
    VERDICT_MS,
    all_stored,
    ask_for_diagnosis,
    choose,
    unfold,
    verdict,
    walk_the_runbook,
    without_truth,
    zipped,
)

INCIDENTS = [
    ("data_skew-a", "data_skew", "folder"),
    ("resource_shortage-a", "resource_shortage", "zip"),
    ("out_of_order_events-a", "out_of_order_events", "folder"),
    ("slow_dimension_join-a", "slow_dimension_join", "zip"),
    ("healthy-a", "healthy", "zip"),
]
"""Each comes once, in one shape: an analysis of real evidence is what these tests spend their time on. Slow uploads
come with the run after their repair, in a test of their own."""
THERE = [each for each in INCIDENTS if (CORPUS / each[0]).is_dir()]
SLOW_UPLOAD, REPAIRED = CORPUS / "rocksdb_slow_upload-a", CORPUS / "rocksdb_slow_upload-a-after"


@pytest.mark.parametrize(("case", "expected", "shape"), THERE)
def test_an_incident_gets_the_right_verdict(
    open_page: OpenPage, tmp_path: Path, case: str, expected: str, shape: str
) -> None:
    # A neutral name: nothing may be read out of it.
    folder = without_truth(CORPUS / case, tmp_path / "incident")
    page = open_page("/cases/new/")
    diagnosed_rightly(page, zipped(folder) if shape == "zip" else folder, expected)
    if shape == "folder":
        charts_draw(page)
    shot(page, f"case-{case}-wide-light")
    if expected != "healthy":
        a_runbook_leads_to_its_end(page, case)
        evidence_opens_at_its_line(page)


@pytest.mark.skipif(not (SLOW_UPLOAD.is_dir() and REPAIRED.is_dir()), reason="the corpus is not on this machine")
def test_a_repair_is_verified_by_a_second_snapshot(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page("/cases/new/")
    diagnosed_rightly(page, zipped(without_truth(SLOW_UPLOAD, tmp_path / "incident")), "rocksdb_slow_upload")
    case = page.url.partition("#")[0]

    add_snapshot(page, "Incremental checkpoints, a faster volume", REPAIRED, tmp_path)
    expect(page.get_by_role("heading", name="Fix verified")).to_be_visible()
    shot(page, "fix-verified-wide-light")

    page.goto(f"{case}?snapshot=1")
    page.locator("[data-go='r']").click()
    expect(page.locator(".step summary .badge", has_text="of snapshot 2")).to_have_count(3)

    page.get_by_role("link", name="What if").click()
    page.get_by_role("link", name="Incremental checkpoints and upload bandwidth").click()
    page.get_by_label("Upload bandwidth", exact=True).fill("100")
    expect(page.locator("#result")).to_contain_text("fits into half of the timeout")

    page.goto(f"{case}?snapshot=1")
    a_runbook_leads_to_its_end(page, SLOW_UPLOAD.name)
    evidence_opens_at_its_line(page)


def diagnosed_rightly(page: Page, evidence: Path, expected: str) -> None:
    """Brings the files to the page of a new case and reads the right verdict, each of its findings with evidence."""
    choose(page, evidence)
    all_stored(page)
    ask_for_diagnosis(page)
    document = verdict(page)
    assert document["verdict"]["symptom_class"] == expected
    for finding in document["findings"]:
        assert finding["evidence"], f"{finding['title']} has no evidence"
    sentence = page.locator(".verdict .sentence").inner_text().strip()
    assert sentence
    assert document["verdict"]["summary"].startswith(sentence)


def add_snapshot(page: Page, change: str, evidence: Path, folder: Path) -> None:
    """Brings what was seen after a change, from the case's page, and opens the comparison with what was before."""
    page.get_by_role("button", name="Verify a change").click()
    page.get_by_label("What was changed").fill(change)
    page.get_by_role("button", name="Add its files").click()
    expect(page.get_by_text(f"Snapshot 2: {change}")).to_be_visible()
    choose(page, zipped(without_truth(evidence, folder / "later")))
    all_stored(page)
    ask_for_diagnosis(page)
    compare = page.get_by_role("link", name="Was it fixed? Compare 1 with 2")
    expect(compare).to_be_visible(timeout=VERDICT_MS)
    compare.click()


def charts_draw(page: Page) -> None:
    """Every chart with data draws something when it comes into view."""
    unfold(page)
    charts = page.locator(".chart")
    assert charts.count() > 0
    for place in range(charts.count()):
        chart = charts.nth(place)
        chart.scroll_into_view_if_needed()
        expect(chart.locator(".plot")).not_to_have_class(re.compile("waiting"))
        expect(chart.locator("svg.main-svg").first).to_be_visible()
    # Plotly would offer to send a chart to its own cloud.
    titles = page.locator(".modebar-btn").evaluate_all("buttons => buttons.map(each => each.dataset.title)")
    assert titles
    assert not [each for each in titles if "share" in each.lower() or "cloud" in each.lower()]


def a_runbook_leads_to_its_end(page: Page, case: str) -> None:
    """Each step of the root cause's runbook is filled in and ticked, from the first to the last."""
    address = page.url
    assert walk_the_runbook(page)
    shot(page, f"runbook-done-{case}-wide-light")
    page.goto(address)
    settled = page.locator(".verdict .next").inner_text()
    assert re.search(r"(\d+) of \1 steps? done", settled), settled


def evidence_opens_at_its_line(page: Page) -> None:
    """A click on an evidence line shows exactly that line, marked and in view: a record among the others, or a line."""
    unfold(page)
    link = page.locator(".finding.root .evidence a").first
    assert link.locator(".text").inner_text().strip()
    place = str(link.get_attribute("href"))
    link.click()
    if place.endswith("#value"):
        expect(page.locator(".pointed")).to_be_in_viewport()
        return
    number = re.search(r":(\d+)$|#L(\d+)$", place)
    assert number
    cited = page.locator("tr.cited, .log-row[aria-selected=true]").first
    expect(cited).to_be_in_viewport()
    expect(page).to_have_url(re.compile(rf"(:|#L){number[1] or number[2]}$"))
