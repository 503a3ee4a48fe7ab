"""Later messages on a case: mails in a thread, a Slack message that changes, elsewhere a line that names the first."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.exceptions import ValidationError

from tests.workbench.certificates import write_certificate
from tests.workbench.channels.chat import Chat
from tests.workbench.channels.chat import running as chatting
from tests.workbench.channels.mail_server import MailServer, running
from tests.workbench.channels.test_deliveries import form_of, send_all
from tests.workbench.diagnosed import SKEW_RULE, diagnosed_case, finish, published, stored_file
from tests.workbench.people import People
from workbench.analyses.models import Analysis
from workbench.analyses.services import analysis_request
from workbench.cases.services import snapshot_start
from workbench.channels.models import Channel, Delivery, DeliveryStatus
from workbench.channels.services import channel_save

pytestmark = pytest.mark.usefixtures("queue")

RECIPIENTS = "/on-call@example.org,team@example.org?from=flink@example.org"
CHANNEL = "/api/?channel=C0123456789"


@pytest.fixture
def mail_server() -> Iterator[MailServer]:
    with running(MailServer()) as server:
        yield server


@pytest.fixture
def chat() -> Iterator[Chat]:
    with chatting(Chat()) as server:
        yield server


def mail_channel(people: People, server: MailServer, path: str = RECIPIENTS, secret: str = "") -> Channel:
    published(SKEW_RULE, people.rita)
    form = form_of(people, Chat(), kind="mail", address=f"{server.url}{path}", secret=secret)
    return channel_save(user=people.ada, form=form)


def after_a_change(people: People, analysis: Analysis) -> None:
    """A second snapshot of the case whose diagnosis is another one."""
    snapshot_start(case=analysis.case, user=people.alice, change="More slots")
    stored_file(analysis.case, people.alice, "b.log", b"after", 2)
    finish(analysis_request(case=analysis.case, user=people.alice), 1.0)


def test_a_mail_has_the_verdict_and_the_next_one_answers_it(people: People, mail_server: MailServer) -> None:
    mail_channel(people, mail_server)
    analysis = diagnosed_case(people.alice)
    send_all()
    after_a_change(people, analysis)
    send_all()
    first, second = mail_server.mails
    assert first["Subject"] == f"Verdict: {analysis.case.title}"
    assert (first["From"], first["To"]) == ("flink@example.org", "on-call@example.org, team@example.org")
    assert first["Auto-Submitted"] == "auto-generated"
    assert "Window has a skew of 4." in first.get_content()
    assert mail_server.recipients[0] == ["on-call@example.org", "team@example.org"]
    assert second["In-Reply-To"] == second["References"] == first["Message-ID"]
    assert second["Subject"].startswith("After the change: ")
    assert "Continues: Verdict of " in second.get_content()


def test_a_title_of_several_lines_adds_no_header_to_a_mail(people: People, mail_server: MailServer) -> None:
    mail_channel(people, mail_server)
    analysis = diagnosed_case(people.alice)
    analysis.case.title = "Orders\r\nBcc: everybody@example.org"
    analysis.case.save()
    send_all()
    [mail] = mail_server.mails
    assert mail["Bcc"] is None
    assert mail_server.recipients == [["on-call@example.org", "team@example.org"]]


def test_a_recipient_that_is_refused_is_named_and_a_server_that_is_busy_is_tried_again(
    people: People, mail_server: MailServer
) -> None:
    mail_channel(people, mail_server)
    mail_server.greets = "421 too busy"
    diagnosed_case(people.alice)
    send_all()
    delivery = Delivery.objects.get()
    assert (delivery.status, delivery.tries) == (DeliveryStatus.WAITING, 1)
    mail_server.greets = "220 ready"
    mail_server.refuses = {"team@example.org": "550 no such user"}
    Delivery.objects.update(due_at=delivery.created_at)
    send_all()
    delivery.refresh_from_db()
    assert (delivery.status, delivery.detail) == (DeliveryStatus.SENT, "Refused for team@example.org")
    assert mail_server.recipients == [["on-call@example.org"]]


def test_a_mail_that_nobody_takes_is_given_up(people: People, mail_server: MailServer) -> None:
    mail_channel(people, mail_server)
    mail_server.refuses = dict.fromkeys(("on-call@example.org", "team@example.org"), "550 no")
    diagnosed_case(people.alice)
    send_all()
    delivery = Delivery.objects.get()
    assert (delivery.status, delivery.detail.startswith("Refused:")) == (DeliveryStatus.FAILED, True)


def test_a_server_that_offers_starttls_gets_mail_and_password_encrypted(
    people: People, mail_server: MailServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mail_server.certificate = write_certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(mail_server.certificate))
    mail_channel(people, mail_server, secret="flink:secret")
    diagnosed_case(people.alice)
    send_all()
    assert Delivery.objects.get().status == DeliveryStatus.SENT
    assert (mail_server.encrypted, mail_server.logins) == ([True], ["\x00flink\x00secret"])


def test_a_server_whose_certificate_nobody_vouches_for_gets_neither(
    people: People, mail_server: MailServer, tmp_path: Path
) -> None:
    mail_server.certificate = write_certificate(tmp_path)
    mail_channel(people, mail_server, secret="flink:secret")
    diagnosed_case(people.alice)
    send_all()
    delivery = Delivery.objects.get()
    assert (delivery.status, mail_server.logins, mail_server.mails) == (DeliveryStatus.WAITING, [], [])
    assert "certificate" in delivery.detail.lower()


def test_a_password_is_not_sent_without_tls(people: People, mail_server: MailServer) -> None:
    mail_channel(people, mail_server, secret="flink:secret")
    diagnosed_case(people.alice)
    send_all()
    delivery = Delivery.objects.get()
    assert delivery.detail == "Refused: The server offers no TLS, and a password is not sent without it."
    assert (delivery.status, mail_server.logins, mail_server.mails) == (DeliveryStatus.FAILED, [], [])


@pytest.mark.parametrize(
    "path",
    ["/", "/on-call@example.org", "/on-call?from=a@b.c", "/a@b.c%0d%0aRCPT?from=a@b.c", f"/{'a@b.c,' * 21}?from=a@b.c"],
)
def test_addresses_without_recipients_or_sender_are_refused(people: People, mail_server: MailServer, path: str) -> None:
    with pytest.raises(ValidationError, match=r"recipients|mail addresses"):
        mail_channel(people, mail_server, path)


def test_a_web_address_is_none_of_a_mail_server_and_the_other_way_round(people: People, chat: Chat) -> None:
    for kind, address in (("mail", f"{chat.url}/a@b.c?from=a@b.c"), ("webhook", "smtp://mail.example/x")):
        with pytest.raises(ValidationError, match="The address begins with"):
            channel_save(user=people.ada, form=form_of(people, chat, kind=kind, address=address))
    channel = channel_save(user=people.ada, form=form_of(people, chat))
    with pytest.raises(ValidationError, match="Another system has another address"):
        channel_save(user=people.ada, form=form_of(people, chat, kind="mail", address=""), channel=channel)


def test_a_slack_app_changes_its_message_and_says_so_in_the_thread(people: People, chat: Chat) -> None:
    published(SKEW_RULE, people.rita)
    form = form_of(people, chat, kind="slack_app", address=f"{chat.url}{CHANNEL}", secret="xoxb-1")
    channel_save(user=people.ada, form=form)
    chat.answers = [(200, json.dumps({"ok": True, "channel": "C0123456789", "ts": "1503435956.000247"}).encode())]
    analysis = diagnosed_case(people.alice)
    send_all()
    after_a_change(people, analysis)
    send_all()
    assert [path for path, _, _ in chat.posts] == ["/api/chat.postMessage", "/api/chat.update", "/api/chat.postMessage"]
    assert {headers["Authorization"] for _, headers, _ in chat.posts} == {"Bearer xoxb-1"}
    first, change, reply = (body for _, _, body in chat.posts)
    assert first["channel"] == "C0123456789"
    assert (change["ts"], reply["thread_ts"]) == ("1503435956.000247", "1503435956.000247")
    assert change["text"] == reply["text"] != first["text"]
    assert "thread_ts" not in first


def test_a_message_that_cannot_be_changed_any_more_is_answered(people: People, chat: Chat) -> None:
    published(SKEW_RULE, people.rita)
    form = form_of(people, chat, kind="slack_app", address=f"{chat.url}{CHANNEL}", secret="xoxb-1")
    channel_save(user=people.ada, form=form)
    taken = (200, b'{"ok": true, "ts": "1.2"}')
    chat.answers = [taken, (200, b'{"ok": false, "error": "message_not_found"}'), taken]
    analysis = diagnosed_case(people.alice)
    send_all()
    after_a_change(people, analysis)
    send_all()
    assert [each.status for each in Delivery.objects.all()] == [DeliveryStatus.SENT] * 2
    assert len(chat.posts) == 3


def test_a_refusal_of_slack_is_no_message(people: People, chat: Chat) -> None:
    published(SKEW_RULE, people.rita)
    form = form_of(people, chat, kind="slack_app", address=f"{chat.url}{CHANNEL}", secret="xoxb-1")
    channel_save(user=people.ada, form=form)
    chat.answers = [(200, b'{"ok": false, "error": "not_in_channel"}')]
    diagnosed_case(people.alice)
    send_all()
    assert Delivery.objects.get().detail == "Refused: not_in_channel"
    for address, secret in ((f"{chat.url}/api/", "xoxb-1"), (f"{chat.url}{CHANNEL}", "")):
        with pytest.raises(ValidationError, match=r"channel=|bot token"):
            channel_save(
                user=people.ada,
                form=form_of(people, chat, name="other", kind="slack_app", address=address, secret=secret),
            )


def test_elsewhere_a_later_message_names_the_first_one(people: People, chat: Chat) -> None:
    published(SKEW_RULE, people.rita)
    channel_save(user=people.ada, form=form_of(people, chat))
    analysis = diagnosed_case(people.alice)
    send_all()
    after_a_change(people, analysis)
    send_all()
    first, second = (body for _, _, body in chat.posts)
    assert (first["continues"], "Continues" in first["text"]) == ("", False)
    assert second["text"].splitlines()[-1].startswith("Continues: Verdict of ")
    assert second["continues"].endswith("Z")
