"""How to report a vulnerability: a page for people and `/.well-known/security.txt` for programs."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from workbench.launch.audit import ADVISORIES, affecting, known_advisories

EXPIRES = timedelta(days=90)
"""Validity of security.txt. Our choice, below the year that RFC 9116 recommends at most."""


@require_safe
def security(request: HttpRequest) -> HttpResponse:
    """How to report a vulnerability, and known vulnerabilities of the installed versions.

    Reporting needs no sign-in; the installed versions are only shown to signed-in users.
    """
    known = known_advisories(ADVISORIES.read_text("utf-8")) if request.user.is_authenticated else None
    context = {
        "contact": settings.SECURITY_CONTACT,
        "known": known,
        "affected": list(affecting(known)) if known else [],
    }
    return render(request, "api/security.html", context)


@require_safe
def security_txt(request: HttpRequest) -> HttpResponse:
    """The file of RFC 9116. Without a configured contact it refers to the page."""
    page = request.build_absolute_uri(reverse("security"))
    expires = (timezone.now() + EXPIRES).strftime("%Y-%m-%dT%H:%M:%SZ")
    lines = (
        f"Contact: {settings.SECURITY_CONTACT or page}",
        f"Expires: {expires}",
        f"Policy: {page}",
        "Preferred-Languages: en",
    )
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")
