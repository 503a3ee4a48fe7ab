"""The type of the files in `kinds`: how one system takes a message."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from diagnostics.registry import registered


@dataclass(frozen=True, slots=True)
class Message:
    """A message about one case.

    text     the whole message as the channel's template writes it, lines of plain text with its link
    url      page of the case
    fields   the parts that the text is made of, for systems that take JSON
    """

    text: str
    url: str
    fields: Mapping[str, str | float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Post:
    """The content to send: a JSON body, further headers, and an extension of the address."""

    body: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Kind:
    """How one system takes a message.

    title        the system's name
    write        (message, secret or "", seconds since 1970) -> what is posted
    refusal      what the system's answer of status 2xx says against the message; empty when it took it
    address      what its addresses look like
    signed_with  what its signing secret is called there; empty where it knows none
    """

    title: str
    write: Callable[[Message, str, int], Post]
    address: str
    refusal: Callable[[Any], str] = lambda answer: ""
    signed_with: str = ""


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
