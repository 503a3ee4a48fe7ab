"""What is recorded: every request of a person that may change something, and every export."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from django.contrib.admin.models import LogEntry
from django.db import Error
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from workbench.accounts.guessing import client_address
from workbench.accounts.models import ApiToken, User
from workbench.audit.models import AuditEntry
from workbench.audit.words import NOTED
from workbench.untrusted.storable import storable

logger = logging.getLogger(__name__)

NO_SUCH_METHOD = 405
READING = ("GET", "HEAD", "OPTIONS")
EXPORTS = frozenset(
    {
        "uploads:download",
        "reports:bundle",
        "reports:html",
        "reports:json",
        "reports:markdown",
        "reports:pdf",
        "reports:post_mortem",
        "analyses:document",
        "rules:export",
        "history:jobs_file",
        "prevention:archive",
        "audit:export",
    }
)
"""Routes that only read and are recorded, because something leaves the workbench with them."""

QUIET = frozenset(
    {
        "uploads:arrival",  # a piece of an upload: its beginning is recorded
        "uploads:awaited",  # what is about to be sent: its files are recorded
        "uploads:give-up",
        "rules:preview",
        "rules:backtest_go_on",
        "redaction:preview",
        "drills:look",
        "zone",
        "language",
        "login",  # recorded as the event that it causes
        "logout",
        "api:alerts",  # listed on the page of alerts
    }
)
"""Routes that change nothing worth an entry, or are recorded otherwise."""

FIELDS: Mapping[str, tuple[str, ...]] = {
    "cases:status": ("status",),
    "cases:owner": ("owner",),
    "cases:close": ("confirmed_class",),
    "cases:snapshot_begin": ("begins_at",),
    "cases:bulk": ("action", "status", "owner", "case"),
    "clusters:collect": ("cluster",),
    "clusters:metrics": ("server", "case", "hours"),
    "delete_case": ("what",),
    "space:change": ("what",),
    "space:retention_change": ("what", "days", "reason"),
    "history:objective": ("failed_percent", "latency_ms"),
    "sign_in:mapping": ("group", "team", "role"),
    "tokens": ("name", "scope", "days"),
    "rules:publish": ("reason",),
    "rules:approve": ("reason",),
    "rules:approval": ("needed", "reason"),
    "rules:health": (
        "cause_critical",
        "cause_warning",
        "cause_info",
        "consequence_critical",
        "consequence_warning",
        "consequence_info",
        "most_in_trouble",
        "reason",
    ),
    "rules:switch": ("enabled", "reason"),
    "rules:roll_back": ("reason",),
    "limits": ("reason",),
}
"""Fields of a form that an entry repeats, by route. A route that is not here repeats none."""

LONGEST_FIELD = 300
MOST_VALUES = 50


def request_record(request: HttpRequest, answer: HttpResponseBase) -> None:
    """Records the request of a signed-in person or program, where it is one to record."""
    action = request.resolver_match.view_name if request.resolver_match else ""
    if action in QUIET or answer.status_code == NO_SUCH_METHOD or (request.method in READING and action not in EXPORTS):
        return
    # After the others: who is signed in is read from the database, which a page of health must not wait for.
    user = getattr(request, "user", None)
    if not action or not isinstance(user, User):
        return
    details = _fields(request, action)
    if action.startswith("admin:") and answer.status_code == 302:
        details |= _administered(request, user)
    entry_add(request=request, user=user, action=action, status=answer.status_code, details=details)


def entry_add(
    *,
    request: HttpRequest | None,
    action: str,
    user: User | None = None,
    name: str = "",
    status: int | None = None,
    details: Mapping[str, object] | None = None,
) -> None:
    """Adds an entry. What was done stays done when it cannot be stored; the log says so."""
    entry = AuditEntry(
        user=user,
        name=storable((user.get_username() if user else name)[:150]),
        via=_via(request),
        address=client_address(request) if request else None,
        action=action[:80],
        target=storable(request.path[:300]) if request else "",
        status=status,
        details=storable(dict(details or {})),
    )
    try:
        entry.save(force_insert=True)
    except Error:
        logger.exception("no entry of the audit log could be stored: %s %s", entry.name, entry.action)


def _via(request: HttpRequest | None) -> str:
    token = getattr(request, "auth", None)
    return f"token {token.name}" if isinstance(token, ApiToken) else "browser" if request else ""


def _fields(request: HttpRequest, action: str) -> dict[str, object]:
    fields: dict[str, object] = {}
    for name in FIELDS.get(action, ()):
        values = [value[:LONGEST_FIELD] for value in request.POST.getlist(name)[:MOST_VALUES]]
        if values:
            fields[name] = values[0] if len(values) == 1 else values
    return fields


def _administered(request: HttpRequest, user: User) -> dict[str, object]:
    """What Django's administration noted about this change."""
    match = request.resolver_match
    object_id = match.kwargs.get("object_id") if match else None
    noted = LogEntry.objects.filter(user=user, **({"object_id": object_id} if object_id else {})).first()
    return {"changed": {name: getattr(noted, name) for name in NOTED}} if noted else {}
