"""What axe-core finds on an open page, as sentences."""

from __future__ import annotations

from collections.abc import Sequence

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

GRAVE = ("serious", "critical")
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OF_ITS_LOOK = ["color-contrast", "target-size", "scrollable-region-focusable"]
"""The rules whose answer depends on the width or the colours of a page."""
AXE = Axe()


def grave_faults(page: Page, only: Sequence[str] = ()) -> list[str]:
    """Each serious or critical violation with the first element that has it; Plotly's drawings are one image each.

    only  the rules to ask for, where another look at the same page has asked for all
    """
    asked = {"type": "rule", "values": only} if only else {"type": "tag", "values": STANDARDS}
    found = AXE.run(
        page,
        context={"exclude": [[".js-plotly-plot"]]},
        options={"resultTypes": ["violations"], "runOnly": asked},
    )
    return [
        f"{each['id']} ({each['impact']}, {len(each['nodes'])}): {each['help']}: {each['nodes'][0]['html'][:160]}"
        for each in found.response["violations"]
        if each["impact"] in GRAVE
    ]
