"""The steps that journeys share: bring files, ask for the diagnosis, read its document."""

from __future__ import annotations

import base64
import re
import shutil
import time
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

UPLOAD_MS = 120_000
VERDICT_MS = 180_000  # on a machine that does other work too; alone it takes seconds
STORED = re.compile(r"^\d+ files? stored\.$")
CASE_PAGE = re.compile(r"/cases/\d+/(#.*)?$")


def without_truth(case: Path, target: Path) -> Path:
    """A copy of a corpus case as a person would hold it: without the note that tells the cause."""
    shutil.copytree(case, target, ignore=shutil.ignore_patterns("truth.json"))
    for path in [target, *target.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    return target


def zipped(folder: Path) -> Path:
    """The folder as an archive beside it."""
    archive = folder.with_suffix(".zip")
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(folder.rglob("*")):
            packed.write(path, path.relative_to(folder.parent))
    return archive


def choose(page: Page, path: Path) -> None:
    """Chooses a file, or a folder with everything in it, on the page of a new case."""
    page.set_input_files("#folder" if path.is_dir() else "#files", path)


def drop(page: Page, files: Iterable[Path]) -> None:
    """Drops files on the page, as dragging them from a desktop does."""
    contents = [{"name": each.name, "content": base64.b64encode(each.read_bytes()).decode()} for each in files]
    transfer = page.evaluate_handle(
        """(contents) => {
            const transfer = new DataTransfer();
            for (const { name, content } of contents) {
                const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
                transfer.items.add(new File([bytes], name));
            }
            return transfer;
        }""",
        contents,
    )
    page.dispatch_event("#dropzone", "drop", {"dataTransfer": transfer})


def all_stored(page: Page) -> None:
    """Returns when every file has arrived."""
    expect(page.locator("#upload-state")).to_have_text(STORED, timeout=UPLOAD_MS)


def ask_for_diagnosis(page: Page) -> None:
    """Presses the button; the case's page opens."""
    page.get_by_role("button", name="Diagnose").click()
    page.wait_for_url(CASE_PAGE)


def open_log_page(page: Page, case: str) -> None:
    """Opens the log page of a diagnosed case; its records are kept after the verdict, at the lowest priority."""
    deadline = time.monotonic() + VERDICT_MS / 1000
    while 'id="list"' not in page.request.get(f"{case}logs/").text():
        assert time.monotonic() < deadline, "the records of the logs were not kept"
        page.wait_for_timeout(500)
    page.goto(f"{case}logs/")
    expect(page.locator(".log-row[aria-selected=true]")).to_be_visible()


def unfold(page: Page) -> None:
    """Opens every fold of a page, as somebody who reads all of it does."""
    page.evaluate("() => { for (const fold of document.querySelectorAll('main details')) fold.open = true; }")


def walk_the_runbook(page: Page) -> list[str]:
    """From a case's page through its runbook: every step that waits is read and ticked. Gives their questions."""
    page.locator("[data-go=r]").click()
    everything_done = page.get_by_text("Every step is done or skipped.")
    walked: list[str] = []
    while not everything_done.count():
        step = page.locator(".step").filter(has=page.locator("summary .badge.info"))
        question = step.locator(".question").inner_text()
        assert question not in walked, f"{question} was ticked and waits again"
        walked.append(question)
        # A word in braces would be a fact that the case does not fill in.
        text = step.inner_text()
        assert not re.search(r"\{[a-z_]+\.[a-z_]+", text), text
        with page.expect_navigation():
            step.get_by_role("button", name="Done").click()
    return walked


def verdict(page: Page) -> dict[str, Any]:
    """Waits for the verdict on the case's page and gives the diagnosis document."""
    expect(page.locator("#verdict-title")).to_be_visible(timeout=VERDICT_MS)
    address = page.locator("#files a", has_text="Diagnosis as JSON").get_attribute("href")
    assert address
    answer = page.request.get(address)
    assert answer.ok
    return dict(answer.json())
