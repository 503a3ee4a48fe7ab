"""Records requests after they are answered."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from workbench.audit.recording import request_record


class AuditedRequests:
    """Sees every route, so that none has to remember to record itself."""

    def __init__(self, respond: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._respond = respond

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        answer = self._respond(request)
        request_record(request, answer)
        return answer
