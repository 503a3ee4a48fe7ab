"""The language of a page: that of the account, else of the browser; English alone where no other is offered."""

from __future__ import annotations

import pytest
from django.conf import LazySettings
from django.contrib.humanize.templatetags.humanize import intcomma
from django.test import Client
from django.utils import translation

from diagnostics.language import CHINESE, reading_in
from tests.workbench.people import People, signed_in
from workbench.languages.templatetags.reading import within_sentence

pytestmark = pytest.mark.django_db
CHINESE_BROWSER = {"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8"}


@pytest.mark.parametrize("asked", ["zh", "zh-CN", "zh-TW", "zh-HK,en;q=0.5", "zh-Hant-HK", "fr;q=0.9,zh-SG;q=0.8"])
def test_who_asks_for_any_chinese_gets_the_simplified_one(asked: str) -> None:
    page = Client(headers={"Accept-Language": asked}).get("/login/").content.decode()
    assert '<html lang="zh-Hans"' in page


@pytest.mark.parametrize("asked", ["", "en-US,zh-CN;q=0.8", "ja", "fr-FR,de;q=0.5", "*", "x-klingon;;q=y"])
def test_everybody_else_gets_english(asked: str) -> None:
    page = Client(headers={"Accept-Language": asked}).get("/login/").content.decode()
    assert '<html lang="en"' in page


def test_an_administrator_offers_english_alone(settings: LazySettings) -> None:
    settings.LANGUAGES = [("en", "English")]
    page = Client(headers=CHINESE_BROWSER).get("/login/")
    assert '<html lang="en"' in page.content.decode()
    assert "Sign in" in page.content.decode()
    assert "简体中文" not in page.content.decode()
    assert "Content-Language" not in page.headers


def test_a_browser_gets_its_language_and_both_in_the_menu(both_languages: None) -> None:
    page = Client(headers=CHINESE_BROWSER).get("/login/")
    assert '<html lang="zh-Hans"' in page.content.decode()
    assert "用户名" in page.content.decode()
    assert 'lang="zh-Hans" aria-current="true">简体中文</button>' in page.content.decode()
    assert 'lang="en">English</button>' in page.content.decode()
    assert page.headers["Content-Language"] == "zh-hans"
    assert "Accept-Language" in page.headers["Vary"]


def test_an_english_browser_sees_no_chinese_but_the_name_of_the_language(both_languages: None) -> None:
    page = Client(headers={"Accept-Language": "en-GB"}).get("/login/").content.decode()
    rest = page.replace("简体中文", "")
    assert "Sign in" in rest
    assert not any("\u4e00" <= letter <= "\u9fff" for letter in rest)


def test_the_language_of_an_account_counts_in_every_browser(both_languages: None, people: People) -> None:
    client = signed_in(people.bob)
    answer = client.post("/language/", {"language": "zh-hans", "next": "/cases/new/"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/cases/new/")
    elsewhere = signed_in(people.bob).get("/", headers={"Accept-Language": "en"})
    assert "新建案例" in elsewhere.content.decode()


def test_an_empty_choice_follows_the_browser_again(both_languages: None, people: People) -> None:
    client = signed_in(people.bob)
    client.post("/language/", {"language": "zh-hans"})
    client.post("/language/", {"language": ""})
    assert '<html lang="en"' in client.get("/", headers={"Accept-Language": "en"}).content.decode()


def test_a_language_that_is_not_offered_is_refused(people: People) -> None:
    assert signed_in(people.bob).post("/language/", {"language": "fr"}).status_code == 400
    people.bob.refresh_from_db()
    assert people.bob.language == ""


def test_the_way_back_stays_on_this_server(both_languages: None) -> None:
    answer = Client().post("/language/", {"language": "zh-hans", "next": "https://elsewhere.example/"})
    assert answer.headers["Location"] == "/"


def test_a_visitor_keeps_the_language_in_the_browser(both_languages: None) -> None:
    visitor = Client(headers={"Accept-Language": "en"})
    visitor.post("/language/", {"language": "zh-hans", "next": "/login/"})
    assert "用户名" in visitor.get("/login/").content.decode()


def test_a_language_that_is_no_longer_offered_is_english(settings: LazySettings, people: People) -> None:
    settings.LANGUAGES = [("en", "English")]
    people.bob.language = "zh-hans"
    people.bob.save()
    assert '<html lang="en"' in signed_in(people.bob).get("/").content.decode()


def test_the_api_follows_the_language_of_the_request(both_languages: None, people: People) -> None:
    refused = Client(headers=CHINESE_BROWSER).get("/api/v1/cases/")
    assert refused.status_code == 401
    assert refused.headers["Content-Language"] == "zh-hans"


def test_scripts_get_their_words(both_languages: None) -> None:
    words = Client(headers=CHINESE_BROWSER).get("/words.js")
    assert words.headers["Content-Type"].startswith("text/javascript")
    assert "gettext" in words.content.decode()


def test_numbers_have_groups_of_three(both_languages: None) -> None:
    with translation.override("zh-hans"):
        assert intcomma(1234567) == "1,234,567"


def test_a_title_within_a_sentence_keeps_its_names() -> None:
    assert within_sentence("Slow sink") == "slow sink"
    assert within_sentence("TaskManagers were lost") == "TaskManagers were lost"
    with reading_in(CHINESE):
        assert within_sentence("维表 Join 慢") == "维表 Join 慢"
