"""Feishu (飞书) and Lark, a custom bot.

Source: Feishu open platform, "Custom bot usage guide"
(https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from typing import Any

from workbench.channels.kind import Kind, Message, Post, error_code
from workbench.languages.sentences import say_later


def _write(message: Message, secret: str, now: int) -> Post:
    body: dict[str, Any] = {"msg_type": "text", "content": {"text": message.text.replace("<at", "< at")}}
    if secret:
        digest = hmac.digest(f"{now}\n{secret}".encode(), b"", hashlib.sha256)
        body |= {"timestamp": str(now), "sign": base64.b64encode(digest).decode()}
    return Post(body)


KIND = Kind(
    title=say_later("Feishu, Lark"),
    write=_write,
    refusal=lambda answer: error_code(answer, "code", "msg"),
    address="https://open.feishu.cn/open-apis/bot/v2/hook/…",
    signed_with=say_later("Signature verification secret"),
)
