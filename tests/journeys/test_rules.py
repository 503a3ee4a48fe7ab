"""The life of a rule in the browser: drafted, tried, back-tested, published, used, rolled back, switched off."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.journeys.conftest import OpenPage, shot
from tests.journeys.walking import VERDICT_MS, all_stored, ask_for_diagnosis, choose, verdict
from tests.running_workbench import PROJECT

CALM = PROJECT / "tests" / "hostile" / "taskmanager.log"
"""A log that tells of no load by subtask: small, because an analysis of real evidence is what takes time here."""

RULE = """\
# Only the task of this journey, so that no other case is touched.
id: journey.hot-window
version: 1
symptom_class: hot_window
status: experimental
level: vertex
title: The window has a hot key
severity: critical
when:
  all:
    - {fact: subject.vertex, op: "==", value: merchant-risk-score}
    - {fact: load_balance.skew_ratio, op: ">=", value: 3, source: "our choice: made up for the journey"}
confidence:
  base: 0.98
vetoes: [data_skew]
statement: "{subject.vertex} has a skew of {load_balance.skew_ratio|number}."
facts: [load_balance.skew_ratio]
"""
SAMPLE = "signals:\n  - {{key: load_balance, subject: {{vertex: merchant-risk-score}}, facts: {{skew_ratio: {}}}}}\n"


def bring(page: Page, path: Path) -> str:
    """A diagnosed case; gives its number."""
    page.goto("/cases/new/")
    choose(page, path)
    all_stored(page)
    ask_for_diagnosis(page)
    expect(page.locator("#verdict-title")).to_be_visible(timeout=VERDICT_MS)
    return number_of(page.url)


def number_of(case: str) -> str:
    return re.findall(r"/cases/(\d+)/", case)[0]


def write(page: Page, tab: str, name: str, text: str) -> None:
    page.get_by_role("tab", name=tab).click()
    page.locator(f"#text-{name}").fill(text)


def diagnose_again(page: Page, case: str) -> str:
    """Asks for a new analysis of the case and gives its verdict."""
    page.goto(f"/cases/{case}/")
    token = page.locator('meta[name="csrf-token"]').get_attribute("content") or ""
    answer = page.request.post(f"/cases/{case}/analyse/", headers={"X-CSRFToken": token, "Referer": page.url})
    assert answer.ok
    page.goto(f"/cases/{case}/")
    expect(page.locator("#run-bar")).to_have_count(0, timeout=VERDICT_MS)
    return str(verdict(page)["verdict"]["symptom_class"])


def test_a_rule_is_drafted_tried_published_used_rolled_back_and_switched_off(
    open_page: OpenPage, hot_key_case: str
) -> None:
    page = open_page("/")
    hot, calm = number_of(hot_key_case), bring(page, CALM)

    page.goto("/rules/new/")
    expect(page.get_by_text("The rule can be read")).to_be_visible()
    write(page, "YAML", "rule", RULE.replace("severity: critical", "severity: loud").replace("value: 3,", "value: x,"))
    expect(page.locator(".problems li")).to_have_count(2)
    expect(page.locator(".problems li").first).to_contain_text("line 8")
    write(page, "YAML", "rule", RULE)
    write(page, "Must fire", "fires", SAMPLE.format(4))
    write(page, "Must stay silent", "silent", SAMPLE.format(1.5))
    expect(page.locator("#part-problems .good-line")).to_have_count(3)

    for case, told in ((hot, "becomes Hot window"), (calm, "with and without the draft")):
        page.get_by_label("Case", exact=True).select_option(case)
        expect(page.locator("#part-case")).to_contain_text(told)
    expect(page.locator("#save-state")).to_contain_text("Draft saved")
    shot(page, "rule-drafted-wide-light")

    page.get_by_role("button", name="Back-test").click()
    expect(page.get_by_role("heading", name=re.compile("The verdict of [1-9] cases? would change"))).to_be_visible()
    shot(page, "rule-back-tested-wide-light")
    page.get_by_role("link", name="Back to the draft").click()
    publish(page, "the journey needs it")
    expect(page.get_by_text("journey.hot-window version 1 is published")).to_be_visible()
    try:
        assert diagnose_again(page, hot) == "hot_window"
        expect(page.get_by_role("link", name="rule journey.hot-window version 1")).to_be_visible()
        change_roll_back_and_read_the_log(page)
    finally:
        switch_off(page)
    expect(page.get_by_text("Off", exact=True)).to_be_visible()
    assert diagnose_again(page, hot) == "data_skew"


def publish(page: Page, reason: str) -> None:
    page.get_by_role("button", name="Publish…").click()
    page.get_by_label("Why").fill(reason)
    page.locator("#publish-button").click()
    page.wait_for_url(re.compile(r"/rules/journey\.hot-window/$"))


def change_roll_back_and_read_the_log(page: Page) -> None:
    page.goto("/rules/journey.hot-window/")
    page.get_by_role("link", name="Edit").click()
    bound = page.get_by_label(re.compile("hottest subtask .* at least"))
    bound.fill("3.5")
    bound.blur()
    expect(page.locator("#text-rule")).to_have_value(re.compile("value: 3.5,"))
    expect(page.locator("#save-state")).to_contain_text("Draft saved")
    publish(page, "3 was too low")
    page.get_by_role("link", name="Version 1", exact=True).click()
    page.get_by_role("button", name="Roll back to this version").click()
    page.get_by_label("Why").fill("3 was right")
    page.get_by_role("button", name="Roll back", exact=True).click()
    expect(page.get_by_text("rolled back to version 1")).to_be_visible()
    page.goto("/rules/log/?rule=journey.hot-window")
    shot(page, "rule-log-wide-light")
    told = page.locator("tbody tr td:nth-child(3)").all_inner_texts()
    assert told == [
        "Rolled back, version 1",
        "Published, version 2",
        "Draft saved",
        "Published, version 1",
        "Draft saved",
    ]
    page.get_by_role("link", name="Changes").nth(1).click()
    expect(page.locator(".unified .added")).to_have_count(2)


def switch_off(page: Page) -> None:
    """Takes the rule out again: other journeys share this workbench."""
    page.goto("/rules/journey.hot-window/")
    page.get_by_role("button", name="Switch off").first.click()
    page.get_by_label("Why").fill("the journey is over")
    page.locator("#switch-rule").get_by_role("button", name="Switch off").click()
    expect(page.get_by_text("is switched off")).to_be_visible()
