"""Slack, and what takes the same messages (Mattermost, Rocket.Chat).

Source: Slack documentation, "Sending messages using incoming webhooks"
(https://api.slack.com/messaging/webhooks); escaping: "Formatting text for app surfaces".
"""

from __future__ import annotations

from workbench.channels.kind import Kind, Message, Post


def _write(message: Message, secret: str, now: int) -> Post:
    text = message.text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return Post({"text": text, "unfurl_links": False})


KIND = Kind(title="Slack", write=_write, address="https://hooks.slack.com/services/…")
