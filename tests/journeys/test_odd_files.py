"""All pages of a case of odd files: cut, damaged, huge, encrypted, in GBK, of no known format.

What the workbench says of such files is in the language of its reader; what is in them stays as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.hostile import inputs
from tests.hostile.test_command_line import BUILDERS
from tests.hostile.visitor import Visitor
from tests.journeys.conftest import NARROW, NewTab, go
from tests.journeys.languages import is_chinese, is_english
from tests.running_workbench import ADMIN_PASSWORD, RunningWorkbench

pytestmark = [pytest.mark.celery, pytest.mark.spark]

LINKS = """
(links) => links.filter(each => !each.hasAttribute('download')).map(each => each.getAttribute('href').split('#')[0])
"""
OF_A_CASE = re.compile(r"/(?:cases|uploads|runbooks|reports|prevention|profiles)/\d+/[a-z/\d]*(?:\?.*)?")
FILES = re.compile(r"/(?:download|bundle|markdown|post-mortem|archive)/")
MOST_OF_A_KIND = 6
"""Pages that differ in their numbers only. Our choice: a page of lines is made alike for every file."""
EVIDENCE = ("日志", "订单延迟", "下游写入变慢")
"""Chinese of the files, which every reader sees."""


@pytest.fixture(scope="module")
def odd_case(workbench: RunningWorkbench, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The path of the diagnosed case."""
    folder = tmp_path_factory.mktemp("odd") / "upload"
    inputs.write_all(folder, BUILDERS)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return str(Visitor(workbench.address, ADMIN_PASSWORD).diagnosed("Odd files", folder, files)["page"])


@pytest.fixture
def page(new_tab: NewTab) -> Iterator[Page]:
    """A tab of somebody whose browser asks for Chinese."""
    opened = new_tab([], locale="zh-CN")
    yield opened
    opened.close()


def linked(page: Page, visited: set[str], kinds: Counter[str]) -> Iterator[str]:
    """The pages of the case that the open page leads to, some of each kind."""
    for path in page.locator("main a[href]").evaluate_all(LINKS):
        kind = re.sub(r"\d+", "#", path.partition("?")[0])
        if path in visited or not OF_A_CASE.fullmatch(path) or FILES.search(path) or kinds[kind] >= MOST_OF_A_KIND:
            continue
        visited.add(path)
        kinds[kind] += 1
        yield path


def test_every_page_of_odd_files_is_in_the_language_of_its_reader(page: Page, odd_case: str) -> None:
    waiting, visited, kinds = [odd_case], {odd_case}, Counter[str]()
    while waiting:
        path = waiting.pop(0)
        go(page, path, NARROW, "dark")
        is_chinese(page, re.sub(r"\W+", "-", f"odd{path}"))
        is_english(page, path, *EVIDENCE)
        waiting += linked(page, visited, kinds)
    assert {"/uploads/#/", "/uploads/#/lines/#/"} <= set(kinds)
