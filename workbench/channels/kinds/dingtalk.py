"""DingTalk (钉钉), a custom robot.

Source: DingTalk open platform, "Custom robot access" and "Security settings of custom robots"
(https://open.dingtalk.com/document/robots/custom-robot-access).
"""

from __future__ import annotations

import base64
import hashlib
import hmac

from workbench.channels.kind import Kind, Message, Post, error_code
from workbench.languages.sentences import say_later


def _write(message: Message, secret: str, now: int) -> Post:
    body = {"msgtype": "text", "text": {"content": message.text}}
    if not secret:
        return Post(body)
    timestamp = str(now * 1000)
    digest = hmac.digest(secret.encode(), f"{timestamp}\n{secret}".encode(), hashlib.sha256)
    return Post(body, query={"timestamp": timestamp, "sign": base64.b64encode(digest).decode()})


KIND = Kind(
    title=say_later("DingTalk"),
    write=_write,
    refusal=lambda answer: error_code(answer, "errcode", "errmsg"),
    address="https://oapi.dingtalk.com/robot/send?access_token=…",
    signed_with=say_later("Signing secret, SEC…"),
)
