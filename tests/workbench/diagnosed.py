"""Cases whose analysis is done, without Spark: hand-made signals, judged and saved by the real services."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from diagnostics.diagnosis.judge import judge
from diagnostics.rules.rule import Rule, Ruleset
from tests.workbench.people import case_of
from workbench.accounts.models import User
from workbench.analyses.log_books import log_books_write
from workbench.analyses.models import Analysis, LogBookState
from workbench.analyses.outcome import report_save
from workbench.analyses.services import analysis_claim, analysis_request
from workbench.cases.models import Case
from workbench.rules.models import Draft, RuleVersion
from workbench.rules.services import draft_publish, draft_save
from workbench.uploads.models import FileKind, UploadedFile

SKEW_RULE = """\
id: skew.test
version: 1
symptom_class: data_skew
level: vertex
title: One subtask takes most of the records
severity: critical
when:
  all:
    - {fact: load_balance.skew_ratio, op: ">=", value: 2, source: "made up for the test"}
confidence:
  base: 0.9
statement: "{subject.vertex} has a skew of {load_balance.skew_ratio|plain}."
first:
  - say: "Find the keys that {subject.vertex} gets."
facts: [load_balance.skew_ratio]
"""

SKEW_FIRES = "signals:\n  - {key: load_balance, subject: {vertex: Window}, facts: {skew_ratio: 9}}\n"
SKEW_SILENT = "signals:\n  - {key: load_balance, subject: {vertex: Window}, facts: {skew_ratio: 1}}\n"


def drafted(text: str, user: User, base: RuleVersion | None = None) -> Draft:
    """A draft with the text and with samples that a rule on the skew of a task passes."""
    return draft_save(user=user, text=text, fires_sample=SKEW_FIRES, silent_sample=SKEW_SILENT, base=base)


def published(text: str, user: User, base: RuleVersion | None = None) -> RuleVersion:
    """The version that comes of such a draft."""
    return draft_publish(draft=drafted(text, user, base), user=user, reason="made up for the test")


def stored_file(
    case: Case, user: User, name: str = "logs/tm.log", content: bytes = b"one\ntwo\n", snapshot: int = 1
) -> UploadedFile:
    """A file as `upload_add` leaves it behind, recognised as a log."""
    stored = f"{case.pk}-{uuid.uuid4().hex}"
    (settings.UPLOADS_DIR / stored).write_bytes(content)
    return UploadedFile.objects.create(
        case=case,
        snapshot=snapshot,
        name=name,
        stored=stored,
        bytes=len(content),
        sha256=uuid.uuid4().hex * 2,
        kind=FileKind.EVIDENCE,
        members=[{"name": name, "format": "flink-log", "title": "Flink log", "confidence": 1.0, "bytes": len(content)}],
        uploaded_by=user,
    )


def skew_signals(skew_ratio: float, seen_at: dt.datetime | None = None) -> list[dict[str, Any]]:
    """One measured task whose busiest subtask has `skew_ratio` times its even share, cited with the time `seen_at`."""
    ts_ms = round(seen_at.timestamp() * 1000) if seen_at else None
    citation = {"file_id": 0, "line": 2, "last_line": 3, "kind": "rest", "text": "numRecordsIn 900 \x00", "value": 900}
    citation |= {"ts_ms": ts_ms}
    subject = {"job": "a" * 32, "vertex": "Window", "vertex_id": "b" * 32}
    facts = {"skew_ratio": skew_ratio, "hot_subtask": 2}
    signal = {"key": "load_balance", "subject": subject, "facts": facts, "citations": [citation], "citation_count": 1}
    overview = {
        "key": "job_overview",
        "subject": {"job": "a" * 32},
        "facts": {"name": "Orders"},
        "citations": [],
        "citation_count": 0,
    }
    return [{"level": "vertex", "window": None, **signal}, {"level": "job", "window": None, **overview}]


def inputs_of(name: str) -> list[dict[str, Any]]:
    """The contract's `inputs[]` for one file."""
    return [{"file": name, "format": "flink-log", "records": 2, "bytes": 8, "flink_version": "1.20.5", "warnings": []}]


def report_of(skew_ratio: float, name: str = "logs/tm.log", seen_at: dt.datetime | None = None) -> Any:
    """A report as the pipeline gives it."""
    from diagnostics.analyze import Report

    signals, inputs = skew_signals(skew_ratio, seen_at), inputs_of(name)
    document = judge(signals, inputs, Ruleset.of([Rule.from_yaml(SKEW_RULE, "test")]))
    charts = {"log-volume": {"points": [1, 2]}}
    return Report(document, signals, charts, inputs, ["chart 'x' could not be drawn"], {"read_ms": 5})


def diagnosed_case(
    user: User, skew_ratio: float = 4.0, title: str = "Checkpoints expire", seen_at: dt.datetime | None = None
) -> Analysis:
    """A case of the user with a finished analysis; its evidence has no times but `seen_at`."""
    case = case_of(user, title)
    stored_file(case, user)
    return finish(analysis_request(case=case, user=user), skew_ratio, seen_at)


def job_beside(analysis: Analysis, name: str, symptom_class: str, health: int, **finding: Any) -> Analysis:
    """The analysis with another job, whose finding is like the first one but for `finding`."""
    document, job_id = analysis.document, name.encode().hex().ljust(32, "0")[:32]
    verdict = {**document["verdict"], "symptom_class": symptom_class}
    summary = f"{name}: it is {symptom_class.replace('_', ' ')}."
    job = {**document["jobs"][0], "job_id": job_id, "name": name, "health": health, "verdict": verdict}
    document["jobs"].append({**job, "summary": summary})
    like = document["findings"][0]
    subject = {**like["subject"], "job": job_id}
    document["findings"].append({**like, "subject": subject, "symptom_class": symptom_class, **finding})
    document_store(analysis)
    return analysis


def document_store(analysis: Analysis) -> None:
    """Stores its document as a test changed it; what was rendered of the one before is not kept."""
    analysis.save(update_fields=["document"])
    analysis.rendered.all().delete()


def finish(analysis: Analysis, skew_ratio: float, seen_at: dt.datetime | None = None) -> Analysis:
    """A queued analysis as a worker finishes it."""
    claim = analysis_claim(analysis)
    assert claim is not None
    assert report_save(analysis=analysis, claim=claim, report=report_of(skew_ratio, seen_at=seen_at), warnings=[])
    analysis.refresh_from_db()
    return analysis


def write_log_book(analysis: Analysis, logs: Mapping[str, str]) -> None:
    """Adds the logs to an analysis and writes its log book as the workbench does."""
    present = set(analysis.files.values_list("name", flat=True))
    for name, text in logs.items():
        if name not in present:
            owner = analysis.requested_by
            analysis.files.add(stored_file(analysis.case, owner, name, text.encode(), analysis.snapshot))
    analysis.log_book, analysis.inputs = LogBookState.WAITING, [{"file": name, "role": None} for name in logs]
    analysis.save(update_fields=["log_book", "inputs"])
    log_books_write()
