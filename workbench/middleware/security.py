"""The content security policy, and the limit on the size of request bodies."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse

from workbench.languages.sentences import say
from workbench.machine.disk import NoRoom, require_room
from workbench.uploads.reservations import require_unreserved_room

Respond = Callable[[HttpRequest], HttpResponse]

POLICY = "; ".join(
    [
        "default-src 'self'",
        "script-src 'self'",
        # Plotly inserts its own style rules; scripts cannot come in that way.
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)


class ContentSecurityPolicy:
    """Forbids other hosts and inline scripts, on every answer."""

    def __init__(self, respond: Respond) -> None:
        self._respond = respond

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._respond(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response


class BoundedRequests:
    """Refuses a body that is too long before reading it.

    Django's CSRF check reads the whole form, uploads included, before a view can check the user. So a visitor who is
    not signed in may send no more than a form, and nobody more than a case may hold. The API checks its token before it
    reads the body, so only the second limit applies to it. Files for which the disk has no space are refused too; forms
    are not, because evidence is deleted by a form.
    """

    def __init__(self, respond: Respond) -> None:
        self._respond = respond

    def __call__(self, request: HttpRequest) -> HttpResponse:
        length = request.META.get("CONTENT_LENGTH") or "0"
        sent = int(length) if length.isascii() and length.isdigit() else 0
        if sent and sent > self._most(request):  # the user is looked up only when something is sent
            return _unread(
                say("The request has {sent} bytes; {request} are allowed.", sent=sent, request=self._most(request)), 413
            )
        if sent > settings.MOST_FORM_BYTES:
            try:
                require_unreserved_room(sent) if _holds_files(request) else require_room(sent)
            except NoRoom as error:
                return _unread(str(error), 507)
        return self._respond(request)

    def _most(self, request: HttpRequest) -> int:
        if request.path.startswith("/api/") or request.user.is_authenticated:
            return settings.MOST_REQUEST_BYTES
        return settings.MOST_FORM_BYTES


def _holds_files(request: HttpRequest) -> bool:
    """Whether it contains whole files; a piece of a resumable upload has its reservation."""
    return request.content_type == "multipart/form-data"


def _unread(detail: str, status: int) -> HttpResponse:
    """A refusal before the body is read, which makes the connection unusable."""
    refusal = JsonResponse({"detail": detail}, status=status)
    refusal.headers["Connection"] = "close"
    return refusal
