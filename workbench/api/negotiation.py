"""Content negotiation of the API, which always answers with JSON."""

from __future__ import annotations

from collections.abc import Iterable

from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class JsonWhateverIsAccepted(DefaultContentNegotiation):
    """Answers with JSON also for browsers that ask for HTML, including errors, instead of "not acceptable"."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        known = list(renderers)
        try:
            chosen: tuple[BaseRenderer, str] = super().select_renderer(request, known, format_suffix)
        except NotAcceptable:
            return known[0], str(known[0].media_type)
        return chosen
