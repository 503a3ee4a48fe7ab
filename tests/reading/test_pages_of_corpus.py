"""The pages of every corpus case, read as a browser gets them."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.test import Client

from tests.architecture.test_shown_words import offence
from tests.diagnosed_corpus import CASES, CorpusReport
from tests.reading.pages import lines_of, pages_of
from tests.reading.sentence_faults import internal_names
from tests.workbench.diagnosed import stored_file
from tests.workbench.people import case_of, make_people
from workbench.analyses.outcome import report_save
from workbench.analyses.services import analysis_claim, analysis_request

pytestmark = [
    pytest.mark.spark,
    pytest.mark.django_db,
    pytest.mark.skipif(not CASES, reason="the corpus is not on this machine"),
]

UNFILLED = re.compile(r"\{\{|\{%|%\(\w+\)s|\bnan\b")
"""What a template leaves where a value is missing."""
LOOP = "restarts again and again"
NOW = re.compile(r"Stop it with a savepoint|Cancel the job")


@pytest.fixture
def folders(settings: LazySettings, tmp_path: Path) -> None:
    """Files of the test go where nothing else is."""
    for name in ("UPLOADS_DIR", "INCOMING_DIR", "WORKSPACES_DIR", "LOG_BOOKS_DIR"):
        (tmp_path / name).mkdir()
        setattr(settings, name, tmp_path / name)
    settings.WORKBENCH_DATA = tmp_path
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.mark.parametrize("name", CASES)
def test_the_pages_of_a_case_can_be_read(
    name: str, corpus_report: CorpusReport, folders: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)
    report = corpus_report(name)
    alice = make_people().alice
    case = case_of(alice, name)
    stored_file(case, alice, str(report.inputs[0]["file"]))
    analysis = analysis_request(case=case, user=alice)
    claim = analysis_claim(analysis)
    assert claim is not None
    assert report_save(analysis=analysis, claim=claim, report=dataclasses.replace(report), warnings=[])
    analysis.refresh_from_db()
    client = Client()
    client.force_login(alice)

    pages = {title: list(lines_of(page)) for title, page in pages_of(client, analysis).items()}

    assert [(title, line) for title, lines in pages.items() for line in lines if UNFILLED.search(line)] == []
    prose = [line for lines in pages.values() for line in lines if len(line) < 400]
    assert [fault for line in prose for fault in internal_names(line)] == []
    assert [line for line in prose if offence(line)] == [], "the style page says what to write instead"
    started = [line for title, lines in pages.items() if title.startswith("runbook") for line in lines]
    assert [line for line in started if re.search(r"\b[1-9]\d* of \d+ steps? done", line)] == [], "nobody did anything"
    states = {each["facts"].get("final_state") for each in report.signals if each["key"] == "restarts"}
    if states == {"FAILED"}:
        head = pages["case"][: pages["case"].index("Health of 100")]
        assert [line for line in head if LOOP in line] == []
        assert any("FAILED" in line for line in head)
    if all(job["verdict"]["symptom_class"] == "healthy" for job in report.document["jobs"]):
        assert [line for line in pages["case"] if NOW.search(line)] == []
