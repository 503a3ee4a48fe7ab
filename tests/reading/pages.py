"""The pages of a diagnosed case, rendered as a browser gets them, and their text as a reader sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from django.test import Client
from django.urls import reverse

from workbench.analyses.models import Analysis
from workbench.runbooks.filling import runbook_progress

BLOCKS = re.compile(
    r"article|aside|button|caption|d[dlt]|details|div|fieldset|footer|form|h[1-4]|header|label|li|main|nav|[ou]l|option|p"
    r"|pre|section|select|summary|t[dhr]|table"
)
UNSHOWN = frozenset(["head", "script", "style", "svg", "template", "noscript"])


def pages_of(client: Client, analysis: Analysis) -> dict[str, str]:
    """Name -> HTML of the case page, each runbook, its what-if page and the report."""
    found = {"case": reverse("cases:detail", args=[analysis.case.pk])}
    for each in {progress.position: progress for progress in runbook_progress(analysis).values()}.values():
        found[f"runbook {each.position} {each.id}"] = reverse("runbooks:detail", args=[analysis.pk, each.position])
        found[f"what if {each.position}"] = reverse("runbooks:what_if", args=[analysis.pk, each.position])
    found["report"] = reverse("reports:html", args=[analysis.case.pk])
    found["post-mortem"] = reverse("reports:post_mortem", args=[analysis.case.pk])
    return {name: _html(client, address) for name, address in found.items()}


def _html(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    return b"".join(answer).decode()


def text_of(page: str) -> str:
    """What a reader sees of a page: one line for each block, folded parts included."""
    reader = _Reader()
    reader.feed(page)
    lines = (re.sub(r"[ \t\n\xa0]+", " ", line).strip() for line in "".join(reader.parts).split("\x00"))
    return "\n".join(line for line in lines if line)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._unshown = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in UNSHOWN:
            self._unshown += 1
        if BLOCKS.fullmatch(tag) or tag == "br":
            self.parts.append("\x00")

    def handle_endtag(self, tag: str) -> None:
        if tag in UNSHOWN:
            self._unshown -= 1
        if BLOCKS.fullmatch(tag):
            self.parts.append("\x00")

    def handle_data(self, data: str) -> None:
        if not self._unshown:
            self.parts.append(data)


def lines_of(page: str) -> Iterator[str]:
    """The lines of its text."""
    yield from text_of(page).splitlines()
