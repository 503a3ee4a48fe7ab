"""A stored diagnosis in the language of its reader: the same judgement, other sentences."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.diagnosis.judge import judge
from diagnostics.language import CHINESE, ENGLISH, Text, reading_in
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules
from diagnostics.symptoms import symptom_folders
from diagnostics.yaml_document import read_yaml
from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, signed_in
from workbench.analyses.models import Analysis
from workbench.analyses.reading import document_read
from workbench.rules.selectors import rules_of

UPLOAD = "rocksdb_slow_upload"


def upload_signals() -> list[dict[str, Any]]:
    """The signals on which the rule of an upload that expires fires, as an analysis stores them."""
    folder = next(each for each in symptom_folders() if each.name == UPLOAD)
    text = (folder / "rules" / "expired-upload.fires.yaml").read_text("utf-8")
    rest = {"level": "job", "window": None, "citations": [], "citation_count": 0}
    return [{**rest, **each} for each in read_yaml(text, "sample").content["signals"]]


def upload_rules() -> Ruleset:
    return Ruleset.of(each for each in shipped_rules() if each.symptom_class == UPLOAD)


@pytest.fixture
def analysis(people: People) -> Analysis:
    """A stored analysis with that diagnosis."""
    stored = diagnosed_case(people.alice)
    ruleset, _ = rules_of(stored.ruleset)
    stored.signals = upload_signals()
    stored.document = judge(stored.signals, [], ruleset)
    stored.save(update_fields=["signals", "document"])
    return stored


def test_sentences_titles_and_reasons_are_chinese() -> None:
    finding = judge(upload_signals(), [], upload_rules(), language=CHINESE)["findings"][0]
    assert finding["title"] == "Checkpoint 在上传状态期间超时"
    assert finding["statement"].startswith("Checkpoint 7 和 8 因状态上传耗时过长而超时")
    assert "异步阶段 55 s" in finding["statement"]
    assert [each["because"] for each in finding["reasons"][:2]] == [
        "规则成立\uff1aCheckpoint 在上传状态期间超时",
        "状态后端是 RocksDB 或 ForSt",
    ]


def test_the_judgement_is_the_same() -> None:
    english, chinese = (judge(upload_signals(), [], upload_rules(), language=each) for each in (ENGLISH, CHINESE))
    for name in ("symptom_class", "confidence"):
        assert english["verdict"][name] == chinese["verdict"][name]
    assert english["health"]["score"] == chinese["health"]["score"]
    for name in ("rule", "subject", "facts", "confidence", "severity", "role", "evidence"):
        assert [each[name] for each in english["findings"]] == [each[name] for each in chinese["findings"]]


def test_what_is_stored_is_english_whoever_reads() -> None:
    with reading_in(CHINESE):
        stored = judge(upload_signals(), [], upload_rules())
    assert stored["findings"][0]["title"] == "Checkpoints expire while the state is being uploaded"


@pytest.mark.django_db
def test_the_api_has_the_summary_of_a_case_in_the_language_of_the_request(
    both_languages: None, analysis: Analysis, people: People
) -> None:
    english, chinese = (
        signed_in(people.alice)
        .get(f"/api/v1/cases/{analysis.case_id}/", headers={"Accept-Language": language})
        .json()["verdict"]
        for language in ("en", "zh-CN")
    )
    assert "状态上传耗时过长" in chinese.pop("summary")
    assert english.pop("summary").isascii()
    assert english == chinese


@pytest.mark.django_db
def test_a_reader_gets_the_stored_judgement_in_the_own_language(analysis: Analysis) -> None:
    assert document_read(analysis) is analysis.document
    with reading_in(CHINESE):
        read = document_read(analysis)
    assert read["language"] == CHINESE
    assert read["findings"][0]["title"] == "Checkpoint 在上传状态期间超时"
    assert "language" not in Analysis.objects.get(pk=analysis.pk).document


@pytest.mark.django_db
def test_a_judgement_that_differs_from_the_stored_one_is_not_shown(analysis: Analysis) -> None:
    analysis.document["verdict"]["symptom_class"] = "data_skew"
    with reading_in(CHINESE):
        assert document_read(analysis) is analysis.document


@pytest.mark.django_db
def test_the_case_page_shows_it(analysis: Analysis, people: People, both_languages: None) -> None:
    address = analysis.case.get_absolute_url()
    chinese = signed_in(people.alice).get(address, headers={"Accept-Language": "zh-CN"}).content.decode()
    assert "因状态上传耗时过长而超时" in chinese
    assert "earlier version" not in chinese
    english = signed_in(people.alice).get(address, headers={"Accept-Language": "en"}).content.decode()
    assert "expired because uploading the state takes too long" in english


def test_a_rule_with_a_translation_is_the_same_rule() -> None:
    assert Text("Back pressure", {CHINESE: "反压"}) == "Back pressure"
    assert hash(Text("Back pressure", {CHINESE: "反压"})) == hash("Back pressure")
