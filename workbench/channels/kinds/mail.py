"""E-mail: plain text to some recipients, later messages on a case as answers to the first one.

Sources: RFC 5322 (In-Reply-To, References), RFC 3834 (Auto-Submitted).
"""

from __future__ import annotations

import re
from email.message import EmailMessage
from email.utils import format_datetime
from urllib.parse import parse_qs, unquote, urlsplit
from uuid import uuid4

from django.utils import timezone

from workbench.channels.address import ChannelAddress
from workbench.channels.kind import Kind, Message
from workbench.clusters.address import AddressRefused
from workbench.languages.sentences import say, say_later

MOST_RECIPIENTS = 20
LONGEST_SUBJECT = 150
MAILBOX = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,253}")


def _mail(message: Message, address: ChannelAddress) -> EmailMessage:
    sender = _sender(address)
    mail = EmailMessage()
    title = str(message.fields.get("title") or "")
    first_line = message.text.partition("\n")[0] if not title else f"{message.fields.get('what')}{say(': ')}{title}"
    # Answers keep the subject, since some programs make threads by it.
    mail["Subject"] = " ".join(first_line.split())[:LONGEST_SUBJECT]
    mail["From"], mail["To"] = sender, ", ".join(_recipients(address))
    mail["Date"] = format_datetime(timezone.now())
    # Short enough for one header line: not every mail program matches an identifier that is folded in In-Reply-To.
    mail["Message-ID"] = f"<{uuid4().hex}@{sender.rpartition('@')[2]}>"
    mail["Auto-Submitted"] = "auto-generated"
    if message.earlier is not None and message.earlier.id:
        mail["In-Reply-To"] = mail["References"] = message.earlier.id
    mail.set_content(message.following if message.earlier else message.text)
    return mail


def _recipients(address: ChannelAddress) -> list[str]:
    return [unquote(each) for each in urlsplit(address.path).path.strip("/").split(",") if each]


def _sender(address: ChannelAddress) -> str:
    return parse_qs(urlsplit(address.path).query).get("from", [""])[0]


def _check(address: ChannelAddress) -> None:
    recipients = _recipients(address)
    if not recipients or len(recipients) > MOST_RECIPIENTS:
        raise AddressRefused(
            say(
                "After the server come one to {most} recipients, separated by commas.",
                most=MOST_RECIPIENTS,
            )
        )
    for mailbox in (*recipients, _sender(address)):
        if not MAILBOX.fullmatch(mailbox):
            raise AddressRefused(
                say("Recipients, and the sender after ?from=, are mail addresses as on-call@example.org.")
            )
    if address.secret and not all(address.secret.partition(":")):
        raise AddressRefused(say("The login of the mail server is user:password, as the secret."))


KIND = Kind(
    title=say_later("E-mail"),
    mail=_mail,
    check=_check,
    address="smtps://mail.example.org/on-call@example.org,team@example.org?from=flink@example.org",
    signed_with=say_later("Login of the mail server, user:password"),
)
