"""Records sign-ins, their failures, and sign-outs."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.http import HttpRequest

from workbench.accounts.models import User
from workbench.audit.recording import entry_add

SIGNED_IN, SIGNED_OUT, FAILED = "signed in", "signed out", "sign-in failed"


def connect() -> None:
    """Connects the receivers."""
    user_logged_in.connect(_signed_in, dispatch_uid="audit-in")
    user_logged_out.connect(_signed_out, dispatch_uid="audit-out")
    user_login_failed.connect(_failed, dispatch_uid="audit-failed")


def _signed_in(*, request: HttpRequest, user: User, **signal: Any) -> None:
    entry_add(request=request, user=user, action=SIGNED_IN)


def _signed_out(*, request: HttpRequest, user: User | None, **signal: Any) -> None:
    if user is not None:
        entry_add(request=request, user=user, action=SIGNED_OUT)


def _failed(*, credentials: dict[str, Any], request: HttpRequest | None = None, **signal: Any) -> None:
    """Not while the sign-in is locked: guessing would fill the log."""
    if request is None or getattr(request, "axes_locked_out", False):
        return
    entry_add(request=request, name=str(credentials.get("username", "")), action=FAILED)
