"""What people do with a case: follow the run, cancel and retry it, take runbook steps, write, close, find it again."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.benchmarks.synthetic_log import write_log
from tests.journeys.conftest import NARROW, OpenPage
from tests.journeys.walking import all_stored, ask_for_diagnosis, choose, drop, unfold, verdict
from tests.running_workbench import PROJECT

DEMO = sorted((PROJECT / "workbench" / "analyses" / "demo").glob("*.zip"))
LARGE_BYTES = 6_000_000
"""Seconds of work: a page is loaded again and a button is pressed meanwhile."""


def test_a_case_on_a_phone_is_no_longer_than_five_screens_before_its_folds(
    open_page: OpenPage, hot_key_case: str
) -> None:
    """The first of this file: later ones leave similar cases, which its page lists too."""
    page = open_page(hot_key_case, size=NARROW)
    page.locator(".key-charts .chart").first.scroll_into_view_if_needed()
    expect(page.locator(".key-charts .plot.waiting:visible")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollHeight") <= 5 * NARROW[1]

    second = page.locator(".chart-fold .chart")
    expect(second).not_to_be_visible()
    page.locator(".chart-fold > summary").click()
    expect(second).to_be_visible()


def test_a_run_survives_a_reload_and_can_be_cancelled_and_tried_again(open_page: OpenPage, tmp_path: Path) -> None:
    log = tmp_path / "taskmanager.log"
    write_log(log, LARGE_BYTES)
    page = open_page("/cases/new/")
    choose(page, log)
    all_stored(page)
    ask_for_diagnosis(page)

    expect(page.locator("#run-stages li").first).to_be_visible()
    page.reload()
    expect(page.locator("#run-bar")).to_be_visible()

    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#run-headline")).to_have_text(re.compile("ancelled"))
    page.get_by_role("button", name="Try again").click()
    verdict(page)


def test_dropped_files_are_recognised_and_one_can_be_taken_back(open_page: OpenPage, tmp_path: Path) -> None:
    log, letter = tmp_path / "jobmanager.log", tmp_path / "letter.txt"
    write_log(log, 20_000)
    letter.write_text("Dear colleague, the job is slow again.")
    page = open_page("/cases/new/")
    drop(page, [log, letter])
    all_stored(page)
    expect(page.locator(".file", has_text="jobmanager.log").locator(".format")).to_contain_text(re.compile(r"\d+ %"))
    expect(page.locator(".file", has_text="letter.txt").locator(".format")).to_contain_text("attachment")

    page.get_by_role("button", name="Remove letter.txt").click()
    expect(page.get_by_text("letter.txt was removed.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".file", has_text="letter.txt")).to_have_count(1)


def test_pasted_text_is_diagnosed(open_page: OpenPage, tmp_path: Path) -> None:
    write_log(tmp_path / "log", 20_000)
    page = open_page("/cases/new/")
    page.get_by_role("button", name="Paste text").click()
    page.get_by_label("Text from the clipboard").fill((tmp_path / "log").read_text())
    page.get_by_role("button", name="Add the text").click()
    all_stored(page)
    ask_for_diagnosis(page)
    assert verdict(page)["inputs"][0]["records"] > 0


def test_a_demo_incident_from_the_first_look_to_the_closed_case(open_page: OpenPage) -> None:
    page = open_page("/cases/new/")
    page.get_by_label("Title").fill("Orders are late")
    choose(page, DEMO[-1])
    all_stored(page)
    ask_for_diagnosis(page)
    assert verdict(page)["verdict"]["symptom_class"] == "data_skew"
    case = page.url

    page.get_by_role("link", name="Start the runbook").click()
    current = page.locator(".step").filter(has=page.locator("summary .badge.info"))
    number = current.get_attribute("id")
    current.get_by_role("link", name="Copy as Markdown").click()
    expect(page.locator(".toast")).to_have_text("Copied as Markdown.")
    copied = page.evaluate("() => navigator.clipboard.readText()")
    # Barriers took 48 s of the 60 s that a savepoint would have: the job starts again from a checkpoint.
    assert "```\ncp -alT /data/flink/c03/ckpt/" in copied
    assert "/chk-*/_metadata && /opt/flink/bin/flink cancel -m localhost:18081 " in copied
    assert "flink stop" not in copied
    current.get_by_label("Note").fill("One merchant, as expected.")
    current.get_by_role("button", name="Done").click()
    step = page.locator(f"#{number}")
    expect(step).to_have_class(re.compile(r"\bdone\b"))
    page.reload()
    expect(step).to_have_class(re.compile(r"\bdone\b"))
    step.locator("summary").first.click()
    expect(step).to_contain_text("One merchant, as expected.")
    expect(step).to_contain_text("admin")

    page.goto(case)
    unfold(page)
    page.get_by_label("Write a note").fill("Asked the merchant team. <b>not bold</b>")
    page.get_by_role("button", name="Add the note").click()
    expect(page.locator("#notes")).to_contain_text("<b>not bold</b>")

    page.get_by_role("link", name="Close case").click()
    closing = page.locator("#close-case")
    closing.get_by_label("Confirmed cause").select_option("data_skew")
    closing.get_by_label("What fixed it").fill("Salted the key marzipan")
    closing.get_by_role("button", name="Close the case").click()
    expect(page.get_by_text("Confirmed cause: ").first).to_be_visible()

    page.goto("/")
    page.get_by_label("Search").fill("marzipan")
    page.get_by_role("button", name="Find").click()
    expect(page.locator(".case-row")).to_have_count(1)
    expect(page.locator(".case-row")).to_contain_text("Orders are late")


def test_a_stranger_sees_nothing(open_page: OpenPage) -> None:
    page = open_page("/", known=False)
    assert "/login/" in page.url
    page.goto("/cases/1/")
    assert "/login/" in page.url


def test_the_keyboard_zooms_and_moves_the_time_of_all_charts(open_page: OpenPage, hot_key_case: str) -> None:
    page = open_page(hot_key_case)
    chart = page.locator('.chart[data-axis="time"]').first
    chart.scroll_into_view_if_needed()
    chart.focus()
    shown = page.locator("#time-bar .shown")
    expect(shown).to_contain_text("Whole time")
    page.keyboard.press("+")
    expect(shown).to_contain_text("Shown")
    zoomed = shown.inner_text()
    page.keyboard.press("ArrowRight")
    expect(shown).not_to_have_text(zoomed)
    page.keyboard.press("0")
    expect(shown).to_contain_text("Whole time")
