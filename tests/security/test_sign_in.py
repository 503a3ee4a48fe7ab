"""Guessing is bounded by name and by address, on every page that asks for a password; tokens end."""

from __future__ import annotations

import datetime as dt
import ipaddress
from io import StringIO

import pytest
from axes.models import AccessAttempt
from django.conf import LazySettings
from django.core.management import CommandError, call_command
from django.test import Client, RequestFactory
from django.utils import timezone

from tests.workbench.people import People, signed_in
from workbench.accounts.guessing import client_address
from workbench.accounts.models import ApiToken

ALICE = "alice-has-a-password"


def sign_in(name: str, password: str, address: str = "192.0.2.1", forwarded: str | None = None) -> int:
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    form = {"username": name, "password": password}
    return Client(REMOTE_ADDR=address, headers=headers).post("/login/", form).status_code


# An address that tries many names


def test_an_address_that_tries_many_names_is_stopped(people: People, settings: LazySettings) -> None:
    settings.MOST_FAILURES_OF_ADDRESS = 30
    assert {sign_in(f"name-{number}", "summer") for number in range(30)} == {200}
    assert sign_in("alice", ALICE) == 429
    assert sign_in("alice", ALICE, "192.0.2.2") == 302


def test_one_failure_fewer_locks_nobody_out(people: People, settings: LazySettings) -> None:
    settings.MOST_FAILURES_OF_ADDRESS = 30
    for number in range(29):
        sign_in(f"name-{number}", "summer")
    assert sign_in("alice", ALICE) == 302


def test_failures_of_the_last_hour_are_forgotten(people: People, settings: LazySettings) -> None:
    settings.MOST_FAILURES_OF_ADDRESS = 3
    for number in range(3):
        sign_in(f"name-{number}", "summer")
    AccessAttempt.objects.update(attempt_time=timezone.now() - dt.timedelta(hours=1))
    assert sign_in("alice", ALICE) == 302


# Proxies


@pytest.mark.parametrize(
    ("remote", "forwarded", "address"),
    [
        ("192.0.2.1", "", "192.0.2.1"),
        ("192.0.2.1", "198.51.100.7", "192.0.2.1"),
        ("10.0.0.5", "198.51.100.7", "198.51.100.7"),
        ("10.0.0.5", "203.0.113.9, 198.51.100.7", "198.51.100.7"),
        ("10.0.0.5", "203.0.113.9, 198.51.100.7, 10.0.0.6", "198.51.100.7"),
        ("10.0.0.5", "", "10.0.0.5"),
        ("10.0.0.5", "nonsense", "10.0.0.5"),
        ("10.0.0.5", "2001:db8::1", "2001:db8::1"),
        ("::ffff:10.0.0.5", "198.51.100.7", "198.51.100.7"),
        ("", "", "0.0.0.0"),
    ],
)
def test_only_what_trusted_proxies_say_of_an_address_counts(
    settings: LazySettings, remote: str, forwarded: str, address: str
) -> None:
    settings.TRUSTED_PROXIES = [ipaddress.ip_network("10.0.0.0/24")]
    request = RequestFactory().get("/", REMOTE_ADDR=remote, HTTP_X_FORWARDED_FOR=forwarded)
    assert client_address(request) == address


def test_behind_a_proxy_nobody_locks_another_person_out(people: People, settings: LazySettings) -> None:
    settings.TRUSTED_PROXIES = [ipaddress.ip_network("10.0.0.5")]
    settings.AXES_FAILURE_LIMIT = 3
    for guess in ("one", "two", "three"):
        sign_in("alice", guess, "10.0.0.5", "198.51.100.7")
    assert sign_in("alice", ALICE, "10.0.0.5", "198.51.100.7") == 429
    assert sign_in("alice", ALICE, "10.0.0.5", "203.0.113.9") == 302


def test_a_client_does_not_choose_another_address_for_each_guess(people: People, settings: LazySettings) -> None:
    settings.AXES_FAILURE_LIMIT = 3
    for number in range(3):
        sign_in("alice", "guess", forwarded=f"198.51.100.{number}")
    assert sign_in("alice", ALICE, forwarded="198.51.100.99") == 429


# The page on which a person changes the password


def change(browser: Client, old: str) -> int:
    new = "another-long-password"
    form = {"old_password": old, "new_password1": new, "new_password2": new}
    return browser.post("/password/", form).status_code


def test_guessing_the_old_password_of_an_open_session_is_stopped(people: People, settings: LazySettings) -> None:
    settings.AXES_FAILURE_LIMIT = 3
    browser = signed_in(people.alice)
    assert [change(browser, f"guess {number}") for number in range(3)] == [200, 200, 429]
    assert change(browser, ALICE) == 429
    people.alice.refresh_from_db()
    assert people.alice.check_password(ALICE)


def test_a_wrong_old_password_is_said_to_be_wrong(people: People) -> None:
    form = {"old_password": "x", "new_password1": "another-long-one", "new_password2": "another-long-one"}
    page = signed_in(people.alice).post("/password/", form).content.decode()
    assert "Your old password was entered incorrectly" in page


def test_no_password_is_written_into_the_record_of_an_attempt(people: People) -> None:
    change(signed_in(people.alice), "nearly-the-old-password")
    sign_in("alice", "nearly-the-old-password")
    kept = "".join(f"{attempt.post_data}{attempt.get_data}" for attempt in AccessAttempt.objects.all())
    assert "nearly-the-old-password" not in kept
    assert "another-long-password" not in kept


# Tokens


def asked_with(secret: str) -> int:
    return Client(headers={"Authorization": f"Token {secret}"}).get("/api/v1/cases/").status_code


def test_a_token_counts_until_it_expires(people: People) -> None:
    token, secret = ApiToken.objects.make(people.alice, "test", days=1)
    assert asked_with(secret) == 200
    token.expires_at = timezone.now() - dt.timedelta(seconds=1)
    token.save()
    assert asked_with(secret) == 401


def test_a_token_that_was_deleted_does_not_count(people: People) -> None:
    token, secret = ApiToken.objects.make(people.alice, "test")
    token.delete()
    assert asked_with(secret) == 401


def test_a_token_of_somebody_who_left_does_not_count(people: People) -> None:
    _, secret = ApiToken.objects.make(people.alice, "test")
    people.alice.is_active = False
    people.alice.save()
    assert asked_with(secret) == 401


def test_a_new_password_ends_tokens_and_other_sessions(people: People) -> None:
    _, secret = ApiToken.objects.make(people.alice, "test")
    _, other = ApiToken.objects.make(people.bob, "test")
    elsewhere, here = signed_in(people.alice), signed_in(people.alice)
    assert change(here, ALICE) == 302
    assert asked_with(secret) == 401
    assert elsewhere.get("/").status_code == 302
    assert here.get("/").status_code == 200
    assert asked_with(other) == 200


def test_a_new_password_from_an_administrator_ends_tokens_too(people: People) -> None:
    _, secret = ApiToken.objects.make(people.alice, "test")
    people.alice.set_password("given by an administrator")
    people.alice.save()
    assert asked_with(secret) == 401


def test_signing_in_and_other_changes_of_a_person_end_no_token(people: People) -> None:
    _, secret = ApiToken.objects.make(people.alice, "test")
    assert sign_in("alice", ALICE) == 302
    people.alice.first_name = "Alice"
    people.alice.save()
    assert asked_with(secret) == 200


def test_the_command_makes_tokens_of_a_bounded_life(people: People) -> None:
    printed = StringIO()
    call_command("create_token", "alice", days=7, stdout=printed)
    assert asked_with(printed.getvalue().strip()) == 200
    left = ApiToken.objects.get().expires_at - timezone.now()
    assert dt.timedelta(days=6) < left < dt.timedelta(days=8)
    for days in (0, 100_000):
        with pytest.raises(CommandError, match="1 to 3650 days"):
            call_command("create_token", "alice", days=days)


def test_the_administration_has_no_page_of_its_own_that_asks_for_the_old_password(people: People) -> None:
    answer = signed_in(people.ada).post("/admin/password_change/", {"old_password": "guess"})
    assert (answer.status_code, answer["Location"]) == (302, "/password/")
