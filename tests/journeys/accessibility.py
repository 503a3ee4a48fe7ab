"""What axe-core finds on an open page, as sentences."""

from __future__ import annotations

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

GRAVE = ("serious", "critical")
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
WITHOUT_DRAWINGS = {"exclude": [[".js-plotly-plot"]]}


def grave_faults(page: Page) -> list[str]:
    """Each serious or critical violation with the first element that has it; Plotly's drawings are one image each.

    Bars that stick to the lower edge are put at their own place: elsewhere they cut through whatever is under their
    edge, and axe-core measures what is left of that.
    """
    page.evaluate("document.querySelectorAll('.upload-bar').forEach((bar) => { bar.style.position = 'static' })")
    if page.evaluate("() => window.axe === undefined"):  # half a megabyte to compile, once for a page
        page.evaluate(AXE_SCRIPT)
    options = {"resultTypes": ["violations"], "runOnly": STANDARDS}
    found = page.evaluate("([part, options]) => axe.run(part, options)", [WITHOUT_DRAWINGS, options])
    return [
        f"{each['id']} ({each['impact']}, {len(each['nodes'])}): {each['help']}: {each['nodes'][0]['html'][:160]}"
        for each in found["violations"]
        if each["impact"] in GRAVE
    ]
