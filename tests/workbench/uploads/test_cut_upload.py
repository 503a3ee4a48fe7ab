"""An upload that was cut: the pages of the case state how many of the chosen files arrived."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, case_of, signed_in
from workbench.cases.models import Case
from workbench.uploads.models import LONGEST_NAME

NAMES = [f"run/logs/tm-{place}.log" for place in range(5)]
CUT = "2 of 5 chosen files arrived."


def announced(browser: Client, case: Case, names: list[str]) -> int:
    """How many files are awaited after the announcement."""
    form = {"names": json.dumps(names)}
    awaited: int = browser.post(reverse("uploads:awaited", args=[case.pk]), form).json()["awaited"]
    return awaited


def sent(browser: Client, case: Case, names: list[str], content: bytes = b"") -> None:
    """Each file has bytes of its own, unless they are stated."""
    files = [SimpleUploadedFile("file", content or name.encode()) for name in names]
    assert browser.post(reverse("uploads:add", args=[case.pk]), {"name": names, "file": files}).status_code == 200


@pytest.fixture
def case(people: People) -> Case:
    """Two of five chosen files arrived."""
    case, browser = case_of(people.alice), signed_in(people.alice)
    assert announced(browser, case, NAMES) == 5
    sent(browser, case, NAMES[:2])
    return case


def pages(people: People, case: Case) -> list[str]:
    """The page of the files and that of the case."""
    browser = signed_in(people.bob)
    addresses = (reverse("cases:files", args=[case.pk]), case.get_absolute_url())
    return [browser.get(address).content.decode() for address in addresses]


def test_both_pages_state_how_many_of_the_chosen_files_arrived(people: People, case: Case) -> None:
    assert [CUT in page for page in pages(people, case)] == [True, True]


def test_the_page_of_a_diagnosis_states_it_too(people: People) -> None:
    case, browser = diagnosed_case(people.alice).case, signed_in(people.alice)
    announced(browser, case, ["logs/jm.log"])

    assert "1 of 2 chosen files arrived." in browser.get(case.get_absolute_url()).content.decode()


def test_nothing_is_said_once_the_others_arrived_or_were_repeats(people: People, case: Case) -> None:
    browser = signed_in(people.alice)
    announced(browser, case, NAMES)
    sent(browser, case, NAMES[:2])
    sent(browser, case, NAMES[2:4])
    sent(browser, case, NAMES[4:], content=NAMES[0].encode())

    assert announced(browser, case, []) == 0
    assert not any("chosen files arrived" in page for page in pages(people, case))


def test_what_is_given_up_is_not_awaited(people: People, case: Case) -> None:
    browser, address = signed_in(people.bob), reverse("uploads:give-up", args=[case.pk])
    browser.post(address, {"names": json.dumps(NAMES[2:3])})
    assert "2 of 4 chosen files arrived." in pages(people, case)[1]

    assert browser.post(address).status_code == 302
    assert not any("chosen files arrived" in page for page in pages(people, case))


def test_a_case_awaits_no_more_than_it_may_hold_and_no_nonsense(people: People) -> None:
    case, browser = case_of(people.alice), signed_in(people.alice)
    address = reverse("uploads:awaited", args=[case.pk])

    for nonsense in ("", "[", "{}", "3", "[1, null]", "[" * 5000):
        assert browser.post(address, {"names": nonsense}).json() == {"awaited": 0}
    assert announced(browser, case, ["x" * (LONGEST_NAME + 9), *map(str, range(20_000))]) < 20_000
    assert signed_in(people.vera).post(address, {"names": "[]"}).status_code == 403
    assert signed_in(people.charlie).post(address, {"names": "[]"}).status_code == 404
