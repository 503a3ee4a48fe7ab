"""Hostile evidence in a real browser: no script in it runs, and no text becomes an element of a page."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.hostile.visitor import Visitor, addresses_in
from tests.journeys.conftest import OpenPage
from tests.journeys.walking import unfold
from tests.running_workbench import ADMIN_PASSWORD, RunningWorkbench
from tests.security.hostile_evidence import PAYLOADS, hostile_zip

pytestmark = [pytest.mark.celery, pytest.mark.spark]

OF_THE_EVIDENCE = """
() => [...document.querySelectorAll('*')].filter(each =>
    each.localName === 'x-hit' ||
    [...each.attributes].some(({ name, value }) =>
        name.startsWith('on') || name.startsWith('x-hit') || /^\\s*javascript:|hit\\.invalid/i.test(value) &&
        ['href', 'src', 'action', 'xlink:href', 'formaction'].includes(name))
).map(each => each.outerHTML.slice(0, 200))
"""
MOST_CHARTS = 12


@pytest.fixture(scope="module")
def hostile_case(workbench: RunningWorkbench, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The path of the diagnosed case, and its page as text."""
    folder: Path = tmp_path_factory.mktemp("evidence")
    path = folder / "evidence.zip"
    path.write_bytes(hostile_zip())
    visitor = Visitor(workbench.address, ADMIN_PASSWORD)
    page = visitor.diagnosed("".join(PAYLOADS[:6]), folder, [path])["page"]
    return page, visitor.get(page).text


def test_nothing_of_the_evidence_runs_in_any_page_of_the_case(
    open_page: OpenPage, hostile_case: tuple[str, str]
) -> None:
    """A script that ran, and a request to elsewhere, would also be a complaint at the end."""
    path, text = hostile_case
    number = path.strip("/").rpartition("/")[2]
    flame_graphs = addresses_in(text, r"/profiles/\d+/")
    runbooks = addresses_in(text, r"/runbooks/\d+/\d+/")
    lines = addresses_in(text, r"/uploads/\d+/lines/\d+/")
    page = open_page(path)
    charts_are_hovered(page)
    nothing_is_of_the_evidence(page)
    others = [
        *("/", f"{path}files/", f"/cases/{number}/logs/", f"/prevention/{number}/", f"/reports/{number}/"),
        *("/history/jobs/", "/logs/?q=checkpoint"),
        *flame_graphs[:1],
        *runbooks[:2],
        *lines[:1],
    ]
    for other in others:
        page.goto(other)
        page.wait_for_load_state("networkidle")
        nothing_is_of_the_evidence(page)
    saved = page.request.get(f"/reports/{number}/report.html").text()
    page.goto("about:blank")  # as opened from a disk, where no policy of the workbench holds a script back
    page.set_content(saved)
    nothing_is_of_the_evidence(page)
    assert page.locator("h1").count() == 1


def charts_are_hovered(page: Page) -> None:
    """Each chart is drawn, and says what is under the pointer."""
    unfold(page)
    charts = page.locator("article.chart")
    assert charts.count() >= 5
    for number in range(min(charts.count(), MOST_CHARTS)):
        chart = charts.nth(number)
        if not chart.is_visible():
            continue
        chart.scroll_into_view_if_needed()
        plot = chart.locator("svg.main-svg").first
        plot.wait_for()
        box = plot.bounding_box()
        assert box
        for share in (0.2, 0.5, 0.8):
            page.mouse.move(box["x"] + box["width"] * share, box["y"] + box["height"] * 0.5)
        nothing_is_of_the_evidence(page)


def nothing_is_of_the_evidence(page: Page) -> None:
    assert page.evaluate(OF_THE_EVIDENCE) == [], page.url
