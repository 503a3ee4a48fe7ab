"""Reads environment variables; system checks report invalid values with a hint."""

from __future__ import annotations

import ipaddress
import os
import re
import stat
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.core import checks
from django.utils.functional import lazy

from workbench.languages.sentences import say, to_say

ENVIRONMENT_CHECKS = "environment"
"""The tag of Django's checks that concern the environment. Our commands run no others: those are about the code, load
every page, and are run by `make up` and the tests."""
DATABASE_SCHEMES = ("sqlite", "postgres", "postgresql")
REDIS_SCHEMES = ("redis", "rediss", "unix")
SPARK_MASTER_FORM = re.compile(r"local(\[(\*|\d+)\])?|spark://\S+|yarn|k8s://\S+")
CONTACT_FORM = re.compile(r"(mailto:[^\s<>\"']+@[^\s<>\"']+|https://[^\s<>\"']+)")
SECURE_URL_FORM = re.compile(r"https://[^\s?#@]+|http://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(/[^\s?#@]*)?")
"""HTTPS; without it only on this machine."""
LANGUAGES_FORM = re.compile(r"en(,zh-hans)?")
LDAP_URL_FORM = re.compile(r"ldaps?://([A-Za-z0-9.-]+|\[[0-9a-f:]+\])(:[0-9]{1,5})?/?")
ATTRIBUTE_FORM = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
"""A name of an attribute. Source: RFC 4512, section 1.4."""
CLAMD_FORM = re.compile(r"unix:/\S+|([A-Za-z0-9.-]+|\[[0-9a-f:]+\]):[0-9]{1,5}")
"""A socket of this machine, or a host with a port."""
SPARK_REMOTE_FORM = re.compile(r"sc://[^/;\s]+(/\S*)?")

WEB_THREADS = 24
"""Threads of a web process. Our choice: pages wait for the database and for uploads, and a page with live progress
occupies a thread; none of them waits for the processor.
"""


@dataclass(frozen=True, slots=True)
class Environment:
    """The variables that the workbench reads. An invalid value is a problem, never a silent default."""

    variables: Mapping[str, str]
    problems: list[checks.Error] = field(default_factory=list)

    def text(self, name: str, default: str) -> str:
        """The variable's text."""
        return self.variables.get(name, "").strip() or default

    def words(self, name: str, default: list[str]) -> list[str]:
        """The variable's comma-separated words."""
        found = [word.strip() for word in self.variables.get(name, "").split(",")]
        return [word for word in found if word] or default

    def number(self, name: str, default: int, least: int, most: int) -> int:
        """The variable's whole number within bounds."""
        value = self.text(name, str(default))
        if value.isascii() and value.isdigit() and least <= int(value) <= most:
            return int(value)
        self.refuse(
            "E001",
            to_say("{name} is {value}."),
            to_say("Give a whole number from {least} to {most}, e.g. {default}."),
            name=name,
            value=repr(value),
            least=least,
            most=most,
            default=default,
        )
        return default

    def switch(self, name: str) -> bool:
        """Whether the variable is on."""
        given = self.text(name, "0").lower()
        if given not in ("0", "1", "true", "false", "yes", "no"):
            self.refuse("E002", to_say("{name} is {value}."), to_say("Give 1 or 0."), name=name, value=repr(given))
        return given in ("1", "true", "yes")

    def url(self, name: str, default: str, schemes: tuple[str, ...]) -> str:
        """The variable's URL with one of the schemes."""
        value = self.text(name, default)
        try:
            parts = urlsplit(value)
            readable = parts.scheme in schemes and (parts.port is None or parts.port > 0)
        except ValueError:
            readable = False
        if readable:
            return value
        self.refuse(
            "E003",
            to_say("{name} is {value}."),
            to_say("Give a URL that begins with {beginnings}."),
            name=name,
            value=repr(_without_secrets(value)),
            beginnings=", ".join(f"{scheme}://" for scheme in schemes),
        )
        return default

    def matching(self, name: str, default: str, pattern: re.Pattern[str], example: str) -> str:
        """The variable's text, which must match a pattern."""
        value = self.text(name, default)
        if value == default or pattern.fullmatch(value):
            return value
        self.refuse(
            "E004",
            to_say("{name} is {value}."),
            to_say("Give a value such as {example}."),
            name=name,
            value=repr(_without_secrets(value)),
            example=example,
        )
        return default

    def folder(self, name: str, default: Path) -> Path:
        """The variable's folder, created if missing, private to the user that runs the workbench.

        An unusable folder is a problem too; until the check ends the process, an empty one replaces it. The same
        applies to a folder that all users share, such as /tmp: making it private would lock them out.
        """
        folder = Path(self.text(name, str(default))).expanduser().absolute()
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            self.refuse(
                "E005",
                to_say("{name} is {value}: {reason}."),
                to_say("Give a folder that can be written."),
                name=name,
                value=repr(str(folder)),
                reason=error.strerror,
            )
            return Path(tempfile.mkdtemp())
        if not os.access(folder, os.W_OK | os.X_OK):
            self.refuse(
                "E005",
                to_say("{name} is {value}: it cannot be written."),
                to_say("Give a folder of your own, on a file system that is not read-only."),
                name=name,
                value=repr(str(folder)),
            )
            return Path(tempfile.mkdtemp())
        if folder.stat().st_mode & stat.S_ISVTX:
            self.refuse(
                "E005",
                to_say("{name} is {value}, which all users share."),
                to_say("Give a folder of your own."),
                name=name,
                value=repr(str(folder)),
            )
            return Path(tempfile.mkdtemp())
        make_private(folder)
        return folder

    def secret_in_file(self, name: str) -> str:
        """The content of the file that the variable names; empty without a variable."""
        path = self.text(name, "")
        if not path:
            return ""
        try:
            secret = Path(path).read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            self.refuse(
                "E007",
                to_say("{name} is {value}: {reason}."),
                to_say("Give a file that can be read."),
                name=name,
                value=repr(path),
                reason=type(error).__name__,
            )
            return ""
        if not secret:
            self.refuse(
                "E007",
                to_say("{name} is {value}, which is empty."),
                to_say("Write the secret into the file."),
                name=name,
                value=repr(path),
            )
        return secret

    def networks(self, name: str, default: list[str]) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
        """The variable's comma-separated addresses and networks."""
        networks = []
        for word in self.words(name, default):
            try:
                networks.append(ipaddress.ip_network(word))
            except ValueError as error:
                self.refuse(
                    "E006",
                    to_say("{name}: {reason}."),
                    to_say("Give addresses or networks, e.g. 10.0.0.5, 10.1.0.0/16."),
                    name=name,
                    reason=error,
                )
        return networks

    def refuse(self, number: str, what: str, hint: str, **values: Any) -> None:
        """Notes a problem for the system check. `to_say` marks its texts, which are said when somebody reads them."""
        problem = checks.Error(_say_later(what, **values), hint=_say_later(hint, **values), id=f"workbench.{number}")
        self.problems.append(problem)


def keep_files_private() -> None:
    """Makes every file and folder that this process and its children create readable by their owner only."""
    os.umask(0o077)


def make_private(path: Path) -> None:
    """Removes other users' permissions on an existing file or folder of ours.

    A foreign one, such as the mount point of a volume, is not changed: what the workbench creates in it is private.
    """
    mode = path.stat().st_mode
    if mode & 0o077 and path.stat().st_uid == os.geteuid():
        path.chmod(stat.S_IMODE(mode) & 0o700)


_say_later: Any = lazy(say, str)


def _without_secrets(url: str) -> str:
    """A URL for display: without user info and query."""
    return re.sub(r"\?.*", "?***", re.sub(r"//.*@", "//***@", url))


@checks.register(ENVIRONMENT_CHECKS)
def environment_is_readable(**_: object) -> list[checks.CheckMessage]:
    """Every problem from reading the settings."""
    from django.conf import settings

    return list(settings.ENVIRONMENT.problems)


def refuse_wrong_environment() -> None:
    """Ends a process that does not run Django's checks itself (web server, worker) when the environment is invalid."""
    problems = checks.run_checks(tags=[ENVIRONMENT_CHECKS])
    for problem in problems:
        sys.stderr.write(f"{problem.id}: {problem.msg} {problem.hint}\n")
    if problems:
        raise SystemExit(2)
