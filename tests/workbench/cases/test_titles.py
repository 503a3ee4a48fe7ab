"""Titles that the workbench gives are stored in English, shown in the language of the reader, and found in each."""

from __future__ import annotations

import pytest

from diagnostics.language import CHINESE
from tests.workbench.people import People, signed_in
from workbench.analyses.submission import DEMO_FOLDER
from workbench.cases.models import Case
from workbench.cases.titles import DEMOS, read_title
from workbench.languages.sentences import in_language

# ruff: noqa: RUF001 - punctuation of Chinese


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("New incident", "新故障"),
        ("Untitled case", "未命名案例"),
        ("taskmanager.log and 3 more", "taskmanager.log 及另外 3 个文件"),
        ("prod, metrics until 2026-11-22 14:00 UTC", "prod，截至 2026-11-22 14:00 UTC 的指标"),
        ("Loki, eu, logs until 2026-11-22 14:00 UTC", "Loki, eu，截至 2026-11-22 14:00 UTC 的日志"),
        ("prod, profile of 2026-11-22 14:00 UTC", "prod，2026-11-22 14:00 UTC 的性能剖析"),
        ("Early warning: orders, daily", "预警：orders, daily"),
        ("Demo: orders with one hot key", "演示：订单作业中的一个热点 key"),
    ],
)
def test_a_title_of_the_workbench_is_in_the_language_of_its_reader(stored: str, shown: str) -> None:
    assert read_title(stored) == stored
    with in_language(CHINESE):
        assert read_title(stored) == shown


@pytest.mark.parametrize(
    "written", ["orders, logs until Friday", "New incident in Paris", "a and b more", "新故障", "Demo: my own"]
)
def test_what_a_person_wrote_is_shown_as_written(written: str) -> None:
    with in_language(CHINESE):
        assert read_title(written) == written


def test_a_case_that_a_reader_of_chinese_opens_has_a_title_for_everybody(both_languages: None, people: People) -> None:
    client, chinese = signed_in(people.alice), {"Accept-Language": "zh-CN"}
    opened = client.post("/cases/new/", headers={"Accept": "application/json", **chinese})
    assert opened.status_code == 201
    assert Case.objects.get().title == "New incident"
    assert "新故障" in client.get("/", headers=chinese).content.decode()
    assert "New incident" in client.get("/", headers={"Accept-Language": "en"}).content.decode()
    for words in ("新故障", "new incident"):
        assert "case-row" in client.get("/", {"text": words}).content.decode()


def test_every_demo_has_a_title() -> None:
    assert {path.stem for path in DEMO_FOLDER.glob("*.zip")} == set(DEMOS)
