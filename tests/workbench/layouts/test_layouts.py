"""User-defined layouts: written in the administration, checked on their sample lines, used from the next file on."""

from __future__ import annotations

from django.urls import reverse

from tests.diagnostics.intake.test_log_layout import LAYOUT, LOG
from tests.workbench.people import People, case_of, signed_in
from workbench.layouts.models import LogLayout
from workbench.uploads.models import FileKind
from workbench.uploads.services import text_add

FORM = {
    "title": LAYOUT.title,
    "pattern": LAYOUT.pattern,
    "time_format": LAYOUT.time_format,
    "finds": "\r\n".join(LAYOUT.finds),
    "active": "on",
}


def test_a_log_in_a_layout_that_was_added_is_evidence(people: People) -> None:
    case = case_of(people.alice)
    before = text_add(case=case, user=people.alice, text=LOG)
    assert before.kind == FileKind.ATTACHMENT
    address = reverse("admin:layouts_loglayout_add")
    assert "(?P&lt;time&gt;...)" in signed_in(people.ada).get(address).content.decode()
    page = signed_in(people.ada).post(address, {**FORM, "time_format": "%Y"})
    assert "is no time of the format" in page.content.decode()
    assert not LogLayout.objects.exists()
    assert signed_in(people.ada).post(address, FORM).status_code == 302
    after = text_add(case=case_of(people.alice), user=people.alice, text=LOG)
    assert (after.kind, after.members[0]["format"]) == (FileKind.EVIDENCE, "flink-log")
    LogLayout.objects.update(active=False)
    switched_off = text_add(case=case_of(people.alice), user=people.alice, text=LOG)
    assert switched_off.kind == FileKind.ATTACHMENT


def test_only_administrators_describe_layouts(people: People) -> None:
    for user in (people.alice, people.vera, people.rita):
        assert signed_in(user).get(reverse("admin:layouts_loglayout_add")).status_code in (302, 403)
