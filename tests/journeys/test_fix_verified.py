"""From an incident to "fix verified": a second snapshot ticks the steps of the runbook and proves the change."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import CORPUS, OpenPage, shot
from tests.journeys.walking import VERDICT_MS, all_stored, ask_for_diagnosis, choose, verdict, without_truth, zipped

BEFORE, AFTER = CORPUS / "rocksdb_slow_upload-a", CORPUS / "rocksdb_slow_upload-a-after"


@pytest.mark.skipif(not (BEFORE.is_dir() and AFTER.is_dir()), reason="the corpus is not on this machine")
def test_a_repair_is_verified_by_a_second_snapshot(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page("/cases/new/")
    case = compared(page, (BEFORE, AFTER), "rocksdb_slow_upload", "Incremental checkpoints, a faster volume", tmp_path)
    expect(page.get_by_role("heading", name="Fix verified")).to_be_visible()
    shot(page, "fix-verified-wide-light")

    page.goto(f"{case}?snapshot=1")
    page.locator("[data-go='r']").click()
    expect(page.locator(".step summary .badge", has_text="of snapshot 2")).to_have_count(3)

    page.get_by_role("link", name="What if").click()
    page.get_by_role("link", name="Incremental checkpoints and upload bandwidth").click()
    page.get_by_label("Upload bandwidth", exact=True).fill("100")
    expect(page.locator("#result")).to_contain_text("fits into half of the timeout")


def compared(page: Page, pair: tuple[Path, Path], cause: str, change: str, folder: Path) -> str:
    """Brings both snapshots of a new case, each diagnosed, and opens their comparison. Gives the case's address."""
    choose(page, zipped(without_truth(pair[0], folder / "incident")))
    all_stored(page)
    ask_for_diagnosis(page)
    assert verdict(page)["verdict"]["symptom_class"] == cause
    case = page.url.partition("#")[0]

    page.get_by_role("button", name="Verify a change").click()
    page.get_by_label("What was changed").fill(change)
    page.get_by_role("button", name="Add its files").click()
    expect(page.get_by_text(f"Snapshot 2: {change}")).to_be_visible()
    choose(page, zipped(without_truth(pair[1], folder / "later")))
    all_stored(page)
    ask_for_diagnosis(page)

    compare = page.get_by_role("link", name="Was it fixed? Compare 1 with 2")
    expect(compare).to_be_visible(timeout=VERDICT_MS)
    compare.click()
    return case
