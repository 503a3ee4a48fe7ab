"""Stops password guessing, per name and address and per address over all names."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Any

from axes.attempts import get_cool_off_threshold
from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt
from django.conf import settings
from django.db.models import Sum
from django.http import HttpRequest


class GuessingHandler(AxesDatabaseHandler):  # type: ignore[misc]
    """Axes counts per name and address; this handler also limits an address over all names."""

    def is_locked(self, request: HttpRequest, credentials: Mapping[str, Any] | None = None) -> bool:
        return bool(super().is_locked(request, credentials)) or self._failures_of_address(request) >= (
            settings.MOST_FAILURES_OF_ADDRESS
        )

    def _failures_of_address(self, request: HttpRequest) -> int:
        recent = AccessAttempt.objects.filter(
            ip_address=client_address(request), attempt_time__gte=get_cool_off_threshold(request)
        )
        return recent.aggregate(failures=Sum("failures_since_start"))["failures"] or 0


def client_address(request: HttpRequest) -> str:
    """The address of the request: behind trusted proxies the last one that is not a proxy.

    Clients can only prepend addresses to X-Forwarded-For, so nobody can choose an address.
    """
    hops = [*request.META.get("HTTP_X_FORWARDED_FOR", "").split(","), request.META.get("REMOTE_ADDR", "")]
    address = ""
    for hop in reversed(hops):
        known = _address(hop.strip())
        if known is None:
            break
        address = str(known)
        if not any(known in network for network in settings.TRUSTED_PROXIES):
            break
    return address or "0.0.0.0"  # noqa: S104 no address to listen at: what a socket without an address is known by


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
