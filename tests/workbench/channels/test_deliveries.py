"""A verdict reaches the channels of its team once, and again when it changes; what fails is tried again."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.exceptions import PermissionDenied, ValidationError
from django.urls import reverse
from django.utils import timezone

from tests.workbench.channels.chat import Chat, running
from tests.workbench.diagnosed import (
    SKEW_RULE,
    diagnosed_case,
    document_store,
    finish,
    job_beside,
    published,
    stored_file,
)
from tests.workbench.people import People, signed_in
from workbench.analyses.services import analysis_request
from workbench.cases.services import snapshot_start
from workbench.channels import planning, services
from workbench.channels.models import USUAL_TEMPLATE, Channel, Delivery, DeliveryStatus, Tells
from workbench.channels.services import ChannelForm, channel_remove, channel_save, channel_try, delivery_send
from workbench.channels.wording import message_about

pytestmark = pytest.mark.usefixtures("queue")


@pytest.fixture
def chat() -> Iterator[Chat]:
    with running(Chat()) as server:
        yield server


def form_of(people: People, chat: Chat, **more: Any) -> ChannelForm:
    settings: dict[str, Any] = {
        "name": "on call",
        "kind": "webhook",
        "team": people.team,
        "address": f"{chat.url}/hook/secret-path?key=secret-key",
        "special_allowed": True,
        "template": USUAL_TEMPLATE,
    }
    return ChannelForm(**settings | more)


@pytest.fixture
def channel(people: People, chat: Chat) -> Channel:
    published(SKEW_RULE, people.rita)
    return channel_save(user=people.ada, form=form_of(people, chat))


def send_all() -> None:
    """As the worker does."""
    for delivery in Delivery.objects.due().order_by("pk"):
        delivery_send(delivery.pk)


def test_the_first_verdict_is_sent_with_the_link_to_the_case(
    people: People, channel: Channel, chat: Chat, settings: LazySettings
) -> None:
    settings.WORKBENCH_URL = "https://workbench.example"
    case = diagnosed_case(people.alice).case
    send_all()
    [(path, _, body)] = chat.posts
    assert path == "/hook/secret-path?key=secret-key"
    assert body["url"] == f"https://workbench.example{case.get_absolute_url()}"
    assert body["text"].startswith(f"Verdict: {case.title}\n{case.verdict_summary}")
    assert Delivery.objects.get().status == DeliveryStatus.SENT


def test_a_message_says_first_what_the_case_page_says(people: People, channel: Channel) -> None:
    analysis = diagnosed_case(people.alice)
    analysis.document["findings"][0]["first_step"] = "Find the key with most records."
    message = message_about(Delivery(channel=channel, case=analysis.case, analysis=analysis, what="Verdict"))
    assert message.fields["first"] == "Find the key with most records."
    assert "First: Find the key with most records." in message.text


def test_a_message_about_trouble_that_is_over_asks_for_nothing_now(people: People, channel: Channel) -> None:
    analysis = diagnosed_case(people.alice)
    onset = {"ts": "2026-11-21T01:02:03.000Z", "at_start": False, "ended": "2026-11-21T01:03:00.000Z"}
    analysis.document["findings"][0] |= {"first_step": "Find the key.", "onset": onset}
    message = message_about(Delivery(channel=channel, case=analysis.case, analysis=analysis, what="Verdict"))
    assert message.fields["first"] == "Nothing now: it is over. To prevent it next time: Find the key."


@pytest.mark.parametrize(
    ("symptom_class", "missing", "first"),
    [
        ("healthy", [], "Nothing: the evidence shows no trouble."),
        ("inconclusive", [{"what": "a log of a TaskManager"}], "Add to the case: a log of a TaskManager."),
        ("inconclusive", [], "Read the findings of the case."),
    ],
)
def test_without_a_cause_a_message_says_which_evidence_would_show_one(
    people: People, channel: Channel, symptom_class: str, missing: list[dict[str, str]], first: str
) -> None:
    analysis = diagnosed_case(people.alice, skew_ratio=1.0)
    analysis.document["verdict"]["symptom_class"] = symptom_class
    analysis.document |= {"findings": [], "split": None, "missing_evidence": missing}
    message = message_about(Delivery(channel=channel, case=analysis.case, analysis=analysis, what="Verdict"))
    assert message.fields["first"] == first


def test_the_same_verdict_is_not_sent_twice_and_a_snapshot_after_a_change_is(
    people: People, channel: Channel, chat: Chat
) -> None:
    analysis = diagnosed_case(people.alice)
    finish(analysis_request(case=analysis.case, user=people.alice), 4.0)
    assert [each.what for each in Delivery.objects.all()] == ["Verdict"]
    snapshot_start(case=analysis.case, user=people.alice, change="More slots")
    stored_file(analysis.case, people.alice, "b.log", b"after", 2)
    finish(analysis_request(case=analysis.case, user=people.alice), 1.0)
    assert [each.what for each in Delivery.objects.order_by("pk")] == ["Verdict", "After the change"]


def test_a_cause_of_another_job_is_a_new_verdict_and_a_critical_one_is_not_held_back(
    people: People, channel: Channel
) -> None:
    analysis = diagnosed_case(people.alice)
    again = analysis_request(case=analysis.case, user=people.alice)
    again.document = analysis.document
    job_beside(again, "invoices", "user_code", 36, severity="critical")
    again.document["findings"][0]["severity"] = "warning"
    document_store(again)
    begin, end = (timezone.now() + dt.timedelta(hours=hours) for hours in (-1, 1))
    Channel.objects.update(quiet_from=begin.time(), quiet_to=end.time())
    for _ in range(2):
        planning.deliveries_plan(analysis_id=again.pk)
    assert [each.what for each in Delivery.objects.order_by("pk")] == ["Verdict", "New verdict"]
    assert Delivery.objects.latest("pk").due_at <= timezone.now()


def test_a_verdict_that_waits_for_the_morning_does_not_come_after_a_newer_one(people: People, channel: Channel) -> None:
    """It came hours after the critical one that took its place, as if it were the verdict of the case."""
    begin, end = (timezone.now() + dt.timedelta(hours=hours) for hours in (-1, 1))
    Channel.objects.update(quiet_from=begin.time(), quiet_to=end.time())
    analysis = diagnosed_case(people.alice)
    Delivery.objects.all().delete()
    analysis.document["findings"][0]["severity"] = "warning"
    document_store(analysis)
    planning.deliveries_plan(analysis_id=analysis.pk)
    assert Delivery.objects.get().due_at > timezone.now(), "it waits for the end of the quiet hours"
    planning.deliveries_plan(analysis_id=analysis.pk)
    assert Delivery.objects.count() == 1, "the same verdict again"

    again = analysis_request(case=analysis.case, user=people.alice)
    again.document = analysis.document
    job_beside(again, "invoices", "user_code", 36, severity="critical")
    planning.deliveries_plan(analysis_id=again.pk)

    only = Delivery.objects.get()
    assert (only.what, only.analysis) == ("Verdict", again), "nothing was sent before it"
    assert only.due_at <= timezone.now()


def test_a_verdict_that_turns_out_to_be_none_before_the_morning_is_not_sent(people: People, channel: Channel) -> None:
    begin, end = (timezone.now() + dt.timedelta(hours=hours) for hours in (-1, 1))
    Channel.objects.update(quiet_from=begin.time(), quiet_to=end.time())
    analysis = diagnosed_case(people.alice)
    Delivery.objects.update(due_at=end)
    again = analysis_request(case=analysis.case, user=people.alice)
    again.document = {**analysis.document, "findings": []}
    again.document["verdict"] = {**again.document["verdict"], "symptom_class": "inconclusive"}
    document_store(again)
    planning.deliveries_plan(analysis_id=again.pk)
    assert not Delivery.objects.exists()


def test_channels_of_other_teams_and_of_causes_only_hear_nothing(people: People, channel: Channel) -> None:
    diagnosed_case(people.charlie)
    diagnosed_case(people.alice, skew_ratio=1.0)
    assert not Delivery.objects.exists()
    Channel.objects.update(tells=Tells.ALL)
    diagnosed_case(people.alice, skew_ratio=1.0)
    assert Delivery.objects.count() == 1


def test_old_messages_are_deleted_unless_they_wait(people: People, channel: Channel) -> None:
    diagnosed_case(people.alice)
    Delivery.objects.update(created_at=timezone.now() - services.KEPT - dt.timedelta(days=1))
    assert services.deliveries_expire() == 0
    send_all()
    assert services.deliveries_expire() == 1


def test_what_fails_is_tried_again_later_and_given_up_at_last(people: People, channel: Channel, chat: Chat) -> None:
    chat.answers = [(503, b"later")]
    diagnosed_case(people.alice)
    for wait in services.AGAIN:
        send_all()
        delivery = Delivery.objects.get()
        assert (delivery.status, delivery.detail) == (DeliveryStatus.WAITING, "Answer 503: later")
        assert abs(delivery.due_at - timezone.now() - wait) < dt.timedelta(seconds=3)
        Delivery.objects.update(due_at=timezone.now())
    send_all()
    assert Delivery.objects.get().status == DeliveryStatus.FAILED
    assert len(chat.posts) == len(services.AGAIN) + 1


@pytest.mark.parametrize("answer", [(404, b"no such hook"), (302, b""), (200, b'{"errcode": 1, "errmsg": "no"}')])
def test_a_refusal_is_not_tried_again_and_a_redirect_not_followed(
    people: People, channel: Channel, chat: Chat, answer: tuple[int, bytes]
) -> None:
    Channel.objects.update(kind="dingtalk")
    chat.answers = [answer]
    diagnosed_case(people.alice)
    send_all()
    assert (Delivery.objects.get().status, len(chat.posts)) == (DeliveryStatus.FAILED, 1)


def test_an_answer_that_is_nested_is_an_answer(people: People, channel: Channel, chat: Chat) -> None:
    chat.answers = [(200, b"[" * 4_000)]
    diagnosed_case(people.alice)
    send_all()
    assert (Delivery.objects.get().status, len(chat.posts)) == (DeliveryStatus.SENT, 1)


def test_a_message_that_is_queued_twice_is_sent_once(people: People, channel: Channel, chat: Chat) -> None:
    diagnosed_case(people.alice)
    key = Delivery.objects.get().pk
    delivery_send(key)
    delivery_send(key)
    assert len(chat.posts) == 1


def test_secrets_do_not_leave(people: People, channel: Channel, chat: Chat) -> None:
    analysis = diagnosed_case(people.alice, title="password=hunter22 of the \x1b[31mbucket")
    send_all()
    sent = json.dumps(chat.posts)
    assert "hunter22" not in sent
    assert "\\u001b" not in sent
    assert analysis.case.get_absolute_url() in sent


@pytest.mark.parametrize(
    ("begin", "end", "now", "due"),
    [
        ("22:00", "06:00", "23:10", "06:00 next"),
        ("22:00", "06:00", "05:59", "06:00"),
        ("22:00", "06:00", "06:00", "06:00 now"),
        ("01:00", "05:00", "00:59", "00:59 now"),
        ("01:00", "05:00", "04:00", "05:00"),
    ],
)
def test_quiet_hours_end_when_they_say(begin: str, end: str, now: str, due: str) -> None:
    channel = Channel(quiet_from=dt.time.fromisoformat(begin), quiet_to=dt.time.fromisoformat(end))
    day = dt.datetime(2026, 5, 4, tzinfo=dt.UTC)
    moment = dt.datetime.combine(day, dt.time.fromisoformat(now), dt.UTC)
    wanted = dt.datetime.combine(day, dt.time.fromisoformat(due.split()[0]), dt.UTC)
    wanted += dt.timedelta(days=1) if due.endswith("next") else dt.timedelta()
    assert planning.end_of_quiet(channel, moment) == wanted


def test_an_address_of_this_machine_is_refused_unless_it_is_meant(people: People, chat: Chat) -> None:
    with pytest.raises(ValidationError, match="this machine itself"):
        channel_save(user=people.ada, form=form_of(people, chat, special_allowed=False))
    far = form_of(people, chat, address="https://hooks.example/x", special_allowed=False)
    channel = channel_save(user=people.ada, form=far, lookup=lambda _host, _port: ["10.1.2.3"])
    delivery = channel_try(user=people.ada, channel=channel)
    delivery_send(delivery.pk, lookup=lambda _host, _port: ["169.254.169.254"])
    delivery.refresh_from_db()
    assert (delivery.status, chat.posts) == (DeliveryStatus.FAILED, [])
    assert "keeps secrets of this machine" in delivery.detail


def test_the_address_is_shown_to_nobody_and_deleted_with_the_channel(
    people: People, channel: Channel, settings: LazySettings
) -> None:
    kept = settings.WORKBENCH_DATA / "channel-addresses" / str(channel.pk)
    assert kept.stat().st_mode & 0o777 == 0o600
    browser = signed_in(people.ada)
    for page in (reverse("channels:list"), channel.get_absolute_url()):
        assert "secret-" not in browser.get(page).content.decode()
    channel_remove(user=people.ada, channel=channel)
    assert not kept.exists()
    with pytest.raises(PermissionDenied):
        channel_save(user=people.rita, form=ChannelForm("x", "slack", people.team))


def test_the_list_says_when_a_channel_is_quiet(people: People, channel: Channel) -> None:
    assert "UTC</div>" not in signed_in(people.ada).get(reverse("channels:list")).content.decode()
    Channel.objects.update(quiet_from=dt.time(22), quiet_to=dt.time(6, 30))
    assert "quiet 22:00 to 06:30 UTC" in signed_in(people.ada).get(reverse("channels:list")).content.decode()


def test_an_administrator_adds_a_channel_and_sends_a_test(people: People, chat: Chat) -> None:
    browser = signed_in(people.ada)
    form = {
        "name": "room",
        "kind": "slack",
        "team": people.team.pk,
        "address": f"{chat.url}/x",
        "special": "1",
        "tells": "all",
        "template": "{what} {nothing}",
    }
    assert "No message has nothing." in browser.post(reverse("channels:list"), form).content.decode()
    browser.post(reverse("channels:list"), form | {"template": "{what}: {url}", "quiet_from": "22:00"})
    channel = Channel.objects.get()
    browser.post(reverse("channels:try", args=[channel.pk]))
    send_all()
    assert chat.posts[0][2]["text"].startswith("Test: http")
    assert "Sent" in browser.get(channel.get_absolute_url()).content.decode()
    browser.post(channel.get_absolute_url(), form | {"template": "{url}", "address": ""})
    channel.refresh_from_db()
    assert (channel.template, channel.origin) == ("{url}", chat.url)
