"""What a request may cost a thread of the web server: work that takes long ends with a reason or goes to the queue."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import time
import zipfile

import pytest
from django.conf import LazySettings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from tests.workbench.diagnosed import SKEW_RULE
from tests.workbench.people import People, case_of, signed_in
from workbench.analyses.submission import case_submit
from workbench.cases.models import Case
from workbench.redaction import views as redaction_views
from workbench.reports.bundle import KIND, SCHEMA, BundleRefused, bundle_import
from workbench.rules import exchange
from workbench.rules.services import rules_load
from workbench.uploads import services
from workbench.uploads.arrivals import arrival_append, arrival_begin, arrival_complete
from workbench.uploads.models import Arrival, ArrivalState, UploadedFile

pytestmark = pytest.mark.database

LINE = b"2026-11-21 02:00:00,000 INFO  com.acme.Job [] - url jdbc:postgresql://ann:hunter2@db:5432/orders\n"
PACKED = gzip.compress(LINE * 100_000, 9, mtime=0)
"""Ten megabytes in thirty kilobytes."""


def zipped(entries: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return target.getvalue()


def sent(content: bytes, *rules: str) -> dict[str, object]:
    return {"file": SimpleUploadedFile("file", content), "name": "tm.log", "complete": "1", "redact": list(rules)}


def test_a_preview_of_a_packed_file_shows_what_was_found_in_its_time(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redaction_views, "MOST_SECONDS", 0.2)
    begun = time.thread_time()
    page = signed_in(people.alice).post("/redaction/preview/", sent(PACKED, "url-password")).content.decode()
    assert time.thread_time() - begun < 2
    assert "REDACTED-url-password" in page
    assert "its beginning" in page


def test_a_preview_that_is_done_in_time_is_of_the_whole_file(people: People) -> None:
    page = signed_in(people.alice).post("/redaction/preview/", sent(gzip.compress(LINE), "url-password"))
    assert "1 replaced" in page.content.decode()
    assert "its beginning" not in page.content.decode()


def test_secrets_are_not_taken_out_of_a_drop_for_ever(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "REDACTED_SECONDS", 0.2)
    case = case_of(people.alice)
    answer = signed_in(people.alice).post(reverse("uploads:add", args=[case.pk]), sent(PACKED, "url-password")).json()
    assert "takes longer than 0.2 seconds" in answer["files"][0]["detail"]
    assert not case.files.exists()


@pytest.mark.parametrize(
    ("content", "state"),
    [(PACKED * 5, ArrivalState.REDACTING), (LINE * 2_000, ArrivalState.TAKEN), (PACKED, ArrivalState.TAKEN)],
    ids=["packed", "plain", "packed and tiny"],
)
def test_a_worker_takes_the_secrets_out_of_a_packed_file(people: People, content: bytes, state: ArrivalState) -> None:
    arrival = arrival_begin(
        case=case_of(people.alice), user=people.alice, name="tm.log", size=len(content), redact=["url-password"]
    )
    arrival_append(arrival=arrival, offset=0, length=len(content), stream=io.BytesIO(content))
    arrival_complete(arrival=arrival)
    assert Arrival.objects.get().state == state


def test_a_drop_of_archives_is_recognised_within_its_time(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "LOOKED_SECONDS", 0.3)
    archive = {f"{number}.log": LINE * 600 for number in range(500)}
    case, drops = case_of(people.alice), []
    for name in "abcdefgh":
        drops.append((f"{name}.zip", io.BytesIO(zipped({**archive, f"{name}.log": name.encode()}))))
    recognised = time.thread_time()
    services.uploads_add(case=case, user=people.alice, drops=drops)
    assert time.thread_time() - recognised < 3
    files = UploadedFile.objects.order_by("pk")
    assert len(files) == 8
    assert any(each["format"] == "flink-log" for each in files[0].members)
    assert [each["title"] for each in files[7].members] == ["More files, recognised during the analysis"]


def archives() -> list[tuple[str, io.BytesIO]]:
    """Eight archives of 500 logs each: all of them together take longer than the time."""
    logs = {f"{number}.log": LINE * 600 for number in range(500)}
    return [(f"{name}.zip", io.BytesIO(zipped({**logs, f"{name}.log": name.encode()}))) for name in "abcdefgh"]


def test_files_that_are_sent_with_a_case_are_recognised_within_their_time(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "LOOKED_SECONDS", 0.3)
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)
    sent_files = archives()
    begun = time.thread_time()
    case_submit(user=people.alice, title="Archives", files=sent_files)
    assert time.thread_time() - begun < 3
    files = UploadedFile.objects.order_by("pk")
    assert len(files) == 8
    assert [each["title"] for each in files[7].members] == ["More files, recognised during the analysis"]


def test_many_small_files_keep_no_sender_waiting_while_secrets_are_taken_out(
    people: People, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker redacts the files that the request has no time for."""
    settings.REDACT_ALWAYS = True
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)
    monkeypatch.setattr(services, "REDACTED_SECONDS", 0.5)
    sent_files = [(f"{number}.log", io.BytesIO(LINE * 5_000 + str(number).encode())) for number in range(60)]
    begun = time.thread_time()
    case = case_submit(user=people.alice, title="Logs", files=sent_files)
    assert time.thread_time() - begun < 3
    assert case.files.count() + Arrival.objects.redacting().count() == 60
    assert 1 <= case.files.count() < 60


def test_files_of_a_bundle_are_recognised_within_their_time(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "LOOKED_SECONDS", 0.3)
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)
    begun = time.thread_time()
    bundle_import(user=people.alice, content=bundled(archives(), {}))
    assert time.thread_time() - begun < 4
    assert UploadedFile.objects.count() == 8


def test_a_bundle_of_thousands_of_corrections_is_refused(people: People) -> None:
    overrides = {f"a.zip!/{number}.log": "flink-log" for number in range(1_001)}
    with pytest.raises(BundleRefused, match="corrects 1,001 formats"):
        bundle_import(user=people.alice, content=bundled(archives()[:1], overrides))
    assert not Case.objects.exists()


def bundled(files: list[tuple[str, io.BytesIO]], overrides: dict[str, str]) -> io.BytesIO:
    """A bundle of the files, whose first one is corrected."""
    contents = {f"files/{number:04}": content.getvalue() for number, (_, content) in enumerate(files, 1)}
    listed = [
        {
            "path": path,
            "name": name,
            "sha256": hashlib.sha256(contents[path]).hexdigest(),
            "overrides": overrides if path == "files/0001" else {},
        }
        for path, (name, _) in zip(contents, files, strict=True)
    ]
    verdict = {"symptom_class": "healthy", "confidence": 0.9}
    manifest = {"kind": KIND, "schema": SCHEMA, "title": "Theirs", "verdict": verdict, "health": 100, "files": listed}
    return io.BytesIO(zipped({"manifest.json": json.dumps(manifest).encode(), **contents}))


def test_files_of_visitors_are_not_taken(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check of CSRF tokens reads the form of anybody, and each file of it would be open until its end."""
    made: list[str] = []
    monkeypatch.setattr(
        "django.core.files.uploadedfile.tempfile.NamedTemporaryFile", lambda **options: made.append(str(options))
    )
    sent_files = [SimpleUploadedFile(f"{number}.log", LINE) for number in range(20)]
    client = Client(enforce_csrf_checks=True)
    answer = client.post("/login/", {"username": "alice", "password": "x", "files": sent_files})
    assert answer.status_code == 403
    assert made == []


@pytest.mark.django_db
def test_rules_that_take_long_to_check_are_not_imported_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "MOST_SECONDS", 0.05)
    rules = {f"data_skew/rules/r{number}.yaml": f"{SKEW_RULE}\n# {number}\n".encode() for number in range(600)}
    begun = time.thread_time()
    with pytest.raises(exchange.ImportRefused, match="Split it into smaller archives"):
        exchange.offered(io.BytesIO(zipped(rules)))
    assert time.thread_time() - begun < 2


@pytest.mark.django_db
def test_all_shipped_rules_are_checked_in_half_of_the_time() -> None:
    rules_load()
    begun = time.thread_time()
    assert len(exchange.offered(io.BytesIO(exchange.exported_rules()))) > 100
    assert time.thread_time() - begun < exchange.MOST_SECONDS / 2
