"""A large file whose connection breaks, whose page is loaded again, and which goes on where it was."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, Route, expect

from tests.journeys.conftest import NewTab
from tests.journeys.walking import all_stored, choose

LINE = b"2024-05-14 09:12:01,123 INFO  org.apache.flink.runtime.taskexecutor.TaskExecutor [] - Starting\n"
PIECE_BYTES = 4 * 1024 * 1024


def test_a_large_file_survives_a_broken_connection_and_a_reload(new_tab: NewTab, tmp_path: Path) -> None:
    log = tmp_path / "task_manager-1.log"
    log.write_bytes(LINE * (5 * PIECE_BYTES // 2 // len(LINE)))
    # Not by `open_page`: a connection that breaks is told on the console, which no other journey may have.
    page = new_tab([])
    offsets: list[str] = []

    def first_piece_only(route: Route) -> None:
        offsets.append(route.request.headers["upload-offset"])
        if offsets[-1] == "0":
            route.continue_()
        else:
            route.abort("connectionreset")

    page.route(
        "**/uploads/resumable/**",
        lambda route: first_piece_only(route) if route.request.method == "PATCH" else route.continue_(),
    )
    page.goto("/cases/new/")
    choose(page, log)
    expect(page.get_by_text("waiting for the connection")).to_be_visible()
    expect(page.get_by_label("Title")).to_have_value("task_manager-1")

    page.on("dialog", lambda dialog: dialog.accept())
    page.unroute_all(behavior="ignoreErrors")
    page.reload()
    expect(page.get_by_role("heading", name="Not all here yet")).to_be_visible()
    expect(page.locator("#arrival-list")).to_contain_text("task_manager-1.log")

    with page.expect_request(lambda request: request.method == "PATCH") as continued:
        choose(page, log)
    assert continued.value.headers["upload-offset"] == str(PIECE_BYTES)
    assert re.match(r"sha256 \S{44}$", continued.value.headers["upload-checksum"])
    all_stored(page)
    expect(page.get_by_role("heading", name="Not all here yet")).to_be_hidden()
    expect(page.locator("#folders .file")).to_contain_text("Flink log")
    cancelled_and_sent_again(page, tmp_path / "letter.txt")
    page.close()


def cancelled_and_sent_again(page: Page, letter: Path) -> None:
    """A file that is on its way is stopped, and sent when somebody wants it after all."""
    letter.write_text("Dear colleague, the job is slow again.")
    page.route(re.compile(r"/uploads/to/\d+/$"), lambda _: None)
    choose(page, letter)
    page.get_by_role("button", name="Cancel the upload").click()
    expect(page.locator("#upload-state")).to_have_text("1 stored, 1 not sent.")
    page.unroute_all(behavior="ignoreErrors")
    page.get_by_role("button", name="Retry what failed").click()
    expect(page.locator("#upload-state")).to_have_text("2 files stored.")


def test_an_upload_that_was_cut_says_how_many_files_arrived(new_tab: NewTab, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    for place in range(70):
        (folder / f"tm-{place}.log").write_bytes(LINE * (place + 1))
    page = new_tab([])
    batches: list[str] = []

    def first_batch_only(route: Route) -> None:
        batches.append(route.request.url)
        if len(batches) == 1:
            route.continue_()
        else:
            route.abort("connectionreset")

    page.route(re.compile(r"/uploads/to/\d+/$"), first_batch_only)
    page.goto("/cases/new/")
    choose(page, folder)
    expect(page.locator("#upload-state")).to_have_text("60 stored, 10 not sent.")
    page.unroute_all(behavior="ignoreErrors")
    page.reload()
    expect(page.locator("#cut")).to_contain_text("60 of 70 chosen files arrived.")

    page.get_by_role("link", name=re.compile(r"^Case \d+$")).click()
    expect(page.locator("#cut")).to_contain_text("60 of 70 chosen files arrived.")
    page.locator("#cut").get_by_role("link", name="Choose the folder again").click()
    choose(page, folder)
    expect(page.locator("#upload-state")).to_have_text("70 files stored.")
    expect(page.locator("#cut")).to_have_count(0)
    page.close()
