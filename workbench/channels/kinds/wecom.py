"""WeCom (企业微信), a group robot.

Source: WeCom developer center, "Group robot configuration"
(https://developer.work.weixin.qq.com/document/path/91770). A text has at most 2,048 bytes there.
"""

from __future__ import annotations

from workbench.channels.kind import Kind, Message, Post, error_code
from workbench.languages.sentences import say_later

MOST_BYTES = 2_048


def _write(message: Message, secret: str, now: int) -> Post:
    link = f"\n{message.url}"
    text = message.text.replace(message.url, "").rstrip()
    room = MOST_BYTES - len(link.encode())
    return Post({"msgtype": "text", "text": {"content": text.encode()[:room].decode(errors="ignore") + link}})


KIND = Kind(
    title=say_later("WeCom"),
    write=_write,
    refusal=lambda answer: error_code(answer, "errcode", "errmsg"),
    address="https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=…",
)
