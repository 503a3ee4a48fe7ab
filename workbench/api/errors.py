"""Errors of the API as JSON: {"detail": "..."} or field to messages; never a page or a stack trace."""

from __future__ import annotations

import logging
import sys
from typing import Any

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation, TooManyFilesSent, ValidationError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views import defaults
from rest_framework import exceptions, status
from rest_framework.response import Response
from rest_framework.views import exception_handler

from workbench.analyses.services import NothingToAnalyse
from workbench.languages.sentences import say, to_say
from workbench.machine.disk import NoRoom
from workbench.middleware.machine_faults import FULL, RETRY_SECONDS, MachineFault, fault_response, machine_fault
from workbench.uploads.refusals import FileTooBig, TooLarge, UploadRefused

logger = logging.getLogger(__name__)

UNREADABLE = to_say("The request cannot be read.")
TOO_LARGE = to_say("The request has more bytes, fields or files than the workbench takes.")


class BodyTooLarge(exceptions.APIException):
    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE


class InsufficientStorage(exceptions.APIException):
    status_code = status.HTTP_507_INSUFFICIENT_STORAGE


def api_exception_handler(error: Exception, context: dict[str, Any]) -> Response:
    """The answer to every exception inside an API view."""
    if isinstance(error, (RequestDataTooBig, TooManyFilesSent, TooLarge)):
        error = BodyTooLarge(_too_large(error))
    elif isinstance(error, NoRoom):
        error = InsufficientStorage(str(error))
    elif isinstance(error, (UploadRefused, NothingToAnalyse)):
        error = exceptions.ValidationError({"files": [str(error)]})
    elif isinstance(error, ValidationError):
        error = exceptions.ValidationError(error.message_dict)
    elif isinstance(error, SuspiciousOperation):
        error = exceptions.ParseError(say(UNREADABLE))
    elif isinstance(error, Http404):
        error = exceptions.NotFound()
    response = exception_handler(error, context)
    if response is None and (fault := machine_fault(error)) is not None:
        retry = {"Retry-After": str(RETRY_SECONDS)} if fault.status == 503 else None
        return Response({"detail": fault.detail}, status=fault.status, headers=retry)
    if response is None:
        logger.error("API call failed: %s", context["request"].path, exc_info=error)
        return Response({"detail": say("The workbench failed to answer; its log says why.")}, status=500)
    if isinstance(response.data, list):
        response.data = {"detail": " ".join(str(each) for each in response.data)}
    return response


def _too_large(error: Exception) -> str:
    """Which bound of ours it is; Django says its own in English."""
    return str(error) if isinstance(error, (FileTooBig, TooLarge)) else say(TOO_LARGE)


def _is_api(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400 outside of API views, e.g. a wrong Host header; 413 for a body over a limit, 507 on a full disk."""
    if isinstance(exception, NoRoom):
        return _no_room(request, exception)
    too_large = isinstance(exception, (RequestDataTooBig, TooManyFilesSent))
    if too_large and (_is_api(request) or request.headers.get("Accept") == "application/json"):
        return JsonResponse({"detail": _too_large(exception)}, status=413)
    if too_large:
        return render(request, "413.html", status=413)
    if _is_api(request):
        return JsonResponse({"detail": say(UNREADABLE)}, status=400)
    return defaults.bad_request(request, exception)


def _no_room(request: HttpRequest, error: NoRoom) -> HttpResponse:
    if _is_api(request) or request.headers.get("Accept") == "application/json":
        return JsonResponse({"detail": str(error)}, status=507)
    fault = MachineFault(507, FULL.title, str(error))
    return render(request, "machine_fault.html", {"fault": fault}, status=507)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403 outside of API views."""
    if _is_api(request):
        return JsonResponse({"detail": say("Not allowed.")}, status=403)
    return defaults.permission_denied(request, exception)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403 for a form of a page that was opened in an earlier session."""
    if _is_api(request) or request.headers.get("Accept") == "application/json":
        return JsonResponse({"detail": say("The page was open for too long. Reload it and try again.")}, status=403)
    return render(request, "403.html", status=403)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404 for an unknown address."""
    if _is_api(request):
        return JsonResponse({"detail": say("Not found.")}, status=404)
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """500 of a page, or of the API outside of its views; 503 or 507 for faults of the machine outside of views."""
    fault = machine_fault(error) if (error := sys.exception()) else None
    if fault is not None:
        return fault_response(request, fault)
    if _is_api(request):
        return JsonResponse({"detail": say("The workbench failed to answer; its log says why.")}, status=500)
    return defaults.server_error(request)
