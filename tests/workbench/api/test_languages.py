"""The API in the language of `Accept-Language`: its document and its errors; codes, fields and shapes stay."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from tests.workbench.people import People, signed_in
from workbench.accounts.models import ApiToken, TokenScope
from workbench.api.documentation import SAID
from workbench.cases.own_texts import NEW
from workbench.cases.services import case_open

pytestmark = pytest.mark.django_db
CHINESE_READER = {"Accept-Language": "zh-CN,zh;q=0.9"}


def is_chinese(text: str) -> bool:
    return any("\u4e00" <= letter <= "\u9fff" for letter in text)


def texts(part: Any) -> Iterator[str]:
    """What people read of an OpenAPI document."""
    if isinstance(part, list):
        for each in part:
            yield from texts(each)
    elif isinstance(part, dict):
        for name, value in part.items():
            if name in SAID and isinstance(value, str) and value:
                yield value
            else:
                yield from texts(value)


def without_texts(part: Any) -> Any:
    if isinstance(part, list):
        return [without_texts(each) for each in part]
    if not isinstance(part, dict):
        return part
    return {name: without_texts(value) for name, value in part.items() if name not in SAID or isinstance(value, dict)}


def test_every_text_of_the_openapi_document_is_in_both_languages(both_languages: None) -> None:
    address = "/api/v1/schema/?format=json"
    english, chinese = Client().get(address).json(), Client(headers=CHINESE_READER).get(address).json()
    assert [each for each in texts(chinese) if not is_chinese(each)] == []
    assert [each for each in texts(english) if is_chinese(each)] == []
    assert without_texts(chinese) == without_texts(english)


def test_the_page_of_the_api_is_in_chinese(both_languages: None, people: People) -> None:
    page = signed_in(people.alice).get("/api/v1/docs/", headers=CHINESE_READER).content.decode()
    assert "列出" in page
    assert "Open a case, store its files" not in page


def test_a_title_that_the_workbench_gave_is_in_the_language_of_the_request(
    both_languages: None, people: People
) -> None:
    case_open(user=people.alice, title=NEW)
    _, secret = ApiToken.objects.make(people.alice, "test", 7, TokenScope.READ)
    for headers, title in (({}, NEW), (CHINESE_READER, "新故障")):
        answer = Client(headers={"Authorization": f"Token {secret}", **headers}).get("/api/v1/cases/")
        assert [each["title"] for each in answer.json()["results"]] == [title]


@pytest.mark.parametrize(
    ("method", "address", "status", "field"),
    [
        ("get", "/api/v1/cases/999999/", 404, "detail"),
        ("get", "/api/v1/cases/?status=gone", 400, "status"),
        ("get", "/api/v1/cases/?page=x", 404, "detail"),
        ("post", "/api/v1/cases/", 400, "files"),
        ("put", "/api/v1/cases/", 405, "detail"),
        ("get", "/api/v1/nowhere/", 404, "detail"),
    ],
)
def test_errors_are_said_in_the_language_of_the_request(
    both_languages: None, people: People, method: str, address: str, status: int, field: str
) -> None:
    _, secret = ApiToken.objects.make(people.alice, "test", 7, TokenScope.WRITE)
    for headers, expected in (({}, False), (CHINESE_READER, True)):
        client = Client(headers={"Authorization": f"Token {secret}", **headers})
        answer = getattr(client, method)(address)
        assert answer.status_code == status
        assert list(answer.json()) == [field]
        assert is_chinese(str(answer.json()[field])) is expected


def test_a_wrong_token_is_refused_in_the_language_of_the_request(both_languages: None) -> None:
    answer = Client(headers={"Authorization": "Token gone", **CHINESE_READER}).get("/api/v1/cases/")
    assert (answer.status_code, is_chinese(answer.json()["detail"])) == (401, True)
