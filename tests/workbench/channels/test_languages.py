"""Messages are in the language of their channel, whatever language the administrator or the worker has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import timezone

from diagnostics.language import CHINESE, ENGLISH
from tests.workbench.channels.chat import Chat, running
from tests.workbench.channels.mail_server import MailServer
from tests.workbench.channels.mail_server import running as mailing
from tests.workbench.channels.test_following import CHANNEL, RECIPIENTS, after_a_change
from tests.workbench.diagnosed import SKEW_RULE, diagnosed_case, published
from tests.workbench.people import People
from workbench.channels.address import MAIL, ChannelAddress
from workbench.channels.kind import Message, kinds
from workbench.channels.kinds import dingtalk, feishu, mail, wecom
from workbench.channels.models import USUAL_TEMPLATE, Channel, Delivery
from workbench.channels.notices import Notice, notice_send
from workbench.channels.services import ChannelForm, channel_save, channel_try, delivery_send
from workbench.languages.sentences import in_language, said, sentence_of, to_say

pytestmark = pytest.mark.usefixtures("queue", "both_languages")

SENTENCE = re.compile(r"(\b[a-z]{2,}[ ,.]+){3}")
WRITTEN = re.compile(
    r"One subtask takes most of the records|Window has a skew of 4\.|Find the keys that Window gets\.|vnd[.a-z]+"
)
"""Texts of the rule, which a team wrote in English only, and the type of a card of Teams."""


@pytest.fixture
def chat() -> Iterator[Chat]:
    with running(Chat()) as server:
        yield server


@pytest.fixture
def mail_server() -> Iterator[MailServer]:
    with mailing(MailServer()) as server:
        yield server


def add_channel(people: People, chat: Chat, language: str, **more: Any) -> Channel:
    form: dict[str, Any] = {
        "name": f"on call, {language}",
        "kind": "webhook",
        "team": people.team,
        "address": f"{chat.url}/{language}",
        "special_allowed": True,
        "template": USUAL_TEMPLATE,
        "language": language,
    }
    return channel_save(user=people.ada, form=ChannelForm(**form | more))


def sent(chat: Chat) -> dict[str, dict[str, Any]]:
    """Path -> the message that arrived there, after the worker's round."""
    for delivery in Delivery.objects.due().order_by("pk"):
        delivery_send(delivery.pk)
    return {path: body for path, _, body in chat.posts}


def test_a_verdict_reaches_each_channel_in_its_language(people: People, chat: Chat) -> None:
    published(SKEW_RULE, people.rita)
    add_channel(people, chat, CHINESE)
    add_channel(people, chat, ENGLISH)
    case = diagnosed_case(people.alice).case
    messages = sent(chat)
    assert messages["/en"]["text"].startswith(f"Verdict: {case.title}\n{case.verdict_summary}\n")
    assert messages["/zh-hans"]["text"].startswith(f"诊断结论\uff1a{case.title}\n")
    assert messages["/zh-hans"]["verdict"] == "数据倾斜"
    assert messages["/zh-hans"]["schema"] == messages["/en"]["schema"] == 1


def test_the_subject_of_a_mail_has_the_colon_of_its_language() -> None:
    message = Message(text="", url="", fields={"what": "Verdict", "title": "Orders"})
    address = ChannelAddress.entered("smtps://example.org/a@example.org?from=b@example.org", "", MAIL)
    assert mail.KIND.mail is not None
    assert mail.KIND.mail(message, address)["Subject"] == "Verdict: Orders"
    with in_language(CHINESE):
        assert mail.KIND.mail(message, address)["Subject"] == "Verdict\uff1aOrders"


def test_systems_that_have_a_chinese_name_are_called_by_it() -> None:
    with in_language(CHINESE):
        names = [str(kind.KIND.title) for kind in (dingtalk, feishu, wecom)]
    assert names == ["钉钉", "飞书\uff08Lark\uff09", "企业微信"]


def test_a_test_message_has_no_english_sentence(people: People, chat: Chat) -> None:
    channel_try(user=people.ada, channel=add_channel(people, chat, CHINESE))
    text = sent(chat)["/zh-hans"]["text"]
    assert text.startswith("测试\uff1a这是一条渠道测试消息\n")
    assert not SENTENCE.search(text)


def test_a_notice_is_said_again_in_the_language_of_the_channel(people: People, chat: Chat) -> None:
    add_channel(people, chat, CHINESE)
    summary = sentence_of(said(to_say("Checks of {cluster} opened {most} cases within a day."), cluster="east", most=3))
    notice_send(people.team, Notice("Early warning", "The job Orders on east", summary, "/fleet/"))
    text = sent(chat)["/zh-hans"]["text"]
    assert text.startswith("预警\uff1aeast 上的作业 Orders\n")
    assert not SENTENCE.search(text)


def test_the_usual_message_is_stored_once_for_all_languages(people: People, chat: Chat) -> None:
    with in_language(CHINESE):
        usual = Channel(template=USUAL_TEMPLATE).template_said
        channel = add_channel(people, chat, CHINESE, template=usual)
    assert usual != channel.template == USUAL_TEMPLATE


def test_what_a_channel_answered_is_read_in_the_language_of_the_reader(people: People, chat: Chat) -> None:
    delivery = Delivery(
        channel=add_channel(people, chat, ENGLISH),
        what="Test",
        detail="No answer: connection reset",
        due_at=timezone.now(),
    )
    assert delivery.answer == "No answer: connection reset"
    with in_language(CHINESE):
        assert delivery.answer == "没有应答\uff1aconnection reset"


def test_a_language_that_is_not_offered_any_more_is_english(people: People, chat: Chat, settings: Any) -> None:
    channel = add_channel(people, chat, CHINESE)
    settings.LANGUAGES = [(ENGLISH, "English")]
    assert channel.spoken == ENGLISH


@pytest.mark.parametrize("kind", sorted(kinds()))
def test_every_system_gets_the_verdict_and_what_followed_in_chinese(
    people: People, chat: Chat, mail_server: MailServer, kind: str
) -> None:
    published(SKEW_RULE, people.rita)
    addresses = {"mail": f"{mail_server.url}{RECIPIENTS}", "slack_app": f"{chat.url}{CHANNEL}"}
    secret = "xoxb-1" if kind == "slack_app" else ""
    chat.answers = [(200, json.dumps({"ok": True, "ts": "1503435956.000247"}).encode())]
    address = addresses.get(kind, f"{chat.url}/hook")
    add_channel(people, chat, CHINESE, kind=kind, address=address, secret=secret)
    analysis = diagnosed_case(people.alice, title="New incident")
    sent(chat)
    after_a_change(people, analysis)
    sent(chat)
    posts = [json.dumps(body, ensure_ascii=False) for _, _, body in chat.posts]
    first, *_, last = posts or [f"{each['Subject']}\n{each.get_content()}" for each in mail_server.mails]
    assert "诊断结论\uff1a新故障" in first
    assert "改动之后\uff1a新故障" in last
    assert [found for text in (first, last) for found in SENTENCE.findall(WRITTEN.sub("", text))] == []
