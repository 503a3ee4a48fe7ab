"""Selects the language of each answer: that of the account, else that of the browser."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers

from workbench.languages.sentences import in_language

PROBE_OF_THE_PROCESS = "/healthz"
"""Is answered while the database hangs, also for a person's browser."""

EVENTS = "text/event-stream"
"""Other streams are files, in which nobody translates anything."""


class ReaderLanguage:
    """Sets the language for Django's catalogues and for the sentences of the library while an answer is made.

    Requests of programs have no account here: the API reads `Accept-Language`. Without a second language in
    WORKBENCH_LANGUAGES no request is looked at.
    """

    def __init__(self, respond: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._respond = respond

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if len(settings.LANGUAGES) < 2:
            return self._respond(request)
        language = _language_of_account(request) or translation.get_language_from_request(request)
        with in_language(language):
            response = self._respond(request)
        if isinstance(response, StreamingHttpResponse) and response.headers["Content-Type"] == EVENTS:
            response.streaming_content = _in_language(language, iter(response))
        response.headers.setdefault("Content-Language", language)
        patch_vary_headers(response, ("Accept-Language",))
        return response


def _in_language(language: str, parts: Iterable[bytes]) -> Iterator[bytes]:
    """Parts of an answer that are made after the request is over."""
    iterator = iter(parts)
    while True:
        with in_language(language):
            part = next(iterator, None)
        if part is None:
            return
        yield part


def _language_of_account(request: HttpRequest) -> str | None:
    """The offered language that the account chose. Without a session nobody is looked up: probes need no database."""
    if request.path == PROBE_OF_THE_PROCESS or settings.SESSION_COOKIE_NAME not in request.COOKIES:
        return None
    with suppress(DatabaseError):  # the view answers what the database cannot
        chosen = getattr(request.user, "language", "")
        return chosen if chosen in dict(settings.LANGUAGES) else None
    return None
