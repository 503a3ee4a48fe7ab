"""Slack, and what takes the same messages (Mattermost, Rocket.Chat).

Source: Slack documentation, "Sending messages using incoming webhooks"
(https://api.slack.com/messaging/webhooks); escaping: "Formatting text for app surfaces".
"""

from __future__ import annotations

from workbench.channels.kind import Kind, Message, Post


def _write(message: Message, secret: str, now: int) -> Post:
    return Post({"text": escaped(message.text), "unfurl_links": False})


def escaped(text: str) -> str:
    """The text without what Slack takes for links and mentions."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


KIND = Kind(title="Slack", write=_write, address="https://hooks.slack.com/services/…")
