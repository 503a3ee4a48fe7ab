"""From the drop in a browser to the verdict on the page: Chromium, the web server, Celery, Redis and a warm Spark."""

from __future__ import annotations

import tempfile
import time
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, sync_playwright

from tests.benchmarks.synthetic_log import write_log
from tests.journeys.conftest import chromium, sign_in
from tests.journeys.walking import STORED, VERDICT_MS, ask_for_diagnosis, choose, verdict
from tests.running_workbench import ADMIN_PASSWORD, launch

ROUNDS = 3
LOG_BYTES = (100_000, 5_000_000, 50_000_000)
LOOK_MS = 10
"""Playwright's `expect` looks 0, 100, 350, 850 and 1850 ms after it began: an answer just missed counts 0.5 s more."""


def report(archives: Iterable[Path]) -> None:
    """Prints the seconds until it is stored and until the verdict, and where they go.

    For each archive dropped whole and as a folder, and for a log of each of LOG_BYTES.
    """
    if chromium() is None:
        print("drop to verdict: no Chromium on this machine")
        return
    with tempfile.TemporaryDirectory(prefix="drop-") as place, signed_in_page(Path(place)) as page:
        for archive in archives:
            folder = Path(place) / archive.stem
            with zipfile.ZipFile(archive) as packed:
                packed.extractall(folder)
            for dropped in (archive, folder):
                _rounds(page, dropped)
        for size in LOG_BYTES:
            log = Path(place) / f"taskmanager-{size // 1000}kB.log"
            write_log(log, size)
            _rounds(page, log)


@dataclass(frozen=True, slots=True)
class Drop:
    """Seconds from the drop of a case until it is stored and until its verdict, and the document of the diagnosis."""

    stored: float
    seconds: float
    document: dict[str, Any]

    def __str__(self) -> str:
        timing = self.document["timing"]
        files, size = len(self.document["inputs"]), sum(each["bytes"] for each in self.document["inputs"]) / 1e6
        shown_ms = 1000 * (self.seconds - self.stored) - timing["queued_ms"] - timing["total_ms"]
        return (
            f"{self.seconds:7.2f}          stored after {self.stored:.2f} s, queued {timing['queued_ms']} ms, analysed "
            f"in {timing['total_ms']} ms ({timing['spark_ms']} ms of it Spark), on the page {shown_ms:.0f} ms later; "
            f"{files} files, {size:.1f} MB: {self.document['verdict']['symptom_class']}"
        )


def _rounds(page: Page, dropped: Path) -> None:
    for number in range(1, ROUNDS + 1):
        print(f"{dropped.name:38} {number:>5} {drop(page, dropped)}", flush=True)


def drop(page: Page, dropped: Path) -> Drop:
    """Drop a file or folder as a new case on a signed-in page, and wait for its verdict."""
    page.goto("/cases/new/")
    began = time.monotonic()
    choose(page, dropped)
    _look_until_visible(page, page.locator("#upload-state", has_text=STORED))
    stored = time.monotonic() - began
    ask_for_diagnosis(page)
    _look_until_visible(page, page.locator("#verdict-title"))
    return Drop(stored, time.monotonic() - began, verdict(page))


def _look_until_visible(page: Page, shown: Locator) -> None:
    """Raises TimeoutError when it is not shown within the time that a verdict may take."""
    latest = time.monotonic() + VERDICT_MS / 1000
    while not shown.is_visible():
        if time.monotonic() > latest:
            raise TimeoutError(f"{shown} is not shown on {page.url}")
        page.wait_for_timeout(LOOK_MS)


@contextmanager
def signed_in_page(place: Path) -> Iterator[Page]:
    """A signed-in page of a workbench of its own."""
    running = launch(place / "data")
    try:
        running.wait_until_ready()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=chromium(), args=["--no-sandbox", "--disable-dev-shm-usage"]
            )
            page = browser.new_context(base_url=running.address).new_page()
            sign_in(page, ADMIN_PASSWORD)
            yield page
            browser.close()
    finally:
        running.end()
