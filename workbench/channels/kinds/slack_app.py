"""Slack, by an app with a bot token: later verdicts change the first message, and say so in its thread.

Sources: Slack documentation, "chat.postMessage" and "chat.update" (https://api.slack.com/methods/chat.update). The app
needs the scope `chat:write` and has to be a member of the channel. A changed message notifies nobody, so the change is
also said in the thread.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

from workbench.channels.address import ChannelAddress
from workbench.channels.kind import Kind, Message, Post
from workbench.channels.kinds.slack import escaped
from workbench.clusters.address import AddressRefused
from workbench.languages.sentences import say, say_later

CHANNEL = re.compile(r"[A-Z0-9]{6,20}")


def _posts(message: Message, address: ChannelAddress, now: int) -> Sequence[Post]:
    said: dict[str, Any] = {"channel": _channel(address), "text": escaped(message.text), "unfurl_links": False}
    first = message.earlier.id if message.earlier else ""
    if not first:
        return [_post(address, "chat.postMessage", said)]
    change = {"channel": said["channel"], "ts": first, "text": said["text"]}
    return [
        _post(address, "chat.update", change, may_fail=True),
        _post(address, "chat.postMessage", {**said, "thread_ts": first}),
    ]


def _post(address: ChannelAddress, method: str, body: dict[str, Any], *, may_fail: bool = False) -> Post:
    root = urlsplit(address.path).path.rstrip("/")
    headers = {"Authorization": f"Bearer {address.secret}"}
    return Post(body, headers, path=f"{root}/{method}", may_fail=may_fail)


def _channel(address: ChannelAddress) -> str:
    return parse_qs(urlsplit(address.path).query).get("channel", [""])[0]


def _check(address: ChannelAddress) -> None:
    if not CHANNEL.fullmatch(_channel(address)):
        raise AddressRefused(say("The address ends with ?channel= and the id of the channel, such as C0123456789."))
    if not address.secret or " " in address.secret:
        raise AddressRefused(say("The bot token of the app is needed (xoxb-…), as the secret."))


def _refusal(answer: Any) -> str:
    if isinstance(answer, dict) and answer.get("ok") is True:
        return ""
    return str(answer.get("error") or "refused") if isinstance(answer, dict) else say("no answer of Slack")


def _message_id(answer: Any) -> str:
    stamp = answer.get("ts") if isinstance(answer, dict) else None
    return stamp if isinstance(stamp, str) else ""


KIND = Kind(
    title=say_later("Slack app, which changes its message"),
    posts=_posts,
    refusal=_refusal,
    message_id=_message_id,
    check=_check,
    address="https://slack.com/api/?channel=C0123456789",
    signed_with=say_later("Bot token, xoxb-…"),
)
