"""Microsoft Teams, by a workflow "Post to a channel when a webhook request is received".

Source: Microsoft documentation, "Create incoming webhooks with Workflows for Microsoft Teams"
(https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using).
"""

from __future__ import annotations

from workbench.channels.kind import Kind, Message, Post
from workbench.languages.sentences import say


def _write(message: Message, secret: str, now: int) -> Post:
    lines = [line for line in message.text.splitlines() if line.strip()]
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [
            {"type": "TextBlock", "text": _plain(line), "wrap": True, "weight": "Bolder" if first else "Default"}
            for line, first in zip(lines, [True] + [False] * len(lines), strict=False)
        ],
        "actions": [{"type": "Action.OpenUrl", "title": say("Open the case"), "url": message.url}],
    }
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "content": card}
    return Post({"type": "message", "attachments": [attachment]})


def _plain(line: str) -> str:
    """The line without what a text block takes for Markdown: links and emphasis."""
    return "".join(f"\\{letter}" if letter in "\\[]*_" else letter for letter in line)


KIND = Kind(title="Microsoft Teams", write=_write, address="https://….logic.azure.com:443/workflows/…")
