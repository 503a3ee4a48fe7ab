"""Texts of the workbench that stand beside those of people: stored in English, shown and found in each language."""

from __future__ import annotations

import pytest

from diagnostics.language import CHINESE
from tests.workbench.people import People, signed_in
from workbench.analyses.submission import DEMO_FOLDER
from workbench.cases.models import Case
from workbench.cases.own_texts import AFTER_A_CHANGE, CHANGES, DEMOS, NOTES, TITLES, OwnTexts
from workbench.cases.services import case_open, evidence_keep, note_add, snapshot_start
from workbench.languages.sentences import in_language

# ruff: noqa: RUF001 - punctuation of Chinese

CHINESE_READER = {"Accept-Language": "zh-CN"}
ENGLISH_READER = {"Accept-Language": "en"}


@pytest.mark.parametrize(
    ("kind", "stored", "shown"),
    [
        (TITLES, "New incident", "新故障"),
        (TITLES, "Untitled case", "未命名案例"),
        (TITLES, "taskmanager.log and 3 more", "taskmanager.log 及另外 3 个文件"),
        (TITLES, "prod, metrics until 2026-11-22 14:00 UTC", "prod，截至 2026-11-22 14:00 UTC 的指标"),
        (TITLES, "Loki, eu, logs until 2026-11-22 14:00 UTC", "Loki, eu，截至 2026-11-22 14:00 UTC 的日志"),
        (TITLES, "prod, profile of 2026-11-22 14:00 UTC", "prod，2026-11-22 14:00 UTC 的性能剖析"),
        (TITLES, "Early warning: orders, daily", "预警：orders, daily"),
        (TITLES, "Demo: orders with one hot key", "演示：订单作业中的一个热点 key"),
        (NOTES, "The evidence is to be kept.", "证据将予以保留。"),
        (NOTES, "The evidence was deleted: 1 file.", "已删除证据：1 个文件。"),
        (NOTES, "The evidence was deleted: 12 files.", "已删除证据：12 个文件。"),
        (
            NOTES,
            "logs was left out: the answer took longer than 1 seconds.\nmetrics was left out: HTTP 503: busy.",
            "未采集 logs：应答超过 1 秒。\n未采集 metrics：HTTP 503: busy。",
        ),
        (
            NOTES,
            "A check of payments found: The last 3 checkpoints failed.",
            "检查 payments 时发现：最近 3 次 Checkpoint 失败。",
        ),
        (
            NOTES,
            "Imported from a bundle. There the verdict was: Data skew, 90 % sure, health 41 of 100.",
            "由案例包导入。包中的诊断结论：数据倾斜，置信度 90 %，健康分 41/100。",
        ),
        (NOTES, "The alert Late fires, says prod.", "告警 Late 触发，来自 prod。"),
        (
            NOTES,
            "The alert Late fires since 2026-05-04 02:11:42 UTC, says prod-eu: 3 checkpoints: failed\nCall Bob.",
            "告警 Late 自 2026-05-04 02:11:42 UTC 起触发，来自 prod-eu：3 checkpoints: failed\nCall Bob.",
        ),
        (NOTES, "The alert Late is resolved, says prod.", "告警 Late 已恢复，来自 prod。"),
        (CHANGES, "The incident", "故障"),
        (CHANGES, "After a change", "改动之后"),
        (CHANGES, "After the alert Late", "告警 Late 之后"),
        (CHANGES, "The alert Late fires again", "告警 Late 再次触发"),
    ],
)
def test_a_text_of_the_workbench_is_in_the_language_of_its_reader(kind: OwnTexts, stored: str, shown: str) -> None:
    assert kind.read(stored) == stored
    with in_language(CHINESE):
        assert kind.read(stored) == shown


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        (TITLES, "orders, logs until Friday"),
        (TITLES, "New incident in Paris"),
        (TITLES, "a and b more"),
        (TITLES, "新故障"),
        (TITLES, "Demo: my own"),
        (NOTES, "No checkpoint completed. The evidence is to be kept."),
        (NOTES, "The analysis failed."),
        (NOTES, "logs was left out: HTTP 503. metrics was left out: HTTP 503."),
        (NOTES, "The alert fires, says Bob"),
        (CHANGES, "After a change of the sink"),
    ],
)
def test_what_a_person_wrote_is_shown_as_written(kind: OwnTexts, written: str) -> None:
    with in_language(CHINESE):
        assert kind.read(written) == written


def test_a_case_that_a_reader_of_chinese_opens_has_a_title_for_everybody(both_languages: None, people: People) -> None:
    client = signed_in(people.alice)
    opened = client.post("/cases/new/", headers={"Accept": "application/json", **CHINESE_READER})
    assert opened.status_code == 201
    assert Case.objects.get().title == "New incident"
    assert "新故障" in client.get("/", headers=CHINESE_READER).content.decode()
    assert "New incident" in client.get("/", headers=ENGLISH_READER).content.decode()
    for words in ("新故障", "new incident"):
        assert "case-row" in client.get("/", {"text": words}).content.decode()


def test_notes_and_changes_of_a_case_are_in_the_language_of_each_reader(both_languages: None, people: People) -> None:
    case = case_open(user=people.alice, title="Orders")
    with in_language(CHINESE):
        evidence_keep(case=case, user=people.alice, is_kept=True)
        note_add(case=case, user=people.alice, text="The sink was slow.")
        snapshot_start(case=case, user=people.alice, change="")
    client, page = signed_in(people.alice), f"/cases/{case.pk}/"
    chinese = client.get(page, headers=CHINESE_READER).content.decode()
    english = client.get(page, headers=ENGLISH_READER).content.decode()
    assert "证据将予以保留。" in chinese
    assert "改动之后" in chinese
    assert AFTER_A_CHANGE not in chinese
    assert "The evidence is to be kept." in english
    assert AFTER_A_CHANGE in english
    assert "The sink was slow." in chinese
    assert "The sink was slow." in english
    for words in ("证据将予以保留", "evidence is to be kept"):
        assert "case-row" in client.get("/", {"text": words}).content.decode()


def test_every_demo_has_a_title() -> None:
    assert {path.stem for path in DEMO_FOLDER.glob("*.zip")} == set(DEMOS)
