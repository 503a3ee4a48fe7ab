"""The login of a listed cluster: one header, stored in a file beside the data and in no database."""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from workbench.languages.sentences import say, say_later

KINDS = {"basic": say_later("user and password"), "bearer": say_later("token")}
LONGEST_SECRET = 8_000
"""Web servers take headers of 8 KB, and tokens that name groups come near to that."""


class LoginRefused(Exception):
    """Invalid input for a login; the text is for the user."""


class NoLogin(Exception):
    """The cluster has a login that is not readable here."""


@dataclass(frozen=True, slots=True)
class Login:
    """A login: its kind and the value of the header `Authorization`."""

    kind: str
    header: str

    @classmethod
    def entered(cls, kind: str, user: str, secret: str) -> Login | None:
        """The login as typed; None for no login. Raises LoginRefused."""
        user, secret = user.strip(), secret.strip()
        if not kind:
            if user or secret:
                raise LoginRefused(say("Choose how to sign in, or leave user and password empty."))
            return None
        if kind not in KINDS:
            raise LoginRefused(say("A login is a user with a password, or a token."))
        if not secret or len(secret) > LONGEST_SECRET or not secret.isprintable():
            raise LoginRefused(say("A password or token is needed, on one line."))
        if kind == "bearer":
            if not secret.isascii() or " " in secret:
                raise LoginRefused(say("A token has no blanks and plain characters only; leave out the word Bearer."))
            return cls(kind, f"Bearer {secret}")
        if not user or ":" in user or not user.isprintable() or len(user) > LONGEST_SECRET:
            raise LoginRefused(say("A user name is needed, without a colon."))
        return cls(kind, "Basic " + base64.b64encode(f"{user}:{secret}".encode()).decode())


def login_keep(cluster_id: int, login: Login) -> None:
    """Writes the login to a file that only this program's user can read."""
    path = _path(cluster_id)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as opened:
        opened.write(login.header)


def login_forget(cluster_id: int) -> None:
    """Deletes the login, if there is one."""
    _path(cluster_id).unlink(missing_ok=True)


def login_headers(cluster_id: int) -> dict[str, str]:
    """The header to send. Raises NoLogin."""
    try:
        return {"Authorization": _path(cluster_id).read_text("ascii")}
    except OSError as error:
        reason = say(
            "Its login cannot be read by the worker ({error}): take it off the list and add it again.",
            error=error.strerror,
        )
        raise NoLogin(reason) from None


def _path(cluster_id: int) -> Path:
    return settings.WORKBENCH_DATA / "cluster-logins" / str(cluster_id)
