"""Signing in, guessing passwords, and changing one's own."""

from __future__ import annotations

import pytest
from django.conf import LazySettings
from django.test import Client

from tests.workbench.people import People, signed_in

RIGHT = "alice-has-a-password"


def sign_in(name: str, password: str, address: str = "192.0.2.1") -> int:
    form = {"username": name, "password": password}
    return Client(REMOTE_ADDR=address).post("/login/", form).status_code


@pytest.fixture
def guessed(people: People, settings: LazySettings) -> People:
    """Somebody at 192.0.2.1 has tried as many passwords for alice as are allowed."""
    settings.AXES_FAILURE_LIMIT = 3
    for guess in ("one", "two", "three"):
        sign_in("alice", guess)
    return people


def test_the_right_password_opens_the_list_of_cases(people: People) -> None:
    assert sign_in("alice", RIGHT) == 302


def test_after_too_many_guesses_even_the_right_password_is_refused(guessed: People) -> None:
    assert sign_in("alice", RIGHT) == 429


def test_the_page_says_how_long_to_wait(guessed: People) -> None:
    answer = Client(REMOTE_ADDR="192.0.2.1").post("/login/", {"username": "alice", "password": RIGHT})
    assert "Try again in a quarter of an hour" in answer.content.decode()


def test_guessing_from_one_address_locks_nobody_out_elsewhere(guessed: People) -> None:
    assert sign_in("alice", RIGHT, "192.0.2.2") == 302


def test_guessing_one_name_leaves_the_others_alone(guessed: People) -> None:
    assert sign_in("bob", "bob-has-a-password") == 302


def test_a_form_of_a_page_that_was_open_over_another_sign_in_says_what_to_do(people: People) -> None:
    late = Client(enforce_csrf_checks=True)
    late.force_login(people.alice)
    for headers in ({}, {"Accept": "application/json"}):
        answer = late.post("/cases/new/", {"title": "Late"}, headers=headers)
        assert answer.status_code == 403
        assert "open for too long" in answer.content.decode()


def test_everybody_changes_their_own_password(people: People) -> None:
    new = "another-long-password"
    form = {"old_password": "vera-has-a-password", "new_password1": new, "new_password2": new}
    assert signed_in(people.vera).post("/password/", form).status_code == 302
    assert sign_in("vera", new) == 302


def test_a_weak_password_is_refused_with_the_reason(people: People) -> None:
    form = {"old_password": "vera-has-a-password", "new_password1": "short", "new_password2": "short"}
    assert "at least 10 characters" in signed_in(people.vera).post("/password/", form).content.decode()
