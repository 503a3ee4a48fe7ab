"""How long the charts of a case take to follow a drag: from the button's release to the last drawing, in Chromium."""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import Page

from tests.benchmarks.drop_to_verdict import signed_in_page
from tests.journeys.conftest import chromium
from tests.journeys.walking import all_stored, ask_for_diagnosis, choose, verdict

ROUNDS = 5
MOST_MS = 200
"""What a redraw may take. Source: issue 5."""
SETTLED_MS = 1_500
NOTE_DRAWINGS = """() => {
    window.lastDrawing = 0;
    for (const plot of document.querySelectorAll('.chart[data-axis="time"] .plot')) {
        plot.on?.('plotly_afterplot', () => { window.lastDrawing = performance.now(); });
    }
}"""


def report(archive: Path) -> None:
    """Prints the milliseconds of some brushes on the case page of an archive."""
    if chromium() is None:
        print("brushing: no Chromium on this machine")
        return
    with tempfile.TemporaryDirectory(prefix="brush-") as place, signed_in_page(Path(place)) as page:
        page.goto("/cases/new/")
        choose(page, archive)
        all_stored(page)
        ask_for_diagnosis(page)
        verdict(page)
        times = [brush(page) for _ in range(ROUNDS)]
    told = ", ".join(f"{each:.0f}" for each in times)
    print(f"{archive.name:38}       brush to redraw {told} ms; at most {MOST_MS} ms are allowed", flush=True)


def brush(page: Page) -> float:
    """Drags over a part of the first chart over time, and undoes it."""
    # A chart is drawn when it comes into view.
    page.locator('.chart[data-axis="time"]').first.scroll_into_view_if_needed()
    area = page.locator('.chart[data-axis="time"] .nsewdrag').first
    area.scroll_into_view_if_needed()
    page.wait_for_timeout(SETTLED_MS)
    page.evaluate(NOTE_DRAWINGS)
    box = area.bounding_box()
    assert box
    height = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.3, height)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, height, steps=5)
    page.evaluate("() => { window.released = performance.now(); }")
    page.mouse.up()
    page.wait_for_timeout(SETTLED_MS)
    took = page.evaluate("() => window.lastDrawing - window.released")
    page.get_by_role("button", name="Undo").click()
    return float(took)
