"""Redaction of an upload before it is stored, its preview, and who may change the rules."""

from __future__ import annotations

import pytest
from django.conf import LazySettings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse

from tests.diagnostics.intake.uploads import zipped
from tests.workbench.people import People, signed_in
from workbench.accounts.models import User
from workbench.cases.models import Case
from workbench.cases.services import case_open
from workbench.redaction.models import RedactionRule
from workbench.redaction.selectors import redaction_rules
from workbench.uploads.models import UploadedFile

pytestmark = pytest.mark.database

LINE = b"2026-11-21 02:00:00,000 INFO  com.acme.Job [] - url jdbc:postgresql://ann:hunter2@db:5432/orders\n"


@pytest.fixture
def case(people: People) -> Case:
    return case_open(user=people.alice, title="A case")


def upload(user: User, case: Case, content: bytes, *rules: str, name: str = "tm.log") -> HttpResponse:
    sent = {"file": SimpleUploadedFile("file", content), "name": name, "redact": list(rules)}
    return signed_in(user).post(f"/uploads/to/{case.pk}/", sent)


def preview(user: User, content: bytes, *rules: str) -> HttpResponse:
    sent = {"file": SimpleUploadedFile("file", content), "name": "tm.log", "complete": "1", "redact": list(rules)}
    return signed_in(user).post("/redaction/preview/", sent)


def own_rule(**given: object) -> RedactionRule:
    fields = {"rule_id": "order", "title": "Orders", "pattern": r"order=(\d{6})-", "finds": "order=>123456<-a"}
    return RedactionRule(**{**fields, **given})


def test_a_secret_is_nowhere_on_the_disk(people: People, case: Case, settings: LazySettings) -> None:
    upload(people.alice, case, LINE, "url-password")
    file = UploadedFile.objects.get()
    assert b"REDACTED-url-password" in file.path.read_bytes()
    assert file.redacted == {"found": {"url-password": 1}, "left_out": []}
    for folder in (settings.UPLOADS_DIR, settings.INCOMING_DIR):
        assert not any(b"hunter2" in path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_nothing_is_taken_out_unless_somebody_wants_it(people: People, case: Case) -> None:
    upload(people.alice, case, LINE)
    file = UploadedFile.objects.get()
    assert (file.path.read_bytes(), file.redacted) == (LINE, None)


def test_an_administrator_may_have_everything_redacted(people: People, case: Case, settings: LazySettings) -> None:
    settings.REDACT_ALWAYS = True
    upload(people.alice, case, LINE)
    assert b"hunter2" not in UploadedFile.objects.get().path.read_bytes()


def test_the_list_says_what_was_replaced(people: People, case: Case) -> None:
    content = zipped({"tm.log": LINE * 3, "a.jfr": b"FLR\x00" + bytes(64)})
    answer = upload(people.alice, case, content, "url-password", name="bundle.zip")
    html = answer.json()["files"][0]["html"]
    assert "3 values replaced before it was stored" in html
    assert "1 file inside left out" in html


def test_a_file_that_cannot_be_read_is_not_stored(people: People, case: Case) -> None:
    answer = upload(people.alice, case, b"JAVA PROFILE 1.0.2\x00" + bytes(600), "url-password")
    assert answer.json()["files"][0]["taken"] is False
    assert "not be redacted" in answer.json()["files"][0]["detail"]
    assert not UploadedFile.objects.exists()


def test_pasted_text_is_redacted_too(people: People, case: Case) -> None:
    signed_in(people.alice).post(f"/cases/{case.pk}/paste/", {"text": LINE.decode(), "redact": "url-password e-mail"})
    assert b"hunter2" not in UploadedFile.objects.get().path.read_bytes()


def test_the_preview_shows_counts_and_samples_and_keeps_nothing(people: People, settings: LazySettings) -> None:
    page = preview(people.alice, LINE * 2 + b"<script>password=abcdef</script>\n", "url-password", "setting").content
    assert b"<strong>Passwords in URLs</strong>: 2 replaced" in page
    assert b"<del>hunter2</del>" in page
    assert b"<script>" not in page
    assert list(settings.INCOMING_DIR.iterdir()) == []
    assert not UploadedFile.objects.exists()


def test_a_preview_is_for_those_who_may_add_files(people: People) -> None:
    assert preview(people.vera, LINE, "url-password").status_code == 403


def test_a_rule_of_this_workbench_is_applied_and_may_replace_or_switch_off_a_shipped_one(people: People) -> None:
    own_rule().save()
    own_rule(rule_id="e-mail", title="Our e-mail").save()
    own_rule(rule_id="jwt", active=False).save()
    rules = {rule.id: rule.title for rule in redaction_rules()}
    assert rules["order"] == "Orders"
    assert rules["e-mail"] == "Our e-mail"
    assert "jwt" not in rules


def test_a_rule_that_does_not_find_its_examples_is_refused(people: People) -> None:
    own_rule().full_clean()
    with pytest.raises(ValidationError, match="does not find the value"):
        own_rule(finds="order=>12<").full_clean()
    with pytest.raises(ValidationError, match="not an RE2 expression"):
        own_rule(pattern="(a").full_clean()


def test_only_administrators_edit_rules(people: People) -> None:
    assert signed_in(people.ada).get("/admin/redaction/redactionrule/add/").status_code == 200
    assert signed_in(people.alice).get("/admin/redaction/redactionrule/add/").status_code in (302, 403)
