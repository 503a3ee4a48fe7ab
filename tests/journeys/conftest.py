"""A real Chromium on the real stack. Whatever a page complains about while a journey runs fails that journey."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    Response,
    StorageState,
    expect,
    sync_playwright,
)

from tests.hostile.visitor import Visitor
from tests.running_workbench import ADMIN_PASSWORD, PROJECT, RunningWorkbench

CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""The first is Chromium without the window around the pages. Measured on twelve pages with charts: 13.2 instead of
16.8 s of processor time."""
CORPUS = PROJECT.parent / "shared" / "corpus"
SCREENSHOTS = os.environ.get("SCREENSHOTS")
"""A folder for pictures of every page, for people to look at; each costs a second, so they are taken on demand."""
WIDE, NARROW = (1440, 900), (390, 844)
WAIT_MS = 20_000
ONE_HOT_KEY = PROJECT / "workbench" / "analyses" / "demo" / "orders-one-hot-key.zip"

OpenPage = Callable[..., Page]
NewTab = Callable[..., Page]


def chromium() -> str | None:
    """The browser that is on this machine: $CHROMIUM, or the first known name on the PATH."""
    named = os.environ.get("CHROMIUM")
    return named or next((found for name in CHROMIUMS if (found := shutil.which(name))), None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Journeys need a browser; where there is none they are skipped, and the reason says how to get one."""
    here = [item for item in items if item.path.is_relative_to(Path(__file__).parent)]
    for item in here:
        item.add_marker(pytest.mark.browser)
        if chromium() is None:
            item.add_marker(
                pytest.mark.skip(reason="no Chromium found: install chromium-headless-shell, or name one in $CHROMIUM")
            )


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One browser for all journeys of a process: while Playwright is there, its event loop keeps Django's ORM away."""
    with sync_playwright() as playwright:
        # Root may not use Chromium's sandbox, and a container's shared memory is small.
        started = playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        expect.set_options(timeout=WAIT_MS)
        yield started
        started.close()


@pytest.fixture(scope="package")
def signed_in(browser: Browser, workbench: RunningWorkbench) -> StorageState:
    """The cookies of the administrator, who signed in through the page once."""
    context = browser.new_context(base_url=workbench.address)
    page = context.new_page()
    sign_in(page, ADMIN_PASSWORD)
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture(scope="package")
def new_tab(browser: Browser, workbench: RunningWorkbench, signed_in: StorageState) -> NewTab:
    """Opens tabs of the administrator, or of a stranger; what their pages complain about is added to `complaints`.

    The administrator's tabs of one language share a window (a context of Playwright), which keeps what it has loaded.
    Each begins with the cookies of the sign-in alone, and nothing in the storage of the pages.
    """
    address = workbench.address
    windows: dict[str, BrowserContext] = {}

    def opened(complaints: list[str], *, locale: str = "en-US", known: bool = True) -> Page:
        if not known:
            page = new_window(browser, address, None, locale).new_page()
        else:
            if locale not in windows:
                windows[locale] = new_window(browser, address, signed_in, locale)
            page = windows[locale].new_page()
            forget_visits(page, address, signed_in)
        listen(page, address, complaints)
        return page

    return opened


def new_window(browser: Browser, address: str, state: StorageState | None, locale: str) -> BrowserContext:
    """A window with nothing in it but the cookies of `state`."""
    window = browser.new_context(base_url=address, storage_state=state, reduced_motion="reduce", locale=locale)
    window.set_default_timeout(WAIT_MS)
    window.grant_permissions(["clipboard-read", "clipboard-write"])
    return window


def forget_visits(page: Page, address: str, state: StorageState) -> None:
    """What earlier tabs of the window have left in it."""
    window = page.context
    for cookie in window.cookies():
        if cookie["name"] not in {each["name"] for each in state["cookies"]}:
            window.clear_cookies(name=cookie["name"])
    window.add_cookies(state["cookies"])  # type: ignore[arg-type]
    protocol = window.new_cdp_session(page)
    protocol.send("Storage.clearDataForOrigin", {"origin": address, "storageTypes": "local_storage"})
    protocol.detach()


@pytest.fixture(scope="session")
def hot_key_case(workbench: RunningWorkbench) -> str:
    """The address of a diagnosed incident for journeys that look at one, brought once for each test process."""
    visitor = Visitor(workbench.address, ADMIN_PASSWORD)
    return workbench.address + visitor.diagnosed("One hot key", ONE_HOT_KEY.parent, [ONE_HOT_KEY])["page"]


@pytest.fixture(scope="session")
def demo_said(workbench: RunningWorkbench, hot_key_case: str) -> str:
    """What loading the demo cases prints, of which one was brought by hand before."""
    return workbench.manage("demo_cases", "--wait")


def sign_in(page: Page, password: str) -> None:
    """Fills the form at /login/."""
    page.goto("/login/")
    page.get_by_label("User name").fill("admin")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(lambda url: "/login/" not in url)


@pytest.fixture
def open_page(new_tab: NewTab) -> Iterator[OpenPage]:
    """Opens pages as the administrator, in a width and colour scheme; at the end no page may have complained."""
    pages: list[Page] = []
    complaints: list[str] = []

    def opened(path: str = "/", *, size: tuple[int, int] = WIDE, scheme: str = "light", known: bool = True) -> Page:
        page = new_tab(complaints, known=known)
        pages.append(page)
        return go(page, path, size, scheme)

    yield opened
    for page in pages:
        page.close()
    assert complaints == []


@pytest.fixture(scope="module")
def tab(new_tab: NewTab) -> Iterator[tuple[Page, list[str]]]:
    """One tab of the administrator for the tests of a file, and what its pages complained about."""
    complaints: list[str] = []
    page = new_tab(complaints)
    yield page, complaints
    page.close()


@pytest.fixture
def open_in_tab(tab: tuple[Page, list[str]]) -> Iterator[OpenPage]:
    """As `open_page`, from page to page in one tab: for tests that leave nothing behind in it."""
    page, complaints = tab
    complaints.clear()

    def opened(path: str, *, size: tuple[int, int], scheme: str) -> Page:
        return go(page, path, size, scheme)

    yield opened
    assert complaints == []


def go(page: Page, path: str, size: tuple[int, int], scheme: str) -> Page:
    """The page at the path, in a width and colour scheme."""
    look_with(page, size, scheme)
    page.goto(path)
    return page


def look_with(page: Page, size: tuple[int, int], scheme: str) -> None:
    """Gives a page another width and colour scheme, and waits until it has drawn itself with them.

    A page hears of its new width with its next frame, and only then lets the keyboard reach what scrolls.
    """
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")


def listen(page: Page, address: str, complaints: list[str]) -> None:
    """Collects errors of the console, of scripts, of the server, and requests to anywhere else."""

    def on_console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            complaints.append(f"console {message.type} on {page.url}: {message.text}")

    def on_response(response: Response) -> None:
        if response.status >= 400:
            complaints.append(f"{response.status} {response.request.method} {response.url}")

    def on_request(request: Request) -> None:
        if not request.url.startswith((address, "data:", "blob:")):
            complaints.append(f"request to {request.url}")

    page.on("console", on_console)
    page.on("pageerror", lambda error: complaints.append(f"script error on {page.url}: {error}"))
    page.on("response", on_response)
    page.on("request", on_request)


def shot(page: Page, name: str) -> None:
    """Keeps a screenshot of the whole page for a person to look at, where SCREENSHOTS asks for it."""
    if SCREENSHOTS:
        page.screenshot(path=Path(SCREENSHOTS) / f"{name}.png", full_page=True)
