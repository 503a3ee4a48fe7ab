from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.workbench.people import People
from workbench.accounts.models import ApiToken, Role, User


def said(*command: str) -> str:
    output = StringIO()
    call_command(*command, stdout=output)
    return output.getvalue()


def test_create_admin_prints_a_password_it_made_once(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORKBENCH_ADMIN_PASSWORD", raising=False)
    password = said("create_admin").split()[-1]
    admin = User.objects.get(username="admin")
    assert admin.check_password(password)
    assert admin.role == Role.ADMINISTRATOR
    assert admin.teams.exists()
    assert said("create_admin") == ""


def test_create_admin_takes_the_password_of_the_environment_and_does_not_print_it(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_ADMIN_PASSWORD", "given-by-the-environment")
    assert "given-by-the-environment" not in said("create_admin")
    assert User.objects.get(username="admin").check_password("given-by-the-environment")


def test_create_token_prints_a_token_that_works(people: People) -> None:
    secret = said("create_token", "alice").strip()
    token = ApiToken.objects.with_secret(secret)
    assert token is not None
    assert token.user == people.alice


def test_create_token_refuses_an_unknown_user(people: People) -> None:
    with pytest.raises(CommandError, match="no active user 'nobody'"):
        said("create_token", "nobody")
