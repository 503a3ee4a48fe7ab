"""Django's administration is in the reader's language: its own words, ours, and the rows that name two things."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from tests.workbench.people import People, signed_in
from workbench.accounts.models import ApiToken

PAGES = (
    "admin:index",
    "admin:accounts_user_changelist",
    "admin:accounts_user_add",
    "admin:accounts_team_changelist",
    "admin:accounts_team_add",
    "admin:accounts_apitoken_changelist",
    "admin:layouts_loglayout_add",
    "admin:redaction_redactionrule_changelist",
    "admin:redaction_redactionrule_add",
    "admin:sign_in_identity_add",
)
NAMES = re.compile(r"(?:Flink|Python|strptime|RE2|API|UTC|OpenID|LDAP|Connect|SQLite|JSON|Django)\b")
ENGLISH = re.compile(r">[^<>\u4e00-\u9fff]*?[A-Za-z]{4,} [a-z]{2,}[^<>\u4e00-\u9fff]*<")
"""Text between two tags with two English words in a row and no Chinese letter."""


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_no_english_sentence(people: People, page: str) -> None:
    client = signed_in(people.ada)
    content = client.get(reverse(page), headers={"accept-language": "zh-hans"}).content.decode()
    shown = re.sub(r"(?s)<(script|style|select)\b.*?</\1>", "", content)
    assert [found for found in ENGLISH.findall(shown) if not NAMES.search(found)] == []


def test_the_pages_of_failed_sign_ins_have_chinese_names_and_columns(people: People) -> None:
    client = signed_in(people.ada)
    pages = [
        client.get(reverse(page), headers={"accept-language": "zh-hans"}).content.decode()
        for page in ("admin:index", "admin:axes_accessattempt_changelist")
    ]
    assert all("登录失败" in page for page in pages)
    client.post("/login/", {"username": "alice", "password": "a-guess"})
    columns = re.findall(r'(?s)<th scope="col".*?<div class="text">(.*?)</div>', pages[1])
    assert [each for each in columns if re.search("[A-Za-z]", re.sub("<.*?>|IP|checkbox", "", each))] == []


def test_the_secret_of_a_token_is_on_no_page_and_a_membership_is_named(people: People) -> None:
    token, _ = ApiToken.objects.make(people.alice, "laptop")
    client = signed_in(people.ada)
    page = client.get(
        reverse("admin:accounts_apitoken_change", args=[token.pk]), headers={"accept-language": "zh-hans"}
    )
    assert token.digest not in page.content.decode()
    person = client.get(
        reverse("admin:accounts_user_change", args=[people.alice.pk]), headers={"accept-language": "zh-hans"}
    ).content.decode()
    assert f"的 {people.alice}" in person
