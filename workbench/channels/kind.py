"""The type of the files in `kinds`: how one system takes a message."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from email.message import EmailMessage
from functools import cache
from typing import Any

from diagnostics.registry import registered
from workbench.channels.address import MAIL, WEB, ChannelAddress
from workbench.languages.sentences import say


@dataclass(frozen=True, slots=True)
class Earlier:
    """The first message of a channel about the same case.

    id       by what its system names it; empty where it names none
    what     why it was sent
    sent_at  when
    """

    id: str
    what: str
    sent_at: dt.datetime


@dataclass(frozen=True, slots=True)
class Message:
    """A message about one case.

    text     the whole message as the channel's template writes it, lines of plain text with its link
    url      page of the case
    fields   the parts that the text is made of, for systems that take JSON
    earlier  the message that it continues; None for the first one
    """

    text: str
    url: str
    fields: Mapping[str, str | float | None] = field(default_factory=dict)
    earlier: Earlier | None = None

    @property
    def following(self) -> str:
        """The text with a last line that names the message it continues, for systems that cannot change that one."""
        if self.earlier is None:
            return self.text
        sent = f"{self.earlier.sent_at:%Y-%m-%d %H:%M} UTC"
        return self.text + "\n" + say("Continues: {what} of {sent}", what=self.earlier.what, sent=sent)


@dataclass(frozen=True, slots=True)
class Post:
    """The content to send: a JSON body, further headers, and an extension of the address.

    path      instead of the address's own path and query; empty for those
    may_fail  whether the next post is sent although this one was refused
    """

    body: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)
    path: str = ""
    may_fail: bool = False


def _nothing(message: Message, secret: str, now: int) -> Post:
    raise NotImplementedError("a kind has one of write, posts and mail")


@dataclass(frozen=True, slots=True)
class Kind:
    """How one system takes a message.

    title        the system's name
    write        (message, secret or "", seconds since 1970) -> what is posted
    refusal      what the system's answer of status 2xx says against the message; empty when it took it
    address      what its addresses look like
    signed_with  what its secret is called there; empty where it knows none
    posts        of a system that changes its messages: (message, address, seconds since 1970) -> what is posted, in
                 order, instead of `write`
    message_id   what names a message in the system's answer
    check        (address) -> raises AddressRefused for one that is not of this system
    mail         of a mail server: (message, address) -> the mail, instead of `write`
    """

    title: str
    address: str
    write: Callable[[Message, str, int], Post] = _nothing
    posts: Callable[[Message, ChannelAddress, int], Sequence[Post]] | None = None
    message_id: Callable[[Any], str] = lambda answer: ""
    check: Callable[[ChannelAddress], None] = lambda address: None
    mail: Callable[[Message, ChannelAddress], EmailMessage] | None = None
    refusal: Callable[[Any], str] = lambda answer: ""
    signed_with: str = ""

    @property
    def schemes(self) -> Sequence[str]:
        """What its addresses begin with."""
        return WEB if self.mail is None else MAIL

    def posted(self, message: Message, address: ChannelAddress, now: int) -> Sequence[Post]:
        """What is posted, in order."""
        if self.posts is not None:
            return self.posts(message, address, now)
        return [self.write(replace(message, text=message.following), address.secret, now)]


@cache
def kinds() -> dict[str, Kind]:
    """Every kind by the name of its file."""
    from workbench.channels import kinds as package

    return dict(registered(package, "KIND"))


def error_code(answer: Any, code: str, text: str) -> str:
    """The text of an answer whose code is not 0, as DingTalk, WeCom and Feishu answer with status 200."""
    if not isinstance(answer, dict) or answer.get(code) in (0, None):
        return ""
    return f"{answer.get(text) or 'refused'} ({answer[code]})"
