"""Resumable uploads over HTTP: tus 1.0.0, core protocol with creation, checksum, expiration and termination.

Our own server side: of the packages for Django, django-tus ends at Django 3.1 and has no checksums, drf-tus is for
Django 4.2 and unchanged since 2023, and neither checks per request whether the user may change this case.
Source: https://tus.io/protocols/resumable-upload
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from functools import wraps
from typing import IO, Any, cast
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.http import http_date

from diagnostics.language import listed
from workbench.accounts.requests import SignedInRequest
from workbench.cases.selectors import case_to_change
from workbench.languages.sentences import say, say_stored
from workbench.limits.selectors import limits_now
from workbench.machine.disk import NoRoom
from workbench.uploads import arrivals
from workbench.uploads.models import Arrival, ArrivalState
from workbench.uploads.refusals import TooLarge, UploadRefused
from workbench.uploads.selectors import arrival_to_continue
from workbench.uploads.views import file_answer

VERSION = "1.0.0"
STATUSES: list[tuple[type[UploadRefused], int]] = [
    (TooLarge, 413),
    (arrivals.OffsetConflict, 409),
    (arrivals.ChecksumMismatch, 460),
    (arrivals.Busy, 423),
    (arrivals.Gone, 410),
]
"""460 is specific to the protocol."""

View = Callable[..., HttpResponse]


class _Unreadable(Exception):
    """A header is missing or invalid; the text names it."""


def _spoken(view: View) -> View:
    """Adds the protocol's version header to every answer, and converts refusals to sentences."""

    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = _answer(view, request, *args, **kwargs)
        response.headers["Tus-Resumable"] = VERSION
        response.headers["Cache-Control"] = "no-store"
        return response

    return answered


def _answer(view: View, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
    if not request.user.is_authenticated:
        return JsonResponse({"detail": say("You are not signed in any more.")}, status=401)
    if request.method != "OPTIONS" and request.headers.get("Tus-Resumable") != VERSION:
        refusal = JsonResponse({"detail": say("Tus-Resumable {version} is spoken here.", version=VERSION)}, status=412)
        refusal.headers["Tus-Version"] = VERSION
        return refusal
    try:
        return view(request, *args, **kwargs)
    except _Unreadable as error:
        return JsonResponse({"detail": str(error)}, status=400)
    except NoRoom as error:
        return JsonResponse({"detail": str(error)}, status=507)
    except UploadRefused as error:
        status = next((status for kind, status in STATUSES if isinstance(error, kind)), 400)
        return JsonResponse({"detail": str(error)}, status=status)


@_spoken
def begin(request: SignedInRequest, case_id: int) -> HttpResponse:
    """POST announces a file: Upload-Length, Upload-Metadata (filename, modified, redact). OPTIONS gives the supported
    extensions.
    """
    case = case_to_change(request.user, case_id)
    if request.method == "OPTIONS":
        response = HttpResponse(status=204)
        response.headers["Tus-Version"] = VERSION
        response.headers["Tus-Extension"] = "creation,checksum,expiration,termination"
        response.headers["Tus-Checksum-Algorithm"] = ",".join(arrivals.CHECKSUMS)
        response.headers["Tus-Max-Size"] = str(limits_now().file_bytes)
        return response
    if request.method != "POST":
        return _not_allowed("OPTIONS, POST")
    metadata = _metadata(request.headers.get("Upload-Metadata", ""))
    modified = metadata.get("modified", "0")
    arrival = arrivals.arrival_begin(
        case=case,
        user=request.user,
        name=(metadata.get("filename") or "unnamed")[-1000:],
        size=_number(request, "Upload-Length"),
        modified=int(modified) if modified.isascii() and modified.isdigit() and len(modified) < 16 else 0,
        redact=metadata.get("redact", "").split(),
    )
    return _located(arrival, 201)


@_spoken
def arrival(request: SignedInRequest, arrival_id: UUID) -> HttpResponse:
    """HEAD gives the current offset, PATCH appends the next piece, DELETE cancels the upload. POST, which the protocol
    leaves undefined, gives the outcome of a completely received file.
    """
    arriving = arrival_to_continue(request.user, arrival_id)
    if request.method == "HEAD":
        return _located(arriving, 200)
    if request.method == "PATCH":
        return _append(request, arriving)
    if request.method == "DELETE":
        arrivals.arrival_discard(arrival=arriving)
        return HttpResponse(status=204)
    if request.method == "POST":
        arrivals.arrival_complete(arrival=arriving)
        return JsonResponse(_outcome(request, arriving))
    return _not_allowed("DELETE, HEAD, PATCH, POST")


def _append(request: SignedInRequest, arriving: Arrival) -> HttpResponse:
    if request.content_type != "application/offset+octet-stream":
        return JsonResponse({"detail": say("Content-Type is application/offset+octet-stream.")}, status=415)
    arrivals.arrival_append(
        arrival=arriving,
        offset=_number(request, "Upload-Offset"),
        length=_number(request, "Content-Length"),
        stream=cast("IO[bytes]", request),
        checksum=_checksum(request.headers.get("Upload-Checksum")),
    )
    arrivals.arrival_complete(arrival=arriving)
    return _located(arriving, 204)


def _outcome(request: SignedInRequest, arriving: Arrival) -> dict[str, Any]:
    if arriving.state == ArrivalState.TAKEN and arriving.file is not None:
        return file_answer(request, arriving.file)
    return {
        "taken": False,
        "state": arriving.state,
        "bytes": arriving.redacted_bytes,
        "repeats": arriving.state == ArrivalState.REPEATED,
        "detail": say_stored(arriving.detail),
    }


def _located(arriving: Arrival, status: int) -> HttpResponse:
    response = HttpResponse(status=status)
    response.headers["Upload-Offset"] = str(arriving.offset)
    response.headers["Upload-Length"] = str(arriving.bytes)
    response.headers["Upload-Expires"] = http_date(arriving.expires_at.timestamp())
    if status == 201:
        response.headers["Location"] = arriving.get_absolute_url()
    return response


def _not_allowed(methods: str) -> HttpResponse:
    response = JsonResponse({"detail": say("{methods} are answered here.", methods=methods)}, status=405)
    response.headers["Allow"] = methods
    return response


def _number(request: SignedInRequest, name: str) -> int:
    given = request.headers.get(name, "")
    if given.isascii() and given.isdigit() and len(given) < 16:
        return int(given)
    raise _Unreadable(say("{name} is no number of bytes.", name=name))


def _metadata(header: str) -> dict[str, str]:
    """The pairs of `key base64,key base64`."""
    found = {}
    for pair in filter(None, header.split(",")):
        key, _, value = pair.strip().partition(" ")
        found[key] = _decoded(value, "Upload-Metadata").decode("utf-8", "replace")
    return found


def _checksum(header: str | None) -> tuple[str, bytes] | None:
    if header is None:
        return None
    algorithm, _, value = header.partition(" ")
    if algorithm not in arrivals.CHECKSUMS:
        raise _Unreadable(say("Upload-Checksum knows {checksums}.", checksums=listed(arrivals.CHECKSUMS)))
    return algorithm, _decoded(value, "Upload-Checksum")


def _decoded(value: str, name: str) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise _Unreadable(say("{name} holds no base64.", name=name)) from None
