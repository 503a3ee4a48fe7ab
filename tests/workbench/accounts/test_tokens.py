"""API tokens: made, limited, seen and revoked on pages; only their hashes are stored."""

from __future__ import annotations

import datetime as dt
import re

import pytest
from django.test import Client
from django.utils import timezone

from tests.workbench.people import People, case_of, signed_in
from workbench.accounts.models import ApiToken, TokenScope, User


def with_scope(user: User, scope: TokenScope) -> Client:
    _, secret = ApiToken.objects.make(user, "test", scope=scope)
    return Client(headers={"Authorization": f"Token {secret}"})


def test_a_person_makes_a_token_that_is_shown_once_and_revokes_it(people: People) -> None:
    browser = signed_in(people.alice)
    page = browser.post("/tokens/", {"name": "pipeline", "scope": "read", "days": "30"}).content.decode()
    secret = re.search(r'<code class="break">([\w-]{40})</code>', page)
    assert secret is not None
    [token] = people.alice.api_tokens.all()
    assert (token.name, token.scope, token.digest) == ("pipeline", "read", ApiToken.digest_of(secret[1]))
    assert dt.timedelta(days=29) < token.expires_at - timezone.now() <= dt.timedelta(days=30)
    assert secret[1] not in browser.get("/tokens/").content.decode()
    program = Client(headers={"Authorization": f"Token {secret[1]}"})
    assert program.get("/api/v1/cases/").status_code == 200
    browser.post(f"/tokens/{token.pk}/revoke/")
    assert program.get("/api/v1/cases/").status_code == 401


def test_a_token_to_read_reads_and_changes_nothing(people: People) -> None:
    case = case_of(people.alice)
    program = with_scope(people.alice, TokenScope.READ)
    assert program.get(f"/api/v1/cases/{case.pk}/").status_code == 200
    for address in ("/api/v1/cases/", f"/api/v1/cases/{case.pk}/files/"):
        answer = program.post(address, {"title": "x"})
        assert (answer.status_code, answer.json()["detail"]) == (403, "This token may read only.")


def test_a_token_for_metrics_opens_nothing_else(people: People) -> None:
    assert with_scope(people.ada, TokenScope.METRICS).get("/api/v1/cases/").status_code == 401


def test_the_last_use_is_noted_once_a_minute(people: People) -> None:
    program = with_scope(people.alice, TokenScope.READ)
    program.get("/api/v1/cases/", REMOTE_ADDR="192.0.2.4")
    [token] = people.alice.api_tokens.all()
    assert token.last_used_from == "192.0.2.4"
    first = token.last_used_at
    program.get("/api/v1/cases/", REMOTE_ADDR="192.0.2.4")
    token.refresh_from_db()
    assert token.last_used_at == first
    assert "192.0.2.4" in signed_in(people.alice).get("/tokens/").content.decode()


@pytest.mark.parametrize(
    "form",
    [
        {"name": "", "scope": "read", "days": "30"},
        {"name": "x" * 101, "scope": "read", "days": "30"},
        {"name": "x", "scope": "metrics", "days": "30"},
        {"name": "x", "scope": "root", "days": "30"},
        {"name": "x", "scope": "read", "days": "0"},
        {"name": "x", "scope": "read", "days": "3651"},
        {"name": "x", "scope": "read", "days": "1e3"},
    ],
)
def test_a_token_without_name_scope_or_end_is_not_made(people: People, form: dict[str, str]) -> None:
    answer = signed_in(people.alice).post("/tokens/", form)
    assert 'role="alert"' in answer.content.decode()
    assert not people.alice.api_tokens.exists()


def test_nobody_has_more_than_fifty(people: People) -> None:
    for number in range(50):
        ApiToken.objects.make(people.alice, f"{number}")
    page = signed_in(people.alice).post("/tokens/", {"name": "x", "scope": "read", "days": "3"}).content.decode()
    assert "You have 50 tokens" in page


def test_administrators_see_and_revoke_all_tokens_and_others_only_their_own(people: People) -> None:
    token, _ = ApiToken.objects.make(people.alice, "of Alice")
    assert signed_in(people.bob).post(f"/tokens/{token.pk}/revoke/").status_code == 404
    assert signed_in(people.bob).get("/tokens/all/").status_code == 403
    browser = signed_in(people.ada)
    assert "of Alice" in browser.get("/tokens/all/").content.decode()
    browser.post(f"/tokens/{token.pk}/revoke/")
    assert not ApiToken.objects.exists()
