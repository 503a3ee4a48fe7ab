"""What the history is for: many cases at once, a drill on a past one, and a case that runs again elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.journeys.conftest import NARROW, OpenPage, shot
from tests.journeys.walking import unfold, verdict

FAULTS = Path(__file__).with_name("page_faults.js").read_text("utf-8")


def test_many_cases_are_searched_changed_together_and_restored(open_page: OpenPage) -> None:
    page = open_page("/")
    token = str(page.locator("meta[name=csrf-token]").get_attribute("content"))
    headers = {"X-CSRFToken": token, "Accept": "application/json"}
    for number in range(3):
        sent = page.request.post("/cases/new/", form={"title": f"Nightshift {number}"}, headers=headers)
        assert sent.ok

    page.goto("/")
    page.get_by_label("Search", exact=True).fill("nightshift")
    page.get_by_role("button", name="Find").click()
    rows = page.locator(".case-row")
    expect(rows).to_have_count(3)
    rows.nth(0).get_by_role("checkbox").check()
    rows.nth(1).get_by_role("checkbox").check()
    page.locator("#bulk-status").select_option("investigating")
    page.get_by_role("button", name="Set status").click()
    expect(page.get_by_text("2 cases: investigating now.")).to_be_visible()

    page.locator(".facet", has_text="Investigating").click()
    expect(rows).to_have_count(2)
    page.get_by_role("link", name="Keep this view").click()
    page.get_by_label("Name").fill("Tonight")
    page.get_by_role("button", name="Keep", exact=True).click()
    view = page.get_by_role("navigation", name="Views of the list").get_by_role("link", name="Tonight")
    expect(view).to_have_attribute("aria-current", "page")

    page.goto("/?text=nightshift")
    page.get_by_label("All on this page").check()
    page.locator("#bulk-status").select_option("verifying")
    page.get_by_role("button", name="Set status").click()
    expect(page.locator(".facet", has_text="Verifying")).to_contain_text("3")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Taken back for 3 cases.")).to_be_visible()
    page.get_by_role("navigation", name="Views of the list").get_by_role("link", name="Tonight").click()
    expect(rows).to_have_count(2)


def test_a_case_runs_again_from_its_bundle_and_is_drilled(
    open_page: OpenPage, hot_key_case: str, tmp_path: Path
) -> None:
    page = open_page(hot_key_case)
    first = verdict(page)
    number = hot_key_case.rstrip("/").rpartition("/")[2]
    for form in ("report.pdf", "report.html", "bundle.zip"):
        (tmp_path / form).write_bytes(page.request.get(f"/reports/{number}/{form}").body())
    the_report_opens_alone(open_page, tmp_path / "report.html")

    page.goto("/reports/import/")
    page.get_by_label("Bundle").set_input_files(tmp_path / "bundle.zip")
    page.get_by_role("button", name="Open it").click()
    again = verdict(page)
    copy = page.url.partition("#")[0]
    # Spark read the files anew; only how long that took may differ.
    assert {**again, "timing": None} == {**first, "timing": None}

    page.goto(copy)
    unfold(page)
    page.get_by_label("What is to be done").fill("An alert on the share of one subtask")
    page.get_by_label("Due").fill("2030-01-02")
    page.get_by_role("button", name="Add the action").click()
    page.get_by_role("button", name="Done: An alert on the share").click()
    expect(page.locator(".follow-ups .done")).to_contain_text("An alert on the share of one subtask")
    page.get_by_role("link", name="Close case").click()
    closing = page.locator("#close-case")
    closing.get_by_label("Confirmed cause").select_option("data_skew")
    closing.get_by_label("What fixed it").fill("Salted the key")
    closing.get_by_role("button", name="Close the case").click()
    page.get_by_role("link", name="Let somebody drill with it").click()
    drill(page, copy)


def drill(page: Page, case: str) -> None:
    """From the start of the clock to the result; meanwhile the case is out of sight."""
    page.get_by_role("button", name="Start the clock").click()
    expect(page.locator("#drill-clock")).to_have_text(re.compile(r"^\d+:\d\d$"))
    assert "One hot key" not in page.content()
    hidden = page.request.get(case)
    assert hidden.status == 404
    listed = page.request.get("/").text()
    assert f'id="case-{case.rstrip("/").rpartition("/")[2]}"' not in listed
    assert "One hot key" in listed, "the case that the bundle was made of is another one"

    while page.get_by_role("button", name=re.compile("^Look at")).count():
        page.get_by_role("button", name=re.compile("^Look at")).first.click()
    page.get_by_label("Cause").select_option("slow_sink")
    page.get_by_role("button", name="I suspect it").click()
    expect(page.get_by_text("Suspected so far")).to_be_visible()
    assert page.evaluate(FAULTS) == []
    shot(page, "drill-wide-light")
    page.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(FAULTS) == []
    shot(page, "drill-narrow-dark")

    page.get_by_label("Cause").select_option("data_skew")
    page.get_by_role("button", name="It is the cause").click()
    expect(page.get_by_role("heading", name="Right")).to_be_visible()
    assert page.evaluate(FAULTS) == []
    shot(page, "drill-result-narrow-dark")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.emulate_media(color_scheme="light")
    assert page.evaluate(FAULTS) == []
    shot(page, "drill-result-wide-light")
    page.get_by_role("link", name="One hot key").click()
    expect(page.locator("#verdict-title")).to_be_visible()


def the_report_opens_alone(open_page: OpenPage, report: Path) -> None:
    """The HTML report shows everything from its own file: no request leaves it, and nothing in it fails."""
    page = open_page("/healthz")
    page.goto("about:blank")
    page.set_content(report.read_text("utf-8"))
    expect(page.get_by_role("heading", name="One hot key")).to_be_visible()
    faults = [each for each in page.evaluate(FAULTS) if "main part" not in each]
    assert faults == []
    shot(page, "report-file-wide-light")
