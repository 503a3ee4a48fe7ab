"""What axe-core finds on an open page, as sentences."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

GRAVE = ("serious", "critical")
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
AXE = Axe()


def grave_faults(page: Page) -> list[str]:
    """Each serious or critical violation with the first element that has it; Plotly's drawings are one image each.

    Bars that stick to the lower edge are put at their own place: elsewhere they cut through whatever is under their
    edge, and axe-core measures what is left of that.
    """
    page.evaluate("document.querySelectorAll('.upload-bar').forEach((bar) => { bar.style.position = 'static' })")
    found = AXE.run(
        page,
        context={"exclude": [[".js-plotly-plot"]]},
        options={"resultTypes": ["violations"], "runOnly": STANDARDS},
    )
    return [
        f"{each['id']} ({each['impact']}, {len(each['nodes'])}): {each['help']}: {each['nodes'][0]['html'][:160]}"
        for each in found.response["violations"]
        if each["impact"] in GRAVE
    ]
