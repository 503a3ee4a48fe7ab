"""Every page at two widths, light and dark: nothing overflows, controls have names, text has contrast; and pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.accessibility import grave_faults
from tests.journeys.conftest import NARROW, WIDE, NewTab, OpenPage, look_with, shot
from tests.journeys.walking import open_log_page, unfold

LOOKS = [("wide", WIDE, "light"), ("narrow", NARROW, "dark")]
"""Both widths and both schemes: a colour does not depend on the width, nor a width on the colours. A page is loaded
in the first look and turned to the second; `test_chinese.py` loads pages narrow."""

FAULTS = Path(__file__).with_name("page_faults.js").read_text("utf-8")


@pytest.fixture(scope="module")
def addresses(new_tab: NewTab, hot_key_case: str) -> Iterator[dict[str, str]]:
    """Every kind of page by name, for one diagnosed demo incident."""
    page = new_tab([])
    case = hot_key_case
    page.goto(case)
    unfold(page)
    runbook = str(page.locator("[data-go=r]").first.get_attribute("href"))
    number = case.rstrip("/").rpartition("/")[2]
    flame_graph = str(page.get_by_role("link", name="Search, compare, threads").get_attribute("href"))
    page.goto(runbook)
    what_if = str(page.get_by_role("link", name="What if").first.get_attribute("href"))
    open_log_page(page, case)
    yield {
        "cases": "/",
        "no-case-found": "/?text=nothing-like-this",
        "new-case": "/cases/new/",
        "case": case,
        "files": f"{case}files/",
        "close": f"{case}close/",
        "logs": f"{case}logs/?q=-level:info",
        "lines": str(page.get_by_title("The lines of the file").get_attribute("href")),
        "runbook": runbook,
        "flame-graph": flame_graph,
        "what-if": what_if,
        "walk-through": "/runbooks/how-it-works/aligned-barriers/",
        "walk-throughs": "/runbooks/how-it-works/",
        "report": f"/reports/{number}/",
        "alerts": f"/prevention/{number}/",
        "import": "/reports/import/",
        "numbers": "/history/",
        "jobs": "/history/jobs/",
        "fleet": "/fleet/",
        "clusters": "/clusters/",
        "channels": "/channels/",
        "alerts-received": "/alerts/",
        "drills": "/drills/",
        "search-in-all-logs": "/logs/?q=level:warn%2B",
        "calculator": f"{what_if}salting/",
        "compare": "/runbooks/proof/{0}/{0}/".format(what_if.split("/")[3]),
        "rules": "/rules/",
        "no-rule-found": "/rules/?text=nothing-like-this",
        "rule": "/rules/sink.origin/",
        "rule-new": "/rules/new/",
        "rule-editor": "/rules/skew.hot-subtask/edit/",
        "rule-log": "/rules/log/",
        "rule-import": "/rules/import/",
        "api": "/api/v1/docs/",
    }
    page.close()


NAMES = (
    "cases",
    "no-case-found",
    "new-case",
    "case",
    "files",
    "close",
    "logs",
    "lines",
    "runbook",
    "flame-graph",
    "what-if",
    "walk-through",
    "walk-throughs",
    "report",
    "alerts",
    "import",
    "numbers",
    "jobs",
    "fleet",
    "clusters",
    "channels",
    "alerts-received",
    "drills",
    "search-in-all-logs",
    "calculator",
    "compare",
    "rules",
    "no-rule-found",
    "rule",
    "rule-new",
    "rule-editor",
    "rule-log",
    "rule-import",
    "api",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_readable_and_operable(open_in_tab: OpenPage, addresses: dict[str, str], name: str) -> None:
    page = open_in_tab(addresses[name], size=WIDE, scheme="light")
    for look, size, scheme in LOOKS:
        look_with(page, size, scheme)
        see_all(page)
        shot(page, f"{name}-{look}-{scheme}")
        assert page.evaluate(FAULTS) == [], look
        assert grave_faults(page) == [], look


@pytest.mark.parametrize(("look", "size", "scheme"), LOOKS)
def test_the_sign_in_page_is_readable_and_operable(
    open_page: OpenPage, look: str, size: tuple[int, int], scheme: str
) -> None:
    page = open_page("/login/", size=size, scheme=scheme, known=False)
    shot(page, f"login-{look}-{scheme}")
    assert page.evaluate(FAULTS) == []
    assert grave_faults(page) == []


@pytest.mark.parametrize("path", ["/admin/", "/admin/accounts/"])
def test_the_administration_opens(open_page: OpenPage, path: str) -> None:
    page = open_page(path)
    shot(page, f"admin{path.removeprefix('/admin').strip('/').replace('/', '-')}-wide-light")
    expect(page.locator("#content")).to_be_visible()


def test_the_keyboard_reaches_the_content_and_shows_where_it_is(open_page: OpenPage) -> None:
    page = open_page("/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle !== 'none'")
    assert page.evaluate("() => document.activeElement.closest('main') !== null")


def test_a_walk_through_is_stepped_and_played(open_page: OpenPage) -> None:
    page = open_page("/runbooks/how-it-works/aligned-barriers/")
    shown, play = page.locator(".walk-step:visible"), page.locator("[data-walk=play]")
    page.locator("#walk").focus()
    for key, told in (("ArrowRight", "2 of"), ("ArrowRight", "3 of"), ("ArrowLeft", "2 of"), ("Home", "1 of")):
        page.keyboard.press(key)
        expect(shown).to_contain_text(told)
    page.keyboard.press(" ")
    expect(play).to_have_attribute("aria-pressed", "true")
    expect(shown).to_contain_text("2 of")
    page.get_by_role("button", name="Step").click()
    expect(play).to_have_attribute("aria-pressed", "false")
    expect(page).to_have_url(re.compile(r"#step-3$"))


def see_all(page: Page) -> None:
    """Scrolls through the page, so that charts that wait for being seen are drawn."""
    unfold(page)
    charts = page.locator(".chart .plot")
    for place in range(charts.count()):
        charts.nth(place).scroll_into_view_if_needed()
        expect(charts.nth(place).locator("svg.main-svg").first).to_be_visible()
    for form in page.locator("#part-form").all():
        expect(form.get_by_label("Title in English")).to_be_visible()
    page.evaluate("() => scrollTo(0, 0)")
